package outline

import (
	"strings"
	"testing"
)

// withPlaces writes a text with two columns before each of its lines: | where a
// statement begins, * where one of several values does; and # on a comment.
func withPlaces(text string, places []Place) string {
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		first, second := " ", " "
		switch p := places[i]; {
		case p&Begins != 0:
			first = "|"
		case p&Element != 0:
			first = "*"
		}
		if places[i]&Remark != 0 {
			second = "#"
		}
		b.WriteString(first + second + line)
		i++
	}
	return b.String()
}

func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ lang, want string }{
		{"go", `
| func f(
* 	a int,
* ) error {
| 	x := T{
* 		a: 1,
* 		b: g(
* 			2),
* 	}
| 	if a > 1 &&
  		b {
| 		return h(func() {
| 			y()
| 		})
| 	}
| 
|#	// Why
 #	// this.
  	z()
| 	s := '
  a
  b'
| 	switch a {
| 	case 1:
| 		w()
| 	}
| }
`},
		{"python", `
| @cached
  def f(a,
*       b):
|#    """Say.
 #
 #    More.
 #    """
|     if a and \
              b:
|         return {
*             "x": 1,
*             "y": """
    z""",
*         }
|     g("""
    text
  """)
|     x = (a +
           b)
|     return x
`},
		{"javascript", `
| export default {
*   name: 'x',
*   data() {
|     const a = b
        .map(c => c)
        .filter(d)
|     return cond
        ? a
        : b;
|   },
* }
| foo(() => {
|   bar();
| });
`},
		{"rust", `
| #[derive(Debug)]
  pub enum E {
|     A,
|     B { x: u8 },
| }
|#/// Doc
  fn f(self) -> u8 {
|     match self {
|         A => 1,
|         B { x } => x
              .get()
              .unwrap(),
|     }
| }
`},
		{"c", `
| #define X \
    1
| static int
| f(void)
| {
|   if (x)
      y();
|   return a
           + b;
| }
`},
		{"ruby", `
| def f(a)
|   x = <<~T
      text
    T
|   a.each do |b|
|     g(b,
*       c)
|   end
| end
`},
		{"java", `
| class A {
|#  /**
 #   * Doc.
 #   */
    @Override
    public int f() {
|     return x
          .y();
|   }
| }
`},
		{"", `
| a (
| 
| b
`},
	} {
		want := strings.TrimPrefix(tt.want, "\n")
		if tt.lang == "go" {
			want = strings.ReplaceAll(want, "'", "`")
		}
		var text strings.Builder
		for line := range strings.Lines(want) {
			text.WriteString(line[2:])
		}
		if got := withPlaces(text.String(), Places(tt.lang, []byte(text.String()))); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.lang, got, want)
		}
	}
}

// FuzzPlaces: there is a place for each line, in every language.
func FuzzPlaces(f *testing.F) {
	f.Add("go", "func f() {\n\tx := T{\n}\n)")
	f.Add("ruby", "x = <<~A\n  b\nA\n")
	f.Add("python", "'''\n\"\"\" # '")
	f.Add("bash", "cat <<E\n$(\nE\n")
	f.Fuzz(func(t *testing.T, lang, text string) {
		if got, want := len(Places(lang, []byte(text))), countLines([]byte(text)); got != want {
			t.Errorf("%d places of %d lines", got, want)
		}
	})
}
