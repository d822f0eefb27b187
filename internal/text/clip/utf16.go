package clip

import "unicode/utf8"

// UTF16Len returns the length of a string as JavaScript counts it. A byte that
// is not UTF-8 counts as U+FFFD.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// UTF16 returns the start of a string of at most n UTF-16 units, without
// half a character at its end.
func UTF16(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i, r := range s {
		n--
		if r > 0xffff {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}
