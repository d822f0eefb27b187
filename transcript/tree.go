package transcript

import (
	"sort"

	"github.com/satchel-dev/satchel/internal/text/compact"
)

// A tree is the records of a file linked to their parents. It knows records by
// hash and number: one whose parent is the record before it, as nearly all are,
// takes some 14 bytes, another four or eight more. What matters of a file of
// gigabytes is how many records it has.
type tree struct {
	ids   compact.Index // a hash for each node; 0 for one without an id, and for a copy
	flags compact.List[flags]

	// Links of nodes, for blocks of them in which one has such a link. A nil block of
	// parents means that each node hangs on the one before it.
	parents, groups []*linkBlock

	late    compact.List[uint64] // hashes of what records link to and no earlier one has
	answers compact.Index        // ids of API messages, by hash

	// starts are the nodes whose record has not the number behind that of the node
	// before, and those numbers.
	starts []recordStart
}

// A link is a node, plus 1, or, if isLate is set, an index in late; 0 is none.
type link uint32

const (
	isLate     link = 1 << 31
	blockNodes      = 1 << 10
)

type linkBlock [blockNodes]link

type recordStart struct{ node, record int32 }

// A node is one record that has an id or could have one.
type node struct {
	parent uint64 // hash of the parent's id; 0 for a root
	source uint64 // of Claude Code: hash of the id of the call's record, for a result
	answer uint64 // of Claude Code: hash of the id of the API's message
	record int    // number of the record; they come in rising order
	flags  flags
}

type flags uint8

const (
	isSide    flags = 1 << iota // of a sidechain
	isTurn                      // a message of the user or the assistant: may be the leaf
	isAnswer                    // of the assistant
	hasResult                   // of the user, with tool results
	isBound                     // a compaction
	isSummary                   // what a compaction left in place of the history
	isCopy                      // an earlier record has the same id
	inPath                      // would be sent
)

func newTree() *tree { return &tree{} }

// len is the number of nodes, which are numbered from 0.
func (t *tree) len() int { return t.flags.Len() }

// is returns the flags of a node, to read or to change.
func (t *tree) is(i int) *flags { return t.flags.At(i) }

// add appends a node, and returns its number and its flags. An empty id links to
// nothing and is no copy.
func (t *tree) add(id []byte, n node) (i int, f flags) {
	i = t.len()
	named := false
	if len(id) > 0 {
		if _, named = t.ids.Add(hashBytes(id)); !named {
			n.flags |= isCopy
		}
	}
	if !named {
		t.ids.Skip()
	}
	t.flags.Append(n.flags)
	if k := len(t.starts); k == 0 || int(t.starts[k-1].record)+i-int(t.starts[k-1].node) != n.record {
		t.starts = append(t.starts, recordStart{int32(i), int32(n.record)}) //nolint:gosec // records are counted in 32 bits
	}
	if i%blockNodes == 0 {
		t.parents, t.groups = append(t.parents, nil), append(t.groups, nil)
	}
	parent := t.link(n.parent)
	if b := &t.parents[i/blockNodes]; *b != nil {
		(*b)[i%blockNodes] = parent
	} else if parent != link(i) { //nolint:gosec // as above: not the node before it
		t.setParent(i, parent)
	}
	switch {
	case n.answer != 0:
		k, _ := t.answers.Add(n.answer)
		t.setGroup(i, link(k+1)) //nolint:gosec // as above
	case n.source != 0:
		t.setGroup(i, t.link(n.source))
	}
	return i, n.flags
}

// link returns a link to the first record with an id.
func (t *tree) link(id uint64) link {
	if id == 0 {
		return 0
	}
	if i, ok := t.ids.Find(id); ok {
		return link(i + 1) //nolint:gosec // as above
	}
	t.late.Append(id)
	return link(t.late.Len()-1) | isLate //nolint:gosec // as above
}

// node returns the node that a link leads to.
func (t *tree) node(l link) (int, bool) {
	if l&isLate != 0 {
		return t.ids.Find(*t.late.At(int(l &^ isLate)))
	}
	return int(l) - 1, l != 0
}

// parent returns the link to a node's parent.
func (t *tree) parent(i int) link {
	if b := t.parents[i/blockNodes]; b != nil {
		return b[i%blockNodes]
	}
	return link(i) //nolint:gosec // as above: the node before it
}

func (t *tree) setParent(i int, l link) {
	b := &t.parents[i/blockNodes]
	if *b == nil {
		*b = new(linkBlock)
		for k := range *b {
			(*b)[k] = link(i/blockNodes*blockNodes + k) //nolint:gosec // as above
		}
	}
	(*b)[i%blockNodes] = l
}

// group returns which answer a record is part of, as an index of answers plus 1;
// of a result, the link to the record of its call.
func (t *tree) group(i int) link {
	if b := t.groups[i/blockNodes]; b != nil {
		return b[i%blockNodes]
	}
	return 0
}

func (t *tree) setGroup(i int, l link) {
	b := &t.groups[i/blockNodes]
	if *b == nil {
		*b = new(linkBlock)
	}
	(*b)[i%blockNodes] = l
}

// record returns the number of a node's record.
func (t *tree) record(i int) int {
	k := sort.Search(len(t.starts), func(k int) bool { return int(t.starts[k].node) > i }) - 1
	return int(t.starts[k].record) + i - int(t.starts[k].node)
}

// records returns those whose nodes have a flag.
func (t *tree) records(f flags) (set bitset) {
	for k, s := range t.starts {
		to := t.len()
		if k+1 < len(t.starts) {
			to = int(t.starts[k+1].node)
		}
		for i := int(s.node); i < to; i++ {
			if *t.is(i)&f != 0 {
				set.set(int(s.record) + i - int(s.node))
			}
		}
	}
	return set
}

// find returns the first node with this id.
func (t *tree) find(id uint64) (int, bool) {
	if id == 0 {
		return 0, false
	}
	return t.ids.Find(id)
}

// walk calls fn for the nodes from leaf up to the root, or to the first one for
// which fn is false. A cycle ends it; so does a missing parent (its line is torn),
// unless bridge is set: then the walk goes on with the nearest earlier node of the
// same kind of conversation. Broken counts either.
func (t *tree) walk(leaf int, bridge bool, fn func(i int) bool) (broken int) {
	var visited bitset
	visited.set(t.len())
	side := *t.is(leaf) & isSide
	var below []int32 // of a node that is passed over, an earlier one with none to bridge to in between
	nearest := func(p int) int {
		if below == nil {
			below = make([]int32, t.len())
			for k := range below {
				below[k] = int32(k - 1) //nolint:gosec // records are counted in 32 bits
			}
		}
		from := p
		for p >= 0 && (visited.has(p) || *t.is(p)&isCopy != 0 || *t.is(p)&isSide != side) {
			p = int(below[p])
		}
		for from > p { // the next search from here takes one step
			from, below[from] = int(below[from]), int32(p) //nolint:gosec // an index of below
		}
		return p
	}
	for i := leaf; ; {
		visited.set(i)
		if !fn(i) || t.parent(i) == 0 {
			return broken
		}
		p, ok := t.node(t.parent(i))
		if !ok || visited.has(p) {
			broken++
			if !bridge {
				return broken
			}
			if p = nearest(i - 1); p < 0 {
				return broken
			}
		}
		i = p
	}
}

// hashBytes is hash for bytes; never 0, which stands for no id.
func hashBytes(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range b {
		h = (h ^ uint64(x)) * 1099511628211
	}
	return max(h, 1)
}

// A bitset is a set of record numbers.
type bitset []uint64

func (s *bitset) set(n int) {
	if n/64 >= len(*s) {
		*s = append(*s, make([]uint64, n/64+1-len(*s))...)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s bitset) has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }
