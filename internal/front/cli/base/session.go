package base

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/sessions"
)

// SessionID matches the id of a session or its beginning. A name with another character is
// a file.
var SessionID = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)

// NamedSession returns the path of the session that a user names: a file, or
// else a session whose id begins with the name. Sessions of this project come first.
func (a *App) NamedSession(name string) (string, error) {
	if name == "" {
		return "", Usage(errors.New("the name of the session is empty"), "latest is the newest session of this project")
	}
	file := a.FromHere(name)
	if _, err := os.Lstat(file); err == nil || !SessionID().MatchString(name) {
		return file, nil
	}
	if err := a.Removed(); err != nil {
		return "", err
	}
	for _, dir := range []string{a.Dir, ""} {
		all, _ := sessions.List(sessions.Query{Dir: dir, Getenv: a.Getenv, Side: true})
		found := withID(all, name)
		switch {
		case len(found) == 1:
			a.nameDuplicates(all, found[0])
			return found[0].Path, nil
		case len(found) > 1:
			return "", a.ambiguous(name, found)
		}
	}
	return "", Hint(fmt.Errorf("%s is not a file, and no session id begins with it", name), "satchel session list shows the sessions of this project and their ids")
}

// withID returns the sessions whose ids begin with a text, newest first, one for each id;
// or only the session that has this id.
func withID(all []sessions.Session, id string) (found []sessions.Session) {
	seen := map[string]bool{}
	for _, s := range all {
		if s.ID == id {
			return []sessions.Session{s}
		}
		if strings.HasPrefix(s.ID, id) && !seen[s.ID] {
			seen[s.ID] = true
			found = append(found, s)
		}
	}
	return found
}

// nameDuplicates prints which of several files with the same id is used.
func (a *App) nameDuplicates(all []sessions.Session, used sessions.Session) {
	n := 0
	for _, s := range all {
		if s.ID == used.ID {
			n++
		}
	}
	if n > 1 {
		a.Remark("note: %d files have the id %s; the newest is used: %s", n, clean.Inline(used.ID), clean.Inline(used.Path))
	}
}

// mostCandidates is how many sessions are listed for an id that names several.
const mostCandidates = 8

// ambiguous returns the error for an id of several sessions.
func (a *App) ambiguous(id string, found []sessions.Session) error {
	for i, s := range found {
		if i == mostCandidates {
			a.Say("and %d more", len(found)-i)
			break
		}
		a.Say("%s  %s  %s  %s", clean.Inline(s.ID), s.Time.UTC().Format("2006-01-02 15:04"), s.Format, Shown(s.Title))
	}
	return Hint(fmt.Errorf("%s is the beginning of %d session ids", id, len(found)), "type more of the id, or name the file")
}

// ShortIDs returns the shortest unique beginning of each session's id in the list, eight
// characters at least.
func ShortIDs(list []recordings.Listed) []string {
	const least = 8
	out := make([]string, len(list))
	for i := range list {
		id, n := list[i].ID, least
		for k := range list {
			if other := list[k].ID; other != id {
				same := 0
				for same < min(len(id), len(other)) && id[same] == other[same] {
					same++
				}
				n = max(n, same+1)
			}
		}
		out[i] = id[:min(n, len(id))]
		if !SessionID().MatchString(out[i]) {
			out[i] = "" // an id in two files is not unique; the file name is
		}
	}
	return out
}

// Latest is the name of the newest session of the project.
const Latest = "latest"

// Shown returns a text of a session for a table: one line, without secrets and control
// characters.
func Shown(text string) string {
	t, _ := clean.Turn(text)
	return clean.Inline(t.String())
}

// StdinSession is the path of a session on standard input. Other
// paths are absolute.
const StdinSession = "standard input"

// SessionPath returns the path of the session that the arguments name.
func (a *App) SessionPath(args []string) (string, error) {
	if len(args) > 0 && args[0] == "-" {
		return StdinSession, nil
	}
	if len(args) > 0 && args[0] != Latest {
		return a.NamedSession(args[0])
	}
	if len(args) > 0 {
		if _, err := os.Stat(a.FromHere(Latest)); err == nil {
			a.Remark("note: latest is the newest session; write ./latest for the file")
		}
	}
	if err := a.Removed(); err != nil {
		return "", err
	}
	s, ok, diags := sessions.Latest(sessions.Query{Dir: a.Dir, Getenv: a.Getenv})
	a.Diagnostics(diags)
	if !ok {
		return "", Hint(fmt.Errorf("no agent has recorded a session of %s", a.Dir), "satchel session list --all shows the sessions of other projects; or name a file")
	}
	return s.Path, nil
}
