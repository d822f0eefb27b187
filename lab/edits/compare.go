package main

import (
	"fmt"
	"iter"
	"maps"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// A tally counts the edits of one language.
type tally struct {
	lang           string
	commits, files int
	trees, lines   int // edits
	both           int // that agree
	naming         int // pairs that differ in kind or name alone
	causes         map[string]int

	understood *tally // of the files that tree-sitter reads without errors
}

func newTally(lang string) *tally { return &tally{lang: lang, causes: map[string]int{}} }

func (t *tally) add(o *tally) {
	if o.understood != nil {
		if t.understood == nil {
			t.understood = newTally(t.lang + ", understood")
		}
		t.understood.add(o.understood)
	}
	t.commits += o.commits
	t.files += o.files
	t.trees += o.trees
	t.lines += o.lines
	t.both += o.both
	t.naming += o.naming
	for c, n := range o.causes {
		t.causes[c] += n
	}
}

func (t *tally) String() string {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	return fmt.Sprintf("%-22s %4d commits %4d files  tree-sitter %5d  lines %5d  both %5d  naming alone %3d  of tree-sitter's %5.1f %%  of the lines' %5.1f %%",
		t.lang, t.commits, t.files, t.trees, t.lines, t.both, t.naming, share(t.both, t.trees), share(t.both, t.lines))
}

func keys(m map[string]int) iter.Seq[string] { return maps.Keys(m) }

// A comparison is that of one file's edits.
type comparison struct {
	label        string
	trees, lines change.Sides
	differences  []string
}

// editKey is what two edits that agree have in common.
type editKey struct {
	action     change.Action
	kind, name string
}

func keyOf(e *change.Edit) editKey { return editKey{e.Action, e.Kind, e.QualifiedName()} }

func (d *comparison) compare(t *tally, trees, lines []change.Edit) {
	t.trees += len(trees)
	t.lines += len(lines)
	treeOnly, lineOnly := without(trees, lines), without(lines, trees)
	t.both += len(trees) - len(treeOnly)
	for i := range treeOnly {
		e := &treeOnly[i]
		for j := range lineOnly {
			if o := &lineOnly[j]; o.Action != "" && e.Action == o.Action && e.OldSide == o.OldSide && alike(e, o) {
				t.naming++
				d.note(t, naming(e, o), e, o)
				e.Action, o.Action = "", ""
				break
			}
		}
	}
	for i := range treeOnly {
		if e := &treeOnly[i]; e.Action != "" {
			d.note(t, "tree-sitter only: "+d.why(e, lineOnly, d.lines), e, nil)
		}
	}
	for i := range lineOnly {
		if e := &lineOnly[i]; e.Action != "" {
			d.note(t, "lines only: "+d.why(e, treeOnly, d.trees), nil, e)
		}
	}
}

// alike reports whether two edits are of one definition.
func alike(a, b *change.Edit) bool {
	return a.Name == b.Name && a.Kind != "" && b.Kind != "" || a.Lines.From == b.Lines.From && a.Lines.From > 0
}

func naming(a, b *change.Edit) string {
	switch {
	case a.Name != b.Name:
		return "naming: another name"
	case a.Parent != b.Parent:
		return "naming: another parent"
	}
	return fmt.Sprintf("naming: %s, not %s", b.Kind, a.Kind)
}

// why says why an edit has no counterpart in others, which follow from sides.
func (d *comparison) why(e *change.Edit, others []change.Edit, sides change.Sides) string {
	if e.Name == "" { // imports, or lines of which no more is known
		return string(e.Action)
	}
	for i := range others {
		if o := &others[i]; o.Name == e.Name && o.Kind == e.Kind && o.Action != "" {
			return fmt.Sprintf("%s, other %s", e.Action, o.Action)
		}
	}
	side := sides.New
	if e.OldSide {
		side = sides.Old
	}
	if side == nil {
		return "no side"
	}
	why := "no such definition"
	for i := range side.Symbols {
		s := &side.Symbols[i]
		switch {
		case s.Name != e.Name && (e.Kind != "impl" || s.Kind != "impl"):
		case s.From == e.Lines.From && s.To == e.Lines.To && s.Kind == e.Kind && s.Signature == e.Signature && s.Parent == e.Parent:
			return fmt.Sprintf("%s, found alike", e.Action)
		case s.Kind != e.Kind:
			why = fmt.Sprintf("%s, found as %s", e.Kind, s.Kind)
		case s.Parent != e.Parent:
			why = "another parent"
		case s.Signature != e.Signature:
			why = "another signature"
		case (satchel.Range{From: s.From, To: s.To}) != e.Lines:
			why = "other lines"
		}
	}
	if why == "no such definition" {
		return why + ": " + e.Kind
	}
	return why
}

// without returns the edits of a that b does not have, each as often.
func without(a, b []change.Edit) []change.Edit {
	have := map[editKey]int{}
	for i := range b {
		have[keyOf(&b[i])]++
	}
	var out []change.Edit
	for i := range a {
		k := keyOf(&a[i])
		if have[k] > 0 {
			have[k]--
			continue
		}
		out = append(out, a[i])
	}
	return out
}

// note counts a difference and keeps it for print.
func (d *comparison) note(t *tally, cause string, tree, lines *change.Edit) {
	t.causes[cause]++
	s := "\t" + cause + "\n"
	if tree != nil {
		s += "\t\ttree-sitter: " + show(tree) + "\n"
	}
	if lines != nil {
		s += "\t\tlines:       " + show(lines) + "\n"
	}
	d.differences = append(d.differences, s)
}

func show(e *change.Edit) string {
	return fmt.Sprintf("%d-%d %s %s %s | %s | %s +%v -%v", e.Lines.From, e.Lines.To, e.Action, e.Kind, e.QualifiedName(), e.OldSignature, e.Signature, e.Added, e.Removed)
}

func (d *comparison) print() {
	if len(d.differences) == 0 {
		return
	}
	fmt.Println(d.label)
	for _, s := range d.differences {
		fmt.Print(s)
	}
}
