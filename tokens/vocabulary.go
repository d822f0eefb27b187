package tokens

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A vocabulary is a table of all tokens of an encoding, in the layout that
// lab/train/vocabulary writes and that is used as it lies in the program. All numbers are
// little-endian.
//
//	header   magic, number of tokens, where the slots begin, their number,
//	         logarithm of the bits of the filter
//	records  for each token in the order of ranks: rank | length<<24, the bytes
//	padding  16 bytes or more, so that 16 bytes can be read at any token
//	slots    open hash table: offset of a record | low hash bits<<22, or 0
//	filter   a bit for each value of the uppermost bits of a hash: set if a token has it
//	pairs    for each two bytes their rank in three bytes, or 2²⁴-1; then a byte
//
// The rank of a token is its number, and the rank of a pair of tokens is that
// of the token that has the bytes of both. So one table by bytes serves for
// whole pieces and for merging.
type vocabulary struct {
	table  []byte // header and records
	slots  []byte
	filter []byte
	pairs  []byte
	count  int // number of tokens
	nslots uint64
	shift  uint8 // of a hash to its bit in the filter
}

const (
	vocabularyMagic  = 0x33_4b_54_53 // "STK3"
	vocabularyHeader = 20
	recordHeader     = 4
	rankMask         = 1<<24 - 1
	offsetBits       = 22
	offsetMask       = 1<<offsetBits - 1

	// maxToken is the length of the longest token of both vocabularies, a run
	// of spaces. Nothing longer needs to be looked up.
	maxToken = 128

	// none is the rank of what is not a token.
	none = ^uint32(0)
)

func openVocabulary(table []byte) vocabulary {
	if binary.LittleEndian.Uint32(table) != vocabularyMagic {
		panic("tokens: embedded vocabulary is damaged") // impossible in a program that was built from this tree
	}
	slots, nslots := binary.LittleEndian.Uint32(table[8:]), binary.LittleEndian.Uint32(table[12:])
	filterBits := binary.LittleEndian.Uint32(table[16:])
	filter := slots + 4*nslots
	pairs := filter + 1<<filterBits/8
	return vocabulary{
		table:  table[:slots],
		slots:  table[slots:filter],
		filter: table[filter:pairs],
		pairs:  table[pairs:],
		count:  int(binary.LittleEndian.Uint32(table[4:])),
		nslots: uint64(nslots),
		shift:  uint8(64 - filterBits),
	}
}

// lookup returns the rank of a piece of at most maxKey bytes, given its key
// and the hash of that.
func (v *vocabulary) lookup(k key, h uint64) (uint32, bool) {
	n := k.hi >> 60
	m := &keyMasks[n&15]
	for i := v.slot(h); ; i = v.after(i) {
		s := binary.LittleEndian.Uint32(v.slots[i:])
		if s == 0 {
			return none, false
		}
		if (s^uint32(h)<<offsetBits)>>offsetBits != 0 {
			continue
		}
		r := v.table[s&offsetMask:][:recordHeader+16]
		head := binary.LittleEndian.Uint32(r)
		if uint64(head>>24) == n &&
			binary.LittleEndian.Uint64(r[recordHeader:])&m.lo == k.lo &&
			binary.LittleEndian.Uint64(r[recordHeader+8:])&m.hi|n<<60 == k.hi {
			return head & rankMask, true
		}
	}
}

// lookupLong is lookup for a piece of more than maxKey bytes.
func (v *vocabulary) lookupLong(b []byte) uint32 {
	if len(b) > maxToken {
		return none
	}
	h := hashLong(b)
	for i := v.slot(h); ; i = v.after(i) {
		s := binary.LittleEndian.Uint32(v.slots[i:])
		if s == 0 {
			return none
		}
		if (s^uint32(h)<<offsetBits)>>offsetBits == 0 && bytes.Equal(v.token(s&offsetMask), b) {
			return binary.LittleEndian.Uint32(v.table[s&offsetMask:]) & rankMask
		}
	}
}

// pair returns the rank of two bytes, or none.
func (v *vocabulary) pair(a, b byte) uint32 {
	r := binary.LittleEndian.Uint32(v.pairs[3*(uint(a)|uint(b)<<8):]) & rankMask
	if r == rankMask {
		return none
	}
	return r
}

// slot returns the byte offset of the slot where the search for a hash begins.
func (v *vocabulary) slot(h uint64) uint64 {
	i, _ := bits.Mul64(h, v.nslots)
	return 4 * i
}

func (v *vocabulary) after(i uint64) uint64 {
	if i += 4; i < uint64(len(v.slots)) {
		return i
	}
	return 0
}

// rankAt returns the rank of text[i:j], or none. Most pairs that merge asks
// for are no tokens, and the filter says so of five in six of them.
func (v *vocabulary) rankAt(text []byte, i, j int) uint32 {
	n := j - i
	if n > maxKey {
		return v.lookupLong(text[i:j])
	}
	k := keyAt(text, i, n)
	h := k.hash()
	if f := h >> (v.shift & 63); v.filter[f/8]>>(f%8)&1 == 0 {
		return none
	}
	r, _ := v.lookup(k, h)
	return r
}

// token returns the bytes of the token whose record begins at an offset.
func (v *vocabulary) token(offset uint32) []byte {
	b := v.table[offset+recordHeader:]
	return b[:v.table[offset+recordHeader-1]]
}

// index returns the offset of the record of each token.
func (v *vocabulary) index() []uint32 {
	offsets := make([]uint32, v.count)
	at := uint32(vocabularyHeader)
	for i := range offsets {
		offsets[i] = at
		at += recordHeader + uint32(v.table[at+recordHeader-1])
	}
	return offsets
}
