package outline

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// The indentation outliner matches each line against a language's defining
// patterns. A definition lasts until the next line that is indented no deeper,
// and includes that line if it only closes it ("end", a bracket). Most code in
// languages without braces is indented so, whatever ends its blocks.

// A pattern defines a symbol, named by the last submatch that took part. A submatch
// called owner is the path of the symbol that it belongs to. A member is a field; its
// pattern only matches in a type or a variable. Variables and constants in functions
// are not symbols.
type pattern struct {
	kind string
	re   *regexp.Regexp
}

func patternsOf(pairs ...string) func() []pattern {
	return sync.OnceValue(func() []pattern {
		var ps []pattern
		for i := 0; i+1 < len(pairs); i += 2 {
			ps = append(ps, pattern{pairs[i], regexp.MustCompile(pairs[i+1])})
		}
		return ps
	})
}

// holders are the kinds whose functions are methods.
var holders = setOf("class type struct impl interface var const field")

// matchedPart bounds what a pattern looks at in one line.
const matchedPart = 400

// An indentedBlock is a definition whose end has not come yet.
type indentedBlock struct {
	indent, sym int
	path        string
	typ, body   bool // functions in it are methods; it is in a function
	params      bool // its line has an open (, so that a ) does not end it
	brace       bool // its line ends with {, so that only a } ends it, or a function
}

// indentedLines is the state of the indentation outliner.
type indentedLines struct {
	*lines
	rules   []pattern
	stack   []indentedBlock
	full    int             // the last row so far that is not blank
	defined int             // the last row with a function
	seen    map[string]bool // variables and constants

	lead, leadIndent int // the first row of decorators that wait for a definition
}

// indented outlines by patterns and indentation.
func (l *lines) indented(ps []pattern) {
	s := &indentedLines{lines: l, rules: ps, defined: -1, seen: map[string]bool{}, lead: -1}
	for row := range l.starts {
		s.read(row)
	}
	s.end(-1, len(l.starts), 0)
}

// end ends the blocks that are indented as deep as a row, or deeper. The row begins with
// a byte; 0 ends all of them.
func (s *indentedLines) end(indent, row int, first byte) {
	for len(s.stack) > 0 && s.stack[len(s.stack)-1].indent >= indent {
		b := &s.stack[len(s.stack)-1]
		if b.indent == indent && first == ')' && b.params {
			b.params = false
			return
		}
		if first != '}' && first != 0 && b.brace {
			return
		}
		s.stack = s.stack[:len(s.stack)-1]
		last := s.full
		if row < len(s.starts) && b.indent == indent && s.closes(row) {
			last = row
		}
		sym := s.At(b.sym)
		sym.To = max(sym.NameLine, last+1)
	}
}

// read reads a row.
func (s *indentedLines) read(row int) {
	start, end := s.line(row)
	text := s.masked[start:end]
	if start > 0 && s.masked[start-1] != '\n' { // in a string
		s.full = row
		return
	}
	trimmed := bytes.TrimLeft(text, " \t")
	if len(bytes.TrimSpace(trimmed)) == 0 {
		return
	}

	indent := width(text[:len(text)-len(trimmed)])
	if trimmed[0] == '{' && s.full == s.defined { // the body of the function above
		s.stack[len(s.stack)-1].brace = len(bytes.TrimSpace(trimmed)) == 1
	} else {
		s.end(indent, row, trimmed[0])
	}
	if trimmed[0] == '@' && (len(trimmed) < 2 || trimmed[1] != '@') && (s.lead < 0 || s.leadIndent != indent) {
		s.lead, s.leadIndent = row, indent
	}
	text = text[:min(len(text), matchedPart)]
	for _, p := range s.rules {
		if m := p.re.FindSubmatchIndex(text); m != nil && s.define(p, m, row, indent, text) {
			break
		}
	}
	s.full = row
	if trimmed[0] != '@' && !(s.lead >= 0 && (indent > s.leadIndent || trimmed[0] == ')')) {
		s.lead = -1
	}
}

// define adds the symbol that a pattern matched in a row. It reports whether the pattern
// applies, so that no other is tried.
func (s *indentedLines) define(p pattern, m []int, row, indent int, text []byte) bool {
	n := len(m) - 2
	for n > 2 && m[n] < 0 {
		n -= 2
	}
	if m[n] < 0 {
		return false
	}
	name, kind, top := string(text[m[n]:m[n+1]]), p.kind, indentedBlock{sym: -1}
	if len(s.stack) > 0 {
		top = s.stack[len(s.stack)-1]
	}
	if p.kind == "func" && top.brace && top.indent >= indent { // the } was not seen
		s.end(indent, row, 0)
		top = indentedBlock{sym: -1}
		if len(s.stack) > 0 {
			top = s.stack[len(s.stack)-1]
		}
	}
	path, typ := top.path, top.typ
	if i := 2 * p.re.SubexpIndex("owner"); i > 0 && m[i] >= 0 {
		path, typ = symbols.Join(path, string(text[m[i]:m[i+1]])), true
	}
	full := symbols.Join(path, name)
	switch {
	case kind == "func" && typ:
		kind = "method"
	case kind == "member" && !typ:
		return false
	case kind == "member":
		kind = "field"
	case kind == "var" || kind == "const":
		if top.body || s.seen[full] {
			return true
		}
		s.seen[full] = true
	}

	start, end := s.line(row)
	before := s.Len()
	sym := s.lines.define(kind, name, path, start, end, end, start+m[n], top.sym)
	if s.Len() == before {
		return true
	}
	if s.lead >= 0 && s.leadIndent == indent {
		def := s.At(sym)
		def.From = min(def.From, s.lead+1)
		if from, doc := s.leadOf(s.lead); from < s.lead {
			def.From, def.Doc = from+1, doc
		}
	}
	function := kind == "func" || kind == "method"
	line := s.masked[start:end]
	s.stack = append(s.stack, indentedBlock{
		indent: indent, sym: sym, path: full, typ: holders[kind], body: top.body || function,
		params: bytes.Count(line, []byte("(")) > bytes.Count(line, []byte(")")), brace: function && bytes.HasSuffix(bytes.TrimSpace(line), []byte("{")),
	})
	if function {
		s.defined = row
	}
	return true
}

func (l *lines) blank(row int) bool {
	s, e := l.line(row)
	return len(bytes.TrimSpace(l.src[s:e])) == 0
}

// closes reports whether a line only ends a block.
func (l *lines) closes(row int) bool {
	s, e := l.line(row)
	text := strings.TrimSpace(string(l.src[s:min(e, s+40)]))
	switch {
	case text == "":
		return false
	case strings.HasPrefix(text, "end"), strings.HasPrefix(text, "End"), strings.HasPrefix(text, "END"):
		return len(text) == 3 || !isWord(text[3]) || strings.HasPrefix(strings.ToLower(text), "endfunction") || strings.HasPrefix(strings.ToLower(text), "endmacro")
	}
	return text[0] == '}' || text[0] == ')' || text[0] == ']' || text == "done" || text == "fi" || text == "esac"
}

// width is the column that white space reaches, with tabs of eight.
func width(blanks []byte) int {
	n := 0
	for _, c := range blanks {
		if c == '\t' {
			n += 8 - n%8
		} else {
			n++
		}
	}
	return n
}
