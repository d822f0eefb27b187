// Package clip shortens texts between words, and counts their lines.
//
// Secrets are recognised whole: of a token that was cut within, most characters
// stay, and no rule knows it any more. What is shown is redacted first and cut
// then. Where a text has to be cut before anything can redact it (the name of a
// message out of millions, a signature in the index), it is cut here: what no rule
// can tell any more is not there.
package clip

import (
	"strings"
	"unicode/utf8"
)

// mark stands for what was left out.
const mark = "…"

// Lines counts the lines of a text. The last one need not end in a newline.
func Lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// Bytes returns at most n bytes of s and mark behind them; all of it if it has no
// more. The cut is never within a word, which is what holds no space and nothing
// beyond ASCII: a word that does not fit goes whole.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return before(s, max(n, 0))
}

// Runes is [Bytes] for n characters.
func Runes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return before(s, i)
		}
	}
	return s
}

// First returns the first n characters of s, wherever that cuts it: for fields
// whose length another program's format bounds.
func First(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// before returns what of s stands before byte n.
func before(s string, n int) string {
	for n > 0 && n < len(s) && (!utf8.RuneStart(s[n]) || inWord(s[n-1]) && inWord(s[n])) {
		n--
	}
	return strings.TrimRight(strings.ToValidUTF8(s[:n], "\uFFFD"), " \t\r\n") + mark
}

// inWord reports whether a byte may be part of a token.
func inWord(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// Cut cuts a text that was redacted to n bytes, wherever that is, and marks it.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

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
