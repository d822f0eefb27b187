package tokens

import (
	"encoding/binary"
	"math/bits"
)

// maxKey is the most bytes of a piece whose key holds them all.
const maxKey = 15

// A key is a piece of at most maxKey bytes: its bytes as two little-endian
// words, with the length in the uppermost four bits.
type key struct{ lo, hi uint64 }

// keyMasks keeps the first n bytes of two words.
var keyMasks = func() (m [16]key) {
	for n := range m {
		m[n] = key{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return m
}()

// keyAt returns the key of text[i:i+n], n ≤ maxKey.
func keyAt(text []byte, i, n int) key {
	if i+16 <= len(text) {
		w := text[i : i+16]
		m := &keyMasks[n&15]
		return key{
			binary.LittleEndian.Uint64(w) & m.lo,
			binary.LittleEndian.Uint64(w[8:])&m.hi | uint64(n)<<60,
		}
	}
	lo, hi := load(text[i : i+n])
	return key{lo, hi | uint64(n)<<60}
}

// load returns up to 16 bytes as two little-endian words.
func load(b []byte) (lo, hi uint64) {
	switch n := len(b); {
	case n >= 8:
		lo = binary.LittleEndian.Uint64(b)
		if n > 8 {
			hi = binary.LittleEndian.Uint64(b[n-8:]) >> (8 * (16 - n))
		}
	case n >= 4:
		lo = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n > 0:
		lo = uint64(b[0]) | uint64(b[n/2])<<(8*(n/2)) | uint64(b[n-1])<<(8*(n-1))
	}
	return lo, hi
}

func (k key) hash() uint64 { return mix(k.lo, k.hi) }

// hashLong returns the hash of a piece of more than maxKey bytes.
func hashLong(b []byte) uint64 {
	h := uint64(len(b))
	for ; len(b) >= 16; b = b[16:] {
		h = mix(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
	}
	lo, hi := load(b)
	return mix(h^lo, hi)
}

// mix is a multiplicative hash of two words, with the golden ratio and a prime
// of xxHash as arbitrary odd numbers. lab/train/vocabulary repeats it.
func mix(lo, hi uint64) uint64 {
	h, l := bits.Mul64(lo^0x9E3779B97F4A7C15, hi^0xC2B2AE3D27D4EB4F)
	return (h ^ l) * 0x9E3779B97F4A7C15
}

// maxLongKey is the most bytes of a piece whose longKey holds them all.
const maxLongKey = 30

// A longKey is a piece of maxKey < n ≤ maxLongKey bytes as four words. The last
// one has the length in its upper byte and eight more bits free.
type longKey [4]uint64

const (
	longCountShift = 48
	longCountMask  = 0xff << longCountShift
)

// longKeyAt returns the key of text[i:i+n]. 32 bytes can be read at i.
func longKeyAt(text []byte, i, n int) longKey {
	w := text[i : i+32]
	m := &keyMasks[(n-16)&15]
	return longKey{
		binary.LittleEndian.Uint64(w),
		binary.LittleEndian.Uint64(w[8:]),
		binary.LittleEndian.Uint64(w[16:]) & m.lo,
		binary.LittleEndian.Uint64(w[24:])&m.hi | uint64(n)<<56,
	}
}

func (k longKey) hash() uint64 { return mix(mix(k[0], k[1])^k[2], k[3]) }
