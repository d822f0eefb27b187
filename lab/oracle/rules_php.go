//go:build cgo && oracle

package oracle

import "strings"

var phpRules = rules{
	"namespace_definition":                   namespace(`\`),
	"class_declaration":                      holds("class"),
	"interface_declaration":                  holds("interface"),
	"trait_declaration":                      holds("trait"),
	"enum_declaration":                       holds("enum"),
	"function_definition":                    functions(),
	"method_declaration":                     functions(),
	"property_element":                       {do: phpProperty, kind: "field"},
	"const_element":                          {do: phpConst, kind: "const"},
	"namespace_use_declaration":              does(skip),
	"anonymous_function":                     does(body),
	"anonymous_function_creation_expression": does(body),
	"arrow_function":                         does(body),
	"comment":                                does(comment),
	"attribute_list":                         does(attribute),
}

func phpProperty(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		name = x.first(i, "variable_name")
	}
	if name >= 0 {
		x.define(i, definition{kind: r.kind, name: strings.TrimPrefix(string(x.text(name)), "$"), at: name}, r)
	}
	return false
}

func phpConst(x *extractor, i int, r *rule) bool {
	if name := x.first(i, "name"); name >= 0 {
		x.define(i, definition{kind: r.kind, name: string(x.text(name)), at: name}, r)
	}
	return false
}
