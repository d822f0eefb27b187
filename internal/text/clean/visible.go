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

	"github.com/satchel-dev/satchel/internal/text/hidden"
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
		if i := hidden.FirstOdd(s); i < len(s) {
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
		} else if !hidden.Odd(byte(r)) && (r >= ' ' || as != oneLine) {
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
		case hidden.Is(r) && !(isVariation(r) && isEmoji(prev)):
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

// isVariation reports whether r asks for text or emoji presentation. One after
// a symbol is ordinary writing; anywhere else, and in rows, such characters
// can hide a message.
func isVariation(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

func isEmoji(r rune) bool {
	return r >= 0x203c && unicode.In(r, unicode.So, unicode.Sm, unicode.Po)
}
