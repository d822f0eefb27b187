package tokens

import (
	"encoding/binary"
	"math/bits"
)

// The functions nextO200k and nextCl100k cut a text into pieces as the regular
// expressions do that tiktoken publishes for the two encodings. The pattern
// stands above each; the alternatives are tried in order, each is greedy and
// backtracks. The text is valid UTF-8.
//
// Most pieces are a short word of ASCII letters, often after one space. Those
// are found eight bytes at a time, without a branch for each byte: a processor
// that guesses wrong where a word ends loses more time than the word takes.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// within sets the high bit of each byte of w that is in low … high, both ASCII.
func within(w uint64, low, high byte) uint64 {
	t := w &^ highs
	atLeast := t + ones*uint64(0x80-low)
	above := t + ones*uint64(0x7f-high)
	return atLeast &^ above &^ w & highs
}

// run returns how many bytes from the lowest on have their high bit set.
func run(m uint64) int { return bits.TrailingZeros64(^m&highs) >> 3 }

// endNumber returns where a run of at most three numbers ends, whose first one
// ends at k.
func endNumber(text []byte, k int) int {
	for m := 1; m < 3 && k < len(text); m++ {
		c, n := classAt(text, k)
		if c != number {
			break
		}
		k += n
	}
	return k
}

// endOther returns where [^\s\p{L}\p{N}]* ends that begins at k.
func endOther(text []byte, k int) int {
	for k < len(text) {
		c, n := classAt(text, k)
		if c != other && c != mark {
			break
		}
		k += n
	}
	return k
}

// endLetters returns where \p{L}* ends that begins at k.
func endLetters(text []byte, k int) int {
	for k+9 <= len(text) {
		n := run(within(binary.LittleEndian.Uint64(text[k:])|0x20*ones, 'a', 'z'))
		k += n
		if n < 8 {
			if text[k] < 0x80 {
				return k
			}
			c, n := wideClass(text[k:])
			if !isLetter(c) {
				return k
			}
			k += n
		}
	}
	for k < len(text) {
		c, n := classAt(text, k)
		if !isLetter(c) {
			break
		}
		k += n
	}
	return k
}

// endSpace returns where white space ends that begins at i, as
//
//	\s*[\r\n]+ | \s+(?!\S) | \s+
//
// have it: after the last line break if there is one, else before the last
// character, which goes with what follows it.
func endSpace(text []byte, i int) int {
	k, last, lines := i, i, -1
	for k < len(text) {
		c, n := classAt(text, k)
		if c == newline {
			lines = k + 1
		} else if c != space {
			break
		}
		last = k
		k += n
	}
	switch {
	case lines >= 0:
		return lines
	case k == len(text) || last == i:
		return k
	}
	return last
}

// contraction returns where (?i:'s|'t|'re|'ve|'m|'ll|'d) ends if it stands at
// i, else i. A long s (U+017F) folds to s; no other letter that is not ASCII
// folds to one of these.
func contraction(text []byte, i int) int {
	t := text[i:]
	if len(t) < 2 || t[0] != '\'' {
		return i
	}
	switch t[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if len(t) > 2 && t[2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if len(t) > 2 && t[2]|0x20 == 'l' {
			return i + 3
		}
	}
	if len(t) > 2 && t[1] == 0xC5 && t[2] == 0xBF { // ſ
		return i + 3
	}
	return i
}

// nextCl100k returns where the piece ends that begins at i:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextCl100k(text []byte, i int) int {
	if text[i] == '\'' {
		if k := contraction(text, i); k > i {
			return k
		}
	}
	c, n := classAt(text, i)
	j := i + n
	switch c {
	case upper, lower, caseless:
		return endLetters(text, j)
	case number:
		return endNumber(text, j)
	case newline:
		return endSpace(text, i)
	}
	if k := endLetters(text, j); k > j {
		return k
	}
	if c == space {
		if text[i] != ' ' || j == len(text) {
			return endSpace(text, i)
		}
		if c, _ := classAt(text, j); c != other && c != mark {
			return endSpace(text, i)
		}
	}
	k := endOther(text, j)
	for k < len(text) && (text[k] == '\r' || text[k] == '\n') {
		k++
	}
	return k
}
