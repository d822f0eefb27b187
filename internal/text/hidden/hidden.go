// Package hidden finds characters that control a terminal or show nothing. Start with
// [Is].
package hidden

import "unicode"

// Is reports whether a character controls the terminal or the direction of
// text, ends a line where editors show none, or shows nothing.
func Is(r rune) bool {
	switch {
	case r < 0xa0:
		return r < 0x20 || r >= 0x7f
	case r < 0x300:
		return r == 0xad
	}
	return unicode.Is(invisible, r) || unicode.Is(unicode.Cf, r)
}

// invisible holds what is drawn as nothing or breaks a line and is not a format
// character (category Cf, which has the bidi controls, the zero-width
// characters and most tags).
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian variation selectors
		{Lo: 0x2028, Hi: 0x2029, Stride: 1}, // line and paragraph separators
		{Lo: 0x2065, Hi: 0x2065, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // Hangul filler
		{Lo: 0xfff0, Hi: 0xfff8, Stride: 1},
		{Lo: 0xfffe, Hi: 0xffff, Stride: 1}, // not characters; not allowed in XML either
	},
	R32: []unicode.Range32{
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}, // tags, variation selectors and the like
	},
}

// FirstOdd returns the index of the first byte of s that is neither printable
// ASCII nor newline nor tab, or len(s).
func FirstOdd(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := s[i : i+8]
		if oddByte[w[0]]|oddByte[w[1]]|oddByte[w[2]]|oddByte[w[3]]|oddByte[w[4]]|oddByte[w[5]]|oddByte[w[6]]|oddByte[w[7]] != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if oddByte[s[i]] != 0 {
			return i
		}
	}
	return len(s)
}

// oddByte is 1 for the bytes at which FirstOdd stops.
var oddByte = func() (t [256]uint8) {
	for c := range t {
		if c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			t[c] = 1
		}
	}
	return t
}()

// Odd reports whether FirstOdd stops at a byte.
func Odd(c byte) bool { return oddByte[c] != 0 }
