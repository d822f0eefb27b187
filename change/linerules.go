package change

import (
	"strings"
)

// A lineRule is how definitions and imports of a language look on one line.
type lineRule struct {
	modifiers map[string]bool   // words that may stand before the keyword
	kinds     map[string]string // kind of symbol by keyword
	importing []string          // how an import begins
	block     string            // how a list of imports begins, one a line
	calls     func(line string) (name string, ok bool)
}

func words(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

// kinds reads "keyword=kind", or "keyword" if both are the same.
func kinds(s string) map[string]string {
	m := map[string]string{}
	for w := range strings.FieldsSeq(s) {
		keyword, kind, ok := strings.Cut(w, "=")
		if !ok {
			kind = keyword
		}
		m[keyword] = kind
	}
	return m
}

var scriptRule = &lineRule{
	modifiers: words("export default declare async abstract"),
	kinds:     kinds("function=func function*=func class interface type enum namespace module const=const let=var"),
	importing: []string{"import ", "import{", "import(", "export * from ", "export {", "export{", "export type {", "const{", "require("},
	calls:     scriptMethod,
}

var javaLike = words("public protected private static final abstract sealed non-sealed synchronized native strictfp default transient volatile " +
	"internal virtual override readonly unsafe extern partial async new required file ref")

// lineRules are the rules by language, as internal/code/outline names languages.
var lineRules = map[string]*lineRule{
	"go": {
		kinds:     kinds("func type const var"),
		importing: []string{"import "},
		block:     "import (",
	},
	"rust": {
		modifiers: words("pub async unsafe default extern static"),
		kinds:     kinds("fn=func struct enum union trait type mod=module macro_rules!=macro impl const static=var"),
		importing: []string{"use ", "pub use ", "extern crate ", "pub(crate) use ", "pub(super) use "},
	},
	"python": {
		modifiers: words("async"),
		kinds:     kinds("def=func class"),
		importing: []string{"import ", "from "},
	},
	"cython": {
		modifiers: words("async cdef cpdef"),
		kinds:     kinds("def=func class"),
		importing: []string{"import ", "from ", "cimport "},
	},
	"javascript": scriptRule,
	"typescript": scriptRule,
	"tsx":        scriptRule,
	"vue":        scriptRule,
	"svelte":     scriptRule,
	"java": {
		modifiers: javaLike,
		kinds:     kinds("class interface enum record @interface=annotation"),
		importing: []string{"import "},
		calls:     typedFunction,
	},
	"csharp": {
		modifiers: javaLike,
		kinds:     kinds("class interface enum record struct namespace delegate=type"),
		importing: []string{"using ", "global using "},
		calls:     typedFunction,
	},
	"kotlin": {
		modifiers: words("public private protected internal open abstract final sealed data inline value enum annotation override suspend operator infix tailrec external const lateinit inner companion expect actual"),
		kinds:     kinds("fun=func class interface object typealias=type val=const var"),
		importing: []string{"import "},
	},
	"scala": {
		modifiers: words("private protected final sealed abstract override implicit lazy case inline open given"),
		kinds:     kinds("def=func class trait object enum type val=const var"),
		importing: []string{"import "},
	},
	"swift": {
		modifiers: words("public private fileprivate internal open final static class override mutating nonmutating convenience required lazy weak indirect @objc @discardableResult @MainActor"),
		kinds:     kinds("func class struct enum protocol extension actor typealias=type let=const var"),
		importing: []string{"import ", "@testable import "},
	},
	"php": {
		modifiers: words("public private protected static final abstract readonly"),
		kinds:     kinds("function=func class interface trait enum const namespace"),
		importing: []string{"use ", "require", "include"},
	},
	"ruby": {
		kinds:     kinds("def=func class module"),
		importing: []string{"require ", "require_relative ", "load ", "include ", "extend "},
	},
	"c": {
		modifiers: words("static extern inline typedef const _Noreturn"),
		kinds:     kinds("struct enum union #define=macro"),
		importing: []string{"#include"},
		calls:     typedFunction,
	},
	"cpp": {
		modifiers: words("static extern inline typedef const constexpr virtual explicit friend template"),
		kinds:     kinds("class struct enum union namespace concept #define=macro"),
		importing: []string{"#include", "import ", "using namespace "},
		calls:     typedFunction,
	},
	"objc": {
		modifiers: words("static extern inline typedef const"),
		kinds:     kinds("@interface=class @implementation=class @protocol=protocol struct enum #define=macro"),
		importing: []string{"#import", "#include", "@import "},
		calls:     typedFunction,
	},
	"bash": {
		kinds:     kinds("function=func"),
		importing: []string{"source ", ". "},
		calls:     shellFunction,
	},
	"lua": {
		modifiers: words("local"),
		kinds:     kinds("function=func"),
		importing: []string{"require", "local require"},
	},
	"perl": {
		kinds:     kinds("sub=func package"),
		importing: []string{"use ", "require "},
	},
	"elixir": {
		kinds:     kinds("def=func defp=func defmacro=macro defmodule=module defprotocol=protocol defimpl=impl"),
		importing: []string{"import ", "alias ", "use ", "require "},
	},
	"dart": {
		modifiers: words("abstract static final const external late sealed base interface mixin"),
		kinds:     kinds("class mixin enum extension typedef=type"),
		importing: []string{"import ", "export ", "part "},
		calls:     typedFunction,
	},
	"groovy": {
		modifiers: javaLike,
		kinds:     kinds("def=func class interface enum trait"),
		importing: []string{"import "},
	},
	"zig": {
		modifiers: words("pub export inline extern"),
		kinds:     kinds("fn=func const var"),
		importing: []string{"const std = @import", "usingnamespace "},
	},
	"proto": {
		kinds:     kinds("message service rpc=func enum"),
		importing: []string{"import "},
	},
	"solidity": {
		modifiers: words("abstract"),
		kinds:     kinds("contract=class interface library=class function=func modifier=func struct enum event error=type"),
		importing: []string{"import "},
	},
	"julia": {
		kinds:     kinds("function=func struct module macro abstract=type"),
		importing: []string{"using ", "import ", "include("},
	},
	"sql": {
		modifiers: words("create or replace temporary if not exists unique materialized CREATE OR REPLACE TEMPORARY IF NOT EXISTS UNIQUE MATERIALIZED"),
		kinds:     kinds("table view function=func procedure=func trigger index type TABLE=table VIEW=view FUNCTION=func PROCEDURE=func TRIGGER=trigger INDEX=index TYPE=type"),
	},
}

func (r *lineRule) imports(trimmed string) bool {
	return startsWith(trimmed, r.importing) || strings.Contains(trimmed, " = require(")
}

// importBlock reports whether a line begins a list of imports.
func (r *lineRule) importBlock(trimmed string) bool {
	return r.block != "" && strings.HasPrefix(trimmed, r.block)
}

// listed reports whether a line inside a list imports something.
func (r *lineRule) listed(trimmed string) bool {
	return strings.HasSuffix(trimmed, `"`) && strings.Count(trimmed, `"`) == 2
}

// A lineDefinition is what one line seems to define.
type lineDefinition struct {
	kind, name, parent, line string
	indented                 bool
}

// define finds the definition that begins on a line.
func (r *lineRule) define(line string) (d lineDefinition, ok bool) {
	trimmed := strings.TrimSpace(line)
	d = lineDefinition{line: trimmed, indented: trimmed != "" && trimmed[0] != line[0]}
	rest := trimmed
	for {
		word, after := firstWord(rest)
		kind, isKind := r.kinds[word]
		next, _ := firstWord(after)
		switch {
		case isKind && (kind == "const" || kind == "var") && (r.kinds[next] == "func" || r.modifiers[next]):
			rest = after // const fn, static mut
			continue
		case isKind && r.kinds[next] != "" && (word == "enum" || word == "companion" || word == "case" || word == "class"):
			rest = after // enum class
			continue
		case isKind:
			d.kind = kind
			return d, d.named(word, after, r)
		case r.modifiers[word]:
			rest = after
			continue
		}
		break
	}
	if r.calls != nil {
		if name, ok := r.calls(line); ok {
			d.kind, d.name = "func", name
			if i := strings.LastIndex(name, "::"); i > 0 {
				d.parent, d.name = strings.ReplaceAll(name[:i], "::", "."), name[i+2:]
			}
			return d, true
		}
	}
	return d, false
}

// firstWord cuts the first word off, with a visibility such as pub(crate) or a
// linkage such as extern "C".
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := strings.IndexAny(s, " \t({")
	if i < 0 {
		return s, ""
	}
	word, rest = s[:i], s[i:]
	switch {
	case word == "pub" && rest[0] == '(':
		if end := strings.IndexByte(rest, ')'); end > 0 {
			rest = rest[end+1:]
		}
	case word == "extern":
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), `"`); ok {
			if _, tail, ok := strings.Cut(after, `"`); ok {
				rest = tail
			}
		}
	case strings.HasPrefix(word, "impl<"):
		return "impl", s[len("impl"):]
	}
	if i := strings.IndexByte(word, '<'); i > 0 && word[:i] == "impl" {
		return "impl", s[len("impl"):]
	}
	return word, rest
}

// named finds the name behind a keyword.
func (d *lineDefinition) named(keyword, rest string, r *lineRule) bool {
	rest = strings.TrimLeft(rest, " \t*&")
	switch {
	case keyword == "impl":
		name := implName(implSymbol(d.line))
		d.name = name
		return name != ""
	case keyword == "func" && strings.HasPrefix(rest, "("): // a method of Go
		receiver, after, ok := strings.Cut(rest[1:], ")")
		if !ok {
			return false
		}
		if i := strings.IndexByte(receiver, '['); i >= 0 {
			receiver = receiver[:i]
		}
		receiver = strings.TrimLeft(receiver[strings.LastIndexAny(receiver, " *")+1:], "*")
		d.parent, d.kind = receiver, "method"
		rest = strings.TrimLeft(after, " ")
	case keyword == "template":
		return false
	case d.kind == "const" || d.kind == "var":
		// Only what stands at the left margin, or is a function, counts: the rest
		// is local.
		name := leadingName(rest)
		if isFunctionValue(rest[len(name):]) {
			d.kind = "func"
		} else if d.indented && !strings.Contains(d.line, "pub ") && !strings.Contains(d.line, "const ") {
			return false
		} else if d.indented && r == scriptRule {
			return false
		}
	case strings.HasPrefix(rest, "mut "):
		rest = rest[4:]
	}
	d.name = leadingName(rest)
	if d.name == "" {
		return false
	}
	if tail := rest[len(d.name):]; strings.HasPrefix(tail, ".") && d.kind == "func" || strings.HasPrefix(tail, ":") && r == lineRules["lua"] {
		if d.name != "self" {
			d.parent = d.name // function M.run; in Ruby, def self.run
		}
		d.name = leadingName(tail[1:])
	}
	if (d.kind == "struct" || d.kind == "enum" || d.kind == "union") && strings.HasSuffix(d.line, ";") && strings.Count(rest, " ") == 1 && !strings.Contains(rest, "(") && r.calls != nil {
		return false // struct point p;
	}
	return d.name != ""
}

// isFunctionValue reports whether the text behind a name makes it a function:
// " = (a) => …", ": T = async function ….
func isFunctionValue(s string) bool {
	i := strings.Index(s, "=")
	if i < 0 {
		return false
	}
	v := strings.TrimLeft(s[i+1:], " ")
	v = strings.TrimPrefix(v, "async ")
	return strings.HasPrefix(v, "function") || strings.Contains(v, "=>") && (strings.HasPrefix(v, "(") || strings.HasPrefix(v, "<") || wordStart(v))
}

func wordStart(s string) bool { return s != "" && wordByte(s[0]) }

func leadingName(s string) string {
	i := 0
	for i < len(s) && (wordByte(s[i]) || s[i] == '$' || s[i] == '#' && i == 0 || i > 0 && (s[i] == '?' || s[i] == '!') && (i+1 == len(s) || s[i+1] == '(' || s[i+1] == ' ')) {
		i++
	}
	return s[:i]
}

func startsWith(line string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}
