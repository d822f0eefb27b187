package outline

import (
	"strings"
)

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
