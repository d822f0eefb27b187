package change

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// A Side is one side of a changed file, outlined.
type Side struct {
	Text     []byte
	Symbols  []satchel.Symbol // by From, then the enclosing before the enclosed
	Imports  []string         // modules, as written
	Comments []satchel.Range  // lines that hold nothing but comments, ascending
}

// A Pair is both sides of a changed file.
type Pair struct {
	Path    string
	OldPath string // if it was renamed or copied, else ""
	Lang    string
	Old     *Side // nil if the file was not there
	New     *Side // nil if it no longer is
}

// Compare says what a changeset does to the definitions of its files: one list
// of edits for each pair, those of the new side first, by line.
//
// A definition is the same on both sides if its file, its enclosing definitions
// and its name are. What is then left on either side is matched by what it
// says: a definition of mostly the same lines was renamed or moved, the larger
// share of lines first. What is left after that was added or removed, reported
// once for a definition with all that it encloses.
//
// Its laws, for any symbols: nothing is both added and removed; equal sides have
// no edits; exchanging the sides exchanges what is added and removed. Blank
// lines, comments and indentation do not count as changes.
func Compare(pairs []Pair) [][]Edit {
	m := newMatcher(pairs)
	m.byName(m.olds, m.news, func(n *node) key { return n.key() })
	m.byLikeness(func(n *node) bool { return n.group.encloses() })
	m.byEnclosing()
	m.byLikeness(func(n *node) bool { return !n.group.encloses() })
	edits := make([][]Edit, len(pairs))
	for i := range pairs {
		edits[i] = importEdits(&pairs[i])
	}
	for _, n := range m.news {
		if n.match == nil {
			if n.outer == nil || n.outer.match != nil {
				edits[n.file] = append(edits[n.file], n.edit(addition(n)))
			}
			continue
		}
		m.matched(n.match, n, edits)
	}
	for _, o := range m.olds {
		if o.match == nil && (o.outer == nil || o.outer.match != nil) {
			edits[o.file] = append(edits[o.file], o.edit(Removes))
		}
	}
	m.reordered(edits)
	for i := range edits {
		slices.SortStableFunc(edits[i], compareEdits)
	}
	return edits
}

func addition(n *node) Action {
	if n.Kind == "impl" {
		return Impl
	}
	return Adds
}

// compareEdits orders edits by side, line, and then all that they say.
func compareEdits(a, b Edit) int {
	return cmp.Or(
		cmp.Compare(side(a), side(b)),
		cmp.Compare(a.Lines.From, b.Lines.From),
		cmp.Compare(a.Lines.To, b.Lines.To),
		strings.Compare(a.Parent, b.Parent),
		strings.Compare(a.Name, b.Name),
		strings.Compare(string(a.Action), string(b.Action)),
		strings.Compare(a.Signature, b.Signature),
	)
}

func side(e Edit) int {
	if e.OldSide {
		return 1
	}
	return 0
}

// matched appends what happened to a definition that both sides have.
func (m *matcher) matched(o, n *node, edits [][]Edit) {
	renamed := o.name != n.name
	away := o.file != n.file
	if !n.carried && (away || renamed || o.Parent != n.Parent) {
		e := n.edit(Moves)
		e.Exported = e.Exported || o.exported()
		if o.Parent != n.Parent {
			e.OldName = qualified(o.Parent, o.name)
		} else if renamed {
			e.OldName = o.name
		}
		switch {
		case away:
			e.Path = o.path()
			gone := o.edit(MovesAway)
			gone.Path = n.path()
			gone.Inner = n.pair.Lang == "go" && o.Parent == n.Parent && !renamed && path.Dir(o.path()) == path.Dir(n.path())
			edits[o.file] = append(edits[o.file], gone)
		case renamed:
			e.Action = Renames
		}
		edits[n.file] = append(edits[n.file], e)
	}
	if action := changed(o, n); action != "" {
		e := n.edit(action)
		e.Exported = e.Exported || o.exported()
		e.Inner = action == Type && sameWords(o.Signature, n.Signature) && n.hides() && o.visibleOwn() == n.visibleOwn()
		if o.Signature != n.Signature {
			e.OldSignature = o.Signature
		}
		edits[n.file] = append(edits[n.file], e)
	}
}

// changed returns what changed inside a definition, "" if nothing did. Its name
// and that of what encloses it do not count.
func changed(o, n *node) Action {
	var signature, body bool
	if o.name == n.name && o.Parent == n.Parent {
		signature = !sameWords(o.Signature, n.Signature)
		body = o.own != n.own
	} else {
		from, to := o.names(), n.names()
		signature = !sameWords(neutral(o.Signature, from), neutral(n.Signature, to))
		body = o.ownNeutral(from) != n.ownNeutral(to)
	}
	switch {
	case n.group == groupScope:
		return ""
	case n.group == groupType && (signature || body), n.group == groupImpl && (signature || body):
		return Type
	case n.group == groupValue && (signature || body):
		return Body
	case signature:
		return Signature
	case body:
		return Body
	}
	return ""
}

// sameWords reports whether two signatures differ in white space at most.
func sameWords(a, b string) bool {
	return a == b || slices.Equal(strings.Fields(a), strings.Fields(b))
}

// importEdits returns an edit if both sides import different modules.
func importEdits(p *Pair) []Edit {
	if p.Old == nil || p.New == nil {
		return nil
	}
	e := Edit{Action: Imports, Added: without(p.New.Imports, p.Old.Imports), Removed: without(p.Old.Imports, p.New.Imports)}
	if len(e.Added)+len(e.Removed) == 0 {
		return nil
	}
	return []Edit{e}
}

// without returns what is in a and not in b, sorted, each once.
func without(a, b []string) []string {
	have := make(map[string]bool, len(b))
	for _, x := range b {
		have[x] = true
	}
	var out []string
	for _, x := range a {
		if !have[x] {
			have[x] = true
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return out
}

// reordered appends a move for definitions that stand in another order among
// their siblings than they did: the fewest that explain the new order.
func (m *matcher) reordered(edits [][]Edit) {
	type place struct {
		file  int
		outer *node
	}
	var places []place
	siblings := map[place][]*node{}
	for _, n := range m.news {
		o := n.match
		if o == nil || o.file != n.file || o.group == groupValue || o.Parent != n.Parent || o.name != n.name {
			continue
		}
		p := place{n.file, n.outer}
		if siblings[p] == nil {
			places = append(places, p)
		}
		siblings[p] = append(siblings[p], n)
	}
	for _, p := range places {
		ns := siblings[p]
		slices.SortStableFunc(ns, func(a, b *node) int { return cmp.Compare(a.From, b.From) })
		for k, stays := range ascending(ns, func(n *node) int { return n.match.From }) {
			if !stays {
				edits[p.file] = append(edits[p.file], ns[k].edit(Moves))
			}
		}
	}
}

// ascending marks a longest subsequence whose values do not descend.
func ascending[T any](s []T, value func(T) int) []bool {
	var ends []int // index of the smallest end of a subsequence of each length
	before := make([]int, len(s))
	for i, x := range s {
		at, _ := slices.BinarySearchFunc(ends, value(x)+1, func(e, v int) int { return cmp.Compare(value(s[e]), v) })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	kept := make([]bool, len(s))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			kept[i] = true
		}
	}
	return kept
}
