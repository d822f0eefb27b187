package subject

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// A File is a file of the conversation.
type File struct {
	Path    string  // from the root, if the agent ever wrote it so
	Tool    string  // of the last call that changed it, or else of the last that read it
	Key     string  // of the field in which that call had the path; "" if it was none
	Hunks   []*Hunk // what the edits come to, oldest first
	Edits   int     // that were made
	Edited  int     // group of the last, or -1
	Last    int     // group that touched it last
	Reads   []int   // parts that show it, or some of it, oldest first
	Changes []int   // calls that changed it, commands too, oldest first
	By      string  // the command that seems to have changed it after the last edit, or ""
	ByPart  int     // its call
	Perhaps bool    // it is not named there
	Deleted bool

	gone    map[uint64]int // lines that an edit took out → its call
	whole   int            // call of the last edit that took out all, or -1
	barrier int            // hunks before it are of the time before something else changed the file
}

// A Hunk is a change that several edits made together.
type Hunk struct {
	Old, New string // Old is empty if nothing was replaced
	Whole    bool   // New is the whole file
	Patch    bool   // the last edit was asked for as a patch
	Group    int    // of the last edit
	Parts    []int  // the calls, oldest first
	By       string // what else changed the file since, or ""
	Perhaps  bool   // what that is does not name the file
}

// Stale reports whether a line of a part, by its [reuse.Line] key, was taken out of
// the file by a later edit.
func (f *File) Stale(part int, key uint64) bool {
	at, ok := f.gone[key]
	return f.whole > part || ok && at > part
}

// ChangedAfter counts the calls that changed the file after a part.
func (f *File) ChangedAfter(part int) int {
	at, _ := slices.BinarySearch(f.Changes, part+1)
	return len(f.Changes) - at
}

// read notes that a result shows a file.
func (o *opener) read(d *deed) {
	f := o.file(d.folder(), d.use.Path)
	f.touch(d)
	f.Reads, f.Last = append(f.Reads, d.result), d.group
	o.runs = append(o.runs, &Run{Call: d.call, Result: d.result, Group: d.group, mends: "read " + f.Path})
}

// edit notes that a call changed files.
func (o *opener) edit(d *deed) {
	key := o.editKey(d)
	last := ""
	for i := range d.edits {
		e := &d.edits[i]
		f := o.file(d.folder(), e.Path)
		if f.Path != last {
			f.Edits++
		}
		last = f.Path
		f.touch(d)
		f.Edited, f.Last, f.By, f.Deleted = d.group, d.group, "", e.Deleted
		f.changed(d.call)
		o.apply(f, e, d)
		if e.To != "" {
			o.move(f, o.name(d.folder(), e.To))
			last = f.Path
		}
	}
	o.runs = append(o.runs, &Run{Call: d.call, Result: d.result, Group: d.group, mends: key})
}

// editKey names what edits are of, so that a later one mends a failed one.
func (o *opener) editKey(d *deed) string { return "edit " + o.name(d.folder(), d.edits[0].Path) }

// move gives a file another path.
func (o *opener) move(f *File, to string) {
	delete(o.files, f.Path)
	f.Path = to
	o.files[to] = f
}

// touch notes how a call had the path of its file; of one that was edited, how the last
// edit had it.
func (f *File) touch(d *deed) {
	if f.Edits > 0 && !d.use.Edits {
		return
	}
	f.Tool, f.Key = d.block.Name, ""
	for _, field := range d.fields {
		if field.Key != "" && field.Value == d.use.Path {
			f.Key = field.Key
			return
		}
	}
}

// apply composes an edit with those before it.
func (o *opener) apply(f *File, e *Edit, d *deed) {
	switch {
	case e.Unknown:
		f.change(d.call, d.block.Name, false)
		return
	case e.Whole, e.Deleted:
		f.Hunks, f.barrier, f.whole = nil, 0, d.call
		clear(f.gone)
		if !e.Deleted {
			f.Hunks = []*Hunk{{New: e.New, Whole: true, Patch: e.Patch, Group: d.group, Parts: []int{d.call}}}
		}
		return
	case e.Blind:
		f.change(d.call, d.block.Name, false)
		f.By = ""
	}
	f.takeOut(e, d.call)
	o.compose(f, e, d)
}

// takeOut notes which lines an edit took out, and which it put in again. Those of a
// few characters may be others.
func (f *File) takeOut(e *Edit, call int) {
	stays := make(map[uint64]bool)
	for line := range strings.Lines(e.New) {
		key := reuse.Key(line)
		stays[key] = true
		delete(f.gone, key)
	}
	for line := range strings.Lines(e.Old) {
		if key := reuse.Key(line); len(strings.TrimSpace(line)) > 3 && !stays[key] {
			f.gone[key] = call
		}
	}
}

// changed notes that a call changed the file, in whatever way.
func (f *File) changed(call int) {
	if n := len(f.Changes); n == 0 || f.Changes[n-1] != call {
		f.Changes = append(f.Changes, call)
	}
}

// change notes that something else than an edit that can be read changed the file:
// what was known of it may no longer stand.
func (f *File) change(call int, by string, perhaps bool) {
	f.By, f.ByPart, f.Perhaps = by, call, perhaps
	f.changed(call)
	for _, h := range f.Hunks[f.barrier:] {
		h.By, h.Perhaps = by, perhaps
	}
	f.barrier = len(f.Hunks)
}
