package outline

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
