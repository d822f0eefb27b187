//go:build cgo && oracle

package oracle

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

var csharpRules = rules{
	"class_declaration":                 holds("class"),
	"struct_declaration":                holds("struct"),
	"record_declaration":                holds("record"),
	"record_struct_declaration":         holds("record"),
	"interface_declaration":             holds("interface"),
	"enum_declaration":                  holds("enum"),
	"delegate_declaration":              defines("type"),
	"namespace_declaration":             namespace("."),
	"file_scoped_namespace_declaration": namespace("."),
	"method_declaration":                functions(),
	"constructor_declaration":           functions(),
	"destructor_declaration":            {do: csharpDestructor, kind: "func"},
	"operator_declaration":              {do: csharpOperator, kind: "func"},
	"conversion_operator_declaration":   {do: csharpOperator, kind: "func"},
	"indexer_declaration":               {do: csharpIndexer, kind: "func"},
	"property_declaration":              {do: csharpProperty, kind: "property"},
	"event_declaration":                 {do: csharpProperty, kind: "event"},
	"variable_declarator":               does(csharpField),
	"local_function_statement":          functions(),
	"using_directive":                   does(skip),
	"block":                             does(body),
	"lambda_expression":                 does(body),
	"anonymous_method_expression":       does(body),
	"comment":                           does(comment),
}

func csharpDestructor(x *extractor, i int, r *rule) bool {
	if name := x.child(i, "name"); name >= 0 {
		x.define(i, definition{kind: "func", name: "~" + string(x.text(name)), at: name}, r)
	}
	return false
}

func csharpOperator(x *extractor, i int, r *rule) bool {
	s := symbols.Signature(x.text(i))
	k := strings.Index(s, "operator")
	if k < 0 {
		return false
	}
	name, _, _ := strings.Cut(s[k:], "(")
	if op := strings.TrimSpace(strings.TrimPrefix(name, "operator")); !isName(op) {
		name = "operator" + op
	}
	x.define(i, definition{kind: "func", name: strings.TrimSpace(name), at: i}, r)
	return false
}

func csharpIndexer(x *extractor, i int, r *rule) bool {
	x.define(i, definition{kind: "func", name: "this[]", at: i}, r)
	return false
}

func csharpProperty(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	x.define(i, definition{kind: r.kind, name: string(x.text(name)), at: name}, r)
	x.top().body = true
	return false
}

func csharpField(x *extractor, i int, r *rule) bool {
	p := int(x.nodes[i].parent)
	if p < 0 || x.kind(p) != "variable_declaration" {
		return false
	}
	p = int(x.nodes[p].parent)
	name := x.child(i, "name")
	if name < 0 {
		name = x.first(i, "identifier")
	}
	if p < 0 || name < 0 {
		return false
	}
	kind := "field"
	switch x.kind(p) {
	case "field_declaration":
		if head := x.text(p); strings.Contains(" "+string(head[:min(len(head), symbols.MaxSignature)]), " const ") {
			kind = "const"
		}
	case "event_field_declaration":
		kind = "event"
	default:
		return false
	}
	x.define(i, definition{kind: kind, name: string(x.text(name)), at: name}, r)
	return false
}
