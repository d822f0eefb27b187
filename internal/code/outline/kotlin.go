package outline

import "github.com/satchel-dev/satchel/internal/code/symbols"

// kotlinGrammar reads declarations where statements begin, in types as in bodies.
var kotlinGrammar = &grammarOf{
	backtick: true,
	breaks:   kotlinBreaks,
	file:     code,
	modes: map[mode]func(*codeScanner, int) int{
		code:      kotlinCode,
		members:   kotlinCode,
		constants: enumConstant,
	},
}

var (
	kotlinModifiers = setOf("public private protected internal open abstract final sealed data inner enum annotation inline value companion override lateinit tailrec operator infix external suspend const vararg noinline crossinline expect actual")

	// kotlinGoesOn are the words that a line begins or ends with inside of a
	// statement.
	kotlinGoesOn  = setOf("else as by catch finally where")
	kotlinExpects = setOf("else as by in is where")
)

// kotlinBreaks reports whether a statement ends before token i, the first on its
// line.
func kotlinBreaks(s *codeScanner, i int) bool {
	switch s.kind(i) {
	case '.', ')', ']', ',', '=', ':', operator, scoping, thin, '{':
		return false
	case '?':
		return s.kind(i+1) != '.' && s.kind(i+1) != ':'
	}
	if s.any(i, kotlinGoesOn) || s.any(i-1, kotlinExpects) {
		return false
	}
	switch s.kind(i - 1) {
	case '=', operator, '+', '-', '*', '/', '%', '.', ',', ':', '(', '[', '{', thin, '<', scoping:
		return false
	case '>':
		return s.toks[i-1].mate >= 0
	}
	return true
}

// kotlinAnnotation returns the index behind the annotation at i, or i.
func (s *codeScanner) kotlinAnnotation(i int) int {
	if s.kind(i) != '@' {
		return i
	}
	j := i + 1
	if s.kind(j) == word && s.kind(j+1) == ':' { // @get:…
		j += 2
	}
	if s.kind(j) == '[' {
		return s.after(j)
	}
	if s.kind(j) != word {
		return i
	}
	for j++; s.kind(j) == '.' && s.kind(j+1) == word; {
		j += 2
	}
	if s.kind(j) == '<' {
		j = s.after(j)
	}
	if s.kind(j) == '(' && s.toks[j].at == s.toks[j-1].end {
		j = s.after(j)
	}
	return j
}

// kotlinHead passes the annotations and modifiers from i on; the signature begins at
// sig, behind the annotations that come first.
func (s *codeScanner) kotlinHead(i int) (sig, next int) {
	sig = i
	leading := true
	for {
		if j := s.kotlinAnnotation(i); j > i {
			if i = j; leading {
				sig = i
			}
			continue
		}
		if !s.any(i, kotlinModifiers) {
			return sig, i
		}
		leading = false
		i++
	}
}

// kotlinCode reads a declaration, or goes on by one token.
func kotlinCode(s *codeScanner, i int) int {
	switch s.kind(i) {
	case '{':
		s.inBody(s.after(i))
		return i + 1
	case '@', word:
		if s.kind(i) == '@' && s.is(i+1, "file") {
			return s.kotlinAnnotation(i)
		}
	default:
		return i + 1
	}
	if s.is(i, "object") && (s.kind(i+1) == ':' || s.kind(i+1) == '{') {
		return s.kotlinObject(i)
	}
	if !s.begins(i) {
		if s.is(i, "fun") {
			return s.kotlinFunction(i, i, i)
		}
		return i + 1
	}
	sig, j := s.kotlinHead(i)
	if next := s.kotlinDeclaration(i, sig, j); next > i {
		return next
	}
	return max(i+1, j)
}

// kotlinDeclaration reads what is declared from i on by the keyword at j; 0 if
// nothing is.
func (s *codeScanner) kotlinDeclaration(i, sig, j int) int {
	if s.kind(j) != word {
		return 0
	}
	limit := s.top().end
	switch string(s.text(j)) {
	case "package", "import":
		k := j + 1
		for k < limit && !s.toks[k].first && s.kind(k) != ';' {
			k++
		}
		return k
	case "class", "interface":
		return s.kotlinType(i, sig, j)
	case "fun":
		if s.is(j+1, "interface") {
			return s.kotlinType(i, sig, j+1)
		}
		return s.kotlinFunction(i, sig, j)
	case "object":
		return s.kotlinNamedObject(i, sig, j)
	case "typealias":
		if s.isName(j + 1) {
			s.define(defined{kind: "type", name: s.name(j + 1), at: j + 1, from: i, sig: sig, body: -1, end: s.statementEnd(j+1, limit), mode: code})
			return j + 1
		}
	case "val", "var":
		return s.kotlinProperty(i, sig, j)
	case "constructor":
		if s.kind(j+1) == '(' && s.top().typ {
			d := defined{kind: "method", name: "constructor", at: j, line: i + 1, from: i, sig: sig, body: -1}
			open, end := s.kotlinHeader(s.after(j + 1))
			if d.end = end; open >= 0 {
				d.body = open
			}
			s.define(d)
			return j + 1
		}
	}
	return 0
}

// kotlinType reads the class or interface whose keyword stands at j.
func (s *codeScanner) kotlinType(from, sig, j int) int {
	name := j + 1
	if !s.isName(name) {
		return 0
	}
	kind := "class"
	for k := from; k <= j; k++ {
		if s.is(k, "interface") || s.is(k, "enum") {
			kind = s.name(k)
		}
	}
	open, end := s.kotlinHeader(name + 1)
	d := defined{kind: kind, name: s.name(name), at: name, from: from, sig: sig, body: -1, end: end, local: true, box: true, mode: members}
	if kind == "enum" {
		d.mode = constants
	}
	if open >= 0 {
		d.body = open
	}
	s.define(d)
	if open < 0 {
		return end
	}
	return open + 1
}

// kotlinHeader returns where the body of a type opens, -1 if it has none, and where
// the type ends; i is behind the name.
func (s *codeScanner) kotlinHeader(i int) (open, end int) {
	limit := s.top().end
	object := false // as in: by object : T { … }
	for k := i; ; k = s.after(k) {
		switch {
		case k >= limit || s.closes(k) || s.kind(k) == ';' || s.kind(k) == '=':
			return -1, min(k, limit)
		case s.kind(k) == '{' && !object:
			return k, s.after(k)
		case s.toks[k].first && s.kotlinEnds(k):
			return -1, k
		}
		if j := s.kotlinAnnotation(k); j > k && j < limit { // of a supertype, perhaps on a line of its own
			k = j
		}
		if s.is(k, "object") {
			object = true
		} else if s.kind(k) == '{' {
			object = false
		}
	}
}

// kotlinEnds is kotlinBreaks in the head of a type, where constructor and where go on.
func (s *codeScanner) kotlinEnds(k int) bool {
	return kotlinBreaks(s, k) && s.kind(k) != '(' && !s.is(k, "constructor") && !(s.kind(k) == '@' && s.is(s.kotlinAnnotation(k), "constructor"))
}

// kotlinNamedObject reads an object declaration, or a companion, whose members are
// those of the class, below its name if it has one.
func (s *codeScanner) kotlinNamedObject(from, sig, j int) int {
	companion := false
	for k := from; k < j; k++ {
		companion = companion || s.is(k, "companion")
	}
	name, i := "", j+1
	if s.isName(i) && (!companion || !s.toks[i].first) {
		name = s.name(i)
		i++
	}
	open, end := s.kotlinHeader(i)
	if companion {
		if open < 0 {
			return end
		}
		t := *s.top()
		s.push(scope{end: end, sym: t.sym, path: symbols.Join(t.path, name), typ: true, mode: members})
		return open + 1
	}
	if name == "" {
		return 0
	}
	s.define(defined{kind: "object", name: name, at: j + 1, from: from, sig: sig, body: open, end: end, local: true, box: true, mode: members})
	if open < 0 {
		return end
	}
	return open + 1
}

// kotlinObject reads object : T { … }, whose members are those of what encloses it.
func (s *codeScanner) kotlinObject(i int) int {
	open, end := s.kotlinHeader(i + 1)
	if open < 0 {
		return i + 1
	}
	s.inner(end, members)
	return open + 1
}

// kotlinFunction reads the function whose keyword stands at j.
func (s *codeScanner) kotlinFunction(from, sig, j int) int {
	limit := s.top().end
	k := j + 1
	for k < limit && !(s.kind(k) == '(' && s.kind(s.after(k)) != '.' && s.kind(s.after(k)) != '?' && s.kind(s.after(k)) != thin) {
		if s.closes(k) || s.kind(k) == ';' || s.kind(k) == '=' || s.kind(k) == '{' || k > j+maxHead {
			return j + 1
		}
		k = s.after(k)
	}
	if k >= limit {
		return j + 1
	}
	d := defined{kind: "func", at: k - 1, from: from, sig: sig, body: -1, local: true, mode: code}
	i := s.after(k)
	for ; ; i = s.after(i) {
		if i >= limit || s.closes(i) || s.kind(i) == ';' || s.kind(i) == ',' || s.toks[i].first && kotlinBreaks(s, i) {
			d.end = min(i, limit)
			break
		}
		if s.kind(i) == '{' {
			d.body, d.end = i, s.after(i)
			break
		}
		if s.kind(i) == '=' {
			d.body, d.end = i, s.kotlinValueEnd(i+1, limit)
			break
		}
	}
	if !s.isName(k-1) || k-1 == j { // fun(x) { … }
		s.inBody(d.end)
		return k
	}
	d.name = s.name(k - 1)
	s.define(d)
	return i // the parameters hold no definitions
}

// kotlinProperty reads the property whose keyword stands at j, with its accessors.
func (s *codeScanner) kotlinProperty(from, sig, j int) int {
	limit := s.top().end
	if s.top().body || s.kind(j+1) == '(' {
		return j + 1
	}
	name, k := -1, j+1
	for k < limit && !s.closes(k) {
		if c := s.kind(k); c == ':' || c == '=' || c == ';' || s.is(k, "by") || s.is(k, "get") && name >= 0 || s.is(k, "set") && name >= 0 {
			break
		}
		if k > j+1 && s.toks[k].first && kotlinBreaks(s, k) {
			break
		}
		if s.kind(k) == word {
			name = k
		}
		k = s.after(k)
	}
	if name < 0 {
		return j + 1
	}
	d := defined{kind: "property", name: s.name(name), at: name, from: from, sig: sig, body: -1, mode: code}
	for i := from; i < j; i++ {
		if s.is(i, "const") {
			d.kind = "const"
		}
	}
	d.end = s.kotlinInitial(k, limit, &d.body)
	for {
		end := s.kotlinAccessor(d.end, limit)
		if end == 0 {
			break
		}
		if d.body < 0 {
			d.body = d.end
			if s.kind(d.end) == ';' {
				d.body++
			}
		}
		d.end = end
	}
	s.define(d)
	return name + 1
}

// kotlinInitial returns the end of the type and value of a property from k on; the
// signature ends before by, or before the accessors on the same line.
func (s *codeScanner) kotlinInitial(k, limit int, body *int) int {
	for k < limit && !s.closes(k) && s.kind(k) != ';' {
		if s.is(k, "by") {
			*body = k
			return s.kotlinValueEnd(k+1, limit)
		}
		if s.kind(k) == '=' {
			return s.kotlinValueEnd(k+1, limit)
		}
		if s.toks[k].first && kotlinBreaks(s, k) || s.is(k, "get") && s.kind(k+1) == '(' {
			return k
		}
		k = s.after(k)
	}
	return min(k, limit)
}

// kotlinValueEnd returns the end of the value that begins at i: among statements, only
// the supertypes of an object have commas.
func (s *codeScanner) kotlinValueEnd(i, limit int) int {
	if i < limit {
		if up := s.toks[i].up; up < 0 || s.toks[up].kind == '{' {
			return s.statementEnd(i, limit)
		}
	}
	return s.valueEnd(i, limit)
}

// kotlinAccessor returns the end of the getter or setter that begins at i; 0 if
// none does.
func (s *codeScanner) kotlinAccessor(i, limit int) int {
	if s.kind(i) == ';' {
		i++
	}
	_, j := s.kotlinHead(i)
	if !s.is(j, "get") && !s.is(j, "set") || j >= limit {
		return 0
	}
	k := j + 1
	if s.kind(k) != '(' {
		if k < limit && !s.toks[k].first && !s.closes(k) && s.kind(k) != ';' {
			return 0
		}
		return k
	}
	for k = s.after(k); k < limit && !s.closes(k) && s.kind(k) != ';'; k = s.after(k) {
		if s.kind(k) == '{' {
			return s.after(k)
		}
		if s.kind(k) == '=' {
			return s.kotlinValueEnd(k+1, limit)
		}
		if s.toks[k].first && kotlinBreaks(s, k) {
			break
		}
	}
	return min(k, limit)
}
