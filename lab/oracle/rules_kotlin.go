//go:build cgo && oracle

package oracle

import (
	"bytes"
	"strings"
)

var kotlinRules = rules{
	"class_declaration":     {do: kotlinClass, kind: "class", local: true, box: true},
	"object_declaration":    {do: kotlinNamed, kind: "object", local: true, box: true},
	"companion_object":      does(kotlinCompanion),
	"function_declaration":  {do: kotlinNamed, kind: "func", local: true},
	"secondary_constructor": {do: kotlinConstructor, kind: "method"},
	"property_declaration":  {do: kotlinProperty, kind: "property"},
	"type_alias":            {do: kotlinNamed, kind: "type"},
	"getter":                does(body),
	"setter":                does(body),
	"lambda_literal":        does(body),
	"anonymous_function":    does(body),
	"anonymous_initializer": does(body),
	"import":                does(skip),
	"import_header":         does(skip),
	"line_comment":          does(comment),
	"block_comment":         does(comment),
	"multiline_comment":     does(comment),
	"file_annotation":       does(skip),
}

// kotlinName returns the node that names i.
func (x *extractor) kotlinName(i int) int {
	if n := x.child(i, "name"); n >= 0 {
		return n
	}
	if n := x.child(i, "type"); n >= 0 && x.kind(i) == "type_alias" {
		return n
	}
	return x.first(i, "identifier", "simple_identifier", "type_identifier")
}

func kotlinNamed(x *extractor, i int, r *rule) bool {
	n := x.kotlinName(i)
	if n < 0 {
		return body(x, i, r)
	}
	x.define(i, definition{kind: r.kind, name: string(x.text(n)), at: n}, r)
	return false
}

func kotlinClass(x *extractor, i int, r *rule) bool {
	n := x.kotlinName(i)
	if n < 0 {
		return false
	}
	kind := "class"
	head := bytes.Fields(x.src[x.nodes[i].start:x.nodes[n].start])
	for _, w := range head {
		switch string(w) {
		case "interface", "enum":
			kind = string(w)
		}
	}
	x.define(i, definition{kind: kind, name: string(x.text(n)), at: n}, r)
	return false
}

func kotlinCompanion(x *extractor, i int, r *rule) bool {
	name := ""
	if n := x.kotlinName(i); n >= 0 {
		name = string(x.text(n))
	}
	x.push(i, name, false, true)
	return false
}

func kotlinConstructor(x *extractor, i int, r *rule) bool {
	x.define(i, definition{kind: "method", name: "constructor", at: i}, r)
	return false
}

func kotlinProperty(x *extractor, i int, r *rule) bool {
	v := x.first(i, "variable_declaration")
	if v < 0 {
		return false
	}
	n := x.first(v, "identifier", "simple_identifier")
	if n < 0 {
		return false
	}
	kind := "property"
	if strings.Contains(" "+string(x.src[x.nodes[i].start:x.nodes[n].start]), " const ") {
		kind = "const"
	}
	x.define(i, definition{kind: kind, name: string(x.text(n)), at: n}, r)
	return false
}
