//go:build cgo && oracle

package oracle

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

var scalaRules = rules{
	"class_definition":     holds("class"),
	"object_definition":    holds("object"),
	"package_object":       holds("object"),
	"trait_definition":     holds("trait"),
	"enum_definition":      holds("enum"),
	"function_definition":  functions(),
	"function_declaration": functions(),
	"val_definition":       {do: scalaValue, kind: "const"},
	"var_definition":       {do: scalaValue, kind: "var"},
	"val_declaration":      {do: scalaValue, kind: "const"},
	"var_declaration":      {do: scalaValue, kind: "var"},
	"type_definition":      defines("type"),
	"given_definition":     defines("const"),
	"lambda_expression":    does(body),
	"case_block":           does(body),
	"import_declaration":   does(scalaImport),
	"comment":              does(comment),
	"block_comment":        does(comment),
}

func scalaValue(x *extractor, i int, r *rule) bool {
	n := x.child(i, "pattern")
	if n < 0 {
		n = x.child(i, "name")
	}
	if n >= 0 && x.kind(n) == "identifier" {
		x.define(i, definition{kind: r.kind, name: string(x.text(n)), at: n, body: -1}, r)
		x.top().body = true
		return false
	}
	return body(x, i, r)
}

// scalaImport spells out a.b.{C, D => E}, several separated by commas.
func scalaImport(x *extractor, i int, r *rule) bool {
	s := strings.TrimSpace(strings.TrimPrefix(string(x.text(i)), "import"))
	for s != "" {
		var one, list string
		k := strings.IndexAny(s, "{,")
		switch {
		case k < 0:
			one, s = s, ""
		case s[k] == ',':
			one, s = s[:k], s[k+1:]
		default:
			one = s[:k]
			list, s, _ = strings.Cut(s[k+1:], "}")
			s = strings.TrimLeft(s, ", \n\t")
		}
		one = strings.TrimSpace(one)
		if len(one) > symbols.MaxImport {
			continue
		}
		if list == "" {
			one, _, _ = strings.Cut(one, " as ")
			x.Import(strings.TrimSpace(one))
			continue
		}
		for _, name := range strings.Split(list, ",") {
			name, _, _ = strings.Cut(name, "=>")
			name, _, _ = strings.Cut(name, " as ")
			if name = strings.TrimSpace(name); name != "" {
				x.Import(one + name)
			}
		}
	}
	return true
}
