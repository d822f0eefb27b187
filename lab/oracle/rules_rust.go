//go:build cgo && oracle

package oracle

import "github.com/satchel-dev/satchel/internal/code/symbols"

var rustRules = rules{
	"function_item":           functions(),
	"function_signature_item": functions(),
	"struct_item":             holds("struct"),
	"union_item":              holds("union"),
	"enum_item":               holds("enum"),
	"trait_item":              holds("trait"),
	"impl_item":               {do: rustImpl, kind: "impl", local: true, box: true},
	"mod_item":                {do: rustModule, kind: "module", local: true, box: true},
	"type_item":               defines("type"),
	"associated_type":         defines("type"),
	"const_item":              defines("const"),
	"static_item":             defines("var"),
	"macro_definition":        {do: leaf, kind: "macro", local: true},
	"attribute_item":          does(attribute),
	"line_comment":            does(comment),
	"block_comment":           does(comment),
	"use_declaration":         does(skip),
	"closure_expression":      does(body),
}

// rustImpl opens the members of a type: impl<T> fmt::Display for a::B<T> holds
// those of B.
func rustImpl(x *extractor, i int, r *rule) bool {
	at := x.child(i, "type")
	if at < 0 {
		return false
	}
	name := at
	for range 4 {
		switch x.kind(name) {
		case "generic_type":
			if t := x.child(name, "type"); t >= 0 {
				name = t
				continue
			}
		case "scoped_type_identifier":
			if t := x.child(name, "name"); t >= 0 {
				name = t
				continue
			}
		case "reference_type":
			if t := x.child(name, "type"); t >= 0 {
				name = t
				continue
			}
		}
		break
	}
	x.define(i, definition{kind: "impl", name: symbols.Signature(x.text(name)), at: name}, r)
	return false
}

func rustModule(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	if x.child(i, "body") < 0 { // mod name; is another file
		return true
	}
	def(x, i, r)
	return false
}
