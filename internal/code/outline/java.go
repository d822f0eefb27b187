package outline

// javaGrammar reads types, their members, and the types and lambdas in bodies and
// initial values.
var javaGrammar = &grammarOf{
	file: members,
	modes: map[mode]func(*codeScanner, int) int{
		members:     javaMember,
		declarators: javaDeclarator,
		constants:   enumConstant,
		code:        javaCode,
	},
}

var (
	javaTypes = keywords("class", "class", "interface", "interface", "enum", "enum", "record", "record")

	// javaModifiers stand before a declaration, in any order, among annotations.
	javaModifiers = setOf("public protected private static final abstract default native synchronized transient volatile strictfp sealed non")
)

// javaAnnotation returns the index behind the annotation at i, or i if there is
// none.
func (s *codeScanner) javaAnnotation(i int) int {
	if s.kind(i) != '@' || s.kind(i+1) != word || s.is(i+1, "interface") {
		return i
	}
	i += 2
	for s.kind(i) == '.' && s.kind(i+1) == word {
		i += 2
	}
	if s.kind(i) == '(' {
		i = s.after(i)
	}
	return i
}

// javaHead passes the annotations and modifiers from i on. The signature begins at
// sig, behind the annotations that come first.
func (s *codeScanner) javaHead(i int) (sig, next int, constant bool) {
	sig = i
	leading, static, final := true, false, false
	for {
		if j := s.javaAnnotation(i); j > i {
			if i = j; leading {
				sig = i
			}
			continue
		}
		if !s.any(i, javaModifiers) {
			return sig, i, static && final
		}
		leading = false
		static = static || s.is(i, "static")
		final = final || s.is(i, "final")
		if s.is(i, "non") && s.kind(i+1) == '-' { // non-sealed
			i += 2
		}
		i++
	}
}

// javaMember reads one declaration of a file or a type.
func javaMember(s *codeScanner, i int) int {
	end := s.top().end
	sig, j, constant := s.javaHead(i)
	switch {
	case s.kind(j) == ';' || j >= end:
		return j + 1
	case s.kind(j) == '{': // an initializer
		s.inBody(s.after(j))
		return j + 1
	case s.is(j, "package") || s.is(j, "import"):
		return s.until(j, end, ';') + 1
	}
	if next := s.javaType(i, sig, j); next > 0 {
		return next
	}
	name, k := -1, j
	for ; k < end && !s.closes(k); k = s.after(k) {
		switch s.kind(k) {
		case word:
			name = k
		case '(':
			if name < 0 {
				return k
			}
			return s.javaMethod(i, sig, name, k)
		case '{': // the compact constructor of a record
			if name < 0 || !s.top().typ {
				return s.after(k)
			}
			s.define(defined{kind: "func", name: s.name(name), at: name, from: i, sig: sig, body: k, end: s.after(k), local: true})
			return k + 1
		case '=', ';', ',':
			if name < 0 {
				return k + 1
			}
			return s.javaFields(i, sig, j, constant)
		}
	}
	return max(k, i+1)
}

// javaType reads the type whose keyword stands at k, if one does.
func (s *codeScanner) javaType(from, sig, k int) int {
	kind := javaTypes[string(s.text(k))]
	if s.kind(k) == '@' && s.is(k+1, "interface") {
		kind = "annotation"
		k++
	}
	name := k + 1
	if kind == "" || s.kind(k) != word || !s.isName(name) {
		return 0
	}
	if kind == "record" && s.kind(s.after(name)) != '(' && s.kind(name+1) != '(' && s.kind(name+1) != '<' {
		return 0
	}
	open := s.head(name, '{', ';')
	if s.kind(open) != '{' {
		return 0
	}
	m := members
	if kind == "enum" {
		m = constants
	}
	s.define(defined{kind: kind, name: s.name(name), at: name, from: from, sig: sig, body: open, end: s.after(open), local: true, box: true, mode: m})
	s.top().flag = kind == "interface" || kind == "annotation" // its fields are constants
	return open + 1
}

// javaMethod reads a method whose parameters open at k.
func (s *codeScanner) javaMethod(from, sig, name, k int) int {
	limit := s.top().end
	open := s.until(s.after(k), limit, '{', ';')
	d := defined{kind: "func", name: s.name(name), at: name, from: from, sig: sig, body: -1, end: min(open+1, limit), local: true}
	if s.kind(open) == '{' {
		d.body, d.end = open, s.after(open)
	}
	s.define(d)
	return k
}

// javaFields opens a scope for the fields of a declaration, whose type begins at j.
func (s *codeScanner) javaFields(from, sig, j int, constant bool) int {
	kind := "field"
	if constant || s.top().flag {
		kind = "const"
	}
	s.inner(s.until(j, s.top().end, ';'), declarators)
	t := s.top()
	t.kind, t.from, t.sig = kind, from, sig
	return j
}

// javaDeclarator reads the next name of a declaration of fields, and its value:
// up to a comma, which is followed by a further name.
func javaDeclarator(s *codeScanner, i int) int {
	t := *s.top()
	k := s.until(i, t.end, '=', ',')
	name := k - 1
	for name > i && s.kind(name) != word { // int a[] = …
		name--
	}
	end := k
	if s.kind(k) == '=' {
		end = s.until(k, t.end, ',')
	}
	if !s.isName(name) || end <= i {
		return end + 1
	}
	s.define(defined{kind: t.kind, name: s.name(name), at: name, from: t.from, sig: t.sig, body: -1, end: end})
	return k
}

// enumConstant passes the constants of an enum in Java or Kotlin. Some have members.
func enumConstant(s *codeScanner, i int) int {
	switch s.kind(i) {
	case ';':
		s.top().mode = members
	case '{':
		s.inner(s.after(i), members)
	case '(':
		s.inner(s.after(i), code)
	}
	return i + 1
}

// javaCode reads statements and expressions: what they define are types, and the
// members of classes without a name.
func javaCode(s *codeScanner, i int) int {
	switch s.kind(i) {
	case '{':
		if s.kind(i-1) == ')' && s.javaNew(i-1) {
			s.inner(s.after(i), members)
		} else {
			s.inBody(s.after(i))
		}
	case '@':
		sig, j, _ := s.javaHead(i)
		if next := s.javaType(i, sig, j); next > 0 {
			return next
		}
		return j
	case thin:
		if s.kind(i+1) != '{' {
			s.inBody(s.valueEnd(i+1, s.top().end))
		}
	case word:
		if !s.toks[i].first && s.kind(i-1) != '{' && s.kind(i-1) != ';' && s.kind(i-1) != '}' {
			return i + 1
		}
		if sig, j, _ := s.javaHead(i); javaTypes[string(s.text(j))] != "" && s.kind(i-1) != '.' {
			return max(s.javaType(i, sig, j), j)
		} else if j > i {
			return j
		}
	}
	return i + 1
}

// javaNew reports whether the brackets that close at i are the arguments of new
// T(…).
func (s *codeScanner) javaNew(i int) bool {
	for i = int(s.toks[i].mate) - 1; i > 0; i-- {
		switch s.kind(i) {
		case '>':
			if s.toks[i].mate < 0 {
				return false
			}
			i = int(s.toks[i].mate)
		case word:
			if s.is(i, "new") {
				return true
			}
			if k := s.kind(i - 1); k != '.' && !s.is(i-1, "new") && k != ')' && k != word {
				return false
			}
		case '.', '@':
		default:
			return false
		}
	}
	return false
}
