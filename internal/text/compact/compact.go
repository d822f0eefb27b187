// Package compact holds what is remembered of millions of things in little more
// than the bytes that tell them apart: a [List] that grows without being copied,
// an [Index] of hashes, and a [Tape] of numbers.
//
// They only grow, in small steps, and hold no pointers, so that a collection of
// garbage passes over them. None is safe for concurrent use; zero values are
// empty and ready to use.
package compact

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// chunk is how many elements of a List, and bytes of a Tape, are allocated at
// once after the first ones.
const (
	chunk     = 1 << 12
	tapeChunk = 1 << 16
)

// A List is a slice that is not copied when it grows.
type List[T any] struct{ chunks [][]T }

// Len is the number of elements.
func (l *List[T]) Len() int {
	n := len(l.chunks)
	if n == 0 {
		return 0
	}
	return (n-1)*chunk + len(l.chunks[n-1])
}

// Append adds an element behind the others.
func (l *List[T]) Append(v T) {
	n := len(l.chunks)
	if n == 0 || len(l.chunks[n-1]) == chunk {
		room := chunk
		if n == 0 {
			room = 0 // the first chunk grows as a slice does: most lists are short
		}
		l.chunks = append(l.chunks, make([]T, 0, room))
		n++
	}
	l.chunks[n-1] = append(l.chunks[n-1], v)
}

// At returns the i-th element, to read or to change; it panics if there is none.
// The pointer is good until the next Append.
func (l *List[T]) At(i int) *T { return &l.chunks[i/chunk][i%chunk] }

// An Index numbers hashes of 64 bits in the order in which they come. An element
// takes some 13 bytes. Things whose hashes are the same are taken for one: among
// ten million, by one chance in 300,000.
//
// Where a hash has its place is nobody's to know, and differs from Index to Index:
// hashes are of text that others wrote, who could choose them so that each has to
// be looked for behind all others. The numbers do not depend on it.
type Index struct {
	hashes List[uint64]
	parts  []part // by the first bits of a hash, mixed; one while there are few
	seed   maphash.Seed
}

// A part is an open-addressed table of numbers, each plus 1; 0 is a free place.
type part struct {
	places []uint32
	n      int
}

const (
	partBits = 8
	few      = 1 << 13 // from here on there are 1<<partBits parts
)

// Len is the number of elements, those of Skip included.
func (x *Index) Len() int { return x.hashes.Len() }

// Find returns the number of a hash.
func (x *Index) Find(h uint64) (i int, ok bool) {
	if len(x.parts) == 0 {
		return 0, false
	}
	m := x.mix(h)
	p := x.part(m)
	if len(p.places) == 0 {
		return 0, false
	}
	for at := p.home(m); p.places[at] != 0; at = p.next(at) {
		if i := int(p.places[at] - 1); *x.hashes.At(i) == h {
			return i, true
		}
	}
	return 0, false
}

// Add gives a hash the next number, if it has none yet, and returns its number.
func (x *Index) Add(h uint64) (i int, added bool) {
	if i, ok := x.Find(h); ok {
		return i, false
	}
	if x.parts == nil {
		x.parts, x.seed = make([]part, 1), maphash.MakeSeed()
	}
	i = x.Len()
	x.hashes.Append(h)
	if len(x.parts) == 1 && x.parts[0].n >= few {
		old := x.parts[0]
		x.parts = make([]part, 1<<partBits)
		for _, v := range old.places {
			if v != 0 {
				m := x.mix(*x.hashes.At(int(v - 1)))
				x.insert(x.part(m), m, v)
			}
		}
	}
	m := x.mix(h)
	x.insert(x.part(m), m, uint32(i+1)) //nolint:gosec // four billion elements would take fifty gigabytes
	return i, true
}

// Skip gives the next number to something without a hash, and returns it.
func (x *Index) Skip() int {
	x.hashes.Append(0)
	return x.Len() - 1
}

func (x *Index) insert(p *part, m uint64, v uint32) {
	// At most 7/8 of the places are taken. They become a quarter more: a part is a
	// 256th of all, so what is copied is small, and parts do not grow at once.
	if 8*(p.n+1) > 7*len(p.places) {
		old := p.places
		p.places = make([]uint32, max(16, len(old)+len(old)/4))
		for _, w := range old {
			if w != 0 {
				p.put(x.mix(*x.hashes.At(int(w - 1))), w)
			}
		}
	}
	p.put(m, v)
	p.n++
}

func (p *part) put(m uint64, v uint32) {
	at := p.home(m)
	for p.places[at] != 0 {
		at = p.next(at)
	}
	p.places[at] = v
}

func (x *Index) part(m uint64) *part {
	if len(x.parts) == 1 {
		return &x.parts[0]
	}
	return &x.parts[m>>(64-partBits)]
}

// home is where the search for a hash begins: the bits that do not choose the
// part, scaled to the number of places.
func (p *part) home(m uint64) int {
	at, _ := bits.Mul64(m<<partBits, uint64(len(p.places)))
	return int(at) //nolint:gosec // less than the number of places
}

func (p *part) next(at int) int {
	if at++; at == len(p.places) {
		return 0
	}
	return at
}

// mix spreads a hash over all bits.
func (x *Index) mix(h uint64) uint64 { return maphash.Comparable(x.seed, h) }

// A Tape is a row of numbers, small ones in few bytes, that is written once and
// read from its beginning.
type Tape struct{ chunks [][]byte }

// room makes room for a number.
func (t *Tape) room() *[]byte {
	n := len(t.chunks)
	if n == 0 || cap(t.chunks[n-1])-len(t.chunks[n-1]) < binary.MaxVarintLen64 {
		size := tapeChunk
		if n == 0 {
			size = 256
		} else if n < 8 {
			size = 256 << n
		}
		t.chunks = append(t.chunks, make([]byte, 0, size))
		n++
	}
	return &t.chunks[n-1]
}

// Byte writes a byte.
func (t *Tape) Byte(b byte) {
	c := t.room()
	*c = append(*c, b)
}

// Uint writes a number.
func (t *Tape) Uint(n uint64) {
	c := t.room()
	*c = binary.AppendUvarint(*c, n)
}

// Int writes a number that may be negative.
func (t *Tape) Int(n int64) {
	c := t.room()
	*c = binary.AppendVarint(*c, n)
}

// A Reader reads the numbers of a Tape in the order in which they were written,
// each as what it was written as.
type Reader struct {
	chunks [][]byte
	rest   []byte
}

// Read returns a Reader at the beginning.
func (t *Tape) Read() Reader { return Reader{chunks: t.chunks} }

// more reports whether there is another number.
func (r *Reader) more() bool {
	for len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return false
		}
		r.rest, r.chunks = r.chunks[0], r.chunks[1:]
	}
	return true
}

// Byte reads a byte; 0 at the end.
func (r *Reader) Byte() byte {
	if !r.more() {
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// Uint reads a number; 0 at the end.
func (r *Reader) Uint() uint64 {
	if !r.more() {
		return 0
	}
	v, n := binary.Uvarint(r.rest)
	r.rest = r.rest[max(n, 1):]
	return v
}

// Int reads a number that may be negative; 0 at the end.
func (r *Reader) Int() int64 {
	if !r.more() {
		return 0
	}
	v, n := binary.Varint(r.rest)
	r.rest = r.rest[max(n, 1):]
	return v
}
