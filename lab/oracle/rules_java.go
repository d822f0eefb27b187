//go:build cgo && oracle

package oracle

import "bytes"

var javaRules = rules{
	"class_declaration":                   holds("class"),
	"record_declaration":                  holds("record"),
	"interface_declaration":               holds("interface"),
	"annotation_type_declaration":         holds("annotation"),
	"enum_declaration":                    holds("enum"),
	"method_declaration":                  functions(),
	"constructor_declaration":             functions(),
	"compact_constructor_declaration":     functions(),
	"annotation_type_element_declaration": functions(),
	"variable_declarator":                 does(javaField),
	"static_initializer":                  does(body),
	"block":                               does(body),
	"lambda_expression":                   does(body),
	"import_declaration":                  does(skip),
	"line_comment":                        does(comment),
	"block_comment":                       does(comment),
}

func javaField(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	p := int(x.nodes[i].parent)
	if name < 0 || p < 0 {
		return false
	}
	kind := "field"
	switch x.kind(p) {
	case "constant_declaration":
		kind = "const"
	case "field_declaration":
		if m := p + 1; x.kind(m) == "modifiers" {
			if t := x.text(m); bytes.Contains(t, []byte("static")) && bytes.Contains(t, []byte("final")) {
				kind = "const"
			}
		}
	default:
		return false
	}
	x.define(i, definition{kind: kind, name: string(x.text(name)), at: name}, r)
	return false
}
