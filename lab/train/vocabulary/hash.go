package main

import (
	"encoding/binary"
	"math/bits"
)

// short is the most bytes of a piece whose key holds them all.
const short = 15

func hash(t []byte) uint64 {
	n := len(t)
	if n <= short {
		lo, hi := load(t)
		return mix(lo, hi|uint64(n)<<60)
	}
	h := uint64(n)
	for ; len(t) >= 16; t = t[16:] {
		h = mix(h^binary.LittleEndian.Uint64(t), binary.LittleEndian.Uint64(t[8:]))
	}
	lo, hi := load(t)
	return mix(h^lo, hi)
}

// load returns up to 16 bytes as two little-endian words.
func load(t []byte) (lo, hi uint64) {
	var b [16]byte
	copy(b[:], t)
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}

func mix(lo, hi uint64) uint64 {
	h, l := bits.Mul64(lo^0x9E3779B97F4A7C15, hi^0xC2B2AE3D27D4EB4F)
	return (h ^ l) * 0x9E3779B97F4A7C15
}

func slotOf(h uint64, slots int) int {
	i, _ := bits.Mul64(h, uint64(slots))
	return int(i)
}
