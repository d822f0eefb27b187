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
	"namespace_declaration":             {do: csharpNamespace, kind: "namespace", box: true},
	"file_scoped_namespace_declaration": {do: csharpNamespace, kind: "namespace", box: true},
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

// csharpNamespace serves both forms; the members of a file-scoped namespace
// are its following siblings, to the end of the file.
func csharpNamespace(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	b := x.child(i, "body")
	path := string(x.text(name))
	d := definition{kind: r.kind, name: path, at: name, body: b}
	if k := strings.LastIndexByte(path, '.'); k >= 0 {
		d.name, d.path = path[k+1:], path[:k]
	}
	x.define(i, d, r)
	if b < 0 {
		x.toEnd(i)
	}
	return false
}

// toEnd extends the definition just opened at i over its following siblings.
func (x *extractor) toEnd(i int) {
	t := x.top()
	p := x.nodes[i].parent
	if p < 0 || t.end != int(x.nodes[i].next) {
		return
	}
	t.end = int(x.nodes[p].next)
	if t.sym >= 0 {
		x.At(t.sym).To = x.endRow(int(p)) + 1
	}
}

func csharpDestructor(x *extractor, i int, r *rule) bool {
	if name := x.child(i, "name"); name >= 0 {
		x.define(i, definition{kind: "func", name: "~" + string(x.text(name)), at: name, body: x.child(i, "body")}, r)
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
	x.define(i, definition{kind: "func", name: strings.TrimSpace(name), at: i, body: x.child(i, "body")}, r)
	return false
}

func csharpIndexer(x *extractor, i int, r *rule) bool {
	x.define(i, definition{kind: "func", name: "this[]", at: i, body: x.first(i, "accessor_list", "arrow_expression_clause")}, r)
	return false
}

func csharpProperty(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	b := x.first(i, "accessor_list", "arrow_expression_clause")
	x.define(i, definition{kind: r.kind, name: string(x.text(name)), at: name, body: b}, r)
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
	x.define(i, definition{kind: kind, name: string(x.text(name)), at: name, body: -1}, r)
	return false
}
