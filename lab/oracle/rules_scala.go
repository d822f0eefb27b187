//go:build cgo && oracle

package oracle

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
	"import_declaration":   does(skip),
	"comment":              does(comment),
	"block_comment":        does(comment),
}

func scalaValue(x *extractor, i int, r *rule) bool {
	n := x.child(i, "pattern")
	if n < 0 {
		n = x.child(i, "name")
	}
	if n >= 0 && x.kind(n) == "identifier" {
		x.define(i, definition{kind: r.kind, name: string(x.text(n)), at: n}, r)
		x.top().body = true
		return false
	}
	return body(x, i, r)
}
