package change

import (
	"cmp"
	"slices"
	"strings"
)

// A matcher finds the definitions that both sides of a changeset have.
type matcher struct {
	olds, news []*node // of all files, in their order
}

func newMatcher(pairs []Pair) *matcher {
	m := new(matcher)
	for i := range pairs {
		p := &pairs[i]
		m.olds = append(m.olds, nodes(p, i, p.Old, true)...)
		m.news = append(m.news, nodes(p, i, p.New, false)...)
	}
	return m
}

func join(o, n *node) { o.match, n.match = n, o }

// byName matches what has the same key. Of several, those with the same
// signature match first, then those with the same lines, then by order.
func (m *matcher) byName(olds, news []*node, oldKey func(*node) key) {
	type bucket struct{ olds, news []*node }
	buckets := map[key]*bucket{}
	var order []*bucket
	for _, o := range olds {
		if o.match != nil {
			continue
		}
		k := oldKey(o)
		b := buckets[k]
		if b == nil {
			b = new(bucket)
			buckets[k] = b
			order = append(order, b)
		}
		b.olds = append(b.olds, o)
	}
	for _, n := range news {
		if n.match == nil {
			if b := buckets[n.key()]; b != nil {
				b.news = append(b.news, n)
			}
		}
	}
	for _, b := range order {
		pairUp(b.olds, b.news, func(n *node) any {
			return struct {
				sig string
				own uint64
			}{n.Signature, n.own}
		})
		pairUp(b.olds, b.news, func(n *node) any { return n.Signature })
		pairUp(b.olds, b.news, func(n *node) any { return n.own })
		pairUp(b.olds, b.news, func(*node) any { return nil })
	}
}

// pairUp matches nodes whose aspects are equal, in order.
func pairUp(olds, news []*node, aspect func(*node) any) {
	if len(olds) == 1 && len(news) == 1 {
		if olds[0].match == nil && news[0].match == nil {
			join(olds[0], news[0])
		}
		return
	}
	waiting := map[any][]*node{}
	for _, n := range news {
		if n.match == nil {
			a := aspect(n)
			waiting[a] = append(waiting[a], n)
		}
	}
	for _, o := range olds {
		if o.match != nil || len(waiting) == 0 {
			continue
		}
		a := aspect(o)
		if w := waiting[a]; len(w) > 0 {
			join(o, w[0])
			waiting[a] = w[1:]
		}
	}
}

// byEnclosing matches what is inside, or belongs to, a definition that was
// renamed or moved: a method of a type that has another name now.
func (m *matcher) byEnclosing() {
	here := newRenaming(false)
	everywhere := newRenaming(true) // methods may stand in other files than their type
	for _, o := range m.olds {
		n := o.match
		if n == nil || !o.group.encloses() || o.key() == n.key() {
			continue
		}
		from, to := qualified(o.Parent, o.Name), qualified(n.Parent, n.Name)
		here.add(place{o.file, from}, place{n.file, to})
		if from != to && o.pair.Lang == "go" && n.pair.Lang == "go" {
			everywhere.add(place{name: from}, place{name: to})
		}
	}
	m.carry(here)
	m.carry(everywhere)
}

// carry matches what is left by the names that its enclosing definitions have
// on the other side.
func (m *matcher) carry(r *renaming) {
	if len(r.to) == 0 {
		return
	}
	olds := left(m.olds, func(*node) bool { return true })
	m.byName(olds, m.news, func(o *node) key {
		k := o.key()
		if to, ok := r.move(k, r.to, r.from); ok {
			if back, ok := r.move(to, r.from, r.to); ok && back == k {
				return to
			}
		}
		return key{file: -1} // is no key of a node
	})
	for _, o := range olds {
		if o.match != nil {
			o.match.carried = true
		}
	}
}

// Limits of likeness. The shares are of the lines of both, as Dice has it;
// they are judgement, not measured.
const (
	likeNamed     = 0.5 // of a definition of the same name elsewhere
	likeHere      = 0.6 // of one with another name in the same file
	likeElsewhere = 0.8 // of one with another name in another file
	fewLines      = 3   // shorter definitions must be equal, and like no others

	maxPrint  = 400 // lines of a definition that are looked at
	maxOwners = 20  // definitions of one side that share a line which still tells them apart
)

// A likeness is how many lines two definitions share.
type likeness struct {
	o, n  int // indices into what is left
	share float64
}

// byLikeness matches what is left and say yes to by the lines that they share.
func (m *matcher) byLikeness(eligible func(*node) bool) {
	olds, news := left(m.olds, eligible), left(m.news, eligible)
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	oldPrints, newPrints := prints(olds), prints(news)
	oldOwners, newOwners := owners(oldPrints), owners(newPrints)
	var found []likeness
	for j := range news {
		shared := map[int]int{}
		for h, c := range newPrints[j].count {
			in := oldOwners[h]
			if len(in) > maxOwners || len(newOwners[h]) > maxOwners {
				continue
			}
			for _, i := range in {
				shared[i] += min(c, oldPrints[i].count[h])
			}
		}
		for i, c := range shared {
			share := 2 * float64(c) / float64(oldPrints[i].lines+newPrints[j].lines)
			if alike(olds[i], news[j], &oldPrints[i], &newPrints[j], share, oldOwners, newOwners) {
				found = append(found, likeness{i, j, share})
			}
		}
	}
	// The last two keys differ only for pairs that do not compete, whichever
	// side is called old.
	slices.SortFunc(found, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.o+a.n, b.o+b.n), cmp.Compare(abs(a.o-a.n), abs(b.o-b.n)), cmp.Compare(a.o, b.o))
	})
	for _, f := range found {
		if olds[f.o].match == nil && news[f.n].match == nil {
			join(olds[f.o], news[f.n])
		}
	}
}

// alike reports whether two definitions that share so much are one.
func alike(o, n *node, op, np *print, share float64, oldOwners, newOwners map[uint64][]int) bool {
	if o.group != n.group || o.group == groupScope && o.name != n.name {
		return false
	}
	if op.lines < fewLines || np.lines < fewLines {
		if share < 1 || o.file != n.file || o.Parent != n.Parent && o.name != n.name {
			return false
		}
		for h := range op.count { // like no others
			if len(oldOwners[h]) > 1 || len(newOwners[h]) > 1 {
				return false
			}
		}
		return true
	}
	switch {
	case o.name == n.name:
		return share >= likeNamed
	case o.file == n.file:
		return share >= likeHere
	}
	return share >= likeElsewhere
}

func left(ns []*node, eligible func(*node) bool) (out []*node) {
	for _, n := range ns {
		if n.match == nil && eligible(n) {
			out = append(out, n)
		}
	}
	return out
}

// A print is the lines of a definition, its name left out.
type print struct {
	count map[uint64]int
	lines int
}

func prints(ns []*node) []print {
	out := make([]print, len(ns))
	for i, n := range ns {
		p := &out[i]
		p.count = map[uint64]int{}
		names := n.names()
		from, to := max(n.From, 1)-1, min(n.To, len(n.lines.hash))
		for k := from; k < min(to, from+maxPrint); k++ {
			if n.lines.hash[k] == 0 || !telling(n.lines.line(k)) {
				continue
			}
			p.count[hashNeutral(n.lines.line(k), names)]++
			p.lines++
		}
	}
	return out
}

// telling reports whether a line says more than a bracket does.
func telling(line []byte) bool {
	words := 0
	for _, c := range line {
		if wordByte(c) {
			words++
		}
	}
	return words > 3
}

// owners lists the definitions that have each line.
func owners(ps []print) map[uint64][]int {
	out := map[uint64][]int{}
	for i := range ps {
		for h := range ps[i].count {
			out[h] = append(out[h], i)
		}
	}
	return out
}

func abs(x int) int { return max(x, -x) }

// A place is an enclosing definition: its file, and its name with those of what
// encloses it.
type place struct {
	file int
	name string
}

// A renaming says what enclosing definitions of the old side are called on the
// new one. What has two names there, or is the name of two, has none.
type renaming struct {
	to, from map[place][]place
	anyFile  bool // places have no file, and what they enclose stays in its own
}

func newRenaming(anyFile bool) *renaming {
	return &renaming{to: map[place][]place{}, from: map[place][]place{}, anyFile: anyFile}
}

func (r *renaming) add(old, now place) {
	if !slices.Contains(r.to[old], now) {
		r.to[old] = append(r.to[old], now)
		r.from[now] = append(r.from[now], old)
	}
}

// move returns the key on the other side of what a renamed definition encloses,
// by the innermost one that has a name there.
func (r *renaming) move(k key, to, from map[place][]place) (key, bool) {
	rest := ""
	for parent := k.parent; parent != ""; {
		p := place{k.file, parent}
		if r.anyFile {
			p.file = 0
		}
		if there := to[p]; len(there) == 1 && len(from[there[0]]) == 1 {
			moved := key{there[0].file, k.group, there[0].name + rest, k.name}
			if r.anyFile {
				moved.file = k.file
			}
			return moved, true
		}
		i := strings.LastIndexByte(parent, '.')
		if i < 0 {
			break
		}
		rest = parent[i:] + rest
		parent = parent[:i]
	}
	return k, false
}
