// Package sessions finds and opens the session files that coding agents keep
// on this machine.
//
// [List] looks where each agent keeps them and reads no more of a file than its
// head; [Open] opens one by its path, a folder or a row of a database as if it
// were a file; [Read] is Open and [transcript.Read] for a file that its agent
// may be writing. Nothing is ever written here, and the only environment is the
// one that the caller passes in.
//
// Below an agent's folder no symbolic link is followed and nothing but regular
// files is opened; what was passed over becomes a Diagnostic.
package sessions

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/world/database"
	"github.com/satchel-dev/satchel/transcript"
)

// A Query says which sessions are wanted, and where to look. The zero value
// finds nothing: without an environment there are no homes.
type Query struct {
	// Dir is a folder of the project. Sessions that were begun anywhere in its
	// repository, in any of its work trees, are found. Empty means the sessions
	// of all projects.
	Dir string

	// Getenv gives environment variables: HOME, and those by which agents
	// are told to keep their files elsewhere.
	Getenv func(key string) string

	// Limit is the most sessions that are returned. 0 or less means all.
	Limit int

	// Side adds the sessions of subagents.
	Side bool
}

// A Session is one that was found.
type Session struct {
	Path   string            `json:"path"` // for [Open]
	Format transcript.Format `json:"format"`
	ID     string            `json:"id,omitempty"`
	Title  string            `json:"title,omitempty"`   // one line: as recorded, else how the first prompt begins
	Dir    string            `json:"dir,omitempty"`     // working directory, as recorded
	Bytes  int64             `json:"bytes"`             // of the file; of a folder or row, what it holds
	Time   time.Time         `json:"time"`              // of the last change
	Side   bool              `json:"side,omitempty"`    // of a subagent
	TrimOf string            `json:"trim_of,omitempty"` // of a copy that satchel made: the id of the session, or "unknown"
}

// List returns the sessions, newest first; of the same time, by path. Homes
// that do not exist hold none. It never fails: what could not be read is told
// in the Diagnostics.
func List(q Query) ([]Session, []satchel.Diagnostic) {
	if q.Getenv == nil {
		return nil, nil
	}
	l := newLister(q)
	l.roots = roots(q.Dir)
	for _, a := range agents.All {
		if a.Sessions != nil {
			l.row(a)
		}
	}
	for _, look := range others {
		look(l)
	}
	slices.SortFunc(l.found, func(a, b candidate) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Path, b.Path))
	})
	var out []Session
	for _, c := range l.found {
		if q.Limit > 0 && len(out) == q.Limit {
			break
		}
		if !l.settle(&c) {
			continue
		}
		out = append(out, c.Session)
	}
	l.nameCopies(out)
	l.close()
	return out, l.diagnostics()
}

// nameCopies says of each copy which session it is a trim of. The heads of all others
// are read only if there is a copy.
func (l *lister) nameCopies(list []Session) {
	if !slices.ContainsFunc(list, func(s Session) bool { return IsCopy(s.ID) }) {
		return
	}
	ids := make(map[string]string)
	for _, c := range l.found {
		if c.ID == "" {
			c.head(l, &c)
		}
		ids[mark(c.ID)] = c.ID
	}
	for i := range list {
		if s := &list[i]; IsCopy(s.ID) {
			s.TrimOf = cmp.Or(ids[s.ID[8:24]], "unknown")
		}
	}
}

// Latest returns the newest session, whether there is one, and what could not be read.
func Latest(q Query) (s Session, ok bool, diags []satchel.Diagnostic) {
	q.Limit = 1
	all, diags := List(q)
	if len(all) == 0 {
		return s, false, diags
	}
	return all[0], true, diags
}

// A candidate is a session whose head is still to be read.
type candidate struct {
	Session
	home *home
	name string                         // below home
	head func(*lister, *candidate) bool // reads the head; false if it is not a session
	ours bool                           // it belongs to the project, whatever its head tells
}

type lister struct {
	q     Query
	env   agents.Env
	roots []string
	found []candidate
	homes []*home
	odd   map[string]int // what was passed over → how often
	said  []satchel.Diagnostic

	databases []*database.Reader // open until the heads are read
}

func newLister(q Query) *lister {
	return &lister{q: q, env: agents.Env{Getenv: q.Getenv, GOOS: runtime.GOOS}, odd: map[string]int{}}
}

// settle reads the head of a candidate and reports whether it is a session that is
// wanted. It counts the files of the project that are not sessions.
func (l *lister) settle(c *candidate) bool {
	if c.Side && !l.q.Side || c.Dir != "" && !l.wanted(c) {
		return false // as the name alone tells
	}

	ok := c.head(l, c)
	c.Title = oneLine(c.Title)
	if c.Side && !l.q.Side || !l.wanted(c) && (ok || c.Dir != "") {
		return false
	}
	if !ok {
		l.odd["\x00session files with an unreadable beginning"]++
	}
	return ok
}

func (l *lister) wanted(c *candidate) bool {
	return c.ours || l.q.Dir == "" || l.within(c.Dir)
}

// within reports whether a folder is in the project.
func (l *lister) within(dir string) bool {
	if dir == "" {
		return false
	}
	dir = filepath.Clean(dir)
	return slices.ContainsFunc(l.roots, func(root string) bool { return under(dir, root, l.env.GOOS) })
}

func (l *lister) diagnose(path, text string) {
	l.said = append(l.said, satchel.Diagnostic{Path: path, Text: text})
}

func (l *lister) close() {
	for _, h := range l.homes {
		h.close()
	}
	for _, db := range l.databases {
		db.Close()
	}
}

func (l *lister) diagnostics() []satchel.Diagnostic {
	for _, k := range slices.Sorted(maps.Keys(l.odd)) {
		path, what, _ := strings.Cut(k, "\x00")
		l.diagnose(path, fmt.Sprintf("%s skipped: %d", what, l.odd[k]))
	}
	return l.said
}

// titleRunes is how much of a prompt makes a title.
const titleRunes = 100

// oneLine returns the first line of text that says something, and the next if
// it ends in a colon, cut to titleRunes.
func oneLine(text string) string {
	title := ""
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(strings.ToValidUTF8(line, "\uFFFD")), " ")
		if title != "" { // what was announced, often a heading
			line = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
		if line == "" {
			continue
		}
		title = strings.TrimSpace(title + " " + line)
		if !strings.HasSuffix(line, ":") || len(title) > titleRunes {
			break
		}
	}
	if utf8.RuneCountInString(title) > titleRunes {
		return clip.Runes(title, titleRunes-1)
	}
	return title
}
