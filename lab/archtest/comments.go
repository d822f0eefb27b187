package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// nearWords is how many words of a comment the name has to be among: "A Name is",
// "The name of", "Both name and".
const nearWords = 3

// Comments reports doc comments of functions, methods and types that do not begin
// with the name of what they stand on, as one does that stayed behind when its
// function was renamed or moved, and those that say "A" where it is "An".
func Comments(files []File) []string {
	var bad []string
	check := func(f File, name string, doc *ast.CommentGroup) {
		if why := misnamed(name, doc.Text()); why != "" {
			bad = append(bad, fmt.Sprintf("%s: the comment of %s %s", f.Path, name, why))
		}
	}
	for _, f := range files {
		if f.Test {
			continue
		}
		for _, decl := range f.AST.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				check(f, d.Name.Name, d.Doc)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						check(f, t.Name.Name, typeDoc(d, t))
					}
				}
			}
		}
	}
	return bad
}

// typeDoc is the comment of a type, which stands above the word type unless the
// declaration has parentheses.
func typeDoc(d *ast.GenDecl, t *ast.TypeSpec) *ast.CommentGroup {
	if t.Doc == nil && d.Lparen == token.NoPos {
		return d.Doc
	}
	return t.Doc
}

// misnamed says what is wrong with how a comment begins; "" if nothing is.
func misnamed(name, text string) string {
	if text == "" || name == "main" || name == "init" {
		return ""
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	at := slices.Index(words[:min(len(words), nearWords)], name)
	if at < 0 {
		return fmt.Sprintf("does not begin with %s", name)
	}

	const either = "Uu" // a use, an upper bound
	if at == 0 || strings.Contains(either, name[:1]) {
		return ""
	}
	want := "A"
	if strings.Contains("AEIOaeio", name[:1]) {
		want = "An"
	}
	if has := words[at-1]; (has == "A" || has == "An") && has != want {
		return fmt.Sprintf("begins with %q, want %q", has+" "+name, want+" "+name)
	}
	return ""
}
