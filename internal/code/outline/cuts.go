package outline

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// A Place says what a line is to somebody who leaves lines out.
type Place uint8

const (
	// Begins says that lines may be left out before this one: a statement, a
	// comment, or the end of a block begins at it, or nothing stands on it.
	Begins Place = 1 << iota

	// Remark says that the line is one of a comment that stands alone, or of a
	// string that does, which documents what stands around it.
	Remark

	// Element says that one of several values of a statement begins at the line: a
	// longer statement than is shown may be cut there.
	Element

	// Blank says that nothing stands on the line.
	Blank
)

// Places says of each line of a text what it is, as far as brackets, strings and the
// ends and beginnings of lines tell. A text of a language of which nothing is known
// may be cut anywhere.
func Places(lang string, src []byte) []Place {
	out := make([]Place, countLines(src))
	row := byName[lang]
	if row == nil || row.syntax == nil {
		i := 0
		for line := range bytes.Lines(src) {
			out[i] = Begins
			if blank(line) {
				out[i] |= Blank
			}
			i++
		}
		return out
	}
	c := &cutter{row: row, src: src, starts: lineStarts(src), out: out}
	c.read()
	for i := range c.starts {
		c.line(i)
	}
	return out
}

// A cutter finds where lines may be left out of one text.
type cutter struct {
	row    *language
	src    []byte
	masked []byte // comments and strings are blank
	starts []int
	out    []Place

	inside  []bool // a comment or string that began above goes on at the line
	open    []byte // brackets that are open: ( [ { and = for one of values
	last    int    // the last line of code, -1 if there is none
	column  int    // where it is indented to
	comment bool   // the line above is one of a comment that stands alone
}

// read blanks comments and strings, and notes which lines they hold.
func (c *cutter) read() {
	c.inside = make([]bool, len(c.out))
	c.last = -1
	note := func(remark bool) func(from, to int) {
		return func(from, to int) {
			a, b := c.lineOf(from), c.lineOf(max(from, to-1))
			for n := a + 1; n <= b; n++ {
				c.inside[n] = true
			}
			if remark && blank(c.src[c.starts[a]:from]) && blank(c.src[to:c.end(b)]) {
				for n := a; n <= b; n++ {
					c.out[n] |= Remark
				}
			}
		}
	}
	comment := note(true)
	// A string that is a statement of Python says what its code is for.
	str := note(c.row.Visibility.By == Dunder)
	switch c.row.name {
	case "ruby":
		c.masked = maskRuby(c.src, comment)
	case "bash":
		c.masked = maskShell(c.src, comment)
	default:
		c.masked = c.row.syntax.mask(c.src, comment, str)
	}
}

func (c *cutter) lineOf(at int) int { return max(0, sort.SearchInts(c.starts, at+1)-1) }

func (c *cutter) end(i int) int {
	if i+1 < len(c.starts) {
		return c.starts[i+1]
	}
	return len(c.src)
}

// line judges a line, after all above it.
func (c *cutter) line(i int) {
	from, to := c.starts[i], c.end(i)
	text := bytes.TrimSpace(c.masked[from:to])
	inside := c.inside[i] || i > 0 && c.masked[from-1] != '\n'
	commented := c.comment
	c.comment = false
	switch {
	case inside:
		if c.out[i]&Remark != 0 && (i == 0 || c.out[i-1]&Remark == 0) {
			c.out[i] &^= Remark // the string that goes on here documents nothing
		}
		c.comment = c.out[i]&Remark != 0 && len(text) == 0
	case blank(c.src[from:to]):
		c.out[i] |= Blank
		if c.free() {
			c.out[i] |= Begins
		}
		return
	case len(text) == 0 && c.out[i]&Remark != 0: // a comment
		c.comment = true
		if !commented && c.free() {
			c.out[i] |= Begins
		}
		return
	case len(text) == 0: // of the preprocessor, or of a string
		if c.row.syntax.hash && (i == 0 || !bytes.HasSuffix(bytes.TrimRight(c.src[:from], " \t\r\n"), []byte("\\"))) {
			c.out[i] |= Begins
		}
		return
	default:
		if goes := c.continues(i, text); goes {
			c.out[i] &^= Remark
			if !c.free() && c.element(text) {
				c.out[i] |= Element
			}
		} else if !commented {
			c.out[i] |= Begins
		}
		c.comment = c.out[i]&Remark != 0 && len(text) == 0
	}
	c.brackets(from, to)
	if len(text) > 0 && c.out[i]&Remark == 0 {
		c.last = i
		if !inside {
			c.column = c.indent(i)
		}
	}
}

// free reports whether a line stands among statements, rather than among values.
func (c *cutter) free() bool {
	return len(c.open) == 0 || c.open[len(c.open)-1] == '{'
}

// element reports whether one of several values may begin with a line.
func (c *cutter) element(text []byte) bool {
	if closes(text[0]) {
		return true
	}
	last := c.code(c.last)
	return len(last) > 0 && strings.IndexByte(",;([{", last[len(last)-1]) >= 0
}

func closes(b byte) bool { return b == ')' || b == ']' || b == '}' }

// code is what a line holds beside comments and strings.
func (c *cutter) code(i int) []byte {
	if i < 0 {
		return nil
	}
	return bytes.TrimSpace(c.masked[c.starts[i]:c.end(i)])
}

// continues reports whether a line of code belongs to the statement above it.
func (c *cutter) continues(i int, text []byte) bool {
	last := c.code(c.last)
	switch {
	case !c.free():
		return true
	case len(last) == 0 || text[0] == '}':
		return false
	case goesOn(text) || unfinished(last):
		return true
	case last[0] == '@' && !bytes.ContainsAny(last, "={"), bytes.HasPrefix(last, []byte("#[")), bytes.HasPrefix(last, []byte("template<")), bytes.HasPrefix(last, []byte("template <")):
		return true // of what it decorates
	}
	if end := last[len(last)-1]; c.row.opens() != "{" || strings.IndexByte("{}:;", end) >= 0 {
		return end == ',' && c.deeper(i)
	}
	return c.deeper(i)
}

// deeper reports whether a line is indented deeper than the last one of code.
func (c *cutter) deeper(i int) bool { return c.indent(i) > c.column }

func (c *cutter) indent(i int) int {
	line := c.src[c.starts[i]:c.end(i)]
	return width(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// goesOn reports whether a line begins in the middle of an expression.
func goesOn(text []byte) bool {
	for _, op := range [...]string{"&&", "||", "?.", "? ", ": ", "+ ", "|> ", "=> ", "-> ", "= ", ", ", "and ", "or ", "<< ", ">> ", ">>> ", "% "} {
		if bytes.HasPrefix(text, []byte(op)) {
			return true
		}
	}
	return len(text) > 1 && text[0] == '.' && isWord(text[1])
}

// unfinished reports whether a line ends in the middle of an expression.
func unfinished(last []byte) bool {
	switch end := last[len(last)-1]; end {
	case '\\', '=', '?', '%', '&':
		return true
	case '+', '-':
		return len(last) < 2 || last[len(last)-2] != end
	case '|':
		return len(last) > 1 && last[len(last)-2] == end
	}
	return slices.ContainsFunc([]string{" and", " or", " not", " in"}, func(word string) bool { return bytes.HasSuffix(last, []byte(word)) })
}

// brackets follows those of a line.
func (c *cutter) brackets(from, to int) {
	for at := from; at < to; at++ {
		switch b := c.masked[at]; b {
		case '(', '[':
			c.open = append(c.open, b)
		case '{':
			if c.holdsValues(at) {
				b = '='
			}
			c.open = append(c.open, b)
		case ')', ']', '}':
			c.close(b)
		}
	}
}

// mostUnclosed is how many brackets are looked through for the one that another closes:
// a text in which more were forgotten is no program.
const mostUnclosed = 64

// close closes the innermost bracket of a kind, and those in it; one that is not open
// is passed over.
func (c *cutter) close(b byte) {
	for n := len(c.open) - 1; n >= max(0, len(c.open)-mostUnclosed); n-- {
		switch o := c.open[n]; {
		case b == ')' && o == '(', b == ']' && o == '[', b == '}' && (o == '{' || o == '='):
			c.open = c.open[:n]
			return
		case b != '}' && o == '{':
			return // of an outer expression; this block is not over
		}
	}
}

// holdsValues reports whether a brace opens a literal rather than a block.
func (c *cutter) holdsValues(at int) bool {
	if c.row.opens() == "" {
		return true
	}
	before := bytes.TrimRight(c.masked[max(0, at-60):at], " \t\r\n")
	if len(before) == 0 {
		return false
	}
	switch last := before[len(before)-1]; {
	case strings.IndexByte("=([,:?&|", last) >= 0:
		return !bytes.HasSuffix(before, []byte("::")) && !bytes.HasSuffix(before, []byte("|"))
	case c.row.name == "go" && c.masked[at-1] > ' ':
		return isWord(last) || last == ']' || last == '}'
	}
	return bytes.HasSuffix(before, []byte("return")) || bytes.HasSuffix(before, []byte("export default"))
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
