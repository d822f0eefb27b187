package outline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// showPieces lists the definitions of one piece, its first line as line 1 and that of
// its heading as 0.
func showPieces(lang, heading, text string) string {
	var b strings.Builder
	for _, s := range Pieces(lang, []Piece{{heading, []byte(text)}}).Symbols {
		name := s.Name
		if s.Parent != "" {
			name = s.Parent + "." + name
		}
		fmt.Fprintf(&b, "%d-%d %s %s\n", s.From-1, s.To-1, s.Kind, name)
	}
	return b.String()
}

func TestPieces(t *testing.T) {
	for _, c := range []struct{ name, lang, heading, text, want string }{
		{"the end of one function and another", "go", "func (x *Run) one(a int,", "\t\tx.y()\n\t}\n}\n\nfunc two() {\n}\n",
			"0-3 method Run.one\n5-6 func two\n"},
		{"fields of a struct", "go", "type Run struct {", "\ta int\n\tb string\n}\n", "0-3 struct Run\n"},
		{"a heading whose definition has ended", "go", "func one() {", "// Two.\nfunc two() {\n", "1-2 func two\n"},
		{"statements in a method, then a method", "java", "public class A {", "    int x = 1;\n    f(x);\n  }\n\n  void g() {\n  }\n", "5-6 method A.g\n"},
		{"members", "java", "public class A {", "    private int x = 1;\n\n    void g() {\n        f();\n", "0-4 class A\n1-1 field A.x\n3-4 method A.g\n"},
		{"the inside of a comment", "java", "public class A {", "     * Does it.\n     */\n    void g() {\n    }\n", "0-4 class A\n1-4 method A.g\n"},
		{"statements in a method", "csharp", "public class A", "        var x = 1;\n    }\n\n    void G()\n    {\n    }\n", "4-6 method A.G\n"},
		{"below a namespace", "csharp", "namespace N", "        var x = 1;\n        }\n\n        void G()\n        {\n        }\n", "4-6 method N.G\n"},
		{"after public:", "cpp", "public:", "  int a() const;\n  int b();\n", "1-1 method a\n2-2 method b\n"},
		{"without a tag", "php", "class A", "        return 1;\n    }\n\n    public function g(): int\n    {\n", "4-5 method A.g\n"},
		{"among arguments", "javascript", "describe('x', () => {", "    expect(1);\n  });\n\n  const g = () => {\n  };\n", ""},
		{"a component", "vue", "", "export function g() {\n}\n", "1-2 func g\n"},
		{"a method's lines are no fields", "python", "class A:", "        x = 1\n        return x\n\n    def g(self):\n        pass\n", "4-5 method A.g\n"},
		{"a heading cut short", "python", "def one(self, a: int, b:", "    x = 1\n\ndef two():\n    pass\n", "0-1 func one\n3-4 func two\n"},
		{"ends", "ruby", "class A", "      x = 1\n    end\n  end\n\n  def g\n  end\nend\n", "5-6 method A.g\n"},
		{"ends", "lua", "function M.f()", "    g()\n  end\nend\n\nfunction M.h()\nend\n", "0-3 method M.f\n5-6 method M.h\n"},
		{"a method of an implementation", "rust", "impl<T> A<T> {", "        let x = 1;\n    }\n\n    fn g(&self) {\n    }\n}\n", "4-5 method A.g\n"},
		{"nothing known", "nothing", "class A {", "  b\n", ""},
	} {
		if diff := cmp.Diff(c.want, showPieces(c.lang, c.heading, c.text)); diff != "" {
			t.Errorf("%s, %s: -want +got:\n%s", c.lang, c.name, diff)
		}
	}
}

func TestPiecesCountThroughAll(t *testing.T) {
	got := Pieces("go", []Piece{{"", []byte("import \"os\"\n")}, {"func f() {", []byte("\t// x\n}\n")}})
	if len(got.Symbols) != 1 || got.Symbols[0].From != 3 || got.Symbols[0].To != 5 {
		t.Errorf("symbols %+v, want one of the lines 3-5", got.Symbols)
	}
	if !slices.Equal(got.Imports, []string{"os"}) || len(got.Comments) != 1 || got.Comments[0].From != 4 {
		t.Errorf("imports %q, comments %v, want os and line 4", got.Imports, got.Comments)
	}
}

// FuzzPieces checks that what any lines hold stands on their lines.
func FuzzPieces(f *testing.F) {
	f.Add("java", "class A {", " * x\n */\n}\n void g() {\n")
	f.Add("php", "class A", "}\n?>\n<?php function f() {")
	f.Add("python", "def f(", "    x\n def g():\n\ty")
	f.Add("go", "import (", "\t\"os\"\n)\n}\nfunc f")
	f.Fuzz(func(t *testing.T, lang, heading, text string) {
		heading = strings.ReplaceAll(heading, "\n", " ")
		for _, l := range []string{lang, "go", "cpp", "csharp", "php", "python", "ruby", "typescript"} {
			p := Piece{heading, []byte(text)}
			out := Pieces(l, []Piece{p, p})
			last := 2 * (1 + countLines(p.Text))
			for i, s := range out.Symbols {
				if s.From < 1 || s.To < s.From || s.To > last || s.NameLine < s.From || s.NameLine > s.To {
					t.Errorf("%s: %s stands on %d-%d, its name on %d, of %d lines", l, s.Name, s.From, s.To, s.NameLine, last)
				}
				if i > 0 && s.From < out.Symbols[i-1].From {
					t.Errorf("%s: %s stands out of order", l, s.Name)
				}
			}
			for _, c := range out.Comments {
				if c.From < 1 || c.To < c.From || c.To > last {
					t.Errorf("%s: a comment on %v of %d lines", l, c, last)
				}
			}
		}
	})
}
