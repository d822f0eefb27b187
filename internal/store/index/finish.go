package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// view assembles what the View says.
func (m *viewBuilder) view() (*body, error) {
	v := &body{commit: m.listing.commit, diags: m.diags, source: m.source, workTree: m.listing.workTree, limit: max(m.opts.MaxFileBytes, maxIncluded)}
	n := 0
	for _, skip := range m.skip {
		if !skip {
			n++
		}
	}
	v.files = slices.Grow(v.files, n)
	places := make([]place, 0, n)
	for i := range m.listing.entries {
		e := &m.listing.entries[i]
		if m.skip[i] {
			continue
		}
		if m.places[i].seg == nil {
			return nil, fmt.Errorf("index %s: no document was made", e.path)
		}
		v.files = append(v.files, File{
			Path: e.path, Blob: e.blob, Lang: m.facts[i].lang, Class: told(m.facts[i].class),
			Size: e.size, Dirty: e.dirty,
		})
		places = append(places, m.places[i])
	}
	markVendored(v.files)
	v.assemble(places)
	for i := range v.files {
		f := &v.files[i]
		if f.Class != outline.Source {
			continue // the outline of a data file is not useful
		}
		h := v.homes[f.Doc]
		if why := v.parts[h.part].seg.partial(int(h.doc)); why != "" {
			v.diags = append(v.diags, satchel.Diagnostic{Path: f.Path, Text: "outline: " + why})
		}
	}
	v.diags = append(v.diags, m.overridden(v)...)
	for k, p := range m.never {
		if !slices.ContainsFunc(m.listing.entries, func(e entry) bool { return p.match(e.path) != "" }) {
			v.diags = append(v.diags, satchel.Diagnostic{Path: m.opts.Never[k], Text: "the exclude pattern matches no file"})
		}
	}
	v.excluded = m.omissions(v)
	return v, nil
}

// omissions returns what was left out, each path or directory once. A build
// directory that also holds source is not left out as a whole.
func (m *viewBuilder) omissions(v *body) []satchel.Omission {
	var out []satchel.Omission
	for _, e := range m.excluded {
		out = append(out, satchel.Omission{Ref: satchel.Ref{Kind: satchel.KindFile, Path: m.leftOut(v, e)}, Why: e.why})
	}
	slices.SortStableFunc(out, func(a, b satchel.Omission) int {
		return cmp.Or(a.Ref.Compare(b.Ref), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(out)
}

// leftOut is the path or directory that an exclusion leaves out.
func (m *viewBuilder) leftOut(v *body, e exclusion) string {
	if e.why == satchel.WhyGenerated && strings.HasSuffix(e.at, "/") {
		i, _ := v.File(e.at)
		if i < len(v.files) && strings.HasPrefix(v.files[i].Path, e.at) {
			return m.listing.entries[e.entry].path
		}
	}
	return e.at
}

func sortDiagnostics(v *View) {
	slices.SortStableFunc(v.diags, func(a, b satchel.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
	})
	v.diags = slices.Compact(v.diags)
}
