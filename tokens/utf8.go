package tokens

import "unicode/utf8"

// appendValid appends text to dst with U+FFFD in place of each maximal
// ill-formed sequence, as the WHATWG decoder and Unicode's recommendation
// (section 3.9, "substitution of maximal subparts") have it: a truncated
// character is one U+FFFD, where Go's own conversion makes one of each byte.
func appendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			n = illFormed(text)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// illFormed returns the length of the ill-formed sequence that text begins
// with: the longest start of a character, at least one byte.
func illFormed(text []byte) int {
	low, high, need := byte(0x80), byte(0xBF), 0
	switch c := text[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 { // shorter forms
			low = 0xA0
		} else if c == 0xED { // surrogates
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 { // shorter forms
			low = 0x90
		} else if c == 0xF4 { // beyond U+10FFFF
			high = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(text) && low <= text[n] && text[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n
}
