package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// terminal counts emoji whose width is undefined as one cell, as most terminals do.
var terminal = &runewidth.Condition{StrictEmojiNeutral: true}

// Width returns how many cells of a terminal s takes: two for wide characters
// of East Asia and emoji, none for combining marks. It expects clean text.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			n++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeWidth(r)
		i += size
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	return max(1, terminal.RuneWidth(r))
}

// Pad returns s with spaces after it up to a width.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Truncate returns the end of s that takes at most width cells, after an
// ellipsis if something went. It is for paths, whose ends say most.
func Truncate(s string, width int) string {
	n := Width(s)
	if n <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	for i, r := range s {
		if n < width {
			// A mark must not combine with the ellipsis.
			if i == 0 || runeWidth(r) > 0 {
				return "…" + s[i:]
			}
			continue
		}
		n -= runeWidth(r)
	}
	return "…"
}

// Thousands writes a number with a comma before each three digits: 12,345.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}
