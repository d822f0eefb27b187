package index

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// Sizes of chunks, in lines. A chunk is what a pack shows or leaves out, so it
// should be a whole thought and still leave room for others.
const (
	maxChunk   = 80 // a longer definition is cut at its members, or at blank lines
	minGap     = 4  // fewer lines between definitions join the next chunk
	minSymbol  = 3  // shorter definitions join their neighbours …
	smallGroup = 30 // … into chunks of about this many lines
)

// A span is a chunk before its terms are counted: lines [from, to], 1-based,
// and the definition they belong to, -1 if none.
type span struct{ from, to, symbol int }

// lineStarts returns the offset at which each line of text starts, and len(text)
// as the last element. A final newline does not start another line.
func lineStarts(dst []int32, text []byte) []int32 {
	for at := 0; at < len(text); {
		dst = append(dst, int32(at))
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return append(dst, int32(len(text)))
}

// cutChunks divides the lines of a file into chunks, ascending; every line belongs to
// exactly one. Chunks follow definitions: a function, a method or a small type
// with its comment is one chunk; a large type is cut at its members; what
// lies between definitions is on its own unless it is short. Lines of files
// without definitions are cut at headings and blank lines.
func cutChunks(text []byte, starts []int32, symbols []satchel.Symbol, prose bool) []span {
	lines := len(starts) - 1
	if lines == 0 {
		return nil
	}
	c := chunker{text: text, starts: starts, symbols: symbols, prose: prose}
	for i, s := range symbols {
		if s.From >= 1 && s.From <= s.To && s.To <= lines {
			c.order = append(c.order, i)
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		x, y := symbols[a], symbols[b]
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(y.To, x.To))
	})
	c.region(1, lines, -1, 0, len(c.order))
	return c.join()
}

type chunker struct {
	text    []byte
	starts  []int32
	symbols []satchel.Symbol
	order   []int // symbols by first line, the longer first
	prose   bool
	spans   []span
}

// region cuts the lines [from, to] of the definition owner, inside which lie
// the definitions order[lo:hi] and perhaps ones that reach out of it.
func (c *chunker) region(from, to, owner, lo, hi int) {
	at := from
	for i := lo; i < hi; {
		s := c.symbols[c.order[i]]
		next := i + 1
		if s.From < at || s.To > to {
			i = next // overlaps an earlier one: its lines are taken
			continue
		}
		for next < hi && c.symbols[c.order[next]].From <= s.To {
			next++
		}
		if s.From > at {
			c.plain(at, s.From-1, owner)
		}
		if s.To-s.From < maxChunk {
			c.spans = append(c.spans, span{s.From, s.To, c.order[i]})
		} else {
			c.region(s.From, s.To, c.order[i], i+1, next)
		}
		at, i = s.To+1, next
	}
	if at <= to {
		c.plain(at, to, owner)
	}
}

// plain cuts lines without definitions into pieces of at most maxChunk lines.
func (c *chunker) plain(from, to, owner int) {
	for from <= to {
		end := min(from+maxChunk-1, to)
		if c.prose {
			end = c.paragraph(from, end, end == to)
		} else if end < to {
			end = c.lastBlank(from+maxChunk/2, end)
		}
		c.spans = append(c.spans, span{from, end, owner})
		from = end + 1
	}
}

// lastBlank returns the last blank line in [from, to], or to if none is blank.
func (c *chunker) lastBlank(from, to int) int {
	for l := to; l >= from; l-- {
		if c.blank(l) {
			return l
		}
	}
	return to
}

// paragraph returns the last line of a piece of prose that starts at from: the
// line before the next heading, else the last blank line, else to.
func (c *chunker) paragraph(from, to int, last bool) int {
	for l := from + minSymbol; l <= to; l++ {
		if c.heading(l) && !c.fenced(from, l) {
			return l - 1
		}
	}
	if last {
		return to
	}
	return c.lastBlank(from+maxChunk/2, to)
}

// heading reports whether line l starts a section of prose: a Markdown heading,
// or a line that is underlined by the next.
func (c *chunker) heading(l int) bool {
	t := c.line(l)
	if len(t) > 1 && t[0] == '#' {
		t = bytes.TrimLeft(t, "#")
		return len(t) > 0 && t[0] == ' '
	}
	if l+1 >= len(c.starts) || len(bytes.TrimSpace(t)) == 0 || l > 1 && !c.blank(l-1) {
		return false
	}
	u := bytes.TrimRight(c.line(l+1), " \t\r\n")
	return len(u) >= 3 && (u[0] == '=' || u[0] == '-' || u[0] == '~') && len(bytes.Trim(u, string(u[:1]))) == 0
}

// fenced reports whether line l lies in a fenced block that opened at or after
// line from: a # there is a comment, not a heading.
func (c *chunker) fenced(from, l int) bool {
	var fences markdown.Fences
	for ; from < l; from++ {
		fences.Line(c.line(from))
	}
	return fences.Open()
}

func (c *chunker) line(l int) []byte { return c.text[c.starts[l-1]:c.starts[l]] }

func (c *chunker) blank(l int) bool { return len(bytes.TrimSpace(c.line(l))) == 0 }

// join merges small spans with their neighbours: small definitions with each other,
// short gaps with the following span or, without room, with the preceding one.
func (c *chunker) join() []span {
	var out []span
	open := false // the last span of out takes more: it is a short gap, or made of small definitions
	for i, s := range c.spans {
		gap := c.gap(s)
		small := s.lines() < minSymbol || gap && s.lines() < minGap
		if len(out) > 0 {
			last := &out[len(out)-1]
			total := s.to - last.from + 1
			lastGap := c.gap(*last)
			switch {
			case open && lastGap && last.lines() < minGap && total <= maxChunk, // a short gap becomes the start of this one
				open && small && total <= smallGroup,                                  // small definitions gather
				gap && s.lines() < minGap && i+1 == len(c.spans) && total <= maxChunk: // the last lines of the file
				last.to = s.to
				if lastGap && s.symbol >= 0 {
					last.symbol = s.symbol
				}
				open = open && (small || total < minGap)
				continue
			case lastGap && last.lines() < minGap && len(out) > 1 && last.to-out[len(out)-2].from < maxChunk:
				out[len(out)-2].to = last.to
				out = out[:len(out)-1]
			}
		}
		out = append(out, s)
		open = small
	}
	return out
}

func (s span) lines() int { return s.to - s.from + 1 }

// gap reports whether s is not a whole definition, only lines outside of any, or of
// an enclosing one.
func (c *chunker) gap(s span) bool {
	return s.symbol < 0 || c.symbols[s.symbol].From < s.from || c.symbols[s.symbol].To > s.to
}
