package ctxmgr_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/api.txt")

// TestAPI compares what the package exports with a committed list: a change of
// it shows in a diff.
func TestAPI(t *testing.T) {
	const name = "testdata/api.txt"
	got := strings.Join(exported(t), "\n") + "\n"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the exported API has changed (-want +got); run with -update if it should:\n%s", diff)
	}
}

// TestReference: every name of hawk's page is there, with its signature. A
// Message stands for types.EyrieMessage.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.txt")
	if err != nil {
		t.Fatal(err)
	}
	have := exported(t)
	n := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		n++
		if !slices.Contains(have, line) {
			t.Errorf("%s is missing", line)
		}
	}
	if n < 150 {
		t.Errorf("the list has %d lines: it has been cut", n)
	}
	for _, line := range have {
		if doc, ok := strings.CutSuffix(line, " undocumented"); ok {
			t.Errorf("%s has no doc comment", doc)
		}
	}
}

// exported lists the constants, functions, types, fields and methods that the
// package exports, one a line, sorted. It reads the files itself.
func exported(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var out []string
	fset := token.NewFileSet()
	text := func(n any) string {
		var b bytes.Buffer
		if err := printer.Fprint(&b, fset, n); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(strings.TrimPrefix(text(d.Recv.List[0].Type), "*")) {
					continue
				}
				line := text(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
				if d.Doc.Text() == "" {
					line += " undocumented"
				}
				out = append(out, line)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for i, n := range s.Names {
							if n.IsExported() {
								out = append(out, d.Tok.String()+" "+n.Name+" "+text(s.Type)+" = "+text(s.Values[i]))
							}
						}
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							out = append(out, typeLines(s, text)...)
						}
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func typeLines(s *ast.TypeSpec, text func(any) string) []string {
	name := s.Name.Name
	var out []string
	switch typ := s.Type.(type) {
	case *ast.StructType:
		out = append(out, "type "+name+" struct")
		for _, f := range typ.Fields.List {
			for _, n := range f.Names {
				if n.IsExported() {
					out = append(out, "field "+name+"."+n.Name+" "+text(f.Type))
				}
			}
		}
	case *ast.InterfaceType:
		out = append(out, "type "+name+" interface")
		for _, m := range typ.Methods.List {
			for _, n := range m.Names {
				out = append(out, "method "+name+"."+n.Name+strings.TrimPrefix(text(m.Type), "func"))
			}
		}
	default:
		out = append(out, "type "+name+" "+text(s.Type))
	}
	return out
}
