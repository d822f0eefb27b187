package outline

import "bytes"

// maxHole bounds a string whose holes reach over several lines, in bytes.
const maxHole = 8 << 10

// holes returns the end of the string whose n quotes open at i: holes in it hold
// expressions, and those again strings. It returns 0 if the string does not end
// where it may: on its line, unless there are three quotes or a backtick, or within
// a bound.
func (y syntax) holes(src []byte, i, n int) int {
	stack := []stringOrHole{{quote: src[i : i+n]}}
	limit := len(src)
	if n == 1 && src[i] != '`' {
		limit = min(limit, i+maxHole)
	}
	for j := i + n; j < limit; {
		top := &stack[len(stack)-1]
		if len(top.quote) == 0 {
			j = y.inHole(src, j, limit, &stack)
			continue
		}
		switch c := src[j]; {
		case c == '\\' && (len(top.quote) == 1 || !y.char): // Kotlin's and Scala's """ have no escapes
			j += 2
		case c == '\n' && len(top.quote) == 1 && top.quote[0] != '`':
			return 0
		case bytes.HasPrefix(src[j:], top.quote):
			j += len(top.quote)
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return min(j, len(src))
			}
		case y.hole != "" && c == y.hole[0] && bytes.HasPrefix(src[j:], []byte(y.hole)):
			stack = append(stack, stringOrHole{})
			j += len(y.hole)
		default:
			j++
		}
	}
	return 0
}

// A stringOrHole is an open string, or the hole in one.
type stringOrHole struct {
	quote  []byte // of a string; empty in a hole
	braces int    // open in a hole
}

// inHole passes one token of an expression at j: a string in it opens a level.
func (y syntax) inHole(src []byte, j, limit int, stack *[]stringOrHole) int {
	top := &(*stack)[len(*stack)-1]
	switch c := src[j]; {
	case c == '{':
		top.braces++
	case c == '}':
		if top.braces--; top.braces < 0 {
			*stack = (*stack)[:len(*stack)-1]
		}
	case c == '"' && y.triple && bytes.HasPrefix(src[j:], []byte(`"""`)):
		*stack = append(*stack, stringOrHole{quote: src[j : j+3]})
		return j + 3
	case c == '`' && !y.name || c == '"' && y.char:
		*stack = append(*stack, stringOrHole{quote: src[j : j+1]})
	case c == '\'' && y.char:
		if j+3 < limit && src[j+1] == '\\' && src[j+3] == c {
			return j + 4
		} else if j+2 < limit && src[j+2] == c {
			return j + 3
		}
	case c == '"' || c == '\'':
		return stringEnd(src, j, limit)
	}
	return j + 1
}

// verbatimEnd returns the end of the string of C# that begins at i with @, $ or
// three quotes, or 0 if none does: "" is a quote in @"…", three or more quotes end
// with as many, and {…} holds an expression in $"…".
func verbatimEnd(src []byte, i int) int {
	verbatim, dollar, j := false, false, i
	for j < len(src) && (src[j] == '@' || src[j] == '$') {
		verbatim = verbatim || src[j] == '@'
		dollar = dollar || src[j] == '$'
		j++
	}
	if j == len(src) || src[j] != '"' {
		return 0
	}
	quotes := 0
	for j+quotes < len(src) && src[j+quotes] == '"' {
		quotes++
	}
	if quotes >= 3 && !verbatim {
		if k := bytes.Index(src[j+quotes:], src[j:j+quotes]); k >= 0 {
			return j + quotes + k + quotes
		}
		return len(src)
	}
	depth := 0
	for j++; j < len(src); j++ {
		switch c := src[j]; {
		case c == '\n' && !verbatim:
			return j
		case c == '\\' && !verbatim:
			j++
		case dollar && (c == '{' || c == '}') && depth == 0 && j+1 < len(src) && src[j+1] == c:
			j++
		case dollar && c == '{':
			depth++
		case dollar && c == '}':
			depth = max(0, depth-1)
		case c == '"' && depth > 0:
			j = stringEnd(src, j, len(src)) - 1
		case c == '"' && verbatim && j+1 < len(src) && src[j+1] == '"':
			j++
		case c == '"':
			return j + 1
		}
	}
	return len(src)
}
