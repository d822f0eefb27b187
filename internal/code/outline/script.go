package outline

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// scriptGrammar reads JavaScript and TypeScript with their JSX: declarations where
// statements begin, and functions, classes and objects wherever they are values.
var scriptGrammar = &grammarOf{
	begins: "#",
	breaks: scriptBreaks,
	file:   code,
	modes: map[mode]func(*codeScanner, int) int{
		code:        scriptCode,
		members:     scriptMember,
		object:      objectPair,
		signatures:  objectPair,
		declarators: scriptDeclarator,
	},
}

var (
	// scriptGoesOn are the words that a line begins with inside of a statement, and
	// scriptExpects those after which one goes on.
	scriptGoesOn  = setOf("in instanceof of as satisfies extends implements")
	scriptExpects = setOf("in instanceof of as satisfies extends implements typeof new void delete await yield else case const let var return throw async keyof readonly infer is")

	// scriptObjects are the words before a value, rather than a block.
	scriptObjects = setOf("return yield default in of await new typeof void throw case export import as satisfies extends delete")

	scriptHeads     = setOf("export default declare abstract async")
	scriptModifiers = setOf("public private protected static readonly abstract override async declare accessor get set")
)

// scriptBreaks reports whether a semicolon is inserted before token i, the first on
// its line.
func scriptBreaks(s *codeScanner, i int) bool {
	switch s.kind(i) {
	case '.', '(', '[', ',', ';', ')', ']', '}', '+', '-', '*', '/', '%', '=', '?', ':', '<', '>', '&', '|', '^', operator, arrow:
		return false
	case literal:
		if s.masked[s.toks[i].at] == '`' {
			return false
		}
	case '{':
		if s.kind(i-1) == ')' {
			return false
		}
	}
	if s.any(i, scriptGoesOn) || s.any(i-1, scriptExpects) && s.kind(i-2) != '.' && !s.is(i-2, "as") {
		return false
	}
	switch s.kind(i - 1) {
	case '=', operator, arrow, '+', '-', '*', '/', '%', '&', '|', '^', '~', '?', ':', ',', '.', '(', '[', '{':
		return false
	case '<', '>':
		return s.toks[i-1].mate >= 0
	}
	return true
}

// scriptStatement reports whether a statement begins at token i.
func (s *codeScanner) scriptStatement(i int) bool {
	if i == 0 {
		return true
	}
	if up := s.toks[i].up; up >= 0 && s.toks[up].kind != '{' {
		return false
	}
	switch s.kind(i - 1) {
	case ';', '{', '}', ')':
		return true
	case ':':
		return s.is(i-2, "default") || s.toks[i].first
	}
	return s.toks[i].first && scriptBreaks(s, i) || s.is(i-1, "else") || s.is(i-1, "do")
}

// scriptCode reads a declaration, a function, a class, an object or an assignment,
// or goes on by one token.
func scriptCode(s *codeScanner, i int) int {
	switch s.kind(i) {
	case '{':
		return s.scriptBrace(i)
	case '(':
		if at := s.scriptArrow(i); at > 0 {
			s.inBody(s.scriptArrowEnd(at))
			return at + 1
		}
	case arrow:
		s.inBody(s.scriptArrowEnd(i))
	case '=':
		return s.scriptAssignment(i)
	case '<':
		if i > 0 && s.kind(i-1) == word && s.toks[i].at == s.toks[i-1].end { // the arguments of a type
			return s.after(i)
		}
	case '@':
		j := s.scriptDecorators(i)
		if s.any(j, scriptDecorated) {
			return s.scriptDeclaration(i, j)
		}
		return j
	case word:
		if s.kind(i-1) == '.' || !s.any(i, scriptKeywords) {
			return i + 1
		}
		if s.scriptStatement(i) {
			return s.scriptDeclaration(i, i)
		}
		return s.scriptExpression(i)
	}
	return i + 1
}

var (
	scriptKeywords  = setOf("export default declare abstract async function class interface enum type namespace module const let var")
	scriptDecorated = setOf("export default declare abstract class")
)

// scriptDecorators returns the index behind the decorators at i.
func (s *codeScanner) scriptDecorators(i int) int {
	for s.kind(i) == '@' {
		i++
		if s.kind(i) == '(' {
			i = s.after(i)
			continue
		}
		for s.kind(i) == word {
			i++
			if s.kind(i) != '.' {
				break
			}
			i++
		}
		if s.kind(i) == '<' {
			i = s.after(i)
		}
		if s.kind(i) == '(' {
			i = s.after(i)
		}
	}
	return i
}

// scriptBrace opens what a brace holds: a block, or an object.
func (s *codeScanner) scriptBrace(i int) int {
	block := true
	switch s.kind(i - 1) {
	case '=', '(', '[', ',', '?', operator, '+', '-', '*', '!', '<', '>', '&', '|':
		block = false
	case ':':
		block = s.scriptCase(i - 1)
	case word:
		block = !s.any(i-1, scriptObjects) || s.kind(i-2) == '.'
	}
	if block {
		s.inBody(s.after(i))
	} else {
		s.inner(s.after(i), object)
	}
	return i + 1
}

// scriptCase reports whether the colon at i ends the label of a case, rather than
// standing before a value.
func (s *codeScanner) scriptCase(i int) bool {
	for k := i - 1; k >= 0 && k > i-32; k-- {
		if t := &s.toks[k]; t.mate >= 0 && t.mate < int32(k) {
			k = int(t.mate)
			continue
		}
		switch s.kind(k) {
		case '?', '{', '(', '[', ',':
			return false
		case ';', '}':
			return true
		}
		if s.is(k, "case") || s.is(k, "default") {
			return true
		}
	}
	return false
}

// scriptArrow returns the index of the => whose parameters open at i, or 0.
func (s *codeScanner) scriptArrow(i int) int {
	if s.kind(i) != '(' || s.toks[i].mate < 0 {
		return 0
	}
	k := s.after(i)
	if s.kind(k) == ':' && s.kind(i-1) != '?' {
		k = s.scriptType(k+1, true)
	}
	if s.kind(k) == arrow {
		return k
	}
	return 0
}

// scriptArrowEnd returns the end of the function whose => stands at i.
func (s *codeScanner) scriptArrowEnd(i int) int {
	if s.kind(i+1) == '{' {
		return s.after(i + 1)
	}
	return s.valueEnd(i+1, len(s.toks))
}

var (
	scriptTypeWords   = setOf("typeof keyof readonly unique infer asserts new abstract")
	scriptTypeInfixes = setOf("extends is")
)

// scriptType returns the index behind the type at i. A type may itself have an
// arrow, which ends it if it is that of a function's result.
func (s *codeScanner) scriptType(i int, result bool) int {
	operand, conditional := true, false
	for i < len(s.toks) {
		c := s.kind(i)
		switch {
		case operand && (c == '{' || c == '(' || c == '['):
			i = s.after(i)
			operand = false
			continue
		case operand && c == '<' && s.toks[i].mate >= 0:
			i = s.after(i)
			continue
		case operand && c == word:
			operand = s.any(i, scriptTypeWords) && s.kind(i+1) != ')' && s.kind(i+1) != ','
		case operand && c == literal:
			operand = false
		case operand && (c == '|' || c == '&' || c == '-'):
		case operand:
			return i
		case c == '<' && s.toks[i].mate >= 0 || c == '[' && !s.toks[i].first:
			i = s.after(i)
			continue
		case c == '.' || c == '|' || c == '&' || c == arrow && !result:
			operand = true
		case c == word && s.any(i, scriptTypeInfixes):
			operand = true
			conditional = conditional || s.is(i, "extends")
		case (c == '?' || c == ':') && conditional:
			operand = true
		default:
			return i
		}
		i++
	}
	return i
}

// scriptDeclaration reads the statement that begins at i with decorators up to sig;
// if it declares nothing, its first token.
func (s *codeScanner) scriptDeclaration(i, sig int) int {
	j := sig
	for s.any(j, scriptHeads) && !(j > sig && s.toks[j].first && s.is(j-1, "async")) {
		j++
	}
	if s.kind(j) != word || j > sig && s.kind(j-1) == '.' {
		return max(i+1, sig)
	}
	switch w := string(s.text(j)); w {
	case "function":
		return s.scriptFunction(i, sig, j)
	case "class":
		return s.scriptClass(i, sig, j)
	case "interface", "enum":
		if s.isName(j+1) && !s.toks[j+1].first {
			return s.scriptBox(i, sig, j, w)
		}
	case "namespace", "module":
		if s.isName(j+1) && !s.toks[j+1].first || s.kind(j+1) == literal {
			return s.scriptNamespace(i, sig, j, w)
		}
	case "type":
		if k := s.after(j + 2); s.isName(j+1) && (s.kind(j+2) == '=' || s.kind(j+2) == '<' && s.kind(k) == '=') {
			end := s.valueEnd(j+2, s.top().end)
			s.define(defined{kind: "type", name: s.name(j + 1), at: j + 1, from: i, sig: sig, body: -1, end: end, local: true, mode: code})
			return end
		}
	case "const", "let", "var":
		if w == "const" && s.is(j+1, "enum") {
			return s.scriptBox(i, sig, j+1, "enum")
		}
		return s.scriptVariables(i, sig, j)
	}
	return max(i+1, sig, j)
}

// scriptExpression reads a keyword in an expression.
func (s *codeScanner) scriptExpression(i int) int {
	switch string(s.text(i)) {
	case "function":
		if _, end, ok := s.scriptCallable(i + 1); ok {
			s.inBody(end)
			return s.scriptParameters(i+1) + 1
		}
	case "class":
		if open := s.scriptHeritage(i + 1); open > 0 {
			s.inner(s.after(open), members)
			return open + 1
		}
	case "const", "let", "var":
		if s.kind(i-1) != '(' {
			break
		}
		k := s.after(i + 1)
		if s.is(k, "of") || s.is(k, "in") {
			return k
		}
		return s.scriptVariables(i, i, i)
	}
	return i + 1
}

// scriptParameters returns the index behind the parameters that follow function at i.
func (s *codeScanner) scriptParameters(i int) int {
	for s.kind(i) == '*' || s.kind(i) == word || s.kind(i) == '<' && s.toks[i].mate >= 0 {
		i = s.after(i)
	}
	if s.kind(i) != '(' {
		return i
	}
	i = s.after(i)
	if s.kind(i) == ':' {
		i = s.scriptType(i+1, false)
	}
	return i
}

// scriptCallable returns the body of the function whose name or parameters begin at
// i, -1 if it has none, and its end.
func (s *codeScanner) scriptCallable(i int) (body, end int, ok bool) {
	k := s.scriptParameters(i)
	if s.kind(k-1) == '*' || k == i {
		return -1, i, false
	}
	if s.kind(k) == '{' {
		return k, s.after(k), true
	}
	return -1, k, s.kind(k) == ';' || s.closes(k) || k >= len(s.toks) || s.toks[k].first
}

func (s *codeScanner) scriptFunction(from, sig, j int) int {
	name := j + 1
	if s.kind(name) == '*' {
		name++
	}
	body, end, ok := s.scriptCallable(j + 1)
	if !ok {
		return j + 1
	}
	if !s.isName(name) {
		s.inBody(end)
	} else {
		s.define(defined{kind: "func", name: s.name(name), at: name, from: from, sig: sig, body: body, end: end, local: true})
	}
	if body < 0 {
		return end
	}
	return body + 1
}

// scriptHeritage returns where the body of a class opens; i is behind the keyword.
func (s *codeScanner) scriptHeritage(i int) int {
	for k := i; k < min(len(s.toks), i+maxHead) && !s.closes(k) && s.kind(k) != ';'; k = s.after(k) {
		if s.kind(k) == '{' && !s.is(k-1, "extends") {
			return k
		}
		if s.kind(k) == '=' || s.kind(k) == ':' {
			break
		}
	}
	return 0
}

func (s *codeScanner) scriptClass(from, sig, j int) int {
	open := s.scriptHeritage(j + 1)
	if open == 0 {
		return j + 1
	}
	if !s.isName(j+1) || s.is(j+1, "extends") || s.is(j+1, "implements") {
		s.inner(s.after(open), members)
		return open + 1
	}
	s.define(defined{kind: "class", name: s.name(j + 1), at: j + 1, from: from, sig: sig, body: open, end: s.after(open), local: true, box: true, mode: members})
	return open + 1
}

// scriptBox reads an interface or enum.
func (s *codeScanner) scriptBox(from, sig, j int, kind string) int {
	open := s.scriptHeritage(j + 1)
	if open == 0 {
		return j + 1
	}
	d := defined{kind: kind, name: s.name(j + 1), at: j + 1, from: from, sig: sig, body: open, end: s.after(open), local: true, box: true, mode: signatures}
	s.define(d)
	if kind == "enum" {
		return max(open+1, d.end-1)
	}
	return open + 1
}

func (s *codeScanner) scriptNamespace(from, sig, j int, kind string) int {
	open := j + 2
	for s.kind(open) == '.' {
		open += 2
	}
	d := defined{kind: kind, at: j + 1, from: from, sig: sig, body: -1, end: open, local: true, box: true, mode: code}
	if s.kind(open) == '{' {
		d.body, d.end = open, s.after(open)
	} else if s.kind(j+1) != literal {
		return j + 1
	}
	d.name = unquoted(string(s.src[s.toks[j+1].at:s.toks[open-1].end]))
	s.define(d)
	s.top().body = false
	return open + 1
}

// unquoted strips the quotes of a simple string.
func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// scriptVariables opens a scope for the declarators behind the keyword at j.
func (s *codeScanner) scriptVariables(from, sig, j int) int {
	kind := "var"
	if s.is(j, "const") {
		kind = "const"
	}
	s.inner(s.statementEnd(j+1, s.top().end), declarators)
	t := s.top()
	t.kind, t.from, t.sig = kind, from, sig
	return j + 1
}

// scriptDeclarator reads one name with its type and value.
func scriptDeclarator(s *codeScanner, i int) int {
	t := *s.top()
	if s.kind(i) == ',' {
		return i + 1
	}
	k := i + 1
	if !s.isName(i) {
		k = s.after(i)
	}
	if s.kind(k) == '!' {
		k++
	}
	if s.kind(k) == ':' {
		k = s.scriptType(k+1, false)
	}
	d := defined{kind: t.kind, name: s.name(i), at: i, from: t.from, sig: t.sig, body: -1, end: k, mode: code}
	if s.kind(k) != '=' || k >= t.end {
		if s.isName(i) {
			s.define(d)
		}
		return max(i+1, k)
	}
	d.end = s.valueEnd(k+1, t.end)
	if !s.isName(i) { // a pattern
		s.inner(d.end, code)
		return k + 1
	}
	return s.scriptValue(d, k+1)
}

// scriptValue defines what has the value that begins at v and ends with d.
func (s *codeScanner) scriptValue(d defined, v int) int {
	inner := s.valueOf(v, d.end)
	switch inner.kind {
	case aFunction:
		if s.top().body && s.rowOf(d.end-1) < s.rowOf(d.at)+2 { // a local one-liner
			s.inner(d.end, code)
			return v
		}
		d.kind, d.body, d.local = "func", s.functionBody(inner), true
	case aClass:
		d.kind, d.body, d.local, d.box = "class", inner.body, true, true
	case anObject:
		d.body, d.box = inner.from, true
	}
	d.mode = code
	s.define(d)
	return v
}

// rowOf returns the row on which token i ends.
func (s *codeScanner) rowOf(i int) int { return s.row(int(s.toks[min(i, len(s.toks)-1)].end) - 1) }

// A value is an expression, as far as it matters what it is.
type value struct {
	kind      valueKind
	from, end int
	body      int // of a function or class: the token where it begins
}

type valueKind int

const (
	anExpression valueKind = iota
	aFunction
	aClass
	anObject
	aCall
)

// functionBody returns the token before which the signature of a function ends: a
// block, or an expression that is not all on the function's line; else -1.
func (s *codeScanner) functionBody(f value) int {
	if s.kind(f.body) == '{' && s.after(f.body) == f.end || s.rowOf(f.end-1) > s.row(int(s.toks[f.from].at)) {
		return f.body
	}
	return -1
}

// valueOf looks through calls that wrap a function or class: memo(() => …),
// forwardRef(function …).
func (s *codeScanner) valueOf(i, end int) value {
	v := s.value(i, end)
	for range 3 {
		if v.kind != aCall || !s.wraps(v) {
			break
		}
		inner, ok := s.argument(v)
		if !ok {
			break
		}
		v = inner
	}
	return v
}

// argument returns the first argument of a call that is a function, a class or a
// call.
func (s *codeScanner) argument(call value) (v value, ok bool) {
	last := call.end - 1
	for k := int(s.toks[last].mate) + 1; k < last; k++ {
		end := s.valueEnd(k, last)
		if v := s.value(k, end); v.kind == aFunction || v.kind == aClass || v.kind == aCall {
			return v, true
		}
		k = end
	}
	return v, false
}

// wraps reports whether a call gives a function that stands for its argument:
// memo(…), React.forwardRef(…), useCallback(…), but not xs.map(…).
func (s *codeScanner) wraps(call value) bool {
	open := s.callee(call)
	local := s.top().body
	name := string(s.masked[s.toks[call.from].at:s.toks[open-1].end])
	switch {
	case open == call.from+1:
		if local {
			return strings.HasPrefix(name, "use") || name == "debounce" || name == "throttle"
		}
		return name != "setTimeout" && name != "setInterval" && name != "require"
	case s.kind(open-1) == word:
		return name[0] >= 'A' && name[0] <= 'Z' && !strings.HasPrefix(name, "Array.") && !strings.HasPrefix(name, "Object.") && !strings.HasPrefix(name, "Promise.")
	case s.kind(open-1) == ')':
		return !local // connect(…)(Component)
	}
	return false
}

// callee returns the index behind what a call calls.
func (s *codeScanner) callee(call value) int {
	open := int(s.toks[call.end-1].mate)
	if s.kind(open-1) == '>' && s.toks[open-1].mate > int32(call.from) {
		open = int(s.toks[open-1].mate)
	}
	return open
}

var scriptPrefixes = setOf("await new typeof void delete yield throw")

// value says what the expression from i to end is.
func (s *codeScanner) value(i, end int) value {
	for i < end && s.kind(i) == '(' && s.scriptArrow(i) == 0 { // (…), and a = (…) as T
		if k := s.after(i); k != end && !s.is(k, "as") && !s.is(k, "satisfies") {
			break
		}
		end = s.after(i) - 1
		i++
	}
	v := value{from: i, end: end}
	if i >= end {
		return v
	}
	k := i
	if s.is(k, "async") && !s.toks[min(k+1, len(s.toks)-1)].first {
		k++
	}
	switch {
	case s.is(k, "function"):
		if body, to, ok := s.scriptCallable(k + 1); ok && body >= 0 && to == end {
			v.kind, v.body = aFunction, body
		}
		return v
	case s.kind(k) == word && s.kind(k+1) == arrow:
		v.kind, v.body = aFunction, k+2
		return v
	case s.kind(k) == '<' && s.toks[k].mate >= 0:
		if at := s.scriptArrow(s.after(k)); at > 0 {
			v.kind, v.body = aFunction, at+1
		}
		return v
	case s.scriptArrow(k) > 0:
		v.kind, v.body = aFunction, s.scriptArrow(k)+1
		return v
	case s.is(i, "class"):
		if open := s.scriptHeritage(i + 1); open > 0 && s.after(open) == end {
			v.kind, v.body = aClass, open
		}
		return v
	case s.kind(i) == '{':
		if k := s.after(i); k == end || s.is(k, "as") || s.is(k, "satisfies") {
			v.kind = anObject
		}
		return v
	}
	return s.call(v)
}

// call says whether v is a chain of names and calls that ends in a call.
func (s *codeScanner) call(v value) value {
	if s.kind(v.from) != word || s.any(v.from, scriptPrefixes) {
		return v
	}
	for k := v.from + 1; k < v.end; k = s.after(k) {
		switch s.kind(k) {
		case '.', '(', '[', '!', '?':
		case '<':
			if s.toks[k].mate < 0 {
				return v
			}
		case literal:
		case word:
			if s.is(k, "as") || s.is(k, "satisfies") {
				v.end = k
				if s.kind(k-1) == ')' {
					v.kind = aCall
				}
				return v
			}
			if s.kind(k-1) != '.' {
				return v
			}
		default:
			return v
		}
	}
	if s.kind(v.end-1) == ')' && s.toks[v.end-1].mate > int32(v.from) {
		v.kind = aCall
	}
	return v
}

// scriptAssignment makes symbols of exports.f = …, A.prototype.m = function … and
// f = function …
func (s *codeScanner) scriptAssignment(i int) int {
	at := i - 1
	if !s.isName(at) || s.kind(at-1) == ':' || s.kind(at-1) == '?' {
		return i + 1
	}
	first := at
	for s.kind(first-1) == '.' && s.kind(first-2) == word {
		first -= 2
	}
	if s.kind(first-1) == '.' {
		return i + 1
	}
	path := ""
	if first < at {
		path = string(s.masked[s.toks[first].at:s.toks[at-2].end])
	}
	name := s.name(at)
	exported := path == "exports" || path == "module.exports"
	if exported || path == "module" && name == "exports" || path == "this" {
		path = ""
	}
	path = strings.TrimSuffix(path, ".prototype")
	if strings.ContainsAny(path, " \n") {
		return i + 1
	}
	end := s.valueEnd(i+1, s.top().end)
	d := defined{name: name, at: at, path: path, from: s.outermost(first), body: -1, end: end, mode: code}
	d.sig = d.from
	v := s.valueOf(i+1, end)
	switch {
	case v.kind == aFunction && name != "exports":
		if s.top().body && s.rowOf(end-1) < s.rowOf(first)+2 {
			return i + 1
		}
		d.kind, d.body, d.local = "func", s.functionBody(v), true
		s.define(d)
	case v.kind == aClass && name != "exports":
		d.kind, d.body, d.local, d.box = "class", v.body, true, true
		s.define(d)
	case v.kind == anObject && !s.top().body && (name == "exports" || name == "prototype"):
		t := *s.top()
		s.push(scope{end: end, sym: t.sym, path: symbols.Join(t.path, path), typ: true, mode: code})
	case exported && !s.assigns(i+1, end):
		d.kind = "var"
		s.define(d)
	}
	return i + 1
}

// outermost returns the first token of a = b = c = …, whose last left side begins
// at i.
func (s *codeScanner) outermost(i int) int {
	for range 8 {
		k := i - 1
		if s.kind(k) != '=' || s.kind(k-1) != word {
			break
		}
		for k--; s.kind(k-1) == '.' && s.kind(k-2) == word; {
			k -= 2
		}
		if s.top().mode == declarators || s.any(k-1, scriptKeywords) {
			break // the name of a declaration
		}
		i = k
	}
	return i
}

// assigns reports whether the value from i to end is again an assignment.
func (s *codeScanner) assigns(i, end int) bool {
	for ; i < end && (s.kind(i) == word || s.kind(i) == '.' || s.kind(i) == '['); i = s.after(i) {
	}
	return i < end && s.kind(i) == '='
}

// scriptKey returns the name that a member or pair begins with, and the index
// behind it; an empty name if it is computed, and 0 if there is none.
func (s *codeScanner) scriptKey(i int) (name string, next int) {
	switch s.kind(i) {
	case word:
		return s.name(i), i + 1
	case literal:
		return unquoted(s.name(i)), i + 1
	case '[':
		return "", s.after(i)
	}
	return "", 0
}

// scriptModified passes modifiers from i on: words that are followed by a further
// name.
func (s *codeScanner) scriptModified(i int) int {
	for {
		if s.kind(i) == '*' {
			i++
			continue
		}
		if !s.any(i, scriptModifiers) {
			return i
		}
		switch s.kind(i + 1) {
		case word, literal, '[', '*':
			if s.toks[i+1].first && !s.is(i, "static") && s.kind(i+1) == word && !s.any(i, setStatic) {
				return i
			}
			i++
		case '{':
			if s.is(i, "static") {
				return i + 1
			}
			return i
		default:
			return i
		}
	}
}

var setStatic = setOf("public private protected readonly abstract override declare")

// scriptMember reads one member of a class.
func scriptMember(s *codeScanner, i int) int {
	end := s.top().end
	sig := s.scriptDecorators(i)
	j := s.scriptModified(sig)
	if s.kind(j) == '{' { // static
		s.inBody(s.after(j))
		return j + 1
	}
	name, k := s.scriptKey(j)
	if k == 0 || j >= end {
		return max(i+1, sig)
	}
	if s.kind(k) == '?' || s.kind(k) == '!' {
		k++
	}
	if s.kind(k) == '<' && s.toks[k].mate >= 0 {
		k = s.after(k)
	}
	if s.kind(k) == '(' {
		return s.scriptMethod(i, sig, j, k, name)
	}
	if s.kind(k) == ':' {
		k = s.scriptType(k+1, false)
	}
	d := defined{kind: "field", name: name, at: j, from: i, sig: sig, body: -1, end: k, mode: code}
	if s.kind(k) != '=' {
		if s.kind(k) != ';' && !s.closes(k) && k < end && !s.toks[k].first {
			return k
		}
		if name != "" {
			s.define(d)
		}
		return k
	}
	d.end = s.valueEnd(k+1, end)
	if name == "" {
		s.inner(d.end, code)
		return k + 1
	}
	if v := s.value(k+1, d.end); v.kind == aFunction {
		d.kind, d.body, d.local = "method", s.functionBody(v), true
	}
	s.define(d)
	return k + 1
}

// scriptMethod reads the method whose parameters open at k.
func (s *codeScanner) scriptMethod(from, sig, at, k int, name string) int {
	k = s.after(k)
	if s.kind(k) == ':' {
		k = s.scriptType(k+1, false)
	}
	d := defined{kind: "method", name: name, at: at, from: from, sig: sig, body: -1, end: k, local: true}
	if s.kind(k) == '{' {
		d.body, d.end = k, s.after(k)
		k++
	}
	if name == "" { // computed
		s.inBody(d.end)
	} else {
		s.define(d)
	}
	return k
}

// objectPair reads one pair or method of an object, or one member of an interface or
// of an object's type; where there is neither, an expression (JSX has such braces).
func objectPair(s *codeScanner, i int) int {
	t := *s.top()
	typed := t.mode == signatures
	switch s.kind(i) {
	case ',', ';', '}', ')', ']':
		return i + 1
	}
	j := s.scriptModified(i)
	name, k := s.scriptKey(j)
	if k > 0 && s.kind(k) == '?' && typed {
		k++
	}
	open := k
	if k > 0 && s.kind(k) == '<' && s.toks[k].mate >= 0 {
		open = s.after(k)
	}
	switch {
	case k > 0 && s.kind(open) == '(':
		if next := s.scriptObjectMethod(i, j, open, name, typed); next > 0 {
			return next
		}
	case k > 0 && s.kind(k) == ':' && typed:
		if s.kind(k+1) == '{' {
			s.inner(s.after(k+1), signatures)
			return k + 2
		}
		return s.scriptType(k+1, false)
	case k > 0 && s.kind(k) == ':':
		end := s.valueEnd(k+1, t.end)
		v := s.value(k+1, end)
		if v.kind != aFunction || s.kind(j) != word || !s.isName(j) || v.from != k+1 || t.body && s.rowOf(end-1) < s.rowOf(j)+2 {
			s.inner(end, code)
			return k + 1
		}
		s.define(defined{kind: "method", name: name, at: j, from: i, sig: i, body: s.functionBody(v), end: end, local: true, mode: code})
		return k + 1
	}
	s.inner(max(i+1, s.valueEnd(i, t.end)), code)
	return scriptCode(s, i)
}

// scriptObjectMethod reads a method whose parameters open at k, or the signature of
// one; 0 if it is a call.
func (s *codeScanner) scriptObjectMethod(i, j, k int, name string, typed bool) int {
	if s.is(j, "new") && typed || s.is(j, "function") {
		return 0
	}
	next := s.after(k)
	if s.kind(next) == ':' {
		next = s.scriptType(next+1, false)
	}
	if s.kind(next) == '{' && !typed || typed && (s.kind(next) == ';' || s.kind(next) == ',' || s.closes(next) || s.toks[min(next, len(s.toks)-1)].first) {
		return s.scriptMethod(i, i, j, k, name)
	}
	return 0
}
