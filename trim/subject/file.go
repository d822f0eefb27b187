package subject

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// A File is a file of the conversation.
type File struct {
	Path    string  // the longest way in which the agent wrote it
	Tool    string  // of the last call that changed it, or else of the last that read it
	Key     string  // of the field in which that call had the path; "" if it was none
	Hunks   []*Hunk // what the edits come to, oldest first
	Edits   int     // that were made
	Edited  int     // group of the last, or -1
	Last    int     // group that touched it last
	Reads   []int   // parts that show it, or some of it, oldest first
	By      string  // the command that seems to have changed it after the last edit, or ""
	ByPart  int     // its call
	Deleted bool

	removed []removal
	barrier int // hunks before it are of the time before a command changed the file
}

// A Hunk is a change that several edits made together.
type Hunk struct {
	Old, New string // Old is empty if nothing was replaced
	Whole    bool   // New is the whole file
	Patch    bool   // the last edit was asked for as a patch
	Group    int    // of the last edit
	Parts    []int  // the calls, oldest first
	Changed  bool   // a command changed the file since
}

// A removal is what an edit took out of a file.
type removal struct {
	call int
	all  bool
	keys map[uint64]bool // of lines
}

// Stale reports whether a line of a part, by its [reuse.Line] key, was taken out of
// the file by a later edit.
func (f *File) Stale(part int, key uint64) bool {
	for i := len(f.removed) - 1; i >= 0 && f.removed[i].call > part; i-- {
		if f.removed[i].all || f.removed[i].keys[key] {
			return true
		}
	}
	return false
}

// EditedAfter reports whether an edit changed the file after a part.
func (f *File) EditedAfter(part int) bool {
	return len(f.removed) > 0 && f.removed[len(f.removed)-1].call > part
}

// file returns the file of a path, which may be written from the root or from
// where the agent stands.
func (o *opener) file(name string) *File {
	name = path.Clean(strings.ReplaceAll(name, "\\", "/"))
	if f := o.files[name]; f != nil {
		return f
	}
	for _, f := range o.s.Files {
		if within(f.Path, name) || within(name, f.Path) {
			if len(name) > len(f.Path) {
				f.Path = name
			}
			o.files[name] = f
			return f
		}
	}
	f := &File{Path: name, Edited: -1, Last: -1}
	o.files[name] = f
	o.s.Files = append(o.s.Files, f)
	return f
}

// within reports whether an absolute path ends with a relative one.
func within(long, short string) bool {
	return strings.HasPrefix(long, "/") && !strings.HasPrefix(short, "/") && !strings.HasPrefix(short, "../") && strings.HasSuffix(long, "/"+short)
}

// read notes that a result shows a file.
func (o *opener) read(d *deed) {
	f := o.file(d.use.Path)
	f.touch(d)
	f.Reads, f.Last = append(f.Reads, d.result), d.group
	o.runs = append(o.runs, &Run{Call: d.call, Result: d.result, Group: d.group, mends: "read " + f.Path})
}

// edit notes that a call changed files.
func (o *opener) edit(d *deed, edits []Edit) {
	last := ""
	for i := range edits {
		e := &edits[i]
		f := o.file(e.Path)
		if f.Path != last {
			f.Edits++
		}
		last = f.Path
		f.touch(d)
		f.Edited, f.Last, f.By, f.Deleted = d.group, d.group, "", e.Deleted
		f.apply(e, d)
	}
	o.runs = append(o.runs, &Run{Call: d.call, Result: d.result, Group: d.group, mends: editKey(edits)})
}

// touch notes how a call had the path of its file; of one that was edited, how the last
// edit had it.
func (f *File) touch(d *deed) {
	if f.Edits > 0 && !d.use.Edits {
		return
	}
	f.Tool, f.Key = d.block.Name, ""
	for _, field := range reuse.Fields(d.block) {
		if field.Key != "" && field.Value == d.use.Path {
			f.Key = field.Key
			return
		}
	}
}

// leastCompose is the shortest text that is looked for in a later edit's old text:
// a shorter one may stand anywhere.
const leastCompose = 20

// apply composes an edit with those before it: one that changes what an earlier one
// wrote becomes one hunk with it.
func (f *File) apply(e *Edit, d *deed) {
	switch {
	case e.Unknown:
		f.change(d.call, d.block.Name)
		return
	case e.Whole, e.Deleted:
		f.removed = append(f.removed, removal{call: d.call, all: true})
		f.Hunks, f.barrier = nil, 0
		if !e.Deleted {
			f.Hunks = []*Hunk{{New: e.New, Whole: true, Patch: e.Patch, Group: d.group, Parts: []int{d.call}}}
		}
		return
	}
	f.removed = append(f.removed, removal{call: d.call, keys: gone(e.Old, e.New)})
	for i := len(f.Hunks) - 1; i >= f.barrier; i-- {
		h := f.Hunks[i]
		switch {
		case e.Old != "" && strings.Contains(h.New, e.Old):
			n := 1
			if e.All {
				n = -1
			}
			h.New = strings.Replace(h.New, e.Old, e.New, n)
		case len(h.New) >= leastCompose && !h.Whole && strings.Contains(e.Old, h.New):
			h.Old, h.New = strings.Replace(e.Old, h.New, h.Old, 1), e.New
		default:
			continue
		}
		h.Group, h.Patch, h.Parts = d.group, e.Patch, append(h.Parts, d.call)
		if h.Old == h.New && !h.Whole { // it was undone
			f.Hunks = slices.Delete(f.Hunks, i, i+1)
		} else { // the newest stands last
			f.Hunks = append(slices.Delete(f.Hunks, i, i+1), h)
		}
		return
	}
	f.Hunks = append(f.Hunks, &Hunk{Old: e.Old, New: e.New, Patch: e.Patch, Group: d.group, Parts: []int{d.call}})
}

// change notes that something else than an edit that can be read changed the file:
// what was known of it may no longer stand.
func (f *File) change(call int, by string) {
	f.By, f.ByPart = by, call
	for _, h := range f.Hunks {
		h.Changed = true
	}
	f.barrier = len(f.Hunks)
}

// gone returns the keys of the lines that are in the old text and not in the new
// one. Those of a few characters may be others.
func gone(old, now string) map[uint64]bool {
	keys := make(map[uint64]bool)
	for line := range strings.Lines(old) {
		if len(strings.TrimSpace(line)) > 3 {
			keys[reuse.Key(line)] = true
		}
	}
	for line := range strings.Lines(now) {
		delete(keys, reuse.Key(line))
	}
	return keys
}
