// Package history tells what the commits of a repository say: their messages, those
// of one file or folder, and which of them a line came with. What it returns may be
// shown: secrets are redacted.
//
// A plain folder has no history, and says so: [ErrNone].
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// ErrNone means that there is no history: the project is a plain folder.
var ErrNone = errors.New("a plain folder has no history")

// MostBlamed is how many lines one question may be about.
const MostBlamed = 60

// A History is that of a project.
type History struct{ project *project.Project }

// New returns the history of a project.
func New(p *project.Project) History { return History{p} }

func (h History) repo() (*git.Repo, error) {
	r, ok := h.project.Tree.(*git.Repo)
	if !ok {
		return nil, ErrNone
	}
	return r, nil
}

// A Commit is one commit, as it may be shown.
type Commit struct {
	ID      string       `json:"id"`
	Parents int          `json:"parents"`
	Time    time.Time    `json:"time,omitzero"` // of the committer
	Subject satchel.Text `json:"subject"`
	Body    satchel.Text `json:"body,omitzero"`
	Files   []string     `json:"files,omitempty"` // that differ from the first parent, or those that were asked for
}

// Log returns some commits, in the order of git log; see [git.LogSpec]. A branch
// without a commit has none. The errors are ErrNone and *git.UnknownRevisionError.
func (h History) Log(ctx context.Context, q git.LogSpec) (list []Commit, err error) {
	r, err := h.repo()
	if err != nil {
		return nil, err
	}
	q.Rev = cmp.Or(q.Rev, "HEAD")
	err = r.LogOf(ctx, q, func(c git.Commit) error {
		text, _ := clean.Turn(c.Message) // whole, since a secret may go over lines
		subject, body, _ := strings.Cut(strings.TrimSpace(text.String()), "\n")
		one := Commit{ID: c.ID, Parents: len(c.Parents), Subject: clean.Line(subject), Files: c.Files}
		if c.Time != 0 {
			one.Time = time.Unix(c.Time, 0).UTC()
		}
		one.Body, _ = clean.Turn(strings.TrimSpace(body))
		list = append(list, one)
		return nil
	})
	if errors.Is(err, git.ErrUnborn) {
		err = nil
	}
	return list, err
}

// An OutsideError means that a revision is not part of the history that may be read.
// It does not say whether the revision exists.
type OutsideError struct{ Rev string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("revision %.80q: only the commits that are compared and their ancestors can be read, by name or id such as HEAD~2; no reflog, no stash", e.Rev)
}

// plainRevision matches a name or an id and what counts back from it. It has no
// reflog, search, tree or file, which git spells with a brace or a colon.
var plainRevision = lazy.Regexp(`^(@|[^-\s:{}*?\[\\~^@][^\s:{}*?\[\\~^]*)([~^][0-9]*)*$`)

// Within returns an [*OutsideError] unless a revision is one of the tips or an ancestor
// of one.
func (h History) Within(ctx context.Context, rev string, tips ...string) error {
	r, err := h.repo()
	if err != nil {
		return err
	}
	parts := plainRevision().FindStringSubmatch(rev)
	if parts == nil || strings.TrimPrefix(parts[1], "refs/") == "stash" {
		return &OutsideError{rev}
	}
	commit, _, err := r.Resolve(ctx, rev)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || commit == "" {
		return &OutsideError{rev}
	}
	for _, tip := range tips {
		at, _, err := r.Resolve(ctx, tip)
		if err != nil || at == "" {
			continue // the change itself says so
		}
		if ok, err := r.Reaches(ctx, at, commit); ok || err != nil {
			return err
		}
	}
	return &OutsideError{rev}
}

// Messages returns the messages of the newest commits reachable from rev, those of
// merges left out: what people wrote, as they wrote it but for secrets. A branch
// without a commit has none.
func (h History) Messages(ctx context.Context, rev string, most int) (list []string, err error) {
	r, err := h.repo()
	if err != nil {
		return nil, err
	}
	rev = cmp.Or(rev, "HEAD")
	err = r.Messages(ctx, rev, func(c git.Commit) error {
		if len(list) == most {
			return errEnough
		}
		if len(c.Parents) < 2 {
			text, _ := clean.Turn(c.Message)
			list = append(list, text.String())
		}
		return nil
	})
	if errors.Is(err, errEnough) || errors.Is(err, git.ErrUnborn) {
		err = nil
	}
	return list, err
}

var errEnough = errors.New("enough")

// Branch returns the name of the branch that is checked out, or "".
func (h History) Branch(ctx context.Context) (satchel.Text, error) {
	r, err := h.repo()
	if err != nil {
		return satchel.Text{}, err
	}
	name, err := r.Branch(ctx)
	return clean.Line(name), err
}

// A Line is a line of a file, and the commit that it came with.
type Line struct {
	Number  int          `json:"line"`
	Commit  string       `json:"commit"`
	Time    time.Time    `json:"time,omitzero"`
	Summary satchel.Text `json:"summary"`
	Text    satchel.Text `json:"text"`
}

// Blame says of at most [MostBlamed] lines of a file, as it is in rev, which commits
// they came with. What a rule excludes is refused by the caller: this asks git.
func (h History) Blame(ctx context.Context, rev, path string, from, to int) (list []Line, err error) {
	r, err := h.repo()
	switch {
	case err != nil:
		return nil, err
	case from < 1 || to < from:
		return nil, fmt.Errorf("lines %d-%d: want 1 or more, in order", from, to)
	case to-from >= MostBlamed:
		return nil, fmt.Errorf("lines %d-%d: want at most %d", from, to, MostBlamed)
	}
	rev = cmp.Or(rev, "HEAD")
	var texts []string
	err = r.Blame(ctx, rev, path, from, to, func(b git.BlamedLine) error {
		texts = append(texts, b.Text)
		list = append(list, Line{Number: b.Line, Commit: b.Commit, Time: time.Unix(b.Time, 0).UTC(), Summary: clean.LineOf("", b.Summary)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole, _ := clean.Excerpt(path, []byte(strings.Join(texts, "\n"))) // a key goes over lines
	lines := strings.Split(whole.String(), "\n")
	for i := range list {
		if i < len(lines) {
			list[i].Text = clean.LineOf(path, lines[i])
		}
	}
	return list, nil
}
