// Package clean makes text that may be shown to a person or a model: control
// and invisible characters are written out, and invalid UTF-8 replaced.
//
// [Visible] is for text of many lines, [Inline] for a path or a title,
// [VisiblePatch] for lines that must still apply as a patch, and [JSON] for a
// document that programs read. All functions may be called at the same time.
package clean

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Counts counts the characters that cleaning changed.
type Counts struct {
	Hidden  int // control and invisible characters, shown as \u{…}
	Invalid int // bytes that are not UTF-8, shown as U+FFFD
}

// Add adds the counts of another text.
func (c *Counts) Add(o Counts) {
	c.Hidden += o.Hidden
	c.Invalid += o.Invalid
}

// String says what was changed, for a note.
func (c Counts) String() string {
	var s []string
	if c.Hidden > 0 {
		s = append(s, fmt.Sprintf(`%d control or invisible characters shown as \u{…}`, c.Hidden))
	}
	if c.Invalid > 0 {
		s = append(s, fmt.Sprintf("%d bytes that are not UTF-8 shown as U+FFFD", c.Invalid))
	}
	return strings.Join(s, ", ")
}

// Visible returns text that is safe to show to a person or a model. Newlines
// and tabs stay, and so does the number of lines; a carriage return before a
// newline and a byte order mark at the start go. Other control characters
// (terminal escapes among them), bidi controls, and characters that show
// nothing are shown as \u{…}, in hex, and bytes that are not UTF-8 as U+FFFD.
// Clean text is returned as it is, and at little cost.
func Visible(s string) (string, Counts) {
	t := visible(s, lines)
	return t.s, t.Changed()
}

// Inline returns s on one line, cleaned as by [Visible]: newlines and tabs
// are shown as \u{…} too. It is for paths, titles and subjects.
func Inline(s string) string { return visible(s, oneLine).s }

// VisiblePatch is [Visible] for lines of a patch, which must still apply: a
// carriage return before a newline stays.
func VisiblePatch(s string) (string, Counts) {
	t := visible(s, patch)
	return t.s, t.Changed()
}

// A shape is that of the text that is cleaned.
type shape int

const (
	lines   shape = iota // newlines and tabs stay
	oneLine              // they do not
	patch                // a carriage return before a newline stays, too
)

func visible(s string, as shape) Text {
	if as != oneLine {
		if i := firstOdd(s); i < len(s) {
			return write(s, i, as)
		}
		return Text{s: s}
	}
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return write(s, 0, as)
		}
	}
	return Text{s: s}
}

// firstOdd returns the index of the first byte of s that is neither printable
// ASCII nor newline nor tab, or len(s).
func firstOdd(s string) int {
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

// oddByte is 1 for the bytes at which Visible takes a closer look.
var oddByte = func() (t [256]uint8) {
	for c := range t {
		if c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			t[c] = 1
		}
	}
	return t
}()

// write cleans s, which has nothing to clean before from.
func write(s string, from int, as shape) Text {
	var b strings.Builder
	var changed []odd
	start := 0 // of what is still to be copied
	var prev rune
	for i := from; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		} else if oddByte[r] == 0 && (r >= ' ' || as != oneLine) {
			i++
			prev = r
			continue
		}
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(s[start:i])
			changed = append(changed, newOdd(b.Len(), true))
			b.WriteRune(utf8.RuneError)
			start = i + n
		case r == '\r' && as == patch && i+1 < len(s) && s[i+1] == '\n':
		case r == '\r' && as == lines && i+1 < len(s) && s[i+1] == '\n',
			r == byteOrderMark && i == 0 && as != oneLine:
			b.WriteString(s[start:i])
			start = i + n
		case hidden(r) && !(isVariation(r) && isEmoji(prev)):
			b.WriteString(s[start:i])
			changed = append(changed, newOdd(b.Len(), false))
			fmt.Fprintf(&b, `\u{%x}`, r)
			start = i + n
			r = 0
		}
		prev = r
		i += n
	}
	if start == 0 {
		return Text{s: s}
	}
	b.WriteString(s[start:])
	return Text{b.String(), changed}
}

const byteOrderMark = 0xfeff

// hidden reports whether a character controls the terminal or the direction of
// text, ends a line where editors show none, or shows nothing.
func hidden(r rune) bool {
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

// isVariation reports whether r asks for text or emoji presentation. One after
// a symbol is ordinary writing; anywhere else, and in rows, such characters
// can hide a message.
func isVariation(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

func isEmoji(r rune) bool {
	return r >= 0x203c && unicode.In(r, unicode.So, unicode.Sm, unicode.Po)
}
