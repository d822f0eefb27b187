package main

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// uses returns who uses the names, by their keys.
func uses(all []*packages.Package) map[string]need {
	needs := map[string]need{}
	for _, p := range all {
		self := strings.TrimSuffix(p.PkgPath, "_test")
		for _, f := range p.Syntax {
			by := imported
			if isLab(p.PkgPath) || strings.HasSuffix(p.Fset.Position(f.Pos()).Filename, "_test.go") {
				by = outside
			}
			each(p, f, func(obj types.Object) {
				if key := keyOf(obj); key != "" && obj.Pkg().Path() != self {
					needs[key] = max(needs[key], by)
				}
			})
			for _, example := range examples(f) {
				each(p, example, func(obj types.Object) {
					if key := keyOf(obj); key != "" && slices.Contains(promised, folder(obj.Pkg().Path())) {
						needs[key] = max(needs[key], inDocs)
					}
				})
			}
		}
	}
	return needs
}

// each calls fn with everything that is used below a node, and with the types
// whose fields and methods are selected.
func each(p *packages.Package, root ast.Node, fn func(types.Object)) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch obj := p.TypesInfo.Uses[n].(type) {
			case nil:
			case *types.Func:
				fn(obj.Origin())
			default:
				fn(obj)
			}
		case *ast.SelectorExpr:
			if s := p.TypesInfo.Selections[n]; s != nil {
				if t := named(s.Recv()); t != nil {
					fn(t.Obj())
				}
			}
		}
		return true
	})
}

// examples lists the Example functions of a file of tests.
func examples(f *ast.File) []ast.Node {
	var out []ast.Node
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Example") && strings.HasSuffix(f.Name.Name, "_test") {
			out = append(out, fn)
		}
	}
	return out
}

// words holds the names that documents write, such as pack.Fit and Engine.Pack.
type words map[string]bool

var qualified = regexp.MustCompile(`\b[A-Za-z]\w*(\.[A-Z]\w*)+`)

// documents reads README.md and docs.
func documents(root string) (words, error) {
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	w := words{}
	for _, name := range append(found, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, q := range qualified.FindAllString(string(text), -1) {
			w[q] = true
		}
	}
	return w, nil
}

// mention reports whether a name is written with its package, or a method with
// its type alone.
func (w words) mention(n name) bool {
	p := n.dir
	if p == "." {
		p = "satchel"
	}
	return w[p+"."+n.id] || strings.Contains(n.id, ".") && w[n.id]
}
