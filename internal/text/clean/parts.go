package clean

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String returns the text as a string, which nothing says is clean any more.
func (t Text) String() string { return t.s }

// Len is the number of bytes.
func (t Text) Len() int { return len(t.s) }

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.s == "" }

// Blank reports whether there is nothing but spaces, tabs and newlines.
func (t Text) Blank() bool { return strings.TrimSpace(t.s) == "" }

// Equal reports whether two texts say the same.
func (t Text) Equal(u Text) bool { return t.s == u.s }

// Compare orders texts as strings.
func (t Text) Compare(u Text) int { return strings.Compare(t.s, u.s) }

// Changed counts the characters that cleaning changed.
func (t Text) Changed() Counts {
	var c Counts
	for _, o := range t.odd {
		if o&1 == 1 {
			c.Invalid++
		} else {
			c.Hidden++
		}
	}
	return c
}

// MarshalText returns the text.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.s), nil }

// UnmarshalText cleans what was stored or sent as [New] does, since nothing says
// that it still is what MarshalText wrote.
func (t *Text) UnmarshalText(b []byte) error {
	*t = New("", string(b))
	return nil
}

// part returns the bytes from..to, which do not cut a character.
func (t Text) part(from, to int) Text {
	p := Text{s: t.s[from:to]}
	if len(t.odd) == 0 {
		return p
	}
	for _, o := range t.odd[t.oddFrom(from):t.oddFrom(to)] {
		p.odd = append(p.odd, newOdd(o.at()-from, o&1 == 1))
	}
	return p
}

// Cut returns the beginning of the text: whole characters of at most n bytes,
// where those that are written out count as one.
func (t Text) Cut(n int) Text {
	if n >= len(t.s) {
		return t
	}
	n = max(n, 0)
	for n > 0 && (!utf8.RuneStart(t.s[n]) || t.s[n-1] == '\r') {
		n--
	}
	if i := t.oddFrom(n); i > 0 {
		if at := t.odd[i-1].at(); t.s[at] == '\\' && at+strings.IndexByte(t.s[at:], '}') >= n {
			n = at
		}
	}
	return t.part(0, n)
}

// Shorten returns at most n bytes of the text, and a mark if that is not all.
func (t Text) Shorten(n int) Text {
	if t.Len() <= n {
		return t
	}
	return Concat(t.Cut(n), Const("…"))
}

// oddFrom is the number of changed characters before at.
func (t Text) oddFrom(at int) int {
	i, _ := slices.BinarySearchFunc(t.odd, at, func(o odd, at int) int { return o.at() - at })
	return i
}

// Trim is [strings.TrimSpace].
func (t Text) Trim() Text {
	from := len(t.s) - len(strings.TrimLeftFunc(t.s, unicode.IsSpace))
	return t.part(from, from+len(strings.TrimSpace(t.s)))
}

// TrimNewline returns the text without the newline at its end, if there is one.
func (t Text) TrimNewline() Text {
	return t.part(0, len(strings.TrimSuffix(strings.TrimSuffix(t.s, "\n"), "\r")))
}

// Split returns the lines of the text, each with its newline.
func (t Text) Split() []Text {
	var out []Text
	for at := 0; at < len(t.s); {
		n := len(t.s) - at
		if i := strings.IndexByte(t.s[at:], '\n'); i >= 0 {
			n = i + 1
		}
		out = append(out, t.part(at, at+n))
		at += n
	}
	return out
}

// Unix returns the text without the carriage returns that [Patch] left.
func (t Text) Unix() Text {
	if !strings.Contains(t.s, "\r\n") {
		return t
	}
	list := t.Split()
	for i, line := range list {
		if body, crlf := strings.CutSuffix(line.s, "\r\n"); crlf {
			list[i] = Concat(line.part(0, len(body)), Const("\n"))
		}
	}
	return Concat(list...)
}

// Inline returns the text on one line, as the function [Inline].
func (t Text) Inline() Text {
	if strings.ContainsAny(t.s, "\n\t") {
		return visible(t.s, oneLine)
	}
	return t
}

// Indent puts a prefix before every line but the first.
func (t Text) Indent(prefix literal) Text {
	if !strings.Contains(t.s, "\n") {
		return t
	}
	return Join(t.Split(), Const(prefix)) // the lines end in their newlines
}

// Concat returns texts one after the other.
func Concat(list ...Text) Text { return Join(list, Text{}) }

// Sprintf puts texts in the place of each %s of a format.
func Sprintf(format literal, list ...Text) Text {
	var b Builder
	rest := string(format)
	for _, t := range list {
		before, after, _ := strings.Cut(rest, "%s")
		b.Write(Const(literal(before)))
		b.Write(t)
		rest = after
	}
	b.Write(Const(literal(rest)))
	return b.Text()
}

// Join returns texts one after the other, with sep between them.
func Join(list []Text, sep Text) Text {
	var b Builder
	for i, t := range list {
		if i > 0 {
			b.Write(sep)
		}
		b.Write(t)
	}
	return b.Text()
}

// A Builder puts texts together. The zero value is ready to use.
type Builder struct {
	b   strings.Builder
	odd []odd
}

// Write appends a text.
func (b *Builder) Write(t Text) {
	at := b.b.Len()
	b.b.WriteString(t.s)
	for _, o := range t.odd {
		b.odd = append(b.odd, newOdd(at+o.at(), o&1 == 1))
	}
}

// Say appends what the program itself says.
func (b *Builder) Say(s literal) { b.Write(Const(s)) }

// Text returns what was written.
func (b *Builder) Text() Text { return Text{b.b.String(), slices.Clip(b.odd)} }

// Lines is a text with the places of its lines.
type Lines struct {
	text   Text
	starts []int // of each line, and the end
}

// NewLines finds the lines of a text.
func NewLines(t Text) Lines {
	starts := make([]int, 1, strings.Count(t.s, "\n")+2)
	for i := 0; i < len(t.s); {
		n := strings.IndexByte(t.s[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		if i < len(t.s) {
			starts = append(starts, i)
		}
	}
	return Lines{t, append(starts, len(t.s))}
}

// Text is the whole text.
func (l *Lines) Text() Text { return l.text }

// Last is the number of the last line: at least 1, unless the value is zero.
func (l *Lines) Last() int { return max(0, len(l.starts)-1) }

// Between returns the lines from..to, 1-based, both included.
func (l *Lines) Between(from, to int) Text {
	to = min(to, l.Last())
	if from < 1 || from > to {
		return Text{}
	}
	return l.text.part(l.starts[from-1], l.starts[to])
}

// Blank returns the number of blank lines from line n on.
func (l *Lines) Blank(n int) (count int) {
	for n+count >= 1 && n+count <= l.Last() && l.Between(n+count, n+count).Blank() {
		count++
	}
	return count
}
