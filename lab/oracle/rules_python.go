//go:build cgo && oracle

package oracle

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

var pythonRules = rules{
	"function_definition":   functions(),
	"class_definition":      holds("class"),
	"decorator":             does(attribute),
	"comment":               does(comment),
	"assignment":            does(pythonAssignment),
	"type_alias_statement":  does(pythonTypeAlias),
	"import_statement":      does(skip),
	"import_from_statement": does(skip),
	"lambda":                does(body),
	"string":                does(skip),
}

// pythonAssignment makes a symbol of the first assignment to a name in a module
// or class.
func pythonAssignment(x *extractor, i int, r *rule) bool {
	t := x.top()
	left := x.child(i, "left")
	if t.body || left < 0 || x.kind(left) != "identifier" {
		return false
	}
	name := string(x.text(left))
	if x.once == nil {
		x.once = map[string]bool{}
	}
	if path := symbols.Join(t.path, name); x.once[path] {
		return false
	} else {
		x.once[path] = true
	}
	kind := "var"
	switch {
	case t.box:
		kind = "field"
	case name == strings.ToUpper(name) && name != "_":
		kind = "const"
	}
	x.define(i, definition{kind: kind, name: name, at: left}, r)
	return false
}

func pythonTypeAlias(x *extractor, i int, r *rule) bool {
	left := x.child(i, "left")
	if left < 0 {
		return false
	}
	name, _, _ := bytes.Cut(x.text(left), []byte("["))
	x.define(i, definition{kind: "type", name: string(bytes.TrimSpace(name)), at: left}, r)
	return false
}
