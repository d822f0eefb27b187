package outline

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
