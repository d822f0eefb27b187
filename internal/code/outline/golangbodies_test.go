package outline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// equalDefinitions fails if the quick way finds something else than the parser
// does in a text without mistakes, and reports whether it was taken.
func equalDefinitions(t *testing.T, name string, src []byte) bool {
	t.Helper()
	want := outlineGo(src)
	if want.Partial {
		return false
	}
	want.Comments = nil
	got := Definitions("go", src)
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s: definitions without bodies differ (-want +got):\n%s\n%s", name, d, src)
	}
	short, cuts, ok := cutBodies(src)
	return ok && len(cuts) > 0 && len(short) < len(src) && !outlineCut(src, short, cuts).Partial
}

func TestDefinitionsEqualParse(t *testing.T) {
	if testing.Short() {
		t.Skip("parses packages of Go")
	}
	own, err := filepath.Glob("*.go")
	if err != nil || len(own) == 0 {
		t.Fatalf("no Go files: %v", err)
	}
	for _, pkg := range []string{"net/http", "go/ast", "go/parser", "reflect", "runtime", "slices", "sync/atomic", "text/template", "strconv"} {
		names, err := filepath.Glob(filepath.Join(goroot(), "src", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, names...)
	}
	quick := 0
	for _, name := range own {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if equalDefinitions(t, name, src) {
			quick++
		}
	}
	if quick < len(own)/2 {
		t.Errorf("%d of %d files were read without bodies, want most", quick, len(own))
	}
}

// Texts in which it is not easy to see where a body begins and ends.
var bodies = []string{
	"package p\n\nfunc F() {}\nfunc G() { F() }\n// H does.\nfunc H() {\n\tx := \"}\"\n}\nvar After int\n",
	"package p\nfunc F(a struct{ b int }, c interface{ D() }) (map[string]struct{}, error) {\n\treturn nil, nil\n}\ntype T struct{}\n",
	"package p\nfunc F() struct {\n\ta int\n} {\n\treturn struct{ a int }{1}\n}\nfunc (t T) G() interface{} {\n\tfor {\n\t}\n}\nconst C = 1\n",
	"package p\nfunc F[K comparable, V interface{ ~int | ~string }](m map[K]V) func() {\n\treturn func() { _ = '}' }\n}\nvar V = func() int {\n\treturn 1\n}()\n",
	"package p\nfunc assembly(x int) int\nfunc F() {\n\t// }\n\t/* } */\n\t_ = `}\nfunc inside() {\n`\n\t_ = '\\''\n\t_ = '{'\n}\nfunc G() {}\n",
	"package p\nvar text = `\nfunc NotOne() {\n}\n`\n/*\nfunc NorThis() {\n}\n*/\nfunc One() {\n}\n",
	"package p\r\n\r\nfunc F() {\r\n\tx()\r\n}\r\n\r\ntype T interface {\r\n\tM()\r\n}\r\n",
	"package p\nfunc F() {\n//line other.go:100\n\tx()\n}\nfunc G() {}\n",
	"package p\nfunc F() /* { */ {\n\tx()\n} // F\nfunc G() {}; func H() {\n}\n",
	"package p\nfunc F() {\n\tx(\n}\nfunc G() {}\n", "package p\nfunc F() {\n", "func", "package p\nfunc F() }\n", "package p\n'\n",
}

func TestDefinitionsOfHardBodies(t *testing.T) {
	for _, src := range bodies {
		equalDefinitions(t, "text", []byte(src))
	}
}

func FuzzDefinitions(f *testing.F) {
	for _, src := range bodies {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		equalDefinitions(t, "fuzz", src)
	})
}

func BenchmarkDefinitions(b *testing.B) {
	src, err := os.ReadFile("go_test.go")
	if err != nil {
		b.Fatal(err)
	}
	for name, fn := range map[string]func(string, []byte) Outline{"definitions": Definitions, "parse": Parse} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				fn("go", src)
			}
		})
	}
}
