package outline

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// phpGrammar reads declarations where statements begin, and the members of types.
var phpGrammar = &grammarOf{
	file: code,
	modes: map[mode]func(*codeScanner, int) int{
		code:        phpCode,
		members:     phpMember,
		declarators: phpDeclarator,
	},
}

var (
	phpTypes     = keywords("class", "class", "interface", "interface", "trait", "trait", "enum", "enum")
	phpModifiers = setOf("public private protected static final abstract readonly var")
)

// phpHead passes the attributes and modifiers from i on. The signature begins at
// sig, behind the attributes.
func (s *codeScanner) phpHead(i int) (sig, next int) {
	for s.kind(i) == '#' && s.kind(i+1) == '[' {
		i = s.after(i + 1)
	}
	sig = i
	for s.any(i, phpModifiers) && s.kind(i+1) != scoping {
		i++
	}
	return sig, i
}

// phpCode reads a declaration, a function or a class without a name, or goes on by
// one token.
func phpCode(s *codeScanner, i int) int {
	switch s.kind(i) {
	case '#', word:
	default:
		return i + 1
	}
	switch s.kind(i - 1) {
	case ';', '{', '}', ')', ':', 0:
		sig, j := s.phpHead(i)
		if next := s.phpDeclaration(i, sig, j); next > i {
			return next
		}
	}
	if s.kind(i-1) == '>' || s.kind(i-1) == scoping || s.kind(i-1) == thin {
		return i + 1
	}
	switch string(s.text(i)) {
	case "function", "fn":
		return s.phpClosure(i)
	case "class":
		if k := s.head(i, '{', ';'); s.kind(k) == '{' && s.kind(i+1) != '=' {
			s.inner(s.after(k), members)
			return k + 1
		}
	}
	return i + 1
}

// phpClosure reads the function without a name whose keyword stands at i.
func (s *codeScanner) phpClosure(i int) int {
	limit := s.top().end
	k := s.head(i+1, '(', ';', '{')
	if s.kind(k) != '(' {
		return i + 1
	}
	k = s.head(s.after(k), '{', arrow, ';', ',')
	switch s.kind(k) {
	case '{':
		s.inBody(s.after(k))
	case arrow:
		s.inBody(s.valueEnd(k+1, limit))
	default:
		return i + 1
	}
	return k + 1
}

// phpDeclaration reads what is declared from i on by the keyword at j; 0 if nothing
// is.
func (s *codeScanner) phpDeclaration(i, sig, j int) int {
	if s.kind(j) != word {
		return 0
	}
	limit := s.top().end
	switch w := string(s.text(j)); w {
	case "namespace":
		return s.phpNamespace(j)
	case "use":
		return s.until(j, limit, ';') + 1
	case "const":
		if s.kind(j+1) == word {
			return s.phpVariables("const", i, sig, j+1)
		}
	case "function":
		return s.phpFunction(i, sig, j)
	case "class", "interface", "trait", "enum":
		open := s.head(j, '{', ';')
		if !s.isName(j+1) || s.kind(open) != '{' || s.kind(j+2) == '(' || s.kind(j+2) == '=' {
			return 0
		}
		s.define(defined{kind: phpTypes[w], name: s.name(j + 1), at: j + 1, from: i, sig: sig, body: open, end: s.after(open), local: true, box: true, mode: members})
		return open + 1
	}
	return 0
}

// phpNamespace reads both forms; what follows one without braces belongs to it, up
// to the next.
func (s *codeScanner) phpNamespace(j int) int {
	open := s.head(j, '{', ';')
	name := open - 1
	if !s.isName(name) || name <= j || s.kind(j+1) == '\\' {
		return 0
	}
	path := ""
	for k := j + 1; k < name; k += 2 {
		path = symbols.Join(path, s.name(k))
	}
	d := defined{kind: "namespace", name: s.name(name), path: path, at: j + 1, from: j, sig: j, body: open, end: len(s.toks), box: true, mode: code}
	if s.kind(open) == '{' {
		d.end = s.after(open)
	} else if len(s.open) > 1 && s.top().flag {
		s.At(s.top().sym).To = s.row(int(s.toks[j-1].at)) + 1
		s.open = s.open[:len(s.open)-1]
	}
	s.define(d)
	s.top().flag = s.kind(open) == ';'
	return open + 1
}

func (s *codeScanner) phpFunction(from, sig, j int) int {
	limit := s.top().end
	name := j + 1
	if s.kind(name) == '&' {
		name++
	}
	if !s.isName(name) || s.kind(name+1) != '(' {
		return 0
	}
	open := s.head(s.after(name+1), '{', ';')
	d := defined{kind: "func", name: s.name(name), at: name, from: from, sig: sig, body: -1, end: min(open+1, limit), local: true, mode: code}
	if s.kind(open) == '{' {
		d.body, d.end = open, s.after(open)
	}
	s.define(d)
	return open
}

// phpVariables opens a scope for the constants or properties from j on.
func (s *codeScanner) phpVariables(kind string, from, sig, j int) int {
	end := s.until(j, s.top().end, ';', '{')
	if s.kind(end) == '{' {
		end = s.after(end)
	}
	s.inner(end, declarators)
	t := s.top()
	t.kind, t.from, t.sig = kind, from, sig
	return j
}

// phpDeclarator reads the next name of constants or properties, and its value.
func phpDeclarator(s *codeScanner, i int) int {
	t := *s.top()
	k := s.until(i, t.end, '=', ',', '{')
	end := k
	if s.kind(k) != ',' {
		end = s.until(k, t.end, ',')
	}
	if s.kind(k) == '{' && t.kind == "field" { // hooks are not its value
		end = k
	}
	if k <= i || !s.isName(k-1) {
		return end + 1
	}
	s.define(defined{kind: t.kind, name: strings.TrimPrefix(s.name(k-1), "$"), at: k - 1, from: t.from, sig: t.sig, body: -1, end: end, mode: code})
	return k
}

// phpMember reads one member of a type.
func phpMember(s *codeScanner, i int) int {
	end := s.top().end
	sig, j := s.phpHead(i)
	switch {
	case s.kind(j) == ';' || j >= end || s.closes(j):
		return j + 1
	case s.is(j, "use"):
		k := s.until(j, end, ';', '{')
		return s.after(k)
	case s.is(j, "case"):
		return s.until(j, end, ';') + 1
	case s.is(j, "const"):
		return s.phpVariables("const", i, sig, j+1)
	case s.is(j, "function"):
		if next := s.phpFunction(i, sig, j); next > 0 {
			return next
		}
		return j + 1
	}
	return s.phpVariables("field", i, sig, j)
}
