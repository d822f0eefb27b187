package outline

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// checkLaws checks what holds for the outline of any text.
func checkLaws(t *testing.T, o Outline, src []byte) {
	t.Helper()
	lines := max(countLines(src), 1)
	for i, s := range o.Symbols {
		if s.From < 1 || s.From > s.NameLine || s.NameLine > s.To || s.To > lines {
			t.Fatalf("symbol %+v has impossible lines in a text of %d", s, lines)
		}
		if i > 0 && s.From < o.Symbols[i-1].From {
			t.Fatalf("symbol %+v comes after %+v", s, o.Symbols[i-1])
		}
		if s.Name == "" || !utf8.ValidString(s.Name+s.Parent+s.Signature+s.Doc) {
			t.Fatalf("symbol %+v has an invalid text", s)
		}
		if bytes.ContainsAny([]byte(s.Signature+s.Doc), "\n\r\x00\x1b") {
			t.Fatalf("symbol %+v has a control character", s)
		}
	}
	last := 0
	for _, r := range o.Comments {
		if r.From <= last || r.To < r.From || r.To > lines {
			t.Fatalf("comments %v are not ascending lines of %d", o.Comments, lines)
		}
		last = r.To
	}
}

// seeds adds the golden inputs.
func seeds(f *testing.F) {
	names, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatalf("no golden files: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(b).Files {
			f.Add(Language(file.Name, file.Data), file.Data)
		}
	}
}

func FuzzLines(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, lang string, src []byte) {
		checkLaws(t, outlineLines(lang, src, ""), src)
		if inner, innerLang, ok := script(lang, src); ok {
			checkLaws(t, outlineLines(innerLang, inner, ""), src)
		}
	})
}

func FuzzGo(f *testing.F) {
	f.Add([]byte("package p\n\n// A is.\ntype A[T any] interface { F() }\n"))
	f.Add([]byte("package p\nfunc (a *A[T]) f() {\n"))
	f.Add([]byte("//line x.go:99\npackage p\n/* a */ var b, c = 1, 2\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		checkLaws(t, outlineGo(src), src)
	})
}

func FuzzClassify(f *testing.F) {
	f.Add("a/b_test.go", []byte("package p"))
	f.Add("dist/x.min.js", []byte("var a=1"))
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		lang := Language(name, src)
		if c := Classify(name, lang, src, nil); c == "" {
			t.Errorf("Classify(%q, %q) is empty", name, lang)
		}
		Secondary(name)
	})
}
