package tokens

// A scratch is what one call needs besides its text. Pools keep them, so that
// a call allocates nothing.
type scratch struct {
	// counts remembers how many tokens short pieces have, by hash: what it
	// remembers is exact, a newer piece just takes the place of an older one.
	// Text repeats itself, and one small table stays in the processor's cache
	// where the vocabulary's three megabytes do not.
	counts [1 << countBits]key

	// long does the same for pieces that are a little longer.
	long [1 << longBits]longKey

	text   []byte   // the text with U+FFFD for what is no UTF-8
	starts []uint32 // merge: where the parts of the piece begin, and its length
	ranks  []uint32 // merge: the rank of each part joined with the next
	next   []uint32 // mergeLong: the part after
	prev   []uint32 // mergeLong: the part before
	heap   []uint64 // mergeLong: rank<<32 | part
}

const (
	// countBits makes the table of counts 512 KiB, half of a common
	// second-level cache.
	countBits = 15

	// An entry of counts is the key of a piece, with the number of its tokens,
	// at most maxKey, in four bits that are free in a key.
	countShift = 56
	countMask  = 0xf << countShift

	// longBits makes the table of longer pieces 64 KiB: they are rare, but
	// costly to merge.
	longBits = 11

	// maxKept is the most elements that a pooled scratch keeps of each slice: a
	// single enormous piece must not hold memory for ever.
	maxKept = 1 << 16
)

// trim drops what is too large to keep.
func (s *scratch) trim() {
	if cap(s.text) > 16*maxKept {
		s.text = nil
	}
	if cap(s.starts) > maxKept {
		s.starts = nil
	}
	if cap(s.ranks) > maxKept {
		s.ranks = nil
	}
	if cap(s.next) > maxKept {
		s.next, s.prev, s.heap = nil, nil, nil
	}
}

// sized returns a slice of n elements, s itself if it has room for them.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
