package outline

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// cType reads class, struct, enum, namespace, using and typedef of the C
// family.
func (b *braceLanguage) cType(toks []lexeme, k int, top opened, hasBody bool) (d declaration, ok bool) {
	word := toks[k].text
	d.kind = b.keywords[word]
	rest := toks[k+1:]
	switch word {
	case "typedef":
		// The name is the last word, or the one in (*name).
		for i := len(toks) - 1; i > k; i-- {
			if t := toks[i]; isName(t.text) && t.depth == 0 {
				d.name, d.at = t.text, t.at
				break
			}
		}
		for i := k; i+2 < len(toks); i++ {
			if toks[i].text == "(" && toks[i+1].text == "*" && isName(toks[i+2].text) {
				d.name, d.at = toks[i+2].text, toks[i+2].at
				break
			}
		}
		if hasBody { // the struct in it is the definition
			for i := k + 1; i < len(toks); i++ {
				if kw := b.keywords[toks[i].text]; kw == "struct" || kw == "enum" || kw == "union" {
					return b.cType(toks, i, top, true)
				}
			}
			return d, false
		}
		return d, d.name != ""
	case "using":
		if top.body {
			return d, false
		}
		if len(rest) > 1 && isName(rest[0].text) && rest[1].text == "=" {
			return declaration{kind: "type", name: rest[0].text, at: rest[0].at}, true
		}
		return d, false
	case "delegate":
		if len(rest) == 0 || !isName(rest[0].text) {
			return d, false
		}
		for i, t := range rest {
			if t.text == "(" && t.depth == 0 && i > 0 && isName(rest[i-1].text) {
				return declaration{kind: "type", name: rest[i-1].text, at: rest[i-1].at}, true
			}
		}
		return d, false
	}
	if word == "record" && (len(rest) == 0 || !isName(rest[0].text)) {
		return d, false
	}
	if word == "concept" && len(rest) > 0 && isName(rest[0].text) {
		return declaration{kind: "concept", name: rest[0].text, at: rest[0].at}, true
	}
	if !hasBody && word != "record" {
		return d, false // a forward declaration or the type of a variable
	}
	angle := 0
	for i, t := range rest {
		switch {
		case t.text == "<":
			angle++
			continue
		case t.text == ">":
			angle--
			continue
		case angle > 0 || t.depth > 0:
			continue
		case t.text == "(" && (word == "struct" || word == "enum" || word == "union") && i > 0 && isName(rest[i-1].text) && b == cFamily && !attributes[rest[i-1].text]:
			return d, false // struct s f(…) { is a function
		case t.text == "=" || t.text == "*" && b == cFamily:
			return d, false
		case t.text == ":" || t.text == "extends" || t.text == "implements" || t.text == "permits" || t.text == "where":
			return d, d.name != ""
		case t.text == "class" || t.text == "struct" || t.text == "final" || t.text == "on" || t.text == "with":
			if t.text == "on" || t.text == "with" {
				return d, d.name != ""
			}
		case t.text == "::" || t.text == ".":
			d.path = symbols.Join(d.path, d.name)
		case t.text == "(" && word == "record":
			return d, d.name != ""
		case isName(t.text):
			if i > 0 && rest[i-1].text != "::" && rest[i-1].text != "." {
				if top.body && b == cFamily && d.name != "" && isName(rest[i-1].text) && !isMacro(rest[i-1].text) {
					return d, false // struct s v {}; in a function
				}
				d.path = ""
			}
			d.name, d.at = t.text, t.at
		}
	}
	return d, d.name != ""
}

// attributes look like functions in a header and are none.
var attributes = setOf("__attribute__ __attribute __declspec alignas _Alignas noexcept throw decltype requires explicit static_assert __asm__ asm __nonnull typeof __typeof__ sizeof alignof DEPRECATED operator")

// control are words that a call or a statement begins with, not a definition.
var control = setOf("if for while switch return else do catch try sizeof throw new delete case goto using await yield foreach lock fixed synchronized in is as typeof when elif until select assert super this not and or")

// cControl are those of C and C++, which may name a function as, is or lock.
var cControl = setOf("if for while switch return else do catch try sizeof throw new delete case goto typeof not and or co_await co_return co_yield")

// isControl reports whether a call or a statement begins with a word.
func (b *braceLanguage) isControl(w string) bool {
	if b == cFamily {
		return cControl[w]
	}
	return control[w]
}

// function finds type name(…) in a header of the C family.
func (b *braceLanguage) function(toks []lexeme, top opened, hasBody bool) (d declaration, ok bool) {
	best, end := b.functionName(toks)
	if best < 0 {
		return d, false
	}
	d = declaration{kind: "func", name: toks[best].text, at: toks[best].at, end: end}
	first := best
	if d.name == "operator" {
		d.name = operatorName(toks[best:])
	} else if best > 0 && toks[best-1].text == "~" {
		d.name = "~" + d.name
		first--
	}
	d.path, first = qualifiers(toks, first)
	for b == jFamily && top.typ && first > 1 && toks[first-1].text == "." && isName(toks[first-2].text) { // void IDisposable.Dispose()
		first -= 2
	}
	if b.isExpression(toks[:first]) || first > 0 && toks[0].text == "friend" && !hasBody {
		return d, false
	}
	if hasBody && b == cFamily && first == 0 && d.path == "" && !top.typ && isMacro(d.name) && len(toks) == best+4 && isName(toks[best+2].text) {
		d.name, d.at = toks[best+2].text, toks[best+2].at // TEST_IMPL(name) {
		return d, true
	}
	return d, b.defines(d, toks[best+1:], first > 0, top, hasBody)
}

// functionName returns the index of the name of a function, -1 if a header is not that
// of one, and where a constructor's initializers begin, 0 if there are none.
func (b *braceLanguage) functionName(toks []lexeme) (best, end int) {
	best = -1
	for i, t := range toks {
		if t.depth > 0 {
			continue
		}
		if t.text == "=" && !(i > 0 && toks[i-1].text == "operator") && !(i > 1 && toks[i-2].text == "operator") {
			break
		}
		if t.text == ":" && best >= 0 {
			if b == cFamily {
				end = t.at
			}
			break
		}
		if t.text != "(" || i == 0 {
			continue
		}
		if b == cFamily && best < 0 && pointsToFunction(toks[i:]) {
			return -1, 0
		}
		if op := operatorAt(toks, i); op >= 0 {
			return op, 0
		}
		at := i - 1
		if toks[at].text == ">" && toks[at].pair > 0 { // f<T>(…)
			at -= toks[at].pair + 1
		}
		if at < 0 {
			continue
		}
		name := toks[at]
		if !isName(name.text) || attributes[name.text] || name.depth > 0 {
			continue
		}
		if b.isControl(name.text) {
			if best < 0 {
				return -1, 0
			}
			continue
		}
		if best >= 0 && !isMacro(toks[best].text) {
			break
		}
		best = at
	}
	return best, end
}

// operatorName reads operator+, operator() and operator T<U>, with which toks begin.
func operatorName(toks []lexeme) string {
	name := toks[0].text
	for end := 1; end < len(toks) && (toks[end].text != "(" || end == 1); end++ {
		if isName(toks[end].text) && isWord(name[len(name)-1]) {
			name += " "
		}
		name += toks[end].text
		if toks[end].text == "(" {
			name += ")"
			end++
		}
	}
	return name
}

// qualifiers reads A::B<T>:: before toks[first], and returns it as a path with the
// index where it begins.
func qualifiers(toks []lexeme, first int) (path string, from int) {
	for first > 1 && toks[first-1].text == "::" && (isName(toks[first-2].text) || toks[first-2].text == ">") {
		p := first - 2
		if toks[p].text == ">" {
			for p > 0 && toks[p].text != "<" {
				p--
			}
			p--
		}
		if p < 0 || !isName(toks[p].text) {
			break
		}
		path = symbols.Join(toks[p].text, path)
		first = p
	}
	return path, first
}

// isExpression reports whether what stands before a name shows that it is called.
func (b *braceLanguage) isExpression(before []lexeme) bool {
	for i, t := range before {
		switch {
		case t.text == "-" && before[min(i+1, len(before)-1)].text == ">", i == 0 && t.text == ",", t.text == "." && t.depth == 0, t.text == "->":
			return true
		case b.isControl(t.text) && t.text != "new" && t.text != "in" && t.text != "is" && t.text != "as":
			return true
		}
	}
	return false
}

// defines reports whether a name with its parameters, which begin behind, defines a
// function; typed says that something stands before the name.
func (b *braceLanguage) defines(d declaration, behind []lexeme, typed bool, top opened, hasBody bool) bool {
	bare := !typed && d.path == "" && !top.typ
	script := b.newline
	switch {
	case !hasBody && script:
		return false
	case !hasBody: // else it is a call or a macro
		return typed || top.typ && constructs(d.name, top.path) || d.path != "" && constructs(d.name, d.path)
	case bare && b != cFamily && !script, bare && isMacro(d.name) && !takesNames(behind): // a macro's block
		return false
	case !typed && top.typ && !script && !constructs(d.name, top.path):
		return false
	}
	return !script || !typed || top.typ
}

// pointsToFunction reports whether brackets hold the name of a pointer to a
// function: (*name)(…) and (*name[2])(…).
func pointsToFunction(toks []lexeme) bool {
	i := 1
	for i < len(toks) && (toks[i].text == "*" || attributes[toks[i].text]) {
		i++
	}
	if i == 1 || i >= len(toks) || !isName(toks[i].text) {
		return false
	}
	for i++; i < len(toks) && toks[i].depth > 0; i++ {
	}
	return i+1 < len(toks) && toks[i].text == ")" && toks[i+1].text == "("
}

// takesNames reports whether brackets hold names and nothing else, as the
// parameters of a function without types do: TEST(Suite, Case) {.
func takesNames(toks []lexeme) bool {
	for i, t := range toks {
		switch {
		case i == 0 && t.text == "(", t.text == ",", t.text == "::", isName(t.text):
		default:
			return i > 1 && t.text == ")" && i == len(toks)-1
		}
	}
	return false
}

// constructs reports whether a member of the type at path needs no type: a
// constructor, a destructor, or a conversion.
func constructs(name, path string) bool {
	return strings.HasPrefix(name, "operator") || path != "" && strings.HasSuffix("."+path, "."+strings.TrimPrefix(name, "~"))
}
