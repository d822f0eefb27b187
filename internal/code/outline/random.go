package outline

import "math"

// Random data is found by the entropy of blocks, each on its own: a test with a
// key in base64 among its lines is source, a file that is all base64 is not.
//
// In blocks of 4 KiB, base64 has 5.97 to 5.99 bits a byte and ascii85 6.3, minified
// JavaScript 5.1 to 5.6, prose and code 4.2 to 5.1, JSON full of hashes 4.3 to 5.2.
// Hexadecimal digits (4.0) cannot be told from code by it. Bytes above 0x7f are no
// sign: Chinese in UTF-8 has 5.5 to 6.6; blocks that hold many of them do not count.
const (
	randomBlock = 4 << 10
	randomLeast = 16 << 10 // a smaller file costs little, and may be what a test is about
	randomBits  = 5.85
	randomShare = 0.9 // of the blocks
	randomASCII = 0.95
)

// random reports whether nearly all of a text is encoded or encrypted data.
func random(content []byte) bool {
	if len(content) < randomLeast {
		return false
	}
	blocks, high := 0, 0
	for from := 0; from+randomBlock <= len(content); from += randomBlock {
		blocks++
		if highEntropy(content[from : from+randomBlock]) {
			high++
		} else if float64(blocks-high) > (1-randomShare)*float64(len(content)/randomBlock) {
			return false // so most files take one block
		}
	}
	return blocks > 0 && float64(high) >= randomShare*float64(blocks)
}

// highEntropy reports whether a block of a text is random.
func highEntropy(block []byte) bool {
	var counts [256]int
	n := 0
	for _, c := range block {
		if c != '\n' && c != '\r' && c != ' ' { // ends of lines say nothing
			counts[c]++
			n++
		}
	}
	ascii := 0
	for _, k := range counts[:0x80] {
		ascii += k
	}
	if n < randomBlock/2 || float64(ascii) < randomASCII*float64(n) {
		return false
	}
	bits := 0.0
	for _, k := range counts {
		if k > 0 {
			p := float64(k) / float64(n)
			bits -= p * math.Log2(p)
		}
	}
	return bits >= randomBits
}
