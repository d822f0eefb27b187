package tokens

import (
	"encoding/binary"
	"math/bits"
)

// nextO200k returns where the piece ends that begins at i:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextO200k(text []byte, i int) int {
	c, n := classAt(text, i)
	j := i + n
	switch c {
	case number:
		return endNumber(text, j)
	case newline:
		return endSpace(text, i)
	case upper, lower, caseless:
		j = i
	}
	if c != mark {
		if k := asciiWord(text, j); k > j {
			return k
		}
	}
	if j == i { // a letter: one of the first two always matches
		k, _ := endWord(text, i)
		return contraction(text, k)
	}
	k, first := endWord(text, j)
	if k > j && first {
		return contraction(text, k)
	}
	if c == mark { // the first without its prefix comes before the second with it
		k, _ := endWord(text, i)
		return contraction(text, k)
	}
	if k > j {
		return contraction(text, k)
	}
	if c == space {
		if text[i] != ' ' || j == len(text) {
			return endSpace(text, i)
		}
		if c, _ := classAt(text, j); c != other && c != mark {
			return endSpace(text, i)
		}
	}
	k = endOther(text, j)
	for k < len(text) && (text[k] == '\r' || text[k] == '\n' || text[k] == '/') {
		k++
	}
	return k
}

// asciiWord is a fast path: it returns where the word ends that begins at j,
// with its contraction, if it is of ASCII letters and at most seven long. Else
// it returns j.
func asciiWord(text []byte, j int) int {
	if j+10 > len(text) {
		return j
	}
	w := binary.LittleEndian.Uint64(text[j:])
	u := run(within(w, 'A', 'Z'))
	// The lower-case letters that follow the u upper-case ones: shift them out,
	// and count what is left.
	n := bits.TrailingZeros64(^within(w, 'a', 'z')&highs&(^uint64(0)<<(8*u))) >> 3
	if n >= 8 || n == 0 {
		return j
	}
	switch c := text[j+n]; {
	case c >= 0x80:
		return j
	case c == '\'':
		return contraction(text, j+n)
	}
	return j + n
}

// endWord returns where the first two alternatives without their prefix and
// contraction end that begin at j: [upper]*[lower]+, or else [upper]+[lower]*,
// where caseless letters and marks are in both sets. It returns j if neither
// matches, and first is true if the first does.
func endWord(text []byte, j int) (k int, first bool) {
	k = j
	both := j // after the last character that is in both sets
	for k < len(text) {
		c, n := classAt(text, k)
		switch c {
		case upper:
			k += n
			continue
		case caseless, mark:
			k += n
			both = k
			continue
		case lower:
			for k < len(text) {
				c, n := classAt(text, k)
				if c != lower && c != caseless && c != mark {
					break
				}
				k += n
			}
			return k, true
		}
		break
	}
	if both > j {
		return both, true
	}
	return k, false
}
