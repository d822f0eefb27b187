package outline

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// Python is read by logical lines: a line of text with those that brackets,
// strings and backslashes join to it. What a logical line begins with and how
// deep it is indented is all that definitions depend on, so no line is looked
// at twice.

// A pyScope is an open definition.
type pyScope struct {
	indent int
	sym    int
	path   string
	class  bool
	fresh  bool // nothing in its body yet
}

type pythonLines struct {
	*lines
	stack []pyScope
	full  int // row where the last statement ended
	lead  int // first row of the decorators before the next definition, or -1
	once  map[string]bool
}

func (l *lines) python() {
	p := &pythonLines{lines: l, full: -1, lead: -1, once: map[string]bool{}}
	fresh := true // for the docstring of the module
	for at := 0; at < len(l.masked); {
		start := at
		for start < len(l.masked) && (l.masked[start] == ' ' || l.masked[start] == '\t' || l.masked[start] == '\f') {
			start++
		}
		if start < len(l.masked) && (l.masked[start] == '\n' || l.masked[start] == '\r') {
			at = start + 1
			continue
		}
		end := p.logical(start)
		if text := bytes.TrimSpace(l.masked[start:end]); len(text) > 0 {
			indent := width(bytes.TrimLeft(l.masked[at:start], "\f"))
			p.close(indent)
			if fresh {
				p.docstring(start, end)
				fresh = false
			}
			p.line(start, end, indent)
			p.full = l.row(start + len(bytes.TrimRight(l.masked[start:end], " \t\r\n")) - 1)
		}
		at = end + 1
	}
	p.close(-1)
}

// logical returns the end of the logical line that begins at start: its newline.
func (p *pythonLines) logical(start int) int {
	depth := 0
	for i := start; i < len(p.masked); i++ {
		switch c := p.masked[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		case '"', '\'':
			i = p.skipString(i)
		case '\\':
			if i+1 < len(p.masked) && p.masked[i+1] == '\r' {
				i++
			}
			i++
		case '\n':
			if depth == 0 || p.defines(i+1) {
				return i
			}
		}
	}
	return len(p.masked)
}

// skipString returns the index of the quote that ends the string at i: in a
// masked text, the next one.
func (p *pythonLines) skipString(i int) int {
	if j := bytes.IndexByte(p.masked[i+1:], p.masked[i]); j >= 0 {
		return i + 1 + j
	}
	return len(p.masked) - 1
}

// defines reports whether a line begins with def or class, which stand within
// no brackets: one before it was never closed.
func (p *pythonLines) defines(at int) bool {
	text := p.masked[at:min(len(p.masked), at+maxIndent)]
	text = bytes.TrimLeft(text, " \t")
	return bytes.HasPrefix(text, []byte("def ")) || bytes.HasPrefix(text, []byte("class ")) || bytes.HasPrefix(text, []byte("async def "))
}

// maxIndent is how far a line may be indented to be looked at.
const maxIndent = 80

// close ends the definitions that are indented as deep or deeper.
func (p *pythonLines) close(indent int) {
	for n := len(p.stack); n > 0 && p.stack[n-1].indent >= indent; n-- {
		s := p.At(p.stack[n-1].sym)
		s.To = max(s.NameLine, p.full+1)
		p.stack = p.stack[:n-1]
	}
}

// line reads one logical line.
func (p *pythonLines) line(start, end, indent int) {
	if n := len(p.stack); n > 0 && p.stack[n-1].fresh {
		p.stack[n-1].fresh = false
		if doc := p.docstring(start, end); doc != "" {
			p.At(p.stack[n-1].sym).Doc = doc
		}
	}
	text := p.masked[start:end]
	if text[0] == '@' {
		if p.lead < 0 {
			p.lead = p.row(start)
		}
		return
	}
	word := text[:wordEnd(text, 0)]
	switch string(word) {
	case "class", "def":
		p.define(start, start+len(word), end, indent, word[0] == 'c')
	case "async":
		after := start + len(word)
		for after < end && p.masked[after] == ' ' {
			after++
		}
		if next := p.masked[after:wordEnd(p.masked, after)]; string(next) == "def" {
			p.define(start, after+len(next), end, indent, false)
			break
		}
		p.block(start, end)
	case "if", "elif", "else", "try", "except", "finally", "with", "for", "while", "match", "case":
		p.block(start, end)
	default:
		p.simple(start, end)
	}
	p.lead = -1
}

// define adds the class or function whose name stands after a keyword.
func (p *pythonLines) define(start, at, end, indent int, class bool) {
	for at < end && (p.masked[at] == ' ' || p.masked[at] == '\t') {
		at++
	}
	name := string(p.masked[at:wordEnd(p.masked[:end], at)])
	if !isName(name) {
		return
	}
	colon := p.colon(at, end)
	kind, up, path := "func", -1, ""
	if n := len(p.stack); n > 0 {
		up, path = p.stack[n-1].sym, p.stack[n-1].path
		if p.stack[n-1].class {
			kind = "method"
		}
	}
	if class {
		kind = "class"
	}
	before := p.Len()
	sym := p.lines.define(kind, name, path, start, colon, end, at, up)
	if p.Len() == before {
		return
	}
	if p.lead >= 0 {
		s := p.At(sym)
		s.From = p.lead + 1
		if from, doc := p.leadOf(p.lead); from < p.lead {
			s.From, s.Doc = from+1, doc
		}
	}
	p.stack = append(p.stack, pyScope{indent: indent, sym: sym, path: symbols.Join(path, name), class: class, fresh: true})
	if body := p.skipBlank(colon+1, end); body < end { // on the same line
		p.line(body, end, indent+1)
	}
}

// colon returns where the header of a block ends: the first colon outside
// brackets that belongs to no lambda.
func (p *pythonLines) colon(at, end int) int {
	depth, lambdas := 0, 0
	for i := at; i < end; i++ {
		switch c := p.masked[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == '"' || c == '\'':
			i = p.skipString(i)
		case c == 'l' && depth == 0 && bytes.HasPrefix(p.masked[i:end], []byte("lambda")) && (i == 0 || !isWord(p.masked[i-1])):
			lambdas++
		case c == ':' && depth <= 0:
			if lambdas == 0 {
				return i
			}
			lambdas--
		}
	}
	return end
}

func (p *pythonLines) skipBlank(at, end int) int {
	for at < end && p.masked[at] <= ' ' {
		at++
	}
	return at
}

// block reads what follows the colon of if, try and their like.
func (p *pythonLines) block(start, end int) {
	colon := p.colon(start, end)
	if colon == end { // match and case are names too
		p.simple(start, end)
		return
	}
	if body := p.skipBlank(colon+1, end); body < end {
		p.simple(body, end)
	}
}

// simple reads the statements of a line that begins no block.
func (p *pythonLines) simple(start, end int) {
	depth := 0
	at := start
	for i := start; i <= end; i++ {
		if i < end {
			switch c := p.masked[i]; c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			case '"', '\'':
				i = p.skipString(i)
			}
			if p.masked[i] != ';' || depth > 0 {
				continue
			}
		}
		if at = p.skipBlank(at, i); at < i {
			p.statement(at, i)
		}
		at = i + 1
	}
}

func (p *pythonLines) statement(start, end int) {
	at := wordEnd(p.masked[:end], start)
	word := string(p.masked[start:at])
	switch word {
	case "import":
		p.importList("", at, end)
		return
	case "from":
		p.importFrom(at, end)
		return
	case "type":
		if next := p.skipBlank(at, end); next < end && isName(string(p.masked[next:next+1])) && bytes.IndexByte(p.masked[next:end], '=') > 0 {
			name := string(p.masked[next:wordEnd(p.masked[:end], next)])
			p.value("type", name, start, end, next)
			return
		}
	}
	from := start
	for isName(word) && !p.inFunction() {
		next := p.skipBlank(at, end)
		if next == end {
			return
		}
		switch p.masked[next] {
		case ':':
			if word == "else" || word == "lambda" {
				return
			}
			p.assigned(word, from, end, start)
			return
		case '=':
			if next+1 < end && p.masked[next+1] == '=' {
				return
			}
			p.assigned(word, from, end, start)
		default:
			return
		}
		start = p.skipBlank(next+1, end) // a = b = c
		from = start
		at = wordEnd(p.masked[:end], start)
		word = string(p.masked[start:at])
	}
}

func (p *pythonLines) inFunction() bool {
	n := len(p.stack)
	return n > 0 && !p.stack[n-1].class
}

// assigned adds the first assignment to a name in a module or class.
func (p *pythonLines) assigned(name string, start, end, at int) {
	kind, path := "var", ""
	if n := len(p.stack); n > 0 {
		kind, path = "field", p.stack[n-1].path
	} else if name == strings.ToUpper(name) && name != "_" {
		kind = "const"
	}
	if key := symbols.Join(path, name); !p.once[key] {
		p.once[key] = true
		p.value(kind, name, start, end, at)
	}
}

// value adds a definition that encloses none.
func (p *pythonLines) value(kind, name string, start, end, at int) {
	up, path := -1, ""
	if n := len(p.stack); n > 0 {
		up, path = p.stack[n-1].sym, p.stack[n-1].path
	}
	text := bytes.TrimRight(p.masked[start:end], " \t\r\n")
	p.lines.define(kind, name, path, start, start+len(text), start+len(text), at, up)
}

// docstring returns the first sentence of a line that is a string and nothing
// else, and counts its lines as comments.
func (p *pythonLines) docstring(start, end int) string {
	text := bytes.TrimRight(p.masked[start:end], " \t\r\n")
	open := 0
	for open < len(text) && open < 2 && isWord(text[open]) {
		open++
	}
	if open == len(text) || text[open] != '"' && text[open] != '\'' || p.skipString(start+open) != start+len(text)-1 {
		return ""
	}
	p.Comment(p.row(start)+1, p.row(start+len(text)-1)+1)
	return symbols.Sentence(p.src[start+open : start+len(text)])
}

// importFrom reads "module import a, b as c".
func (p *pythonLines) importFrom(at, end int) {
	from := p.skipBlank(at, end)
	to := from
	for to < end && (isWord(p.masked[to]) || p.masked[to] == '.') {
		to++
	}
	module := string(p.masked[from:to])
	next := p.skipBlank(to, end)
	if module == "" || module == "__future__" || !bytes.HasPrefix(p.masked[next:end], []byte("import")) {
		return
	}
	if strings.Trim(module, ".") != "" {
		p.Import(module)
	}
	if !strings.HasSuffix(module, ".") {
		module += "."
	}
	p.importList(module, next+len("import"), end)
}

// importList reads names with or without an alias.
func (p *pythonLines) importList(prefix string, at, end int) {
	list := strings.Trim(string(bytes.ReplaceAll(p.masked[at:end], []byte("\\\n"), []byte(" "))), "() \t\r\n")
	for item := range strings.SplitSeq(list, ",") {
		if words := strings.Fields(item); len(words) > 0 && isName(words[0]) {
			p.Import(prefix + words[0])
		}
	}
}
