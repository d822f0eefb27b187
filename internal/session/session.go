// Package session knows what satchel keeps of the sessions of agents in a project:
// what one has seen, what has to survive its compaction, what was put beside its
// prompts; and how its text goes to a model, without secrets.
//
// Start with [Kept]. Commands, MCP tools and hooks ask it; it judges nothing that a
// pack shows. What may go of a session says package trim.
package session

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/transcript"
)

// Patience is how long one who stands between a user and an agent waits for
// another process that writes what is remembered. It is then done without.
const Patience = 100 * time.Millisecond

// DefaultCharacters is what every client delivers whole: Claude Code replaces
// more than 10,000 characters by a preview, Codex cuts the middle out of about
// as much.
const DefaultCharacters = 9000

// A Kept is what is kept of the sessions in a project. It is safe for concurrent
// use.
type Kept struct {
	tree   index.Tree
	memory state.Memory
}

// NewKept returns what a memory keeps of the sessions in a tree.
func NewKept(tree index.Tree, memory state.Memory) *Kept {
	return &Kept{tree: tree, memory: memory.Patient(Patience)}
}

// root returns the folder of the work tree, "" if there is none, and how its
// blobs are named.
func (k *Kept) root() (string, git.Format) {
	switch t := k.tree.(type) {
	case *git.Repo:
		return t.Dir(), t.Format()
	case *git.Folder:
		return t.Dir(), git.SHA1 // as the index names them
	}
	return "", git.SHA1
}

// session returns what a session holds.
func (k *Kept) session(ctx context.Context, session string) (s state.Session, err error) {
	st, err := k.memory.Open(ctx)
	if st == nil || err != nil {
		return s, err
	}
	defer st.Close()
	return st.Session(ctx, session)
}

// End forgets what a session holds: it begins anew, was compacted, or is over.
func (k *Kept) End(ctx context.Context, session string, compacted bool, now time.Time) error {
	if session == "" {
		return nil
	}
	return k.memory.Change(ctx, func(s *state.Store) error { return s.Release(ctx, session, now, compacted) })
}

// below returns an absolute path, or one relative to dir, as it is below root,
// slash-separated.
func below(root, dir, name string) (string, bool) {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return "", false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(cmp.Or(dir, root), name)
	}
	for _, full := range []string{name, resolved(name)} {
		if rel, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(rel) && rel != "." {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// resolved is a path whose folder is named without links: the root is, and an
// agent may stand in a folder by another name.
func resolved(name string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return name
	}
	return filepath.Join(dir, filepath.Base(name))
}

// What clients put around or before a prompt: what hooks gave, and commands.
var (
	hookContext = lazy.Regexp(`(?s)<(hook_context|system-reminder|system_reminder|local-command-[a-z]+|command-[a-z]+)>.*?</(?:hook_context|system-reminder|system_reminder|local-command-[a-z]+|command-[a-z]+)>`)
	slashWord   = lazy.Regexp(`^/[a-z][\w:-]*(?:\s|$)`)
)

// Spoken returns what the user said, without what clients put into a prompt. A
// command of the client, such as /compact, says nothing.
func Spoken(prompt string) string {
	if len(prompt) > maxPrompt {
		prompt = strings.ToValidUTF8(prompt[:maxPrompt], "")
	}
	s := strings.TrimSpace(hookContext().ReplaceAllString(prompt, " "))
	if slashWord().MatchString(s) {
		return ""
	}
	return s
}

// maxPrompt is the number of bytes of a prompt that are looked at; the analysis
// of the task cuts further.
const maxPrompt = 256 << 10

// WithoutSecrets returns a block of a session without secrets. It is a Mask for
// [trim.Options].
func WithoutSecrets(b transcript.Block) transcript.Block {
	b, _ = redactBlock(b)
	return b
}

// RedactHead takes the secrets out of what a session says of itself.
func RedactHead(s *transcript.Session) {
	for _, text := range []*string{&s.ID, &s.Dir, &s.Branch, &s.Title, &s.Version, &s.Model} {
		clean, _ := secrets.RedactTurn([]byte(*text))
		*text = string(clean)
	}
	for i := range s.Diagnostics {
		clean, _ := secrets.RedactTurn([]byte(s.Diagnostics[i].Text))
		s.Diagnostics[i].Text = string(clean)
	}
}

// RedactSession returns the bytes of a session file without its secrets, and how
// many it took out. Everything else stays as it was, to the byte.
func RedactSession(file []byte) (clean []byte, found int) {
	clean, f := secrets.RedactJSON(file)
	return clean, len(f)
}

// redactBlock returns a block without secrets, and how many it took out.
func redactBlock(b transcript.Block) (transcript.Block, int) {
	text, found := secrets.RedactTurn([]byte(b.Text))
	if len(found) > 0 {
		b.Text = string(text)
	}
	n := len(found)
	if name, found := secrets.RedactTurn([]byte(b.Name)); len(found) > 0 {
		b.Name = string(name)
		n += len(found)
	}
	if b.Input != nil {
		b.Input, found = secrets.RedactJSON(b.Input)
		n += len(found)
	}
	if b.Raw != nil {
		b.Raw, found = secrets.RedactJSON(b.Raw)
		if n == 0 {
			n = len(found)
		}
	}
	return b, n
}
