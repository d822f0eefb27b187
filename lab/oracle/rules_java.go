//go:build cgo && oracle

package oracle

import (
	"bytes"
	"strings"
)

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
	"import_declaration":                  does(javaImport),
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
	x.define(i, definition{kind: kind, name: string(x.text(name)), at: name, body: -1}, r)
	return false
}

// javaImport serves Java, Kotlin and Scala 2 style imports of one path.
func javaImport(x *extractor, i int, r *rule) bool {
	s := strings.TrimSuffix(strings.TrimSpace(string(x.text(i))), ";")
	s = strings.TrimPrefix(s, "import")
	s = strings.TrimPrefix(strings.TrimSpace(s), "static ")
	if j := strings.Index(s, " as "); j >= 0 {
		s = s[:j]
	}
	if j := strings.Index(s, "//"); j >= 0 {
		s = s[:j]
	}
	x.Import(strings.Join(strings.Fields(s), ""))
	return true
}
