package outline

import (
	"slices"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// The scanner outlines languages with braces by their tokens. It keeps a stack of
// scopes (a type, a function's body, an object's literal, an initial value), each
// with the kind of text that it holds; at each token, the grammar of the language
// says what begins there and where it ends. Brackets are passed by their partners,
// so the work grows with the length of the text, however deep it nests.
//
// It goes wrong where brackets do not pair up: until the next closing brace.

// A codeScanner outlines one text.
type codeScanner struct {
	*lines
	g    *grammarOf
	toks []codeToken
	open []scope
	ends map[int32]reach // by enclosing bracket: where the last expression in it ended

	found map[search]reach // where the last long searches ended
}

// A reach says that an expression that begins at one of the tokens from..to ends
// before the last of them, in a line indented by base.
type reach struct{ from, to, base int32 }

// A grammarOf is what the scanner has to know of a language.
type grammarOf struct {
	begins   string // marks that a name may begin with
	backtick bool   // `a name`
	file     mode   // what a file holds

	// breaks reports whether a statement ends before token i, the first on its line.
	breaks func(s *codeScanner, i int) bool

	modes map[mode]func(s *codeScanner, i int) int
}

// A mode is the kind of text that a scope holds.
type mode int

const (
	code        mode = iota // statements and expressions
	members                 // of a type
	object                  // the pairs of an object's literal
	constants               // of an enum, before its members
	declarators             // names and values of one declaration
	signatures              // of an interface
)

// A scope is an open definition, body or value.
type scope struct {
	end  int    // index after its last token
	sym  int    // the innermost open symbol, or -1
	path string // dotted names of the open definitions
	body bool   // inside a function
	typ  bool   // directly inside a type
	flag bool   // of the language's own
	mode mode

	// Of declarators: what they are, and the tokens where they and their
	// signatures begin.
	kind      string
	from, sig int
}

// scan outlines l.
func (l *lines) scan(g *grammarOf) {
	s := &codeScanner{lines: l, g: g, toks: tokenize(l.masked, g.begins, g.backtick), ends: map[int32]reach{}, found: map[search]reach{}}
	pair(l.masked, s.toks)
	s.open = append(s.open, scope{end: len(s.toks), sym: -1, mode: g.file})
	for i := 0; i < len(s.toks); {
		for len(s.open) > 1 && s.top().end <= i {
			s.open = s.open[:len(s.open)-1]
		}
		i = max(i+1, g.modes[s.top().mode](s, i))
	}
}

func (s *codeScanner) top() *scope { return &s.open[len(s.open)-1] }

// text returns token i, or nothing beyond the last.
func (s *codeScanner) text(i int) []byte {
	if i < 0 || i >= len(s.toks) {
		return nil
	}
	return s.masked[s.toks[i].at:s.toks[i].end]
}

// name returns token i as written in the text.
func (s *codeScanner) name(i int) string {
	if i < 0 || i >= len(s.toks) {
		return ""
	}
	return string(s.src[s.toks[i].at:s.toks[i].end])
}

// kind returns the kind of token i, 0 beyond the last.
func (s *codeScanner) kind(i int) tokenKind {
	if i < 0 || i >= len(s.toks) {
		return 0
	}
	return s.toks[i].kind
}

// is reports whether token i is this word.
func (s *codeScanner) is(i int, w string) bool { return s.kind(i) == word && string(s.text(i)) == w }

// any reports whether token i is one of these words.
func (s *codeScanner) any(i int, words map[string]bool) bool {
	return s.kind(i) == word && words[string(s.text(i))]
}

// isName reports whether token i is a word that may be a name.
func (s *codeScanner) isName(i int) bool {
	return s.kind(i) == word && (s.masked[s.toks[i].at] < '0' || s.masked[s.toks[i].at] > '9')
}

// after returns the index behind token i, or behind what it encloses.
func (s *codeScanner) after(i int) int {
	s.steps++
	if i < len(s.toks) {
		if t := &s.toks[i]; t.mate > int32(i) {
			return min(int(t.mate)+1, len(s.toks))
		}
	}
	return i + 1
}

// closes reports whether token i ends the bracket that it stands in.
func (s *codeScanner) closes(i int) bool {
	switch s.kind(i) {
	case ')', ']', '}':
		return true
	}
	return false
}

// A defined is what a grammar found out about a symbol. Token indices.
type defined struct {
	kind, name, path string
	at               int // the name
	from             int // the first token, of attributes as well
	sig              int // the first token of the signature
	body             int // the token where the signature ends; -1: at the end
	end              int // after the last token
	line             int // if not 0: the token whose line counts as that of the name, plus 1

	local bool // a symbol even within a function
	box   bool // it holds members
	mode  mode // of what is inside
}

// define adds a symbol and opens a scope from the next token to its end.
func (s *codeScanner) define(d defined) {
	t := *s.top()
	function := !d.box && (d.kind == "func" || d.kind == "method")
	if t.body && !d.local {
		s.push(scope{end: d.end, sym: t.sym, path: t.path, body: true, typ: t.typ, mode: d.mode})
		return
	}
	if d.kind == "func" && (t.typ || d.path != "") {
		d.kind = "method"
	}
	line := d.at
	if d.line > 0 {
		line = d.line - 1
	}
	path := symbols.Join(t.path, d.path)
	start := int(s.toks[d.from].at)
	sym := s.lines.define(d.kind, d.name, path, start, start, s.endOf(d.end), int(s.toks[line].at), t.sym)
	if sym != t.sym {
		s.At(sym).Signature = symbols.Signature(s.src[s.toks[d.sig].at:max(int(s.toks[d.sig].at), s.signatureEnd(d))])
	}
	if !d.box && !function { // a variable encloses, but its value is not named through it
		t.end, t.mode = d.end, d.mode
		s.push(t)
		return
	}
	s.push(scope{end: d.end, sym: sym, path: symbols.Join(path, d.name), body: function, typ: d.box && !isNamespace(d.kind), mode: d.mode})
}

// isNamespace reports whether the functions in such a definition are functions,
// not methods. Ruby's modules hold methods.
func isNamespace(kind string) bool { return kind == "namespace" || kind == "module" }

func (s *codeScanner) push(o scope) {
	if up := s.top(); o.end > up.end {
		o.end = up.end
	}
	s.open = append(s.open, o)
}

// inner opens a scope like the present one that holds another kind of text.
func (s *codeScanner) inner(end int, m mode) {
	t := *s.top()
	t.end, t.mode = end, m
	s.push(t)
}

// inBody opens the scope of a function without a name, or of a block.
func (s *codeScanner) inBody(end int) {
	t := *s.top()
	t.end, t.mode, t.body, t.typ = end, code, true, false
	s.push(t)
}

// endOf returns the byte behind the token before i.
func (s *codeScanner) endOf(i int) int {
	if i = min(i, len(s.toks)); i == 0 {
		return 0
	}
	return int(s.toks[i-1].end)
}

// signatureEnd returns the byte where the signature of d ends: without a comment
// before the body.
func (s *codeScanner) signatureEnd(d defined) int {
	if d.body > 0 {
		return s.endOf(d.body)
	}
	return s.endOf(d.end)
}

// maxHead bounds what may stand between a keyword and the body of what it declares,
// in tokens, so that a text of keywords is not read again for each of them.
const maxHead = 1000

// head is until for the head of a declaration.
func (s *codeScanner) head(i int, marks ...tokenKind) int {
	return s.until(i, min(s.top().end, i+maxHead), marks...)
}

// until returns the first token from i on, at its own depth, that is one of the
// marks or ends the enclosing bracket, or limit. A long search is remembered, so that
// a text of declarations without an end is not read again for each of them.
func (s *codeScanner) until(i, limit int, marks ...tokenKind) int {
	if i >= limit {
		return min(i, limit)
	}
	k := search{up: s.toks[i].up}
	copy(k.marks[:], marks)
	if r, ok := s.found[k]; ok && int(r.from) <= i && i < int(r.to) {
		return min(int(r.to), limit)
	}
	from := i
	for i < limit && !s.closes(i) && !slices.Contains(marks, s.kind(i)) {
		i = s.after(i)
	}
	if i-from > longSearch && (i < limit || i >= len(s.toks)) {
		s.found[k] = reach{from: int32(from), to: int32(i)}
	}
	return min(i, limit)
}

// A search is what was looked for in which bracket.
type search struct {
	up    int32
	marks [4]tokenKind
}

// longSearch is how many tokens a search passes that is worth remembering.
const longSearch = 50

// valueEnd returns where the expression that begins at i ends: at a comma, a
// semicolon, the end of the enclosing bracket, or a line break that ends statements.
func (s *codeScanner) valueEnd(i, limit int) int {
	if i >= limit {
		return limit
	}
	up := s.toks[i].up
	if e, ok := s.ends[up]; ok && e.base < 0 && int(e.from) <= i && i < int(e.to) {
		return min(int(e.to), limit)
	}
	j := i
	for j < len(s.toks) && !s.closes(j) && s.kind(j) != ',' && s.kind(j) != ';' {
		if j > i && s.toks[j].first && s.g.breaks != nil && s.g.breaks(s, j) {
			break
		}
		j = s.after(j)
	}
	s.ends[up] = reach{int32(i), int32(j), -1}
	return min(j, limit)
}

// statementEnd is valueEnd for what may have commas in it.
func (s *codeScanner) statementEnd(i, limit int) int {
	for i < limit {
		if i = s.valueEnd(i, limit); s.kind(i) != ',' {
			break
		}
		i++
	}
	return min(i, limit)
}

// begins reports whether a statement may begin at token i.
func (s *codeScanner) begins(i int) bool {
	if i == 0 || s.toks[i].first {
		return true
	}
	switch s.kind(i - 1) {
	case '{', '}', ';', thin, arrow:
		return true
	}
	return false
}
