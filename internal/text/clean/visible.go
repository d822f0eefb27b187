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
	"unicode/utf16"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/hidden"
	"github.com/satchel-dev/satchel/internal/text/lazy"
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

// JSON escapes what encoding/json leaves in a document as it is: hidden
// characters from U+007F on, which occur in strings only. Programs read the same
// text, and people see what is there.
func JSON(text []byte) []byte {
	out, start := []byte(nil), 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if s := string(r); Inline(s) != s {
			out = append(out, text[start:i]...)
			if hi, lo := utf16.EncodeRune(r); r > 0xffff {
				out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			start = i + n
		}
		i += n
	}
	if start == 0 {
		return text
	}
	return append(out, text[start:]...)
}

// escapes matches the sequences that control a terminal: its colors and cursor, titles,
// links and the clipboard.
var escapes = lazy.Regexp("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")

// Strip returns s without the terminal escapes, the control and invisible characters,
// and the bytes that are not UTF-8, which [Visible] would write out. It is for text that
// a model wrote, where they are of no use.
func Strip(s string) (string, Counts) {
	var c Counts
	for {
		plain := escapes().ReplaceAllString(s, "")
		if len(plain) != len(s) {
			c.Hidden += len(escapes().FindAllStringIndex(s, -1))
		}
		t := visible(plain, lines)
		if len(t.odd) == 0 && len(plain) == len(s) {
			return t.s, c
		}
		c.Add(t.Changed())
		s = t.withoutOdd() // what was apart may be an escape together
	}
}

// withoutOdd returns the text without the characters that cleaning changed.
func (t Text) withoutOdd() string {
	var b strings.Builder
	at := 0
	for _, o := range t.odd {
		b.WriteString(t.s[at:o.at()])
		at = o.at()
		if o&1 == 1 {
			at += len("\uFFFD")
		} else {
			at += strings.IndexByte(t.s[at:], '}') + 1
		}
	}
	b.WriteString(t.s[at:])
	return b.String()
}
