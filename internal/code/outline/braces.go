package outline

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// The brace outliner reads a text with comments and strings blanked, statement
// by statement. What stands before a {, ; or line break is a header; a header
// with a defining keyword, or in the C family one that ends in name(…), defines
// a symbol, which lasts to the matching brace. Within function bodies only
// keywords count, since there a call looks like a definition.
//
// It goes wrong where macros unbalance the braces. #else and #elif take the
// nesting back to where their #if stood, which is right for the usual
// alternatives of one function header.

// An opened brace.
type opened struct {
	sym  int    // its symbol, or that of the nearest enclosing one; -1
	own  bool   // sym was defined by this brace
	path string // dotted names
	body bool   // inside a function
	typ  bool   // directly inside a type

	// A literal interrupts a statement, which goes on after it.
	literal       bool
	start, parens int
	typedef       int // where a typedef with a body begins, plus 1
}

func (l *lines) braces(b *braceLanguage) {
	hash := l.hash
	stack := []opened{{sym: -1}}
	var conditions [][]opened // the stack at each open #if
	start, parens := 0, 0
	blank := true // nothing in the statement yet
	src := l.masked
	for i := 0; i < len(src); i++ {
		top := &stack[len(stack)-1]
		c := src[i]
		if start > i || start == i && c <= ' ' {
			blank = true
		}
		if c > ' ' && blank {
			blank, start = false, i
		}
		switch c {
		case '(', '[':
			parens++
		case ')', ']':
			parens = max(0, parens-1)
		case '{':
			o := opened{sym: top.sym, path: top.path, body: top.body}
			if b.isLiteral(src, start, i, parens) {
				o.literal, o.start, o.parens, o.body = true, start, parens, true
			} else {
				if b.cLike && bytes.HasPrefix(bytes.TrimSpace(src[start:i]), []byte("typedef")) {
					o.typedef = start + 1
				}
				l.header(b, start, i, i, *top, &o)
			}
			stack = append(stack, o)
			start, parens = i+1, 0
		case '}':
			if b.newline {
				l.statement(b, start, i, *top)
			}
			if len(stack) > 1 {
				o := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if o.own {
					l.At(o.sym).To = l.row(i) + 1
				}
				if o.literal {
					start, parens = o.start, o.parens
					continue
				}
				if o.typedef > 0 {
					l.typedef(o, i+1, stack[len(stack)-1])
				}
			}
			start, parens = i+1, 0
		case ';':
			if parens > 0 { // for (;;)
				continue
			}
			l.statement(b, start, i, *top)
			start = i + 1
		case '\n':
			if blank {
				start = i + 1
			}
			if hash {
				if row := l.row(i) + 1; row < len(l.starts) {
					stack = l.condition(row, stack, &conditions)
				}
			}
			if b == cFamily && parens == 0 && !blank && !top.body && macroAlone(src, start, i) {
				start = i + 1
			}
			if b.newline && parens == 0 && !blank && (i-start > maxHeader || !continues(src, start, i)) {
				l.statement(b, start, i, *top)
				start = i + 1
			}
		case ':':
			// public: and case X: end a header in the C family.
			if b.cLike && parens == 0 && isLabel(src[start:i]) {
				start = i + 1
			}
		}
	}
	end := len(l.src)
	if b.newline {
		l.statement(b, start, len(src), stack[len(stack)-1])
	}
	for _, o := range stack[1:] {
		if o.own {
			l.At(o.sym).To = l.row(max(0, end-1)) + 1
		}
	}
	if hash {
		l.macros()
	}
}

// isLiteral reports whether the brace at i opens a value rather than a body:
// among arguments or after =, unless a function or a type is what it opens.
func (b *braceLanguage) isLiteral(src []byte, start, i, parens int) bool {
	h := bytes.TrimRight(src[start:i], " \t\r\n")
	if len(h) == 0 {
		return false
	}
	switch c := h[len(h)-1]; {
	case bytes.HasSuffix(h, []byte("=>")) || bytes.HasSuffix(h, []byte("->")):
		return parens > 0 && !b.newline
	case c == '=':
		return b.keywords["def"] == "" && !bytes.HasSuffix(h, []byte("==")) && !bytes.HasSuffix(h, []byte("operator="))
	case c == '(' || c == '[' || c == ',' && parens > 0:
		return true
	}
	return parens > 0 && !b.newline || bytes.HasSuffix(h, []byte(" return")) || b == cFamily && initializes(h)
}

// macroAlone reports whether what stands between start and the line break at i is the
// call of a macro that is no part of the declaration on the next line.
func macroAlone(src []byte, start, i int) bool {
	call := bytes.TrimRight(src[start:i], " \t\r")
	if len(call) == 0 || len(call) > maxHeader || call[len(call)-1] != ')' {
		return false
	}
	open := wordEnd(call, 0)
	if open == len(call) || call[open] != '(' || !isMacro(string(call[:open])) {
		return false
	}
	rest := bytes.TrimLeft(src[i:min(len(src), i+maxHeader)], " \t\r\n")
	depth := 0
	for k, c := range call[open:] {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && open+k < len(call)-1 {
				return false
			}
		}
	}
	return len(rest) > 0 && isWord(rest[0])
}

// initializes reports whether a header ends with a member that a constructor's
// initializers name: A(int x) noexcept : a<int> or : a(x), b.
func initializes(h []byte) bool {
	k := len(h)
	for k > 0 && (isWord(h[k-1]) || h[k-1] == '>' || h[k-1] == ':' && k > 1 && h[k-2] == ':') {
		switch h[k-1] {
		case '>':
			if k = angleStart(h, k); k < 0 {
				return false
			}
		case ':':
			k -= 2
		default:
			k--
		}
	}
	before := bytes.TrimRight(h[:k], " \t\r\n")
	if k == len(h) || len(before) == 0 {
		return false
	}
	mark := before[len(before)-1]
	before = bytes.TrimRight(before[:len(before)-1], " \t\r\n")
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	switch mark {
	case ',':
		return last == ')' || last == '}'
	case ':':
		return last == ')' || bytes.HasSuffix(before, []byte("noexcept"))
	}
	return false
}

// angleStart returns the index of the < that the > before k closes, or -1.
func angleStart(h []byte, k int) int {
	depth := 0
	for i := k - 1; i >= max(0, k-maxArguments); i-- {
		switch h[i] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// maxArguments bounds the arguments of a template among initializers, in bytes.
const maxArguments = 200

// typedef names the struct whose body just ended: typedef struct { … } name;
func (l *lines) typedef(o opened, at int, top opened) {
	end := bytes.IndexByte(l.masked[at:], ';')
	if end < 0 || end > 200 {
		return
	}
	for _, t := range lexemes(l.masked[at : at+end]) {
		if !isName(t.text) || attributes[t.text] || t.depth > 0 {
			continue
		}
		if o.own && l.At(o.sym).Name == t.text {
			return
		}
		start := o.typedef - 1
		for l.masked[start] <= ' ' {
			start++
		}
		kind := "type"
		if !o.own {
			kind = "struct"
			for _, w := range bytes.Fields(l.masked[start:min(len(l.masked), start+40)]) {
				if k := cFamily.keywords[string(bytes.TrimRight(w, "{"))]; k == "enum" || k == "union" {
					kind = k
				}
			}
		}
		sig := start + bytes.IndexByte(l.masked[start:], '{')
		l.define(kind, t.text, top.path, start, sig, at+end, at+t.at, top.sym)
		return
	}
}

// maxSaved is how deep a nesting may be that #else takes back.
const maxSaved = 100

// condition follows #if, #else and #endif at a line's beginning.
func (l *lines) condition(row int, stack []opened, conditions *[][]opened) []opened {
	s, e := l.line(row)
	text := bytes.TrimSpace(l.src[s:e])
	if len(text) < 3 || text[0] != '#' {
		return stack
	}
	text = bytes.TrimSpace(text[1:])
	n := len(*conditions)
	switch {
	case bytes.HasPrefix(text, []byte("if")):
		var saved []opened
		if len(stack) <= maxSaved {
			saved = slices.Clone(stack)
		}
		*conditions = append(*conditions, saved)
	case bytes.HasPrefix(text, []byte("el")):
		if n > 0 && len((*conditions)[n-1]) > 0 {
			return slices.Clone((*conditions)[n-1])
		}
	case bytes.HasPrefix(text, []byte("endif")):
		if n > 0 {
			*conditions = (*conditions)[:n-1]
		}
	}
	return stack
}

// continues reports whether the statement src[start:i] goes on after the line
// break at i.
func continues(src []byte, start, i int) bool {
	line := bytes.TrimSpace(src[start:i])
	if bytes.HasSuffix(line, []byte(".*")) { // import a.*
		return false
	}
	if line[0] == '@' && !bytes.ContainsAny(line, " \t{") || line[0] == '@' && line[len(line)-1] == ')' { // an annotation by itself
		return true
	}
	switch line[len(line)-1] {
	case ',', '=', '(', '[', '+', '-', '*', '/', '&', '|', '.', ':', '<', '\\', '?':
		return true
	}
	rest := bytes.TrimLeft(src[i:min(len(src), i+maxHeader)], " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '{', '.', '?', ':', '=', ',', ')', '&', '|', '+':
		return true
	}
	clauses := []string{"where ", "extends ", "with ", "implements ", "throws ", "->"}
	return slices.ContainsFunc(clauses, func(w string) bool { return bytes.HasPrefix(rest, []byte(w)) })
}

// isLabel reports whether a header is an access specifier or a case.
func isLabel(h []byte) bool {
	h = bytes.TrimSpace(h)
	switch string(h) {
	case "public", "private", "protected", "default", "signals", "public slots", "private slots", "protected slots", "Q_SIGNALS":
		return true
	}
	return bytes.HasPrefix(h, []byte("case "))
}

// statement looks at what ended without a body.
func (l *lines) statement(b *braceLanguage, start, end int, top opened) {
	l.header(b, start, end, end+1, top, nil)
}

// maxHeader bounds what may stand before a body, in bytes.
const maxHeader = 4 << 10

// header looks at the text before a body (o is not nil) or at a statement
// without one, and defines what it declares.
func (l *lines) header(b *braceLanguage, start, end, to int, top opened, o *opened) {
	for start < end && l.masked[start] <= ' ' {
		start++
	}
	if start >= end || o != nil && end-start > maxHeader {
		return
	}
	h := l.masked[start:min(end, start+maxHeader)]
	l.steps += len(h)
	var d declaration
	switch {
	case b.labels:
		if o == nil || top.sym >= 0 {
			return
		}
		name := symbols.Signature(l.src[start:end])
		if name == "" {
			return
		}
		d = declaration{kind: "block", name: strings.Join(strings.Fields(strings.ReplaceAll(name, `"`, "")), "."), at: 0}
		if len(l.masked) > 0 && strings.ContainsAny(name, ".#:@>") {
			d.kind, d.name = "rule", name
		}
	default:
		var ok bool
		if d, ok = b.declaration(h, top, o != nil); !ok {
			if o != nil && b.cLike {
				o.typ = top.typ
				b.unnamed(h, o)
			}
			return
		}
	}
	function := d.kind == "func"
	if function && (top.typ || d.path != "") {
		d.kind = "method"
	}
	path := symbols.Join(top.path, d.path)
	sig := end
	if d.end > 0 {
		sig = start + d.end
	}
	sym := l.define(d.kind, d.name, path, start, sig, to, start+d.at, top.sym)
	if o == nil {
		return
	}
	o.own = sym != top.sym
	o.sym = sym
	o.path = symbols.Join(path, d.name)
	switch d.kind {
	case "func", "method", "macro", "test", "var", "const", "property":
		o.body = true
	case "namespace", "module", "package":
		o.body = false
	default:
		o.typ, o.body = true, false
	}
}

// unnamed judges a body whose header defines nothing: a statement or a macro's
// block if there are brackets, else perhaps an anonymous struct.
func (b *braceLanguage) unnamed(h []byte, o *opened) {
	if b == jFamily && (bytes.Contains(h, []byte("new ")) || o.typ && isMacro(string(h[:wordEnd(h, 0)]))) {
		o.typ, o.body = true, false // an anonymous class, or an enum's constant with members
		return
	}
	o.typ = false
	if bytes.IndexByte(h, '(') >= 0 {
		o.body = true
		return
	}
	for _, t := range lexemes(h) {
		switch b.keywords[t.text] {
		case "struct", "union", "enum", "class":
			o.typ = true
		}
	}
}

// A braceLanguage says what defines things in a language with braces.
type braceLanguage struct {
	keywords map[string]string // keyword → kind
	cLike    bool              // functions are declared as type name(…)
	newline  bool              // a line break may end a statement
	bare     map[string]bool   // definitions without a keyword or type, within a type: init, constructor
	first    bool              // a keyword stands first
	labels   bool              // blocks are named by their words: resource "a" "b" { … }
}

func keywords(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, w := range strings.Fields(pairs[i+1]) {
			m[w] = pairs[i]
		}
	}
	return m
}
