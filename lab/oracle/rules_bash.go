//go:build cgo && oracle

package oracle

import "strings"

var bashRules = rules{
	"function_definition": functions(),
	"variable_assignment": does(bashVariable),
	"subshell":            does(body),
	"comment":             does(comment),
}

func bashVariable(x *extractor, i int, r *rule) bool {
	p := int(x.nodes[i].parent)
	name := x.child(i, "name")
	if name < 0 || x.kind(name) != "variable_name" || p < 0 || x.top().body {
		return false
	}
	if k := x.kind(p); k != "program" && k != "declaration_command" {
		return false
	}
	if x.once == nil {
		x.once = map[string]bool{}
	}
	text := string(x.text(name))
	if x.once[text] {
		return false
	}
	x.once[text] = true
	kind := "var"
	if text == strings.ToUpper(text) {
		kind = "const"
	}
	x.define(i, definition{kind: kind, name: text, at: name}, r)
	return false
}
