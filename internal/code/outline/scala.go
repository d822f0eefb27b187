package outline

// scalaGrammar reads declarations where statements begin, with braces as by
// indentation.
var scalaGrammar = &grammarOf{
	backtick: true,
	breaks:   scalaBreaks,
	file:     code,
	modes: map[mode]func(*codeScanner, int) int{
		code:    scalaCode,
		members: scalaCode,
	},
}

var (
	scalaModifiers = setOf("private protected override final sealed abstract implicit lazy inline open opaque transparent infix")

	// scalaGoesOn are the words that a line begins with inside of a statement, and
	// scalaExpects those after which one goes on.
	scalaGoesOn  = setOf("else catch finally extends with yield match then do derives")
	scalaExpects = setOf("else extends with yield match then do new return throw try if while for derives")
)

// scalaBreaks reports whether a statement ends before token i, the first on its
// line.
func scalaBreaks(s *codeScanner, i int) bool {
	switch s.kind(i) {
	case '.', ')', ']', '}', ',', '=', ':', '{', '+', '-', '*', '/', '|', '&', '<', '>', operator, arrow:
		return false
	}
	if s.any(i, scalaGoesOn) || s.any(i-1, scalaExpects) {
		return false
	}
	switch s.kind(i - 1) {
	case '=', '+', '-', '*', '/', '%', '|', '&', '.', ',', '(', '[', '{', '<', operator, arrow, thin:
		return false
	}
	return true
}

// column returns how far the line of token i is indented.
func (s *codeScanner) column(i int) int {
	at := int(s.toks[i].at)
	start := s.starts[s.row(at)]
	end := start
	for end < at && s.masked[end] <= ' ' {
		end++
	}
	return width(s.masked[start:end])
}

// indentedEnd returns the end of what begins at i, in a declaration whose line is
// indented by base: deeper lines belong to it, and as many others as breaks says.
func (s *codeScanner) indentedEnd(i, base, limit int) int {
	if i >= limit {
		return limit
	}
	up := s.toks[i].up
	if e, ok := s.ends[up]; ok && int(e.from) <= i && i < int(e.to) && int(e.base) == base {
		return min(int(e.to), limit)
	}
	j := i
	for j < len(s.toks) && !s.closes(j) && s.kind(j) != ';' {
		if j > i && s.toks[j].first && s.scalaEnds(i, j, base) {
			break
		}
		j = s.after(j)
	}
	s.ends[up] = reach{int32(i), int32(j), int32(base)}
	return min(j, limit)
}

// scalaEnds reports whether what began at i, in a line indented by base, ends before
// token j, the first on its line.
func (s *codeScanner) scalaEnds(i, j, base int) bool {
	if s.column(j) <= base {
		return s.toks[i].first || scalaBreaks(s, j)
	}
	return !s.toks[i].first && scalaBreaks(s, j) && (s.kind(j) == '@' || s.any(j, scalaModifiers) || s.any(j, scalaKeywords))
}

var scalaKeywords = setOf("def val var class object trait type case given")

// scalaHead passes the annotations and modifiers from i on; the signature begins at
// sig, behind the annotations.
func (s *codeScanner) scalaHead(i int) (sig, next int) {
	for s.kind(i) == '@' && s.kind(i+1) == word {
		for i += 2; s.kind(i) == '.' && s.kind(i+1) == word; {
			i += 2
		}
		if s.kind(i) == '[' {
			i = s.after(i)
		}
		if s.kind(i) == '(' && !s.toks[i].first {
			i = s.after(i)
		}
	}
	sig = i
	for s.any(i, scalaModifiers) || s.is(i, "case") && (s.is(i+1, "class") || s.is(i+1, "object")) {
		i++
		if s.kind(i) == '[' { // private[this]
			i = s.after(i)
		}
	}
	return sig, i
}

// scalaCode reads a declaration, or goes on by one token.
func scalaCode(s *codeScanner, i int) int {
	switch s.kind(i) {
	case '{':
		if s.is(i+1, "case") {
			s.inBody(s.after(i))
		}
		return i + 1
	case arrow:
		up := s.toks[i].up
		if up < 0 {
			return i + 1
		}
		end := s.top().end
		if s.toks[up].mate >= 0 {
			end = int(s.toks[up].mate)
		}
		if s.toks[up].kind != '{' {
			end = s.valueEnd(i+1, end)
		}
		s.inBody(end)
		return i + 1
	case '@', word:
	default:
		return i + 1
	}
	if !s.begins(i) || s.toks[i].up >= 0 && s.toks[s.toks[i].up].kind != '{' {
		return i + 1
	}
	sig, j := s.scalaHead(i)
	return max(i+1, j, s.scalaDeclaration(i, sig, j))
}

// scalaDeclaration reads what is declared from i on by the keyword at j; 0 if
// nothing is.
func (s *codeScanner) scalaDeclaration(i, sig, j int) int {
	if s.kind(j) != word {
		return 0
	}
	switch w := string(s.text(j)); w {
	case "import":
		return s.indentedEnd(j, s.column(j), s.top().end)
	case "package":
		if s.is(j+1, "object") {
			return s.scalaType(i, sig, j+1, "object")
		}
		k := j + 2
		for s.kind(k) == '.' {
			k += 2
		}
		return k
	case "class", "object", "trait", "enum":
		return s.scalaType(i, sig, j, w)
	case "def":
		return s.scalaFunction(i, sig, j)
	case "val":
		return s.scalaVariable(i, sig, j, "const")
	case "var":
		return s.scalaVariable(i, sig, j, "var")
	case "type":
		if s.isName(j + 1) {
			end := s.indentedEnd(j, s.column(i), s.top().end)
			s.define(defined{kind: "type", name: s.name(j + 1), at: j + 1, from: i, sig: sig, body: -1, end: end})
			return end
		}
	case "given":
		return s.scalaGiven(i, sig, j)
	}
	return 0
}

// scalaType reads the class, object, trait or enum whose keyword stands at j.
func (s *codeScanner) scalaType(from, sig, j int, kind string) int {
	name := j + 1
	if !s.isName(name) {
		return 0
	}
	base := s.column(from)
	open, end := s.scalaHeader(name+1, base)
	d := defined{kind: kind, name: s.name(name), at: name, from: from, sig: sig, body: open, end: end, local: true, box: true, mode: members}
	s.define(d)
	if open < 0 {
		return end
	}
	return s.scalaSelf(open+1, end)
}

// scalaSelf passes the name and type of this at the beginning of a body: self: A =>.
func (s *codeScanner) scalaSelf(i, end int) int {
	if !s.isName(i) || s.kind(i+1) != ':' && s.kind(i+1) != arrow {
		return i
	}
	for k := i + 1; k < end && !(s.toks[k].first && scalaBreaks(s, k)); k = s.after(k) {
		if s.kind(k) == arrow {
			return k + 1
		}
	}
	return i
}

// scalaHeader returns where the body of a type opens, with a brace or a colon at the
// end of a line, -1 if it has none, and where the type ends; i is behind the name.
func (s *codeScanner) scalaHeader(i, base int) (open, end int) {
	limit := s.top().end
	for k := i; ; k = s.after(k) {
		switch {
		case k >= limit || s.closes(k) || s.kind(k) == ';':
			return -1, min(k, limit)
		case s.kind(k) == '{':
			return k, s.after(k)
		case s.kind(k) == ':' && k+1 < limit && s.toks[k+1].first && s.column(k+1) > base:
			return k, s.indentedEnd(k+1, base, limit)
		case s.toks[k].first && scalaBreaks(s, k) && s.kind(k) != '(' && s.column(k) <= base:
			return -1, k
		}
	}
}

// scalaName returns the name that begins at i, which may be made of marks, and the
// index behind it.
func (s *codeScanner) scalaName(i int) (name string, next int) {
	if s.kind(i) == word {
		name = s.name(i)
		if name[len(name)-1] != '_' {
			return name, i + 1
		}
		i++
	}
	for i < len(s.toks) && (name == "" || s.toks[i].at == s.toks[i-1].end) {
		switch k := s.kind(i); {
		case k == '(' || k == '[' || k == '{' || k == word || k == literal || s.closes(i):
			return name, i
		case k == ':' && name != "" && i+1 < len(s.toks) && s.toks[i+1].at > s.toks[i].end:
			return name, i
		}
		name += s.name(i)
		i++
	}
	return name, i
}

// scalaFunction reads the def at j.
func (s *codeScanner) scalaFunction(from, sig, j int) int {
	limit := s.top().end
	name, k := s.scalaName(j + 1)
	if name == "" || j+1 >= limit {
		return 0
	}
	base := s.column(from)
	d := defined{kind: "func", name: name, at: j + 1, from: from, sig: sig, body: -1, local: true, mode: code}
	for ; ; k = s.after(k) {
		if k >= limit || s.closes(k) || s.kind(k) == ';' || s.toks[k].first && s.column(k) <= base && scalaBreaks(s, k) && s.kind(k) != '(' {
			d.end = min(k, limit)
			break
		}
		if s.kind(k) == '{' {
			d.body, d.end = k, s.after(k)
			break
		}
		if s.kind(k) == '=' {
			d.body, d.end = k+1, s.indentedEnd(k+1, base, limit)
			break
		}
	}
	s.define(d)
	return k
}

// scalaVariable reads the val or var at j; one with a pattern defines nothing.
func (s *codeScanner) scalaVariable(from, sig, j int, kind string) int {
	base := s.column(from)
	end := s.indentedEnd(j, base, s.top().end)
	name, k := s.scalaName(j + 1)
	if s.kind(j+1) != word || s.kind(k) != ':' && s.kind(k) != '=' && k < end {
		s.inBody(end)
		return j + 1
	}
	s.define(defined{kind: kind, name: name, at: j + 1, from: from, sig: sig, body: -1, end: end, mode: code})
	s.top().body = true
	return k
}

// scalaGiven reads a given with a name.
func (s *codeScanner) scalaGiven(from, sig, j int) int {
	k := j + 1
	if !s.isName(k) {
		return 0
	}
	next := k + 1
	for s.kind(next) == '[' || s.kind(next) == '(' {
		next = s.after(next)
	}
	if s.kind(next) != ':' {
		return 0
	}
	open, end := s.scalaHeader(next+1, s.column(from))
	s.define(defined{kind: "const", name: s.name(k), at: k, from: from, sig: sig, body: open, end: end, mode: code})
	return next
}
