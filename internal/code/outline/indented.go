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

// indented outlines by patterns and indentation.
func (l *lines) indented(ps []pattern) {
	type open struct {
		indent, sym int
		path        string
		typ, body   bool
	}
	var stack []open
	full := 0     // the last row so far that is not blank
	defined := -1 // the last row with a function
	closeTo := func(indent, row int) {
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			last := full
			if row < len(l.starts) && o.indent == indent && l.closes(row) {
				last = row
			}
			s := l.At(o.sym)
			s.To = max(s.NameLine, last+1)
		}
	}
	seen := map[string]bool{}
	lead, leadIndent := -1, 0 // first row of decorators waiting for a definition
	for row := range l.starts {
		start, end := l.line(row)
		text := l.masked[start:end]
		if start > 0 && l.masked[start-1] != '\n' { // in a string
			full = row
			continue
		}
		trimmed := bytes.TrimLeft(text, " \t")
		if len(bytes.TrimSpace(trimmed)) == 0 {
			continue
		}
		indent := width(text[:len(text)-len(trimmed)])
		if trimmed[0] != '{' || full != defined { // the body of the function above
			closeTo(indent, row)
		}
		full = row
		if trimmed[0] == '@' && (len(trimmed) < 2 || trimmed[1] != '@') {
			if lead < 0 || leadIndent != indent {
				lead, leadIndent = row, indent
			}
		}
		if len(text) > matchedPart {
			text = text[:matchedPart]
		}
		for _, p := range ps {
			m := p.re.FindSubmatchIndex(text)
			if m == nil {
				continue
			}
			n := len(m) - 2
			for n > 2 && m[n] < 0 {
				n -= 2
			}
			if m[n] < 0 {
				continue
			}
			name := string(text[m[n]:m[n+1]])
			top := open{sym: -1}
			if len(stack) > 0 {
				top = stack[len(stack)-1]
			}
			path, typ := top.path, top.typ
			kind := p.kind
			if i := 2 * p.re.SubexpIndex("owner"); i > 0 && m[i] >= 0 {
				path, typ = symbols.Join(path, string(text[m[i]:m[i+1]])), true
			}
			switch {
			case kind == "func" && typ:
				kind = "method"
			case kind == "member" && !typ:
				continue
			case kind == "member":
				kind = "field"
			}
			if kind == "var" || kind == "const" {
				if top.body || seen[symbols.Join(path, name)] {
					break
				}
				seen[symbols.Join(path, name)] = true
			}
			at := start + m[n]
			before := l.Len()
			sym := l.define(kind, name, path, start, end, end, at, top.sym)
			if l.Len() == before {
				break
			}
			if lead >= 0 && leadIndent == indent {
				s := l.At(sym)
				s.From = min(s.From, lead+1)
				if from, doc := l.leadOf(lead); from < lead {
					s.From, s.Doc = from+1, doc
				}
			}
			function := kind == "func" || kind == "method"
			stack = append(stack, open{indent, sym, symbols.Join(path, name), holders[kind], top.body || function})
			if function {
				defined = row
			}
			break
		}
		if trimmed[0] != '@' && !(lead >= 0 && (indent > leadIndent || trimmed[0] == ')')) {
			lead = -1
		}
	}
	closeTo(-1, len(l.starts))
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
