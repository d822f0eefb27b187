package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A part is what a file belongs to.
type part string

// The parts of the tree. A generated file of the product counts as a table.
const (
	product part = "product"
	tables  part = "tables"
	tests   part = "tests"
	lab     part = "lab"
	dialect part = "dialect"
)

// A file is one Go file, parsed.
type file struct {
	path string // below the root, with slashes
	part part
	code int // lines of code
	ast  *ast.File
	set  *token.FileSet
}

func (f *file) dir() string { return path.Dir(f.path) }

var (
	noCode    = regexp.MustCompile(`^\s*(//.*)?$`)
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// parse reads the Go files below the root, those in testdata and in hidden folders
// left out.
func parse(tree fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); d.IsDir() && name != "." && (base == "testdata" || strings.HasPrefix(base, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}

		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f := file{path: name, part: partOf(name, src), code: codeLines(string(src)), set: token.NewFileSet()}
		f.ast, err = parser.ParseFile(f.set, name, src, parser.SkipObjectResolution)
		files = append(files, f)
		return err
	})
	return files, err
}

func partOf(name string, src []byte) part {
	switch top, _, _ := strings.Cut(name, "/"); {
	case top == "lab":
		return lab
	case strings.HasSuffix(name, "_test.go"), forTests(path.Dir(name)):
		return tests
	case top == "dialect":
		return dialect
	case generated.Match(src):
		return tables
	}
	return product
}

// codeLines counts the lines that are neither blank nor a comment alone.
func codeLines(src string) (n int) {
	for line := range strings.Lines(src) {
		if !noCode.MatchString(strings.TrimSuffix(line, "\n")) {
			n++
		}
	}
	return n
}

// A function is a declared function or method of the product or of lab.
type function struct {
	name  string // package folder, receiver and name
	where string // path:line
	part  part
	lines int // from func to the closing brace
}

// long is how many lines a function may have.
const long = 60

// functions lists the functions of everything but tests.
func functions(files []file) []function {
	var out []function
	for _, f := range files {
		if f.part == tests || strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := f.set.Position(fn.Pos()), f.set.Position(fn.End())
			out = append(out, function{
				name:  f.dir() + "." + receiver(fn) + fn.Name.Name,
				where: from.String(), part: f.part, lines: to.Line - from.Line + 1,
			})
		}
	}
	return out
}

// receiver returns the type of a method's receiver and a dot, or "".
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}
