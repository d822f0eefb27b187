package project

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/store/index"
)

func TestScope(t *testing.T) {
	files := strings.Fields("a.go b.go src/a.go src/sub/c.go app/[id]/p app/i/p we*ird we!ird")
	for _, c := range []struct{ paths, include, want, unused string }{
		{"", "", "a.go b.go src/a.go src/sub/c.go app/[id]/p app/i/p we*ird we!ird", ""},
		{"src", "", "src/a.go src/sub/c.go", ""},
		{"src/ src/*.go", "", "src/a.go src/sub/c.go", ""},
		{"src/*.go", "", "src/a.go", ""},
		{".", "a.go", "a.go src/a.go", ""},
		{"src", "a.go b.go", "src/a.go", ""},
		{"", "/a.go", "a.go", ""},
		{"", "sub nothing", "src/sub/c.go", "nothing"},
		{"a.go c.go sr", "", "a.go", "c.go sr"},
		{"app/[id]", "", "app/[id]/p", ""},
		{"app/[ix]", "", "app/i/p", ""},
		{"we*ird", "", "we*ird", ""},
		{"we?ird", "", "we*ird we!ird", ""},
		{`we\*ird`, "", "we*ird", ""},
	} {
		s, err := NewScope(strings.Fields(c.paths), strings.Fields(c.include))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			s.Paths.Match([]string{f})
			s.Include.Match([]string{f})
		}
		s.Paths.Settle()
		s.Include.Settle()
		var got []string
		for _, f := range files {
			if ok, _ := s.Has(f); ok {
				got = append(got, f)
			}
		}
		unused := append(s.Paths.Unused(), s.Include.Unused()...)
		if strings.Join(got, " ") != c.want || strings.Join(unused, " ") != c.unused {
			t.Errorf("paths %q, include %q: %q without %q, want %q without %q", c.paths, c.include, got, unused, c.want, c.unused)
		}
	}
	if _, err := NewScope([]string{"a[*"}, nil); err == nil {
		t.Error("a bad pattern is none")
	}
}

// FuzzLiteral checks that a path that is written as a pattern stands for itself
// alone, and that nothing is taken for more than it says.
func FuzzLiteral(f *testing.F) {
	f.Add("app/[id]/page", "app/i/page")
	f.Add(`a\*b`, "a*b")
	f.Add("src/*", "src/x")
	f.Fuzz(func(t *testing.T, name, other string) {
		if name == "" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || name == "." {
			return
		}
		if plain, ok := index.Plain(index.Literal(name)); plain != name || !ok {
			t.Fatalf("Plain(Literal(%q)) = %q, %v", name, plain, ok)
		}
		s, err := NewScope([]string{index.Literal(name)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if ok, exact := s.Has(name); !ok || !exact && index.Literal(name) == name {
			t.Fatalf("%q does not match itself", name)
		}
		if ok, _ := s.Has(other); ok && other != name && !strings.HasPrefix(other, name+"/") {
			t.Fatalf("%q matches %q", name, other)
		}
	})
}
