package outline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goroot is where the standard library's source lies, or "".
func goroot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// TestGoEqualsParser outlines packages of the standard library and compares
// names and lines with what an independent walk over go/ast declares.
func TestGoEqualsParser(t *testing.T) {
	if testing.Short() {
		t.Skip("parses packages of Go")
	}
	var names []string
	for _, pkg := range []string{"net/http", "go/ast", "reflect", "encoding/json", "slices", "sync/atomic"} {
		files, err := filepath.Glob(filepath.Join(goroot(), "src", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, files...)
	}
	own, err := filepath.Glob("*.go")
	if err != nil || len(own) == 0 {
		t.Fatalf("no Go files: %v", err)
	}
	names = append(names, own...) // there may be no GOROOT here
	total := 0
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := declarations(t, src)
		var got []decl
		out := outlineGo(src)
		checkLaws(t, out, src)
		for _, s := range out.Symbols {
			got = append(got, decl{s.Parent, s.Name, s.NameLine, s.To})
		}
		slices.SortFunc(got, byLine)
		slices.SortFunc(want, byLine)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(decl{})); d != "" {
			t.Errorf("%s: symbols differ from go/parser (-want +got):\n%s", name, d)
		}
		total += len(got)
	}
	t.Logf("%d files, %d declarations", len(names), total)
}

type decl struct {
	parent, name string
	line, to     int
}

func byLine(a, b decl) int {
	if a.line != b.line {
		return a.line - b.line
	}
	if a.name < b.name {
		return -1
	}
	return 1
}

// declarations lists declarations by ast.Inspect.
func declarations(t *testing.T, src []byte) (out []decl) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, d := range f.Decls {
		grouped := true
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				parent := ""
				if n.Recv != nil {
					ast.Inspect(n.Recv.List[0].Type, func(e ast.Node) bool {
						if id, ok := e.(*ast.Ident); ok && parent == "" {
							parent = id.Name
						}
						return parent == ""
					})
				}
				out = append(out, decl{parent, n.Name.Name, line(n.Name.Pos()), line(n.End())})
				return false
			case *ast.GenDecl:
				grouped = n.Lparen.IsValid()
			case *ast.TypeSpec:
				to := line(n.End())
				if !grouped {
					to = line(d.End())
				}
				out = append(out, decl{"", n.Name.Name, line(n.Name.Pos()), to})
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						for _, id := range m.Names {
							out = append(out, decl{n.Name.Name, id.Name, line(id.Pos()), line(m.End())})
						}
					}
				}
				return false
			case *ast.ValueSpec:
				for _, id := range n.Names {
					if id.Name != "_" {
						out = append(out, decl{"", id.Name, line(id.Pos()), line(n.End())})
					}
				}
				return false
			}
			return true
		})
	}
	return out
}
