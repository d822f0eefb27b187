// Package install puts satchel into the settings of coding agents, and takes it
// out again.
//
// It changes text: an entry is inserted where it belongs, in the file's own
// style, and not a byte beside it is written anew, comments included. What a
// file was before is kept, so that [Uninstall] restores it byte for byte if
// nothing else changed, and else takes out our entries alone. A file that cannot
// be understood is never touched, and nothing is written unless everything can
// be.
//
// It never runs an agent, with one exception that trust explains, and never
// gives satchel a permission that the agent asks its user for.
//
// Start with [Install]; the table of what goes where is in clients.go.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/satchel-dev/satchel/internal/agents"
)

// Options say whose settings are meant. Getenv and Version must be set, and
// Project for the scope of that name.
type Options struct {
	Scope   agents.Scope
	Project string // the root of the project, absolute
	Getenv  func(string) string
	Version string // of satchel, for the records
	DryRun  bool   // change nothing
}

// Home returns the user's home, or "".
func (o *Options) Home() string {
	if h := o.Getenv("HOME"); filepath.IsAbs(h) {
		return h
	}
	return ""
}

// An Action is what becomes of a settings file.
type Action string

const (
	Created   Action = "created"
	Changed   Action = "changed"
	Unchanged Action = "unchanged"
	restored  Action = "restored" // to what it was before the install, byte for byte
	Removed   Action = "removed"
)

// A Change is what becomes of one settings file.
type Change struct {
	Path    string   `json:"path"`
	Target  string   `json:"target,omitempty"` // where the path leads, if it is a link
	Action  Action   `json:"action"`
	Entries []string `json:"entries,omitempty"` // what was put in or taken out
	Kept    []string `json:"kept,omitempty"`    // foreign values that stay in its place
	Missing bool     `json:"missing,omitempty"` // no such file, so nothing to remove
	Backup  string   `json:"backup,omitempty"`  // what the file was before

	Before, After []byte `json:"-"`
}

// Diff returns the change as a unified diff, or nothing.
func (c *Change) Diff() []byte {
	from, to := c.Path, c.Path
	if c.Action == Created {
		from = os.DevNull
	}
	if c.Action == Removed {
		to = os.DevNull
	}
	d := diff.Diff(from, c.Before, to, c.After)
	if i := bytes.IndexByte(d, '\n'); bytes.HasPrefix(d, []byte("diff ")) && i >= 0 {
		d = d[i+1:] // skip the header of a git command
	}
	return d
}

// A Result is what was done, or would be.
type Result struct {
	Client  Client       `json:"client"`
	Scope   agents.Scope `json:"scope"`
	Changes []Change     `json:"files"`
	Swept   []string     `json:"swept,omitempty"` // files that an install left which was killed
}

// Changed reports whether any file changes.
func (r *Result) Changed() bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Action != Unchanged })
}

// step is one file on the way to its new text.
type step struct {
	*place
	change  Change
	record  *record  // what is to be kept
	drop    bool     // what was kept of it goes
	gone    bool     // the file goes
	folders []string // and these folders with it, if nothing else is in them
	failed  error    // why the file stays as it is
}

// Install puts satchel into the settings of an agent. Doing it twice is doing it
// once. The errors are *RefusedError, and why the records cannot be kept.
func Install(o Options, c Client) (*Result, error) {
	return o.run(c, o.plan, false)
}

// Uninstall takes satchel out of the settings of an agent. A file that cannot be read,
// understood or written keeps no other from going: then there is a result beside the
// error.
func Uninstall(o Options, c Client) (*Result, error) {
	return o.run(c, o.planRemoval, true)
}

// run plans what becomes of each file, and does it: to all of them or to none, or, if
// each is for itself, to those that can be written.
func (o *Options) run(c Client, plan func(Client, *file, *place) (*step, error), each bool) (*Result, error) {
	l := ledger{o.stateDir()}
	r := &Result{Client: c, Scope: o.Scope}
	if !o.DryRun {
		unlock, err := l.lock(lockPatience)
		if err != nil {
			return nil, err
		}
		defer unlock()
		r.Swept = l.sweep(*o)
	}
	list := o.files(c)
	if len(list) == 0 {
		return nil, &RefusedError{string(c), "no project settings are documented", fmt.Sprintf("satchel install %s writes your own settings", c)}
	}
	for _, f := range list {
		if err := l.newer(f.Path); err != nil {
			return nil, err
		}
	}
	var steps []*step
	var failed []error
	for _, f := range list {
		s, err := o.step(c, &f, plan)
		var at *syntaxError
		switch {
		case err == nil:
			defer s.close()
			steps = append(steps, s)
			continue
		case errors.As(err, &at):
			hint := fmt.Sprintf("%s was not changed; correct the file, then run the command again", c)
			if each {
				hint = "satchel's entries stay in it; correct the file, then run the command again"
			}
			err = &RefusedError{Path: fmt.Sprintf("%s:%d:%d", f.Path, at.Line, at.Column), Why: at.Why, Hint: hint}
		}
		if !each {
			return nil, err
		}
		failed = append(failed, err)
	}
	switch {
	case o.DryRun:
	case each:
		if err := l.applyEach(steps); err != nil {
			failed = append(failed, err)
		}
	default:
		if err := l.apply(steps); err != nil {
			return nil, err
		}
	}
	for _, s := range steps {
		if s.failed != nil {
			failed = append(failed, s.failed)
			continue
		}
		r.Changes = append(r.Changes, s.change)
	}
	if len(r.Changes) == 0 {
		r = nil
	}
	return r, all(failed)
}

// step opens one file and plans what becomes of it.
func (o *Options) step(c Client, f *file, plan func(Client, *file, *place) (*step, error)) (*step, error) {
	inside := ""
	if o.Scope == Project {
		inside = o.Project
	}
	p, err := open(f.Path, inside)
	if err != nil {
		return nil, err
	}
	s, err := plan(c, f, p)
	if err == nil && s.change.Action != Unchanged {
		err = p.readOnly()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	s.change.Path, s.change.Before = f.Path, p.text
	if p.real != f.Path {
		s.change.Target = p.real
	}
	return s, nil
}

// all is one error that says all of these.
func all(errs []error) (err error) {
	for _, e := range errs {
		if err == nil {
			err = e
		} else {
			err = fmt.Errorf("%w; %w", err, e)
		}
	}
	return err
}

// applyEach writes the files that can be written. Each other step gets its error.
func (l ledger) applyEach(steps []*step) error {
	var folders []string
	for _, s := range steps {
		if s.failed = l.write(s); s.failed == nil {
			folders = append(folders, s.folders...)
		}
	}
	return l.bequeath(removeFolders(folders))
}

// apply writes all the files of an install, or none: if one of them fails, it restores
// the others. Records are written before their files.
func (l ledger) apply(steps []*step) error {
	for i, s := range steps {
		err := l.write(s)
		if err == nil {
			continue
		}
		for _, done := range slices.Backward(steps[:i]) {
			if done.change.Action == Unchanged {
				continue
			}
			back := &place{dir: done.dir, name: done.name, shown: done.shown, exists: true, mode: done.mode, text: done.change.After}
			if undo := back.write(done.text, !done.exists); undo != nil {
				return fmt.Errorf("%w; cannot restore %v", err, undo)
			}
		}
		return err
	}
	return nil
}

// removeFolders removes the empty ones of the folders and returns the others.
func removeFolders(folders []string) (left []string) {
	slices.Sort(folders) // what lies within another one comes after it
	for _, dir := range slices.Backward(folders) {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() && os.Remove(dir) != nil {
			left = append(left, dir)
		}
	}
	return left
}

// bequeath moves the record of folders that we made and that are not empty to another
// file of ours in them, so that they are removed with it.
func (l ledger) bequeath(folders []string) error {
	for _, dir := range folders {
		for _, r := range l.records() {
			if strings.HasPrefix(r.Path, dir+string(filepath.Separator)) && !r.Existed {
				if !slices.Contains(r.Folders, dir) {
					r.Folders = append(r.Folders, dir)
					if err := l.keep(r); err != nil {
						return err
					}
				}
				break
			}
		}
	}
	return nil
}

func (l ledger) write(s *step) error {
	if s.record != nil {
		if err := l.keep(s.record); err != nil {
			return fmt.Errorf("keep a backup of %s: %w", s.shown, err)
		}
		if s.record.Existed {
			_, backup := l.names(s.record.Path)
			s.change.Backup = filepath.Join(l.dir, backup)
		}
	}
	if s.change.Action != Unchanged {
		if err := s.place.write(s.change.After, s.gone); err != nil {
			return err
		}
	}
	switch {
	case s.record != nil && len(s.made) > 0:
		s.record.Folders = append(s.record.Folders, s.made...)
		return l.keep(s.record)
	case s.drop:
		return l.drop(s.shown)
	}
	return nil
}

// plan says what installing makes of a file.
func (o *Options) plan(c Client, f *file, p *place) (*step, error) {
	s := &step{place: p, change: Change{Action: Unchanged, After: p.text}}
	old := ledger{o.stateDir()}.find(f.Path)
	to, err := put(f, p, old)
	if err != nil {
		return nil, err
	}
	s.change.Entries, s.change.Kept = to.entries, to.kept
	if p.exists && bytes.Equal(to.text, p.text) {
		return s, nil
	}
	s.change.After = to.text
	s.change.Action = Changed
	if !p.exists {
		s.change.Action = Created
	}
	s.record = &record{Version: recordVersion, Satchel: o.Version, Client: c, Scope: o.Scope, Path: f.Path, Existed: p.exists, After: hash(to.text), Made: to.made, before: p.text}
	if !p.exists {
		return s, nil
	}
	if old != nil {
		s.record.Folders = old.Folders
		s.record.Made = append(slices.Clone(old.Made), to.made...)
		if f.Whole != "" || old.After == hash(p.text) {
			s.record.Existed, s.record.before = old.Existed, old.before
			return s, nil
		}
	}
	// The original is the current file minus our entries.
	without, err := take(f, p.text, old)
	s.record.before = without.text
	return s, err
}

// put puts in what is ours.
func put(f *file, p *place, old *record) (edit, error) {
	switch {
	case f.Table != "":
		return addTOML(p.text, f.Table)
	case f.Whole != "":
		if p.exists && string(p.text) != f.Whole && (old == nil || old.After != hash(p.text)) {
			return edit{}, &RefusedError{f.Path, "the file exists, and is not the one that satchel wrote", "move it away, then run the command again"}
		}
		return edit{text: []byte(f.Whole), entries: []string{"plugin"}}, nil
	}
	if _, err := parsePlain(p.text, f.Plain); err != nil {
		return edit{}, err
	}
	return addEntries(p.text, f.entries())
}

// planRemoval says what uninstalling makes of a file.
func (o *Options) planRemoval(_ Client, f *file, p *place) (*step, error) {
	s := &step{place: p, change: Change{Action: Unchanged, After: p.text}, drop: true}
	if !p.exists {
		s.change.Missing = true
		return s, nil
	}
	old := ledger{o.stateDir()}.find(f.Path)
	ours := old != nil && old.After == hash(p.text) // the file is as we wrote it
	to, err := take(f, p.text, old)
	if err != nil {
		return nil, err
	}
	s.change.Entries, s.change.Kept = to.entries, to.kept
	switch {
	case ours:
		s.change.Action, s.change.After, s.gone = restored, old.before, !old.Existed
	case bytes.Equal(to.text, p.text):
		s.drop = len(s.change.Kept) == 0
		return s, nil
	default:
		s.change.Action, s.change.After = Changed, to.text
		s.gone = f.Whole != "" || old != nil && !old.Existed && blank(f, to.text)
	}
	if s.gone {
		s.change.Action, s.change.After = Removed, nil
		if old != nil {
			s.folders = old.Folders
		}
	}
	return s, nil
}

// take takes out what is ours. The record lists the objects and arrays that were made
// for it. Without a record, all that are now empty were.
func take(f *file, text []byte, old *record) (edit, error) {
	switch {
	case f.Table != "":
		return removeTOML(text)
	case f.Whole != "" && string(text) == f.Whole:
		return edit{entries: []string{"plugin"}}, nil
	case f.Whole != "":
		to := edit{text: text}
		if bytes.HasPrefix(text, []byte(agents.PluginMark)) {
			to.kept = []string{"changed since satchel wrote it, and kept: delete it yourself"}
		}
		return to, nil
	case old != nil:
		return removeEntries(text, f.entries(), old.Made)
	}
	return removeEntries(text, f.entries(), filled(text, f.entries()))
}

// blank reports whether nothing is left in a file that was made for us.
func blank(f *file, text []byte) bool {
	if f.Table == "" {
		root, err := parseJSON(text)
		return err == nil && (root == nil || root.kind == '{' && len(root.members) == 0 && len(bytes.TrimSpace(text)) == root.end-root.start && !root.comments)
	}
	return len(bytes.TrimSpace(text)) == 0
}

// Added reports whether the settings now hold more of satchel than before.
func (r *Result) Added() bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool {
		return c.Action == Created || c.Action == Changed && len(c.After) > len(c.Before)
	})
}

// Next says what the user has to do yet, after an install.
func (r *Result) Next(getenv func(string) string) (list []string) {
	if onPath(getenv("PATH")) == "" {
		list = append(list, "put satchel on PATH; until then the hooks do nothing")
	}
	a := r.Client.row()
	if r.Scope == Project && a.FirstProject != "" {
		return append(list, a.FirstProject)
	}
	return append(list, a.First)
}

// Next says what to do with the folder of a bundle.
func (b Bundle) Next(dir string) []string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if b == Extension {
		return []string{"gemini extensions install " + dir}
	}
	return []string{
		fmt.Sprintf("claude plugin marketplace add %s && claude plugin install satchel@satchel", dir),
		fmt.Sprintf("codex plugin marketplace add %s && codex plugin add satchel@satchel", dir),
	}
}
