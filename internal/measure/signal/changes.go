package signal

import (
	"path"
	"slices"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// mostUsers is how many documents with a name are counted; a name in more says
// nothing.
const mostUsers = 400

// Changes measures who depends on changed files, in a view that has the new side
// of the changeset: it fills Importers and Users of the first n files. Files of
// the changeset itself do not count.
func Changes(v *index.View, files []change.Scored, n int) {
	m := newMeasurement(v, rank.Query{})
	c := &changes{Measurement: m, changed: make(map[int32]bool, len(files))}
	for i := range files {
		if k, ok := v.File(files[i].Path); ok {
			c.changed[int32(k)] = true
		}
	}
	importers := map[string]int{}
	for i := range files[:min(n, len(files))] {
		f := &files[i]
		f.Users = len(c.users(f))
		if k, ok := v.File(f.Path); ok {
			// The files of a Go package have the same importers.
			key := f.Path
			if f.Lang == "go" {
				key = path.Dir(f.Path)
			}
			if _, ok := importers[key]; !ok {
				importers[key] = len(c.importers(int32(k)))
			}
			f.Importers = importers[key]
		}
	}
}

// changes is the state of one call of Changes.
type changes struct {
	*Measurement
	changed map[int32]bool // files of the view
}

// importers returns the files outside the changeset that import file k, ascending.
func (c *changes) importers(k int32) []int32 {
	name := stemOf(c.lower[k])
	if c.files[k].Lang == "go" {
		name = path.Base(path.Dir(c.lower[k]))
	}
	r := c.resolver()
	var in []int32
	for _, d := range c.docTerms(terms.Import(name)) {
		for _, j := range c.docFiles[d.doc] {
			if j != k && !c.changed[j] && slices.ContainsFunc(r.imports(j), func(e edge) bool { return e.file == k }) {
				in = append(in, j)
			}
		}
	}
	slices.Sort(in)
	return slices.Compact(in)
}

// users returns the files outside the changeset that use definitions of f whose
// existence or signature changed, ascending. Only compound names connect files:
// plain words name too much.
func (c *changes) users(f *change.Scored) []int32 {
	var used []int32
	for i := range f.Edits {
		name := brokenName(&f.Edits[i])
		if name == "" {
			continue
		}
		found := c.someDocs(terms.Ident(name), mostUsers)
		if len(found) > mostUsers {
			continue
		}
		for _, d := range found {
			for _, j := range c.docFiles[d.Doc] {
				if !c.changed[j] {
					used = append(used, j)
				}
			}
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// brokenName returns the name that others use for a definition that the edit removes, or
// whose signature or type it changes. It returns "" for a plain word, which means something
// else too often.
func brokenName(e *change.Edit) string {
	switch e.Action {
	case change.Signature, change.Removes, change.Type, change.MovesAway, change.Renames:
		if name := e.KnownAs(); terms.Compound(name) {
			return name
		}
	}
	return ""
}

// Imports returns the imports between some files of a view, as pairs of indices
// into paths: the importing file, then the imported one. In Go, where a package
// is imported, that is the first of its files that is there.
func Imports(v *index.View, paths []string) [][2]int {
	m := newMeasurement(v, rank.Query{})
	at := map[int32]int{}
	for i, p := range paths {
		if k, ok := v.File(p); ok {
			at[int32(k)] = i
		}
	}
	r := m.resolver()
	var out [][2]int
	for i, p := range paths {
		k, ok := v.File(p)
		if !ok {
			continue
		}
		seen := map[string]bool{}
		for _, e := range r.imports(int32(k)) {
			j, ok := at[e.file]
			if !ok {
				continue
			}
			key := m.lower[e.file]
			if m.files[e.file].Lang == "go" {
				key = path.Dir(key)
			}
			if !seen[key] {
				seen[key] = true
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}
