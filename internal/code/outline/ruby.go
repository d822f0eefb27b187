package outline

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// Ruby is read word by word: what a keyword opens, an end closes. A keyword that
// follows a statement on its line, as in return if x, opens nothing. A value that
// is assigned to a constant goes on to the end of its statement.

// A rubyBlock is what is open.
type rubyBlock struct {
	mark byte // what closes it: 'e' for end, ) ] or }, or 'v': the statement's end
	sym  int  // that ends with it, or -1
	up   int  // the innermost symbol
	path string
	body bool // in a method
	typ  bool // directly in what holds methods
	loop bool // while, until, for: a do on the line belongs to it
}

type rubyLines struct {
	*lines
	text  []byte // masked
	stack []rubyBlock
	last  int // the last byte that is no blank
}

func (l *lines) ruby() {
	r := &rubyLines{lines: l, last: -1}
	r.text = maskRuby(l.src, l.noteComment)
	l.masked = r.text
	r.stack = []rubyBlock{{sym: -1, up: -1}}
	for i := 0; i < len(r.text); {
		c := r.text[i]
		at := i
		switch {
		case c == '\n' || c == ';':
			i++
			if c == ';' || !r.goesOn(i) {
				r.statementEnds()
			}
			continue
		case c <= ' ' && c != filled:
			i++
			continue
		case c == '(' || c == '[' || c == '{':
			b := *r.top()
			b.sym, b.mark, b.loop = -1, map[byte]byte{'(': ')', '[': ']', '{': '}'}[c], false
			r.stack = append(r.stack, b)
			i++
		case c == ')' || c == ']' || c == '}':
			r.closes(c, i)
			i++
		case isWord(c):
			i = r.word(i)
		default:
			i++
		}
		r.last = max(r.last, at, i-1)
	}
	for len(r.stack) > 1 {
		r.pop(len(r.text) - 1)
	}
}

func (r *rubyLines) top() *rubyBlock { return &r.stack[len(r.stack)-1] }

// pop ends the innermost block at a byte.
func (r *rubyLines) pop(at int) {
	if b := r.top(); b.sym >= 0 {
		s := r.At(b.sym)
		s.To = max(s.NameLine, r.row(at)+1)
	}
	r.stack = r.stack[:len(r.stack)-1]
}

// statementEnds ends the values that go no further.
func (r *rubyLines) statementEnds() {
	for len(r.stack) > 1 && r.top().mark == 'v' {
		r.pop(r.last)
	}
	for i := len(r.stack) - 1; i > 0 && r.stack[i].loop; i-- {
		r.stack[i].loop = false
	}
}

// maxUnclosed is how many blocks one word may end.
const maxUnclosed = 20

// closes ends the innermost block with a mark, and what was left open within it.
func (r *rubyLines) closes(mark byte, at int) {
	for n := len(r.stack) - 1; n > 0 && n >= len(r.stack)-maxUnclosed; n-- {
		if r.stack[n].mark != mark {
			if mark != 'e' && r.stack[n].mark == 'e' {
				return // a bracket does not close what end does
			}
			continue
		}
		for len(r.stack) > n+1 {
			r.pop(r.last)
		}
		r.pop(at)
		return
	}
}

// goesOn reports whether the statement before a line break continues on the line
// at i.
func (r *rubyLines) goesOn(i int) bool {
	if r.last < 0 {
		return false
	}
	switch c := r.text[r.last]; c {
	case ',', '.', '+', '-', '*', '/', '&', '=', '<', '>', '|', '%', '^':
		return true
	case ':', '?':
		if r.last > 0 && r.text[r.last-1] == ' ' {
			return true
		}
	}
	rest := bytes.TrimLeft(r.text[i:min(len(r.text), i+maxHeader)], " \t\r\n")
	return bytes.HasPrefix(rest, []byte("&.")) || len(rest) > 1 && rest[0] == '.' && rest[1] != '.'
}

// word reads the word at i and returns the end of what is read.
func (r *rubyLines) word(i int) int {
	end := wordEnd(r.text, i)
	before, after := byte('\n'), byte(0)
	if i > 0 {
		before = r.text[i-1]
	}
	if end < len(r.text) {
		after = r.text[end]
	}
	if before == '.' || before == '@' || before == '$' || before == ':' && !(i > 1 && r.text[i-2] == ':') {
		return end
	}
	if after == ':' && !(end+1 < len(r.text) && r.text[end+1] == ':') || after == '?' || after == '!' {
		return end
	}
	switch w := string(r.text[i:min(end, i+symbols.MaxName)]); w {
	case "class", "module":
		return r.holder(w, i, end)
	case "def":
		return r.method(i, end)
	case "begin", "case", "for":
		r.push(rubyBlock{mark: 'e', sym: -1, loop: w == "for"})
	case "if", "unless", "while", "until":
		if r.opens(i) {
			r.push(rubyBlock{mark: 'e', sym: -1, loop: w == "while" || w == "until"})
		}
	case "do":
		r.do()
	case "end":
		r.closes('e', i)
	case "attr_accessor", "attr_reader", "attr_writer":
		r.attributes(i, end)
	case "define_method", "alias_method", "scope":
		r.named(i, end)
	case "require", "require_relative", "load", "autoload":
		r.requires(w, end)
	default:
		if w[0] >= 'A' && w[0] <= 'Z' {
			r.constant(w, i, end)
		}
	}
	return end
}

// push opens a block within the innermost definition.
func (r *rubyLines) push(b rubyBlock) {
	t := r.top()
	b.up, b.path, b.body, b.typ = t.up, t.path, t.body, t.typ
	r.stack = append(r.stack, b)
}

// do opens a block, unless it belongs to a loop that is open on its line.
func (r *rubyLines) do() {
	for i := len(r.stack) - 1; i > 0; i-- {
		if r.stack[i].loop {
			r.stack[i].loop = false
			return
		}
		if r.stack[i].mark == 'e' {
			break
		}
	}
	r.push(rubyBlock{mark: 'e', sym: -1})
}

// opens reports whether an if at i begins a statement or a value.
func (r *rubyLines) opens(i int) bool {
	k := i
	for k > 0 && (r.text[k-1] == ' ' || r.text[k-1] == '\t') {
		k--
	}
	if k == 0 {
		return true
	}
	c := r.text[k-1]
	if !isWord(c) {
		if k > 1 && (c == '!' || c == '?') && isWord(r.text[k-2]) { // a method's name
			return false
		}
		return strings.IndexByte("\n\r;=([{,|&!?+-*/<>:~^%", c) >= 0
	}
	from := k
	for from > 0 && from > k-20 && isWord(r.text[from-1]) {
		from--
	}
	if from > 0 && strings.IndexByte(".:@$", r.text[from-1]) >= 0 {
		return false
	}
	switch string(r.text[from:k]) {
	case "then", "else", "do", "and", "or", "not", "when", "in", "begin", "ensure", "elsif", "if", "unless", "while", "until", "case":
		return true
	}
	return false
}

func (r *rubyLines) skipBlank(i int) int {
	for i < len(r.text) && (r.text[i] == ' ' || r.text[i] == '\t') {
		i++
	}
	return i
}

// lineEnd returns where the text of the line at i ends.
func (r *rubyLines) lineEnd(i int) int {
	end := len(r.text)
	if j := bytes.IndexByte(r.text[i:], '\n'); j >= 0 {
		end = i + j
	}
	return i + len(bytes.TrimRight(r.text[i:end], " \t\r"))
}

// holder reads class A::B < C, module A and class << self.
func (r *rubyLines) holder(kind string, from, end int) int {
	at := r.skipBlank(end)
	if bytes.HasPrefix(r.text[at:], []byte("<<")) {
		r.push(rubyBlock{mark: 'e', sym: -1})
		t := r.top()
		t.body, t.typ = false, true
		return at + 2
	}
	to := at
	for to < len(r.text) && (isWord(r.text[to]) || r.text[to] == ':') {
		to++
	}
	name := strings.TrimPrefix(string(r.text[at:to]), "::")
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return end
	}
	path := ""
	if k := strings.LastIndex(name, "::"); k >= 0 {
		path, name = strings.ReplaceAll(name[:k], "::", "."), name[k+2:]
	}
	stop := r.lineEnd(to)
	if j := bytes.IndexByte(r.text[to:stop], ';'); j >= 0 {
		stop = to + j
	}
	t := *r.top()
	path = symbols.Join(t.path, path)
	sym := r.lines.define(kind, name, path, from, stop, stop, at, t.up)
	r.stack = append(r.stack, rubyBlock{mark: 'e', sym: r.own(sym, t.up), up: sym, path: symbols.Join(path, name), typ: true})
	return stop
}

// own is the symbol that a block ends: none, if it was not added.
func (r *rubyLines) own(sym, up int) int {
	if sym == up {
		return -1
	}
	return sym
}

// method reads def name, def self.name and def name(…) = value.
func (r *rubyLines) method(from, end int) int {
	t := *r.top()
	kind, path := "func", ""
	if t.typ {
		kind = "method"
	}
	at := r.skipBlank(end)
	to := r.nameEnd(r.sigilEnd(at))
	for to < len(r.text) && r.text[to] == '.' && isWord(r.text[to-1]) { // a receiver
		kind = "method"
		if object := string(r.text[at:to]); object != "self" {
			path = symbols.Join(path, object)
		}
		at = to + 1
		to = r.nameEnd(at)
	}
	if path != "" && (t.path == path || strings.HasSuffix(t.path, "."+path)) {
		path = ""
	}
	if to == at {
		return end
	}
	stop := r.parameters(to)
	sig := stop
	value := r.skipBlank(stop)
	endless := value+1 < len(r.text) && r.text[value] == '=' && r.text[value+1] != '=' && r.text[value+1] != '~'
	if !endless && sig == to { // parameters without brackets
		sig = r.lineEnd(to)
		if j := bytes.IndexByte(r.text[to:sig], ';'); j >= 0 {
			sig = to + j
		}
		stop = sig
	}
	path = symbols.Join(t.path, path)
	name := string(r.src[at:to])
	sym := r.lines.define(kind, name, path, from, sig, stop, at, t.up)
	b := rubyBlock{mark: 'e', sym: r.own(sym, t.up), up: sym, path: symbols.Join(path, name), body: true}
	if endless {
		b.mark = 'v'
		stop = value + 1
	}
	r.stack = append(r.stack, b)
	return stop
}

// sigilEnd returns the index behind the marks that the name of a variable begins with.
func (r *rubyLines) sigilEnd(i int) int {
	end := i
	for end < len(r.text) && (r.text[end] == '@' || r.text[end] == '$') {
		end++
	}
	if end < len(r.text) && isWord(r.text[end]) {
		return end
	}
	return i
}

// nameEnd returns the end of a method's name: a word, or an operator.
func (r *rubyLines) nameEnd(at int) int {
	end := wordEnd(r.text, at)
	if end > at {
		if end < len(r.text) && (r.text[end] == '?' || r.text[end] == '!') {
			return end + 1
		}
		if end+1 < len(r.text) && r.text[end] == '=' && (r.text[end+1] == '(' || isWord(r.text[end+1])) {
			return end + 1 // a setter
		}
		return end
	}
	for end < len(r.text) && strings.IndexByte("+-*/%<>=!~^&|[]@`", r.text[end]) >= 0 {
		end++
	}
	return end
}

// parameters returns the index after the brackets at i, or i.
func (r *rubyLines) parameters(i int) int {
	if i >= len(r.text) || r.text[i] != '(' {
		return i
	}
	depth := 0
	for j := i; j < min(len(r.text), i+maxHeader); j++ {
		switch r.text[j] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return i
}

// constant reads NAME = value.
func (r *rubyLines) constant(name string, from, end int) {
	t := *r.top()
	at := r.skipBlank(end)
	if t.body || at+1 >= len(r.text) || r.text[at] != '=' || strings.IndexByte("=~>", r.text[at+1]) >= 0 ||
		from > 0 && r.text[from-1] == ':' {
		return
	}
	k := from
	for k > 0 && (r.text[k-1] == ' ' || r.text[k-1] == '\t') {
		k--
	}
	if k > 0 && strings.IndexByte("\n;={(|", r.text[k-1]) < 0 {
		return // A, B = 1, 2
	}
	r.value("const", name, from, from, r.statementEnd(at), true)
}

// value adds a symbol that lasts to the end of the statement.
func (r *rubyLines) value(kind, name string, from, nameAt, sigEnd int, holds bool) {
	t := *r.top()
	sigEnd = from + len(bytes.TrimRight(r.text[from:sigEnd], " \t\r\n"))
	sym := r.lines.define(kind, name, t.path, from, sigEnd, from+1, nameAt, t.up)
	b := rubyBlock{mark: 'v', sym: r.own(sym, t.up), up: sym, path: symbols.Join(t.path, name), typ: holds, body: !holds}
	r.stack = append(r.stack, b)
}

// statementEnd returns about where a statement ends: enough for its signature.
func (r *rubyLines) statementEnd(at int) int {
	depth := 0
	limit := min(len(r.text), at+4*symbols.MaxSignature)
	for i := at; i < limit; i++ {
		switch r.text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ';', '\n':
			saved := r.last
			r.last = at + len(bytes.TrimRight(r.text[at:i], " \t\r\n")) - 1
			on := r.text[i] == '\n' && r.goesOn(i+1)
			r.last = saved
			if depth == 0 && !on {
				return i
			}
		}
	}
	return limit
}

// attributes reads attr_reader :a, :b.
func (r *rubyLines) attributes(from, end int) {
	t := *r.top()
	if t.body {
		return
	}
	stop := r.statementEnd(end)
	first := true
	for i := end; i+1 < stop; i++ {
		if r.text[i] != ':' || !isWord(r.text[i+1]) || isWord(r.text[i-1]) || r.text[i-1] == ':' {
			continue
		}
		to := r.nameEnd(i + 1)
		text := bytes.TrimRight(r.text[from:stop], " \t\r\n")
		n := r.Len()
		r.lines.define("field", string(r.src[i+1:to]), t.path, from, from+len(text), from+len(text), i+1, t.up)
		if !first && r.Len() > n {
			s := r.At(n)
			s.From, s.Doc = r.row(from)+1, ""
		}
		first = false
		i = to - 1
	}
}

// named reads define_method(:name) and its like.
func (r *rubyLines) named(from, end int) {
	at := r.skipBlank(end)
	if at < len(r.text) && r.text[at] == '(' {
		at++
	}
	if at+1 >= len(r.text) || r.text[at] != ':' || !isWord(r.text[at+1]) {
		return
	}
	kind := "func"
	if r.top().typ {
		kind = "method"
	}
	sig := r.lineEnd(end)
	if j := bytes.Index(r.text[end:sig], []byte(" do")); j >= 0 {
		sig = end + j
	}
	r.value(kind, string(r.src[at+1:r.nameEnd(at+1)]), from, at+1, sig, false)
}

// requires reads the name of a file to load.
func (r *rubyLines) requires(method string, end int) {
	text := r.src[end:r.lineEnd(end)]
	open := bytes.IndexAny(text, `"'`)
	if open < 0 {
		return
	}
	n := bytes.IndexByte(text[open+1:], text[open])
	if n < 0 {
		return
	}
	path := string(text[open+1 : open+1+n])
	if method == "require_relative" && !strings.HasPrefix(path, ".") {
		path = "./" + path
	}
	r.Import(path)
}
