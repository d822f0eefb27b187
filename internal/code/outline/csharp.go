package outline

import "github.com/satchel-dev/satchel/internal/code/symbols"

// csharpGrammar reads namespaces, types, their members, and the local functions of
// bodies.
var csharpGrammar = &grammarOf{
	file: members,
	modes: map[mode]func(*codeScanner, int) int{
		members:     csharpMember,
		declarators: javaDeclarator,
		code:        csharpCode,
	},
}

var (
	csharpTypes = keywords("class", "class", "struct", "struct", "interface", "interface", "enum", "enum", "record", "record")

	csharpModifiers = setOf("public private protected internal static readonly const virtual override abstract sealed async extern unsafe new partial required volatile file ref fixed scoped global")

	// csharpControl are words that a statement begins with, not a local function.
	csharpControl = setOf("await return new throw else case in goto yield using lock is as if for foreach while switch do try catch finally when var out checked unchecked typeof nameof default base this from where select let orderby")
)

// csharpHead passes the attributes and modifiers from i on. The signature begins at
// sig, behind the attributes.
func (s *codeScanner) csharpHead(i int) (sig, next int, constant bool) {
	for s.kind(i) == '[' && s.toks[i].mate > 0 {
		i = s.after(i)
	}
	sig = i
	for s.any(i, csharpModifiers) {
		constant = constant || s.is(i, "const")
		i++
	}
	return sig, i, constant
}

// csharpMember reads one declaration of a file, a namespace or a type.
func csharpMember(s *codeScanner, i int) int {
	end := s.top().end
	sig, j, constant := s.csharpHead(i)
	switch {
	case j >= end || s.kind(j) == ';':
		return j + 1
	case s.kind(i) == '[' && (s.is(i+1, "assembly") || s.is(i+1, "module")) && s.kind(i+2) == ':':
		return s.after(i)
	case s.is(j, "using") && !s.top().typ, s.is(j, "extern") && s.is(j+1, "alias"):
		return s.until(j, end, ';') + 1
	case s.is(j, "namespace"):
		return s.csharpNamespace(i, j)
	}
	if next := s.csharpType(i, sig, j); next > 0 {
		return next
	}
	if !s.top().typ {
		return csharpCode(s, i)
	}
	if s.is(j, "event") {
		return s.csharpEvent(i, sig, j)
	}
	name, k := -1, j
	for ; k < end && !s.closes(k); k = s.after(k) {
		switch s.kind(k) {
		case word:
			if s.is(k, "operator") {
				return s.csharpOperator(i, sig, k)
			}
			if s.is(k, "this") && s.kind(k+1) == '[' {
				return s.csharpProperty(defined{kind: "func", name: "this[]", at: k, line: i + 1, from: i, sig: sig, local: true}, s.after(k+1))
			}
			name = k
		case '(':
			if name >= 0 && k > 0 && (k-1 == name || s.kind(k-1) == '>') {
				return s.csharpMethod(i, sig, name, k)
			}
		case '{', arrow:
			if name < 0 {
				return s.after(k)
			}
			return s.csharpProperty(defined{kind: "property", name: s.name(name), at: name, from: i, sig: sig}, k)
		case '=', ';', ',':
			if name < 0 {
				return k + 1
			}
			s.javaFields(i, sig, j, constant)
			return j
		}
	}
	return max(k, i+1)
}

// csharpNamespace reads both forms; the members of one without braces reach to the
// end of the file.
func (s *codeScanner) csharpNamespace(from, k int) int {
	open := s.until(k, s.top().end, '{', ';')
	name := open - 1
	if !s.isName(name) || name <= k {
		return open + 1
	}
	path := ""
	for j := k + 1; j < name; j += 2 {
		path = symbols.Join(path, s.name(j))
	}
	d := defined{kind: "namespace", name: s.name(name), path: path, at: k + 1, from: from, sig: from, body: open, end: s.top().end, box: true, mode: members}
	if s.kind(open) == '{' {
		d.end = s.after(open)
	}
	s.define(d)
	return open + 1
}

// csharpType reads the type or delegate whose keyword stands at k, if one does.
func (s *codeScanner) csharpType(from, sig, k int) int {
	limit := s.top().end
	if s.is(k, "delegate") {
		open := s.head(k, '(', ';')
		name := open - 1
		if s.kind(name) == '>' && s.toks[name].mate > 0 {
			name = int(s.toks[name].mate) - 1
		}
		if s.kind(open) != '(' || name <= k {
			return 0
		}
		end := s.until(open, limit, ';')
		s.define(defined{kind: "type", name: s.name(name), at: name, from: from, sig: sig, body: -1, end: end + 1})
		return open
	}
	kind := csharpTypes[string(s.text(k))]
	if kind == "" || s.kind(k) != word {
		return 0
	}
	name := k + 1
	if kind == "record" && (s.is(name, "class") || s.is(name, "struct")) {
		name++
	}
	if !s.isName(name) || kind == "record" && s.kind(name+1) != '(' && s.kind(name+1) != '{' && s.kind(name+1) != '<' && s.kind(name+1) != ':' && s.kind(name+1) != ';' {
		return 0
	}
	open := s.head(name, '{', ';')
	d := defined{kind: kind, name: s.name(name), at: name, from: from, sig: sig, body: -1, end: min(open+1, limit), local: true, box: true, mode: members}
	if s.kind(open) == '{' {
		d.body, d.end = open, s.after(open)
	}
	s.define(d)
	if kind == "enum" && s.kind(open) == '{' {
		return max(open+1, d.end-1)
	}
	if s.kind(open) != '{' {
		return open
	}
	return open + 1
}

// csharpBody returns where a signature ends, and the whole: at braces, => or ;.
func (s *codeScanner) csharpBody(i int) (body, end int) {
	limit := s.top().end
	open := s.until(i, limit, '{', ';', arrow)
	switch s.kind(open) {
	case '{':
		return open, s.after(open)
	case arrow:
		return open, min(s.until(open, limit, ';')+1, limit)
	}
	return -1, min(open+1, limit)
}

func (s *codeScanner) csharpMethod(from, sig, name, k int) int {
	d := defined{kind: "func", name: s.name(name), at: name, from: from, sig: sig, local: true}
	if s.kind(k-1) == '>' && s.toks[k-1].mate < 0 {
		return k
	}
	if s.kind(name-1) == '~' {
		d.name = "~" + d.name
	}
	d.body, d.end = s.csharpBody(s.after(k))
	s.define(d)
	return k
}

// maxOperatorTokens bounds the type that a conversion is named by.
const maxOperatorTokens = 50

// csharpOperator reads an operator or a conversion, which is named at k.
func (s *codeScanner) csharpOperator(from, sig, k int) int {
	open := s.until(k+1, s.top().end, '(', '{', ';')
	name := ""
	for j := k + 1; j < min(open, k+maxOperatorTokens); j++ {
		name += s.name(j)
	}
	if isName(name) {
		name = " " + name
	}
	d := defined{kind: "func", name: "operator" + name, at: k, line: from + 1, from: from, sig: sig}
	d.body, d.end = s.csharpBody(open)
	s.define(d)
	return open
}

// csharpProperty reads what follows the name of a property at k: accessors or a
// value, and perhaps the first value.
func (s *codeScanner) csharpProperty(d defined, k int) int {
	d.body, d.end = s.csharpBody(k)
	if s.kind(k) == '{' && s.kind(d.end) == '=' {
		d.end = min(s.until(d.end, s.top().end, ';')+1, s.top().end)
	}
	s.define(d)
	s.top().body = true
	return k
}

// csharpEvent reads events with accessors, or several without.
func (s *codeScanner) csharpEvent(from, sig, k int) int {
	open := s.until(k, s.top().end, '{', ';', '=', ',')
	if s.kind(open) == '{' && s.isName(open-1) {
		return s.csharpProperty(defined{kind: "event", name: s.name(open - 1), at: open - 1, from: from, sig: sig}, open)
	}
	s.javaFields(from, sig, k+1, false)
	s.top().kind = "event"
	return k + 1
}

// csharpCode reads statements and expressions: what they define are local functions.
func csharpCode(s *codeScanner, i int) int {
	switch s.kind(i) {
	case '{':
		s.inBody(s.after(i))
	case arrow:
		if s.kind(i+1) != '{' {
			s.inBody(s.valueEnd(i+1, s.top().end))
		}
	case word, '(', '[':
		if k := s.kind(i - 1); i > 0 && k != '{' && k != '}' && k != ';' && k != ']' && !s.toks[i].first {
			return i + 1
		}
		sig, j, _ := s.csharpHead(i)
		if name, open := s.csharpLocal(j); name >= 0 {
			d := defined{kind: "func", name: s.name(name), at: name, from: i, sig: sig, local: true}
			d.body, d.end = s.csharpBody(s.after(open))
			s.define(d)
			return open
		}
		return max(i+1, j)
	}
	return i + 1
}

// maxLocal bounds the type and name of a local function, in tokens.
const maxLocal = 100

// csharpLocal returns the name of the local function that begins at i, and where
// its parameters open; -1 if none does.
func (s *codeScanner) csharpLocal(i int) (name, open int) {
	if s.any(i, csharpControl) || s.kind(i) != word && s.kind(i) != '(' {
		return -1, 0
	}
	name = -1
	for k := i; k < min(s.top().end, i+maxLocal); k = s.after(k) {
		switch s.kind(k) {
		case word:
			if s.any(k, csharpControl) {
				return -1, 0
			}
			name = k
		case '(':
			if k == i { // a tuple
				continue
			}
			typed := name > i && (s.kind(name-1) == word || s.kind(name-1) == '>' || s.kind(name-1) == '?' || s.kind(name-1) == ']' || s.kind(name-1) == ')' || s.kind(name-1) == '*')
			if !typed || k-1 != name && s.kind(k-1) != '>' {
				return -1, 0
			}
			next := s.after(k)
			if s.kind(next) == '{' || s.kind(next) == arrow || s.is(next, "where") {
				return name, k
			}
			return -1, 0
		case '.', '?', '[', '<', '>', '*', scoping:
		default:
			return -1, 0
		}
	}
	return -1, 0
}
