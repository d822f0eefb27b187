//go:build cgo && oracle

package oracle

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// cRules serve C and C++; a kind of node that C does not have never comes up.
var cRules = rules{
	"function_definition":     {do: cFunction, kind: "func", local: true},
	"declaration":             does(cDeclaration),
	"field_declaration":       does(cMember),
	"struct_specifier":        {do: cType, kind: "struct", local: true, box: true},
	"class_specifier":         {do: cType, kind: "class", local: true, box: true},
	"union_specifier":         {do: cType, kind: "union", local: true, box: true},
	"enum_specifier":          {do: cType, kind: "enum", local: true, box: true},
	"type_definition":         does(cTypedef),
	"alias_declaration":       defines("type"),
	"concept_definition":      defines("concept"),
	"namespace_definition":    namespace("::"),
	"preproc_def":             {do: cMacro, kind: "macro", local: true},
	"preproc_function_def":    {do: cMacro, kind: "macro", local: true},
	"preproc_include":         does(skip),
	"friend_declaration":      does(cFriend),
	"parameter_list":          does(skip),
	"template_parameter_list": does(skip),
	"compound_statement":      does(body),
	"lambda_expression":       does(body),
	"comment":                 does(comment),
	"initializer_list":        does(body),
}

// A declared name: the node of the name, the scope before it, and whether it
// is that of a function.
type declared struct {
	at       int
	name     string
	path     string
	function bool
	pointer  bool // a variable that points to a function
}

// declarator follows a C declarator to the name it declares.
func (x *extractor) declarator(i int) (d declared, ok bool) {
	for range 32 {
		if i < 0 {
			return d, false
		}
		switch x.kind(i) {
		case "identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name", "operator_cast", "literal_operator":
			d.at = i
			d.name = strings.Join(strings.Fields(string(x.text(i))), " ")
			if op, ok := strings.CutPrefix(d.name, "operator "); ok && !isName(op) {
				d.name = "operator" + op
			}
			if x.kind(i) == "operator_cast" {
				name, _, _ := strings.Cut(d.name, "(")
				d.name, d.function = strings.TrimSpace(name), true
			}
			return d, d.name != ""
		case "function_declarator", "abstract_function_declarator":
			next := x.child(i, "declarator")
			if next >= 0 && x.kind(next) == "parenthesized_declarator" {
				d.pointer = true
			} else if !d.pointer {
				d.function = true
			}
			i = next
		case "qualified_identifier":
			if s := x.child(i, "scope"); s >= 0 {
				scope := s
				if x.kind(s) == "template_type" {
					scope = x.child(s, "name")
				}
				if scope >= 0 {
					d.path = symbols.Join(d.path, string(x.text(scope)))
				}
			}
			i = x.child(i, "name")
		case "template_function", "template_method", "template_type":
			i = x.child(i, "name")
		case "pointer_declarator", "array_declarator", "init_declarator":
			i = x.child(i, "declarator")
		default:
			// reference_declarator, parenthesized_declarator, attributed_declarator, macro-ridden code
			next := x.child(i, "declarator")
			for j := i + 1; next < 0 && j < int(x.nodes[i].next); j = int(x.nodes[j].next) {
				if k := x.kind(j); strings.HasSuffix(k, "declarator") || strings.HasSuffix(k, "identifier") || k == "operator_name" || k == "operator_cast" {
					next = j
				}
			}
			i = next
		}
	}
	return d, false
}

func cFunction(x *extractor, i int, r *rule) bool {
	d, ok := x.declarator(x.child(i, "declarator"))
	if !ok || cNotName[d.name] || x.top().body && x.child(i, "type") < 0 { // in a body, a macro that loops
		return body(x, i, r)
	}
	x.define(i, definition{kind: "func", name: d.name, path: d.path, at: d.at}, r)
	return false
}

// cNotName are what looks like the name of a function where macros confuse the
// grammar.
var cNotName = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "return": true, "else": true, "do": true, "catch": true, "sizeof": true}

// cDeclaration makes symbols of prototypes and of variables outside functions.
func cDeclaration(x *extractor, i int, r *rule) bool {
	if x.top().body {
		return false
	}
	lost := x.nodes[i].parent >= 0 && x.kind(int(x.nodes[i].parent)) == "ERROR" // then a variable may well be a local one
	prefix := x.text(i)
	if t := x.child(i, "type"); t >= 0 {
		prefix = x.src[x.nodes[i].start:x.nodes[t].start]
	}
	extern := bytes.Contains(prefix, []byte("extern"))
	x.eachDeclarator(i, func(j int) {
		d, ok := x.declarator(j)
		if !ok || cNotName[d.name] {
			return
		}
		kind := "var"
		switch {
		case d.function:
			kind = "func"
		case lost || extern || d.path != "" && !strings.Contains(string(x.text(i)), "="):
			return
		}
		saved := len(x.open)
		x.define(i, definition{kind: kind, name: d.name, path: d.path, at: d.at}, &rule{})
		x.open = x.open[:saved]
	})
	return false
}

func (x *extractor) eachDeclarator(i int, fn func(j int)) {
	x.children(i, func(j int) {
		if f := x.nodes[j].field; f != 0 && x.fields[f] == "declarator" {
			fn(j)
		}
	})
}

// cMember makes a method of a member function's declaration; data members are
// not symbols.
func cMember(x *extractor, i int, r *rule) bool {
	x.eachDeclarator(i, func(j int) {
		d, ok := x.declarator(j)
		if !ok || !d.function || cNotName[d.name] {
			return
		}
		saved := len(x.open)
		x.define(i, definition{kind: "method", name: d.name, path: d.path, at: d.at}, &rule{})
		x.open = x.open[:saved]
	})
	return false
}

func cType(x *extractor, i int, r *rule) bool {
	if x.child(i, "body") < 0 { // a use, or a forward declaration
		return false
	}
	name := x.child(i, "name")
	if name < 0 {
		x.push(i, "", false, true)
		return false
	}
	at, path := name, ""
	switch x.kind(name) {
	case "qualified_identifier":
		if d, ok := x.declarator(name); ok {
			at, path = d.at, d.path
		}
	case "template_type":
		if n := x.child(name, "name"); n >= 0 {
			at = n
		}
	}
	x.define(i, definition{kind: r.kind, name: string(x.text(at)), path: path, at: at}, r)
	return false
}

// cTypedef names a type. The anonymous struct in it has no other name; the
// struct of the same name is symbol enough.
func cTypedef(x *extractor, i int, r *rule) bool {
	t := x.child(i, "type")
	b := -1
	tag := ""
	if t >= 0 && strings.HasSuffix(x.kind(t), "_specifier") {
		b = x.child(t, "body")
		if n := x.child(t, "name"); n >= 0 {
			tag = string(x.text(n))
		}
	}
	pushed := false
	x.eachDeclarator(i, func(j int) {
		d, ok := x.declarator(j)
		if !ok || d.name == tag && b >= 0 {
			return
		}
		kind := "type"
		if b >= 0 && tag == "" {
			kind = strings.TrimSuffix(x.kind(t), "_specifier")
		}
		saved := len(x.open)
		x.define(i, definition{kind: kind, name: d.name, at: d.at}, &rule{local: true, box: true})
		if pushed {
			x.open = x.open[:saved]
		}
		pushed = true
	})
	return false
}

func cMacro(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return true
	}
	if text := string(x.text(name)); x.child(i, "value") >= 0 || !isGuard(text) {
		x.define(i, definition{kind: r.kind, name: text, at: name}, r)
	}
	return true
}

// cFriend passes over declarations of friends; a friend defined in place is a
// function like any other.
func cFriend(x *extractor, i int, r *rule) bool {
	return x.first(i, "function_definition") < 0
}
