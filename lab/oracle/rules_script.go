//go:build cgo && oracle

package oracle

import (
	"bytes"
	"strings"
)

// scriptRules serve JavaScript, JSX, TypeScript and TSX: one grammar in
// dialects.
var scriptRules = rules{
	"function_declaration":           functions(),
	"generator_function_declaration": functions(),
	"function_signature":             functions(),
	"class_declaration":              holds("class"),
	"abstract_class_declaration":     holds("class"),
	"interface_declaration":          holds("interface"),
	"enum_declaration":               holds("enum"),
	"type_alias_declaration":         {do: leaf, kind: "type", local: true},
	"internal_module":                {do: scriptModule, kind: "namespace", local: true, box: true},
	"module":                         {do: scriptModule, kind: "module", local: true, box: true},
	"method_definition":              {do: scriptMethod, kind: "method", local: true},
	"abstract_method_signature":      {do: scriptMethod, kind: "method", local: true},
	"method_signature":               {do: scriptMethod, kind: "method", local: true},
	"public_field_definition":        {do: scriptField, kind: "field"},
	"field_definition":               {do: scriptField, kind: "field"},
	"variable_declarator":            does(scriptVariable),
	"assignment_expression":          does(scriptAssignment),
	"pair":                           does(scriptPair),
	"import_statement":               does(skip),
	"arrow_function":                 does(body),
	"function_expression":            does(body),
	"generator_function":             does(body),
	"statement_block":                does(scriptBlock),
	"decorator":                      does(attribute),
	"comment":                        does(comment),
	"string":                         does(skip),
}

// scriptBlock marks blocks as bodies, but not those of a namespace.
func scriptBlock(x *extractor, i int, r *rule) bool {
	if t := x.top(); t.box && x.fieldOf(i) == "body" {
		return false
	}
	return body(x, i, r)
}

func (x *extractor) fieldOf(i int) string { return x.fields[x.nodes[i].field] }

func scriptModule(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	x.define(i, definition{kind: r.kind, name: unquote(string(x.text(name))), at: name}, r)
	return false
}

func scriptMethod(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 || x.kind(name) == "computed_property_name" {
		return body(x, i, r)
	}
	x.define(i, definition{kind: "method", name: unquote(string(x.text(name))), at: name}, r)
	return false
}

func scriptField(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		name = x.child(i, "property")
	}
	if name < 0 || x.kind(name) == "computed_property_name" {
		return false
	}
	d := definition{kind: "field", name: unquote(string(x.text(name))), at: name}
	if value := x.child(i, "value"); x.isFunction(value) {
		d.kind = "method"
		x.define(i, d, &rule{local: true})
		return false
	}
	x.define(i, d, r)
	return false
}

func (x *extractor) isFunction(i int) bool {
	if i < 0 {
		return false
	}
	switch x.kind(i) {
	case "arrow_function", "function_expression", "generator_function":
		return true
	}
	return false
}

// valueOf looks through calls that wrap a function or class: memo(() => …),
// forwardRef(function …).
func (x *extractor) valueOf(i int) int {
	for depth := 0; i >= 0 && depth < 3; depth++ {
		switch x.kind(i) {
		case "call_expression":
			args := x.child(i, "arguments")
			if args < 0 || !x.wraps(x.child(i, "function")) {
				return i
			}
			f := x.first(args, "arrow_function", "function_expression", "call_expression", "class")
			if f < 0 {
				return i
			}
			i = f
		case "parenthesized_expression", "as_expression", "satisfies_expression":
			i++
			if i >= len(x.nodes) {
				return -1
			}
		default:
			return i
		}
	}
	return i
}

// wraps reports whether a call to f gives a function that stands for its
// argument: memo(…), React.forwardRef(…), useCallback(…), but not xs.map(…).
func (x *extractor) wraps(f int) bool {
	if f < 0 {
		return false
	}
	name := string(x.text(f))
	switch x.kind(f) {
	case "identifier":
		if x.top().body {
			return strings.HasPrefix(name, "use") || name == "debounce" || name == "throttle"
		}
		return name != "setTimeout" && name != "setInterval" && name != "require"
	case "member_expression":
		return name[0] >= 'A' && name[0] <= 'Z' && !strings.HasPrefix(name, "Array.") && !strings.HasPrefix(name, "Object.") && !strings.HasPrefix(name, "Promise.")
	case "call_expression":
		return !x.top().body // connect(…)(Component)
	}
	return false
}

func scriptVariable(x *extractor, i int, r *rule) bool {
	name, value := x.child(i, "name"), x.child(i, "value")
	if name < 0 || x.kind(name) != "identifier" {
		return false
	}
	d := definition{name: string(x.text(name)), at: name}
	inner := x.valueOf(value)
	switch {
	case x.isFunction(inner):
		if x.top().body && x.nodes[i].endRow < x.nodes[i].row+2 { // a local one-liner
			return false
		}
		d.kind = "func"
		x.define(i, d, &rule{local: true})
	case inner >= 0 && x.kind(inner) == "class":
		d.kind = "class"
		x.define(i, d, &rule{local: true, box: true})
	case inner >= 0 && x.kind(inner) == "object":
		d.kind = x.variableKind(i)
		x.define(i, d, &rule{box: true})
	default:
		d.kind = x.variableKind(i)
		x.define(i, d, r)
	}
	return false
}

func (x *extractor) variableKind(i int) string {
	if p := x.nodes[i].parent; p >= 0 && bytes.HasPrefix(x.text(int(p)), []byte("const")) {
		return "const"
	}
	return "var"
}

// scriptAssignment makes symbols of exports.f = …, A.prototype.m = function …
// and f = function ….
func scriptAssignment(x *extractor, i int, r *rule) bool {
	left, right := x.child(i, "left"), x.child(i, "right")
	if left < 0 || right < 0 {
		return false
	}
	at, path := left, ""
	switch x.kind(left) {
	case "identifier":
	case "member_expression":
		at = x.child(left, "property")
		object := x.child(left, "object")
		if at < 0 || object < 0 {
			return false
		}
		path = string(x.text(object))
	default:
		return false
	}
	name := string(x.text(at))
	exported := path == "exports" || path == "module.exports"
	if exported || path == "module" && name == "exports" || path == "this" {
		path = ""
	}
	path = strings.TrimSuffix(path, ".prototype")
	if strings.ContainsAny(path, "([ \n'\"") {
		return false
	}
	value := x.valueOf(right)
	d := definition{name: name, at: at, path: path}
	switch {
	case x.isFunction(value) && name != "exports":
		d.kind = "func"
		if x.top().body && x.nodes[i].endRow < x.nodes[i].row+2 {
			return false
		}
		x.define(i, d, &rule{local: true})
	case value >= 0 && x.kind(value) == "class" && name != "exports":
		d.kind = "class"
		x.define(i, d, &rule{local: true, box: true})
	case value >= 0 && x.kind(value) == "object" && !x.top().body && (name == "exports" || name == "prototype"):
		x.push(i, path, false, true)
	case exported && x.kind(value) != "assignment_expression":
		d.kind = "var"
		x.define(i, d, &rule{})
	}
	return false
}

// scriptPair makes a method of a property whose value is a function.
func scriptPair(x *extractor, i int, r *rule) bool {
	key, value := x.child(i, "key"), x.child(i, "value")
	if key < 0 || x.kind(key) != "property_identifier" || !x.isFunction(value) {
		return false
	}
	if x.top().body && x.nodes[i].endRow < x.nodes[i].row+2 {
		return false
	}
	x.define(i, definition{kind: "method", name: string(x.text(key)), at: key}, &rule{local: true})
	return false
}

// unquote strips the quotes of a simple string literal.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
