//go:build cgo && oracle

package oracle

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

var pythonRules = rules{
	"function_definition":   {do: pythonDef, kind: "func", local: true},
	"class_definition":      {do: pythonDef, kind: "class", local: true, box: true},
	"decorator":             does(attribute),
	"comment":               does(comment),
	"assignment":            does(pythonAssignment),
	"type_alias_statement":  does(pythonTypeAlias),
	"import_statement":      does(pythonImport),
	"import_from_statement": does(pythonImportFrom),
	"lambda":                does(body),
	"module":                does(pythonModule),
	"string":                does(skip),
}

func pythonModule(x *extractor, i int, r *rule) bool {
	x.docstring(i)
	return false
}

// docstring returns the first sentence of the string that a module, class or
// function begins with, and counts its lines as comments.
func (x *extractor) docstring(block int) string {
	for j := block + 1; j < int(x.nodes[block].next); j = int(x.nodes[j].next) {
		switch x.kind(j) {
		case "comment":
			continue
		case "expression_statement":
			s := x.first(j, "string")
			if s != j+1 || int(x.nodes[s].next) != int(x.nodes[j].next) {
				return ""
			}
			x.Comment(int(x.nodes[s].row)+1, x.endRow(s)+1)
			text := bytes.TrimLeft(x.text(s), "rRuUbBfF")
			return symbols.Sentence(text)
		}
		return ""
	}
	return ""
}

func pythonDef(x *extractor, i int, r *rule) bool {
	name, block := x.child(i, "name"), x.child(i, "body")
	if name < 0 {
		return false
	}
	d := definition{kind: r.kind, name: string(x.text(name)), at: name, body: block}
	if block >= 0 {
		d.doc = x.docstring(block)
	}
	x.define(i, d, r)
	return false
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
	x.define(i, definition{kind: kind, name: name, at: left, body: -1}, r)
	return false
}

func pythonTypeAlias(x *extractor, i int, r *rule) bool {
	left := x.child(i, "left")
	if left < 0 {
		return false
	}
	name, _, _ := bytes.Cut(x.text(left), []byte("["))
	x.define(i, definition{kind: "type", name: string(bytes.TrimSpace(name)), at: left, body: -1}, r)
	return false
}

func pythonImport(x *extractor, i int, r *rule) bool {
	x.children(i, func(j int) {
		if x.kind(j) == "aliased_import" {
			j = x.child(j, "name")
		}
		if j >= 0 && x.kind(j) == "dotted_name" {
			x.Import(string(x.text(j)))
		}
	})
	return true
}

func pythonImportFrom(x *extractor, i int, r *rule) bool {
	from := x.child(i, "module_name")
	if from < 0 {
		return true
	}
	module := string(x.text(from))
	if strings.Trim(module, ".") != "" {
		x.Import(module)
	}
	x.children(i, func(j int) {
		if j == from {
			return
		}
		if x.kind(j) == "aliased_import" {
			j = x.child(j, "name")
		}
		if j < 0 || x.kind(j) != "dotted_name" {
			return
		}
		name := string(x.text(j))
		if strings.HasSuffix(module, ".") {
			x.Import(module + name)
		} else {
			x.Import(module + "." + name)
		}
	})
	return true
}
