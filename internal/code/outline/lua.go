package outline

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// Lua is read token by token: what function, do, if and repeat open, an end or until
// closes, whatever the indentation. A function takes the name that it is declared or
// assigned by, a.b:c being c within a.b; a table that is assigned outside of functions
// holds its fields. Other values are symbols only where their names are capitals.

// A luaBlock is what is open.
type luaBlock struct {
	closer byte // 'e' for end, 'u' for until, or the bracket
	sym    int  // that ends with it, or -1
	up     int  // the innermost symbol
	path   string
	body   bool // in a function
}

type luaLines struct {
	*lines
	toks  []codeToken
	stack []luaBlock
}

func (l *lines) lua() {
	l.masked = maskLua(l.src, l.noteComment)
	s := &luaLines{lines: l, toks: tokenize(l.masked, "", false), stack: []luaBlock{{sym: -1, up: -1}}}
	pair(l.masked, s.toks)
	for i := 0; i < len(s.toks); {
		i = s.token(i)
	}
	for len(s.stack) > 1 {
		s.pop(len(l.src) - 1)
	}
}

// token reads token i and returns the next one to read.
func (s *luaLines) token(i int) int {
	switch k := s.toks[i].kind; k {
	case '(', '[':
		s.open(map[tokenKind]byte{'(': ')', '[': ']'}[k], -1, "")
	case '{':
		s.open('}', -1, "")
	case ')', ']', '}':
		s.close(byte(k), i)
	case word:
		if i > 0 && (s.toks[i-1].kind == '.' || s.toks[i-1].kind == ':') {
			return i + 1
		}
		return s.word(i)
	}
	return i + 1
}

// word reads a keyword, or a name that something is assigned to.
func (s *luaLines) word(i int) int {
	switch w := s.text(i); w {
	case "function":
		return s.function(i, i, i+1)
	case "if":
		if !s.isValue(i) { // Luau's if a then b else c has no end
			s.open('e', -1, "")
		}
	case "do":
		s.open('e', -1, "")
	case "repeat":
		s.open('u', -1, "")
	case "end":
		s.close('e', i)
	case "until":
		s.close('u', i)
	case "export", "type": // Luau's type T<U> = …
		if at := i + 1; w == "type" || s.text(at) == "type" {
			if w == "export" {
				at++
			}
			if s.kind(at) == word && (s.kind(at+1) == '=' || s.kind(at+1) == '<') {
				s.add("type", at, "", i, s.lineEnd(at))
				return s.lineEnd(at)
			}
		}
	case "local":
		if s.text(i+1) == "function" {
			return s.function(i, i+1, i+2)
		}
		return s.assignment(i, i+1)
	default:
		return s.assignment(i, i)
	}
	return i + 1
}

// isValue reports whether token i stands where a value does.
func (s *luaLines) isValue(i int) bool {
	switch {
	case i == 0:
		return false
	case s.toks[i-1].kind == word:
		return s.text(i-1) == "return"
	}
	switch s.toks[i-1].kind {
	case '=', '(', ',', '{', '[':
		return true
	}
	return false
}

// assignment reads what is assigned to the name at token i: a function, a table or a
// constant. The statement begins at from.
func (s *luaLines) assignment(from, i int) int {
	at, path, next := s.dotted(i)
	if at < 0 {
		return from + 1
	}
	if s.kind(next) == '<' && s.kind(next+2) == '>' { // local x <const> = 1
		next += 3
	}
	if s.kind(next) != '=' {
		return max(next, from+1)
	}
	top := s.top()
	value := next + 1
	field := top.closer == '}'
	switch name := s.text(at); {
	case s.text(value) == "function":
		open := value + 1
		if s.kind(open) == '(' {
			if top.body && s.oneLine(value) {
				return value
			}
			s.define("func", at, path, from, open)
			return s.after(open)
		}
	case top.body || name == "_":
	case s.kind(value) == '{' && (!field || top.up >= 0):
		kind := "var"
		if field {
			kind = "field"
		} else if name == strings.ToUpper(name) && len(name) > 1 {
			kind = "const"
		}
		sym := s.add(kind, at, path, from, value)
		s.open('}', sym, symbols.Join(symbols.Join(top.path, path), name))
		return value + 1
	case !field && name == strings.ToUpper(name) && len(name) > 1 && s.text(value) != "require":
		s.add("const", at, path, from, s.lineEnd(value))
	}
	return value
}

// function reads the function whose name begins at token i; without a name it is a
// value, or its field's.
func (s *luaLines) function(from, keyword, i int) int {
	at, path, next := s.dotted(i)
	if at < 0 {
		if s.kind(i) != '(' {
			return keyword + 1
		}
		s.open('e', -1, "")
		s.top().body = true
		return s.after(i)
	}
	if s.kind(next) == '<' { // Luau's function f<T>(…)
		next = s.after(next)
	}
	if s.kind(next) != '(' {
		return keyword + 1
	}
	s.define("func", at, path, from, next)
	return s.after(next)
}

// define adds the function with parameters at token open and opens its body.
func (s *luaLines) define(kind string, at int, path string, from, open int) {
	up := s.top()
	if path != "" || up.closer == '}' && up.up >= 0 {
		kind = "method"
	}
	outer := up.path
	sym := s.add(kind, at, path, from, s.after(open))
	s.open('e', sym, symbols.Join(symbols.Join(outer, path), s.text(at)))
	s.top().body = true
}

// add adds a symbol whose signature ends before token to; -1 if it was dropped.
func (s *luaLines) add(kind string, at int, path string, from, to int) int {
	up := s.top()
	start, end := int(s.toks[from].at), int(s.toks[min(to, len(s.toks))-1].end)
	sym := s.lines.define(kind, s.text(at), symbols.Join(up.path, path), start, end, end, int(s.toks[at].at), up.up)
	if sym == up.up {
		return -1
	}
	return sym
}

// dotted reads a.b:c from token i on: the last name, what stands before it, and the
// token behind it. at is -1 if no name stands there.
func (s *luaLines) dotted(i int) (at int, path string, next int) {
	if s.kind(i) != word || !isName(s.text(i)) {
		return -1, "", i
	}
	for at = i; (s.kind(at+1) == '.' || s.kind(at+1) == ':') && s.kind(at+2) == word; at += 2 {
		path = symbols.Join(path, s.text(at))
	}
	return at, path, at + 1
}

// maxOneLine bounds what is looked at of a line, in tokens.
const maxOneLine = 100

// oneLine reports whether the function at token i ends on its line.
func (s *luaLines) oneLine(i int) bool {
	for j := i + 1; j < min(len(s.toks), i+maxOneLine) && !s.toks[j].first; j++ {
		if s.text(j) == "end" {
			return true
		}
	}
	return false
}

// lineEnd returns the token after the last one on the line of token i.
func (s *luaLines) lineEnd(i int) int {
	limit := min(len(s.toks), i+maxOneLine)
	for i++; i < limit && !s.toks[i].first; i++ {
	}
	return i
}

func (s *luaLines) top() *luaBlock { return &s.stack[len(s.stack)-1] }

// open opens a block, of a symbol if sym is one.
func (s *luaLines) open(closer byte, sym int, path string) {
	b := *s.top()
	b.closer, b.sym = closer, sym
	if sym >= 0 {
		b.up, b.path = sym, path
	}
	s.stack = append(s.stack, b)
}

// close closes the innermost block that token i may close, and what is open in it.
func (s *luaLines) close(closer byte, i int) {
	for k := len(s.stack) - 1; k > max(0, len(s.stack)-maxOpen); k-- {
		if s.stack[k].closer != closer {
			continue
		}
		for len(s.stack) > k {
			s.pop(int(s.toks[i].at))
		}
		return
	}
}

// pop ends the innermost block at a byte.
func (s *luaLines) pop(at int) {
	if b := s.top(); b.sym >= 0 {
		s.At(b.sym).To = s.row(max(0, at)) + 1
	}
	s.stack = s.stack[:len(s.stack)-1]
}

func (s *luaLines) kind(i int) tokenKind {
	if i < 0 || i >= len(s.toks) {
		return 0
	}
	return s.toks[i].kind
}

func (s *luaLines) text(i int) string {
	if i < 0 || i >= len(s.toks) {
		return ""
	}
	return string(s.masked[s.toks[i].at:s.toks[i].end])
}

// after returns the index behind token i, or behind what it encloses.
func (s *luaLines) after(i int) int {
	if m := int(s.toks[i].mate); m > i {
		return m + 1
	}
	return i + 1
}

// maskLua returns src with comments and the insides of strings blanked, byte for byte,
// and reports the span of each comment.
func maskLua(src []byte, found func(start, end int)) []byte {
	out := bytes.Clone(src)
	blank := func(a, b int) {
		for i := a; i < b; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '-' && i+1 < len(src) && src[i+1] == '-':
			end := luaLong(src, i+2)
			if end == 0 {
				end = lineAt(src, i)
			}
			blank(i, end)
			found(i, end)
			i = end
		case c == '[' && luaLong(src, i) > 0:
			end := luaLong(src, i)
			blank(i, end)
			out[i], out[end-1] = '"', '"'
			i = end
		case c == '"' || c == '\'' || c == '`':
			end := luaString(src, i)
			blank(i+1, end-1)
			i = end
		default:
			i++
		}
	}
	return out
}

// luaLong returns the end of the [[…]] or [=[…]=] that begins at i, 0 if none does.
func luaLong(src []byte, i int) int {
	if i >= len(src) || src[i] != '[' {
		return 0
	}
	j := i + 1
	for j < len(src) && src[j] == '=' {
		j++
	}
	if j >= len(src) || src[j] != '[' {
		return 0
	}
	closing := "]" + string(src[i+1:j]) + "]"
	if k := bytes.Index(src[j+1:], []byte(closing)); k >= 0 {
		return j + 1 + k + len(closing)
	}
	return len(src)
}

// luaString returns the end of the string that begins at i: at its quote, or at the end
// of its line unless a backslash goes on behind it.
func luaString(src []byte, i int) int {
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case src[i]:
			return j + 1
		case '\n':
			return j
		case '\\':
			j++
			if j < len(src) && src[j] == 'z' { // passes white space, line ends as well
				for j+1 < len(src) && src[j+1] <= ' ' {
					j++
				}
			}
		}
	}
	return len(src)
}

// lineAt returns the end of the line that byte i stands on.
func lineAt(src []byte, i int) int {
	if k := bytes.IndexByte(src[i:], '\n'); k >= 0 {
		return i + k
	}
	return len(src)
}
