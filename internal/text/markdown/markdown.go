// Package markdown tells prose from fenced blocks of code, line by line.
//
// It knows no other mark of Markdown: headings are symbols, which
// internal/code/outline finds.
package markdown

import "bytes"

// A Part is what a line belongs to.
type Part int

// The parts of a text.
const (
	Prose Part = iota
	Fence      // the mark that opens or closes a block
	Code       // inside of one
)

// Fences reads the lines of a text one after the other. The zero value stands
// before the first line, outside of any block.
type Fences struct {
	mark byte // of the block that is open, or 0
	runs int  // how often it stands in the mark that opened it
}

// Line says what the next line is. A block opens with three or more backticks or
// tildes at the beginning of a line, behind which no backtick may follow
// backticks, and ends at a line of nothing but as many of them, or more. One that
// nobody closes lasts to the end.
func (f *Fences) Line(line []byte) Part {
	line = bytes.TrimSpace(line)
	runs := 0
	for runs < len(line) && line[runs] == line[0] {
		runs++
	}
	switch {
	case f.mark != 0:
		if runs < f.runs || runs < len(line) || line[0] != f.mark {
			return Code
		}
		*f = Fences{}
		return Fence
	case runs < 3 || line[0] != '`' && line[0] != '~' || line[0] == '`' && bytes.IndexByte(line[runs:], '`') >= 0:
		return Prose
	}
	*f = Fences{line[0], runs}
	return Fence
}

// Open reports whether the next line stands in a block, unless it ends it.
func (f *Fences) Open() bool { return f.mark != 0 }
