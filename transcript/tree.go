package transcript

// A tree is the records of a file linked to their parents. It knows records by
// hash and number, so that a file of gigabytes takes tens of megabytes.
type tree struct {
	nodes []node
	at    map[uint64]int32 // hash of an id → index of its node
}

// A node is one record that has an id or could have one.
type node struct {
	parent uint64 // hash of the parent's id; 0 for a root
	group  uint64 // of Claude Code: hash of the API message's id, or of the call's record for a result
	record int32  // number of the record
	flags  flags  // last: a node takes 24 bytes
}

type flags uint16

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

func newTree() *tree { return &tree{at: map[uint64]int32{}} }

// add appends a node. An empty id links to nothing and is no copy.
func (t *tree) add(id []byte, n node) *node {
	if len(id) > 0 {
		h := hashBytes(id)
		if _, ok := t.at[h]; ok {
			n.flags |= isCopy
		} else {
			t.at[h] = int32(len(t.nodes))
		}
	}
	t.nodes = append(t.nodes, n)
	return &t.nodes[len(t.nodes)-1]
}

// find returns the index of the node with this id.
func (t *tree) find(id uint64) (int, bool) {
	if id == 0 {
		return 0, false
	}
	i, ok := t.at[id]
	return int(i), ok
}

// path returns the nodes from leaf up to the root or to the first node for
// which stop holds, that one included, newest first. A cycle ends it; so does a
// missing parent (its line is torn), unless bridge is set: then the walk goes on
// with the nearest earlier node of the same kind of conversation. Broken counts
// either.
func (t *tree) path(leaf int, bridge bool, stop func(i int) bool) (path []int, broken int) {
	visited := make([]bool, len(t.nodes))
	side := t.nodes[leaf].flags & isSide
	var below []int32 // of a node that is passed over, an earlier one with none to bridge to in between
	nearest := func(p int) int {
		if below == nil {
			below = make([]int32, len(t.nodes))
			for k := range below {
				below[k] = int32(k - 1) //nolint:gosec // records are counted in 32 bits
			}
		}
		from := p
		for p >= 0 && (visited[p] || t.nodes[p].flags&isCopy != 0 || t.nodes[p].flags&isSide != side) {
			p = int(below[p])
		}
		for from > p { // the next search from here takes one step
			from, below[from] = int(below[from]), int32(p) //nolint:gosec // an index of below
		}
		return p
	}
	for i := leaf; ; {
		visited[i] = true
		path = append(path, i)
		n := &t.nodes[i]
		if n.parent == 0 || stop != nil && stop(i) {
			return path, broken
		}
		p, ok := t.find(n.parent)
		if !ok || visited[p] {
			broken++
			if !bridge {
				return path, broken
			}
			if p = nearest(i - 1); p < 0 {
				return path, broken
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
	for n/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s bitset) has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }
