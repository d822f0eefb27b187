package outline

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
