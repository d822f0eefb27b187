package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/transcript"
)

// A Copy is where the changed copy of a session has to lie for its agent to go on
// with it. Nothing lies there yet.
type Copy struct {
	Path string
	ID   string // by which the agent resumes it

	// Session is the id that the file has to hold, as [transcript.Rename] writes it:
	// two sessions of one id are taken for each other.
	Session string
}

// ErrNoCopy says that an agent finds its sessions in no folder.
var ErrNoCopy = errors.New("it cannot resume a file")

// A HomeError is an agent's folder that is not there.
type HomeError struct {
	Agent transcript.Format
	Dir   string // the folder, or where the agent runs if Project
	// Project means that the agent has a home, but has not yet run in Dir.
	Project bool
}

func (e *HomeError) Error() string {
	if e.Project {
		return fmt.Sprintf("%s has no folder for the sessions of %s", e.Agent, e.Dir)
	}
	if e.Dir == "" {
		return fmt.Sprintf("where %s keeps its sessions is not known: HOME is not set", e.Agent)
	}
	return fmt.Sprintf("%s keeps its sessions in %s, which does not exist", e.Agent, e.Dir)
}

// NewCopy finds a place for a copy of the session in the file from, which began
// at started: for Claude Code and pi beside the session, for Codex and Gemini CLI
// in the home that q's environment tells, for an agent that runs in q.Dir. seed
// and the id of the session tell copies apart: the same seed gives the same place, unless an
// earlier copy lies there, which the agent may have gone on with.
//
// The error is [ErrNoCopy] or a *[HomeError].
func NewCopy(q Query, agent transcript.Format, from, session string, started time.Time, seed string) (Copy, error) {
	row := agents.ByFormat(string(agent))
	if row == nil || row.Sessions == nil || row.Sessions.Copy == nil {
		return Copy{}, ErrNoCopy
	}
	l := newLister(q)
	defer l.close()
	dir, err := l.copyDir(row, from, started)
	if err != nil {
		return Copy{}, err
	}
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", seed, n))
		id := idOf(hex.EncodeToString(sum[:4]), mark(session))
		c := Copy{Path: filepath.Join(dir, row.Sessions.Copy.Name(filepath.Base(from), id, started.UTC())), ID: id, Session: id}
		if row.Sessions.Copy.ByPath {
			c.ID = c.Path
		}
		if _, err := os.Lstat(c.Path); err != nil {
			return c, nil //nolint:nilerr // it is free; if it cannot be written, writing says why
		}
	}
}

// idOf makes an id, as agents make them, of eight digits and of the mark of the session
// that is copied. Its end proves that it is of a copy.
func idOf(digits, mark string) string {
	id := digits + mark
	return id + copyProof(id)
}

// mark returns the middle of the ids of a session's copies.
func mark(session string) string {
	sum := sha256.Sum256([]byte(session))
	s := hex.EncodeToString(sum[:5])
	return fmt.Sprintf("-%s-4%s-8%s-", s[:4], s[4:7], s[7:])
}

func copyProof(begins string) string {
	sum := sha256.Sum256([]byte("a trim of satchel " + begins))
	return hex.EncodeToString(sum[:6])
}

// IsCopy reports whether an id is of a copy that satchel made.
func IsCopy(id string) bool {
	const proof = len("00000000-0000-4000-8000-")
	return uuid().MatchString(id) && id[proof:] == copyProof(id[:proof])
}

// copyDir is the folder of the copy.
func (l *lister) copyDir(row *agents.Agent, from string, started time.Time) (string, error) {
	how := row.Sessions.Copy
	if how.Beside {
		return filepath.Dir(from), nil
	}
	dir := row.Sessions.Homes(&l.env)[0]
	h := l.home(dir)
	if h == nil {
		if !filepath.IsAbs(dir) {
			dir = ""
		}
		return "", &HomeError{Agent: transcript.Format(row.Format), Dir: dir}
	}
	if how.Dated != "" {
		return filepath.Join(dir, filepath.FromSlash(started.UTC().Format(how.Dated))), nil
	}
	// The folder of the project is that in which sessions are looked for.
	files := row.Sessions.Files[0]
	projects, _, _ := strings.Cut(files.Pattern, "/*/")
	here := []string{filepath.Clean(l.q.Dir), resolved(l.q.Dir)}
	for _, p := range h.folders(projects) {
		owner := folded(filepath.Clean(h.owner(p.name, files.Root, here)), l.env.GOOS)
		if slices.ContainsFunc(here, func(d string) bool { return folded(d, l.env.GOOS) == owner }) {
			return filepath.Join(dir, filepath.FromSlash(p.name), how.InProject), nil
		}
	}
	return "", &HomeError{Agent: transcript.Format(row.Format), Dir: l.q.Dir, Project: true}
}

// Resumed returns by which name an agent goes on with the session in the file
// from where it lies, if the file tells the id; "" if the agent does not find it
// there.
func Resumed(q Query, agent transcript.Format, from, id string) string {
	row := agents.ByFormat(string(agent))
	if row == nil || row.Sessions == nil || row.Sessions.Copy == nil {
		return ""
	}
	how := row.Sessions.Copy
	if how.ByPath {
		return from
	}
	if how.Beside { // it finds a session by its name
		if stem, ok := strings.CutSuffix(filepath.Base(from), ".jsonl"); ok && uuid().MatchString(stem) {
			return stem
		}
		return ""
	}
	l := newLister(q)
	defer l.close()
	if how.Dated != "" {
		first, _, _ := strings.Cut(how.Dated, "/")
		below := filepath.Join(resolved(row.Sessions.Homes(&l.env)[0]), first) + string(filepath.Separator)
		if !strings.HasPrefix(resolved(from), below) {
			return ""
		}
		return id
	}
	if dir, err := l.copyDir(row, from, time.Time{}); err != nil || resolved(dir) != filepath.Dir(resolved(from)) {
		return ""
	}
	return id
}

// uuid is what agents take for the id of a session.
var uuid = lazy.Regexp(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
