package sessions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/transcript"
)

// Sessions that are no plain files of an agent's row: of a database, of a folder a
// session, of many editors, or of a repository.
var others = []func(*lister){gitclawHome, openCodeHome, clineHome, openHandsHome}

// add proposes a file.
func (l *lister) add(h *home, f file, format transcript.Format, head func(*lister, *candidate) bool) *candidate {
	l.found = append(l.found, candidate{
		Session: Session{
			Path:   filepath.Join(h.dir, filepath.FromSlash(f.name)),
			Format: format, Bytes: f.info.Size(), Time: f.info.ModTime().UTC(),
		},
		home: h, name: f.name, head: head,
	})
	return &l.found[len(l.found)-1]
}

// row looks for the sessions that the row of an agent tells of.
func (l *lister) row(a *agents.Agent) {
	for _, dir := range a.Sessions.Homes(&l.env) {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for i := range a.Sessions.Files {
			s := &search{l: l, h: h, a: a, f: &a.Sessions.Files[i]}
			if l.q.Side || !s.f.Sides {
				s.walk("", s.f.Pattern, "")
			}
		}
	}
}

// A search looks for files of one pattern below a home.
type search struct {
	l *lister
	h *home
	a *agents.Agent
	f *agents.Files
}

// walk matches the rest of the pattern below a folder. The project is that of the
// folder, if its name or a file in it tells.
func (s *search) walk(dir, rest, project string) {
	element, rest, deeper := strings.Cut(rest, "/")
	if !deeper {
		for _, f := range s.h.files(dir) {
			if ok, _ := path.Match(element, path.Base(f.name)); ok {
				s.propose(f, project)
			}
		}
		return
	}
	if !strings.ContainsAny(element, "*?[") {
		s.walk(path.Join(dir, element), rest, project)
		return
	}
	first := !strings.ContainsAny(strings.TrimSuffix(s.f.Pattern, element+"/"+rest), "*?[")
	for _, d := range s.h.folders(dir) {
		if ok, _ := path.Match(element, path.Base(d.name)); !ok || first && s.f.Folder != nil && !s.l.mayHold(path.Base(d.name), s.f.Folder) {
			continue
		}
		of := project
		if first && s.f.Root != "" {
			of = s.h.owner(d.name, s.f.Root, s.l.roots)
			if s.l.q.Dir != "" && !s.l.within(of) {
				continue
			}
		}
		s.walk(d.name, rest, of)
	}
}

func (s *search) propose(f file, project string) {
	c := s.l.add(s.h, f, transcript.Format(s.a.Format), readHead(s.a.Sessions))
	c.ID, c.Side = s.f.ID(f.name)
	c.Dir = project
}

// mayHold reports whether a folder whose name was made from a path may hold sessions of
// the project. Names are ambiguous and the heads of the files decide, so it is enough that
// the names agree apart from the number of dashes.
func (l *lister) mayHold(name string, encode func(string) string) bool {
	if l.q.Dir == "" {
		return true
	}
	words := func(name string) string {
		return strings.Join(strings.FieldsFunc(folded(name, l.env.GOOS), func(c rune) bool { return c == '-' }), "-")
	}
	return slices.ContainsFunc(l.roots, func(root string) bool { return strings.HasPrefix(words(name), words(encode(root))) })
}

// owner returns the project whose folder this is: the file of the name root in it
// holds the path, or the folder's name is the SHA-256 of one of the paths.
func (h *home) owner(dir, root string, paths []string) string {
	project := strings.TrimSpace(string(h.small(dir + "/" + root)))
	if project != "" {
		return project
	}
	for _, p := range paths {
		sum := sha256.Sum256([]byte(p))
		if path.Base(dir) == hex.EncodeToString(sum[:]) {
			project = p
		}
	}
	return project
}

// gitclawHome: sessions that a repository carries itself, written by pi where
// the repository's automation ran.
func gitclawHome(l *lister) {
	pi := agents.ByName("pi")
	for _, r := range l.roots {
		if resolved(r) != r {
			continue // the same folder under another name
		}
		h := l.home(r)
		if h == nil {
			continue
		}
		var before fs.FileInfo
		for _, d := range []string{".GITCLAW", ".gitclaw"} {
			if st, err := h.root.Stat(d); err == nil {
				if before != nil && os.SameFile(before, st) {
					continue // where upper and lower case are one, both names are the same folder
				}
				before = st
			}
			from := len(l.found)
			s := &search{l: l, h: h, a: pi, f: &agents.Files{Pattern: d + "/state/sessions/*.jsonl", ID: pi.Sessions.Files[0].ID}}
			s.walk("", s.f.Pattern, "")
			for i := range l.found[from:] {
				l.found[from+i].ours = true
			}
		}
	}
}

// Extensions of VS Code that keep tasks, and the editors that run them.
var (
	clineExtensions = []string{"saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code"}
	clineEditors    = []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}
)

// clineHome: globalStorage/<extension>/tasks/<id>/api_conversation_history.json
// of each editor, and the data of the command-line client.
func clineHome(l *lister) {
	config := l.env.Config()
	var dirs []string
	for _, e := range clineEditors {
		dirs = append(dirs, filepath.Join(config, e, "User", "globalStorage"), l.env.Home("Library", "Application Support", e, "User", "globalStorage"))
		if roaming := l.env.Getenv("APPDATA"); roaming != "" {
			dirs = append(dirs, filepath.Join(roaming, e, "User", "globalStorage"))
		}
	}
	dirs = append(dirs,
		l.env.Home(".vscode-server", "data", "User", "globalStorage"), l.env.Home(".vscode-remote", "data", "User", "globalStorage"),
		l.env.Home(".vscode-server-insiders", "data", "User", "globalStorage"), l.env.Home(".cursor-server", "data", "User", "globalStorage"))
	for _, dir := range dirs {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for _, x := range clineExtensions {
			l.clineTasks(h, x+"/tasks")
		}
	}
	data := l.env.Getenv("CLINE_DATA_DIR")
	if dir := l.env.Folder("CLINE_DIR", ".cline"); data == "" && dir != "" {
		data = filepath.Join(dir, "data")
	}
	if h := l.home(data); h != nil {
		l.clineTasks(h, "tasks")
		if l.env.Getenv("CLINE_SESSION_DATA_DIR") == "" {
			l.clineSessions(h, "sessions")
		}
	}
	if h := l.home(l.env.Getenv("CLINE_SESSION_DATA_DIR")); h != nil {
		l.clineSessions(h, ".")
	}
}

// openHandsHome lists conversations/<id>/events/event-<number>-<id>.json.
func openHandsHome(l *lister) {
	h, dir := l.home(cmp.Or(l.env.Getenv("OPENHANDS_PERSISTENCE_DIR"), l.env.Home(".openhands"))), "conversations"
	if other := l.env.Getenv("OPENHANDS_CONVERSATIONS_DIR"); other != "" {
		h, dir = l.home(other), "."
	}
	if h == nil {
		return
	}
	conversations := h.folders(dir)
	for _, d := range conversations {
		l.openHandsEvents(h, d.name)
	}
	if len(conversations) == 0 && len(h.folders("sessions")) > 0 {
		l.diagnose(h.dir, "not read: the sessions of an OpenHands before version 1")
	}
}

// openHandsEvents adds a conversation, as large as its events and as new as the
// newest.
func (l *lister) openHandsEvents(h *home, dir string) {
	events := h.files(dir + "/events")
	if len(events) == 0 {
		return
	}
	var size int64
	last := events[0]
	for _, f := range events {
		size += f.info.Size()
		if f.info.ModTime().After(last.info.ModTime()) {
			last = f
		}
	}
	c := l.add(h, last, transcript.OpenHands, headOpenHands)
	c.name, c.Bytes, c.ID = dir, size, path.Base(dir)
	c.Path = filepath.Join(h.dir, filepath.FromSlash(dir))
}
