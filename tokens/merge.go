package tokens

// maxScan is the longest piece whose pairs are searched for the lowest rank by
// a plain scan. Longer ones use a heap: a million letters without a space must
// not take a million scans of a million pairs.
const maxScan = 64

// merge joins the neighbouring parts of text[i:j], at first its bytes, lowest
// rank first and leftmost among equals, until no two neighbours make a token.
// It returns the number of parts; s.starts has where each begins, relative to i,
// and the length.
func (v *vocabulary) merge(s *scratch, text []byte, i, j int) int {
	if j-i > maxScan {
		return v.mergeLong(s, text[i:j])
	}
	return v.mergeScan(s, text, i, j)
}

// mergeScan is merge for pieces of at most maxScan bytes. Parts are known by
// the byte they begin with, so that nothing has to be moved; the scan goes over
// all bytes, without a branch that could be guessed wrong.
func (v *vocabulary) mergeScan(s *scratch, text []byte, i, j int) int {
	n := uint(j - i)
	var next, prev [maxScan + 1]uint8
	var pairs [maxScan]uint32 // rank<<8 | part, for each part joined with the next, or none
	for p := range n {
		next[p], prev[p+1], pairs[p] = uint8(p+1), uint8(p), none
	}
	for p := range n - 1 {
		if r := v.pair(text[i+int(p)], text[i+int(p)+1]); r != none {
			pairs[p] = r<<8 | uint32(p)
		}
	}
	parts := n
	for {
		best := none
		for _, r := range pairs[:n] {
			best = min(best, r)
		}
		if best == none {
			break
		}
		parts--
		p := best & 0xff % (maxScan + 1)
		q := next[p]
		e := next[q]
		pairs[q], pairs[p] = none, none
		next[p], prev[e] = e, uint8(p)
		if uint(e) < n {
			if r := v.rankAt(text, i+int(p), i+int(next[e])); r != none {
				pairs[p] = r<<8 | p
			}
		}
		if p > 0 {
			o := prev[p]
			pairs[o] = none
			if r := v.rankAt(text, i+int(o), i+int(e)); r != none {
				pairs[o] = r<<8 | uint32(o)
			}
		}
	}
	s.starts = s.starts[:0]
	for p := uint8(0); uint(p) < n; p = next[p] {
		s.starts = append(s.starts, uint32(p))
	}
	s.starts = append(s.starts, uint32(n))
	return int(parts)
}

// mergeLong is merge for long pieces, in n log n. The heap may hold pairs that
// are no more; such a pair's rank is no longer the one in ranks.
func (v *vocabulary) mergeLong(s *scratch, piece []byte) int {
	n := len(piece)
	s.next, s.prev, s.ranks = sized(s.next, n+1), sized(s.prev, n+1), sized(s.ranks, n+1)
	next, prev, ranks := s.next, s.prev, s.ranks
	h := sized(s.heap, n)[:0]
	for p := range n {
		next[p], prev[p+1], ranks[p] = uint32(p+1), uint32(p), none
		if p+2 <= n {
			if ranks[p] = v.pair(piece[p], piece[p+1]); ranks[p] != none {
				h = append(h, uint64(ranks[p])<<32|uint64(p))
			}
		}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		sink(h, i)
	}
	update := func(p uint32) { // the part p or the one after it has grown
		ranks[p] = none
		q := next[p]
		if int(q) == n {
			return
		}
		if ranks[p] = v.rankAt(piece, int(p), int(next[q])); ranks[p] != none {
			h = append(h, uint64(ranks[p])<<32|uint64(p))
			rise(h)
		}
	}
	for len(h) > 0 {
		p, r := uint32(h[0]), uint32(h[0]>>32)
		last := len(h) - 1
		h[0] = h[last]
		h = h[:last]
		if last > 1 {
			sink(h, 0)
		}
		if ranks[p] != r {
			continue
		}
		q := next[p]
		ranks[q] = none
		next[p] = next[q]
		prev[next[q]] = p
		update(p)
		if p > 0 {
			update(prev[p])
		}
	}
	s.heap = h
	parts := 0
	for p := uint32(0); int(p) < n; p = next[p] {
		ranks[parts] = p // no longer needed, and parts ≤ p
		parts++
	}
	ranks[parts] = uint32(n)
	s.starts, s.ranks = ranks[:parts+1], s.starts
	return parts
}

// sink moves h[i] down to where it is no larger than its children.
func sink(h []uint64, i int) {
	v := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if h[c] >= v {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = v
}

// rise moves the last element up to where it is no smaller than its parent.
func rise(h []uint64) {
	i := len(h) - 1
	v := h[i]
	for i > 0 {
		p := (i - 1) / 2
		if h[p] <= v {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = v
}

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
