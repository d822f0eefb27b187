package transcript

// A tree is the records of a file linked to their parents. It knows records by the
// hashes of their ids, and takes some eighty bytes of each: a file of gigabytes has a
// million of them.
type tree struct {
	nodes []node
	ids   map[uint64]int32 // the first node with an id
}

// A node is one record that has an id or could have one.
type node struct {
	id     uint64 // its hash; 0 for a record without one
	parent uint64 // hash of the parent's id; 0 for a root
	group  uint64 // of Claude Code: hash of the id of the API's message, for an answer; of the id of the call's record, for a result
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

func newTree() *tree { return &tree{ids: make(map[uint64]int32)} }

// len is the number of nodes, which are numbered from 0.
func (t *tree) len() int { return len(t.nodes) }

// is returns the flags of a node, to read or to change.
func (t *tree) is(i int) *flags { return &t.nodes[i].flags }

// add appends a node, and returns its number and its flags. An empty id links to
// nothing and is no copy.
func (t *tree) add(id []byte, n node) (i int, f flags) {
	i = t.len()
	if len(id) > 0 {
		n.id = hashBytes(id)
		if _, ok := t.ids[n.id]; ok {
			n.flags |= isCopy
		} else {
			t.ids[n.id] = int32(i) //nolint:gosec // records are counted in 32 bits
		}
	}
	t.nodes = append(t.nodes, n)
	return i, n.flags
}

// parent returns the node that a node hangs on, which may come behind it.
func (t *tree) parent(i int) (int, bool) { return t.find(t.nodes[i].parent) }

// record returns the number of a node's record.
func (t *tree) record(i int) int { return t.nodes[i].record }

// records returns those whose nodes have a flag.
func (t *tree) records(f flags) (set bitset) {
	for i := range t.nodes {
		if t.nodes[i].flags&f != 0 {
			set.set(t.nodes[i].record)
		}
	}
	return set
}

// find returns the first node with this id.
func (t *tree) find(id uint64) (int, bool) {
	i, ok := t.ids[id]
	return int(i), ok
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
		if !fn(i) || t.nodes[i].parent == 0 {
			return broken
		}
		p, ok := t.parent(i)
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
func hashBytes(b []byte) uint64 { return max(mix(hash(""), b), 1) }

// A bitset is a set of record numbers.
type bitset []uint64

func (s *bitset) set(n int) {
	if n/64 >= len(*s) {
		*s = append(*s, make([]uint64, n/64+1-len(*s))...)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s bitset) has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }
