package outline

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
	for range maxModifiers {
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
	return i
}

// maxModifiers is how many modifiers a member may have.
const maxModifiers = 20

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
