package outline

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// A declaration is what a header declares.
type declaration struct {
	kind, name, path string
	at               int // where the name stands in the header
	end              int // where the signature ends in it; 0: at its end
}

// declaration finds what a header declares.
func (b *braceLanguage) declaration(h []byte, top opened, hasBody bool) (d declaration, ok bool) {
	toks := skipTemplate(lexemes(h))
	if b == cFamily {
		toks = skipTemplate(skipMacros(skipRequires(toks)))
	}
	if len(toks) == 0 || toks[0].text == "template" { // an instance of one
		return d, false
	}
	k := -1
	for i, t := range toks {
		if t.depth > 0 {
			continue
		}
		if t.text == "=" || t.text == "(" && b.cLike {
			break
		}
		if i > 0 && (b.first || toks[0].text == "use") {
			break
		}
		if b.keywords[t.text] != "" && (i == 0 || toks[i-1].text != "." && toks[i-1].text != "::") {
			k = i
			// class func f, enum class E, const fn f: the last keyword names the kind
			if i+1 < len(toks) && b.keywords[toks[i+1].text] != "" && toks[i+1].text != "type" && t.text != "typedef" && t.text != "enum" {
				continue
			}
			break
		}
	}
	if k >= 0 {
		if d, ok := b.keyword(toks, k, top, hasBody); ok {
			return d, true
		}
	}
	if top.body {
		return d, false
	}
	if len(b.bare) > 0 && top.typ {
		for _, t := range toks {
			if t.depth == 0 && b.bare[t.text] {
				return declaration{kind: "func", name: t.text, at: t.at}, true
			}
			if t.text == "=" {
				break
			}
		}
	}
	if b.cLike {
		if d, ok = b.function(toks, top, hasBody); !ok && !hasBody && (b == cFamily && !top.typ || b == jFamily && top.typ && constant(toks)) {
			if d, ok = variable(toks); b == jFamily {
				d.kind = "const"
			}
		}
	}
	return d, ok
}

// skipMacros drops the macros, called or not, that stand before a declaration which
// begins with a keyword: WARNINGS_OFF(4100) namespace a {.
func skipMacros(toks []lexeme) []lexeme {
	for i, t := range toks {
		switch {
		case t.depth > 0 || t.text == "(" || t.text == ")":
		case i > 0 && declares[t.text] && (toks[i-1].text == ")" || isMacro(toks[i-1].text)):
			return toks[i:]
		case !isMacro(t.text):
			return toks
		}
	}
	return toks
}

// skipRequires drops the constraint behind template<…>: requires (a) && B<T> f().
func skipRequires(toks []lexeme) []lexeme {
	if len(toks) == 0 || toks[0].text != "requires" {
		return toks
	}
	i := 1
	for i < len(toks) {
		switch t := toks[i].text; {
		case t == "(" || t == "{":
			for i++; i < len(toks) && toks[i].depth > 0; i++ {
			}
		case t == "!" || t == "requires":
			i++
			continue
		case isName(t):
			for i+2 < len(toks) && toks[i+1].text == "::" && isName(toks[i+2].text) {
				i += 2
			}
			if i+1 < len(toks) && toks[i+1].text == "<" {
				i += 1 + toks[i+1].pair
			}
		default:
			return toks
		}
		if i++; i+1 >= len(toks) || toks[i].text != toks[i+1].text || toks[i].text != "&" && toks[i].text != "|" {
			break
		}
		i += 2
	}
	return toks[min(i, len(toks)):]
}

// declares are words that a declaration begins with and no macro's name goes on with.
var declares = setOf("namespace template class struct enum union typedef using")

// variable reads the definition of a variable of the C family: type name = …
func variable(toks []lexeme) (d declaration, ok bool) {
	words, need := 0, 2
	for i, t := range toks {
		switch {
		case t.text == "(" && t.depth == 0 && i+4 < len(toks) && toks[i+1].text == "*" && isName(toks[i+2].text) && toks[i+3].text == ")" && toks[i+4].text == "(":
			return declaration{kind: "var", name: toks[i+2].text, at: toks[i+2].at}, words > 0 // a pointer to a function
		case t.depth > 0:
		case t.text == "struct" || t.text == "enum" || t.text == "union" || t.text == "class":
			need = 3 // struct s; only declares s
			words++
		case isName(t.text):
			if control[t.text] || t.text == "extern" || t.text == "using" || t.text == "namespace" || t.text == "typedef" || t.text == "friend" || t.text == "public" || t.text == "operator" {
				return d, false
			}
			words++
			d = declaration{kind: "var", name: t.text, at: t.at}
		case t.text == "=" || t.text == "[" || t.text == ",":
			if d.path = qualifier(toks, d.at); d.path != "" && t.text != "=" {
				return d, false // of an instance, or again
			}
			return d, words >= need
		case t.text == "*" || t.text == "&" || t.text == "<" || t.text == ">":
		case t.text == "::" && i > 0:
			words--
		default:
			return d, false
		}
	}
	return d, words >= need && qualifier(toks, d.at) == ""
}

// qualifier returns B of A<T>::B<U>::name, whose name stands at a byte.
func qualifier(toks []lexeme, at int) string {
	for i := 2; i < len(toks); i++ {
		if toks[i].at != at || toks[i-1].text != "::" {
			continue
		}
		k := i - 2
		if toks[k].text == ">" {
			k -= toks[k].pair + 1
		}
		if k >= 0 && isName(toks[k].text) {
			return toks[k].text
		}
	}
	return ""
}

// keyword reads the declaration that toks[k] begins.
func (b *braceLanguage) keyword(toks []lexeme, k int, top opened, hasBody bool) (d declaration, ok bool) {
	word := toks[k].text
	d.kind = b.keywords[word]
	rest := toks[k+1:]
	switch d.kind {
	case "var", "const", "property", "event", "oneof":
		if top.body {
			return d, false
		}
	}
	if b == cFamily || b == jFamily {
		return b.cType(toks, k, top, hasBody)
	}
	if word == "impl" {
		return rustHeader(rest)
	}
	if d.kind == "func" && len(rest) > 0 && rest[0].text == "(" && word == "func" { // Go's receiver
		for i, t := range rest {
			if t.text == ")" && t.depth == 0 {
				for _, r := range rest[1:i] {
					if isName(r.text) {
						d.path = r.text
					}
					if r.text == "[" {
						break
					}
				}
				rest = rest[i+1:]
				break
			}
		}
	}
	if len(rest) > 0 && rest[0].text == "<" && rest[0].pair > 0 { // fun <T> f
		for i, t := range rest {
			if t.text == ">" && t.depth == rest[0].depth {
				rest = rest[i+1:]
				break
			}
		}
	}
	for len(rest) > 0 {
		t := rest[0]
		switch {
		case b.keywords[t.text] != "" && t.text != "type":
			d.kind = b.keywords[t.text]
		case t.text == "mut" || t.text == "!" || t.text == "*" || t.text == "@" || t.text == "const":
		case isName(t.text):
			d.name, d.at = t.text, t.at
			for len(rest) > 2 && (rest[1].text == "." || rest[1].text == "::" || rest[1].text == `\`) && isName(rest[2].text) {
				d.path = symbols.Join(d.path, d.name)
				rest = rest[2:]
				d.name, d.at = rest[0].text, rest[0].at
			}
			if word == "extension" || word == "const" || word == "let" || word == "var" {
				return d, true
			}
			return d, true
		case d.kind == "func" && strings.ContainsAny(t.text, "=<>+-*/%&|^~!"): // an operator
			d.at = t.at
			for _, u := range rest {
				if u.text == "(" || isName(u.text) {
					break
				}
				d.name += u.text
			}
			return d, d.name != ""
		default:
			return d, false
		}
		rest = rest[1:]
	}
	return d, false
}

// rustHeader reads impl<T> Trait for a::Type<T>.
func rustHeader(rest []lexeme) (d declaration, ok bool) {
	d.kind = "impl"
	angle := 0
	for i, t := range rest {
		switch {
		case t.text == "<":
			angle++
		case t.text == ">":
			if i == 0 || rest[i-1].text != "-" {
				angle--
			}
		case angle > 0 || t.depth > 0:
		case t.text == "where":
			return d, d.name != ""
		case t.text == "for":
			d.name = ""
		case isName(t.text) && t.text != "dyn" && t.text != "mut":
			d.name, d.at = t.text, t.at
		}
	}
	return d, d.name != ""
}

// constant reports whether a member of Java or C# is declared constant.
func constant(toks []lexeme) bool {
	static, final := false, false
	for _, t := range toks {
		switch t.text {
		case "const":
			return true
		case "static":
			static = true
		case "final":
			final = true
		case "=":
			return static && final
		}
	}
	return false
}
