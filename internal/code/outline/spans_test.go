package outline

import (
	"strings"
	"testing"
)

// spelled writes a text with its spans as «c…», «s…» and «k…».
func spelled(text string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From] + "«" + "csk"[s.Kind:s.Kind+1] + text[s.From:s.To] + "»")
		at = s.To
	}
	return b.String() + text[at:]
}

func TestSpans(t *testing.T) {
	for _, tt := range []struct{ lang, text, want string }{
		{"go", "func f() string { // why\n\treturn \"if\" + `a\nb`\n}", "«kfunc» f() string { «c// why»\n\t«kreturn» «s\"if\"» + «s`a\nb`»\n}"},
		{"python", "def f(x):\n    '''say\n    if'''\n    return x  # for", "«kdef» f(x):\n    «s'''say\n    if'''»\n    «kreturn» x  «c# for»"},
		{"rust", "fn f<'a>(x: &'a str) -> char { 'x' } /* a /* b */ c */", "«kfn» f<'a>(x: &'a str) -> char { «s'x'» } «c/* a /* b */ c */»"},
		{"c", "int x = 'y'; /* open", "«kint» x = «s'y'»; «c/* open»"},
		{"yaml", "if: true # note", "if: true «c# note»"},
		{"javascript", "classes = /if/.test(x)", "classes = «s/if/».test(x)"},
		{"markdown", "if `x`", "if `x`"},
		{"", "if", "if"},
		{"go", "", ""},
	} {
		if got := spelled(tt.text, Spans(tt.lang, []byte(tt.text))); got != tt.want {
			t.Errorf("%s %q: got %s, want %s", tt.lang, tt.text, got, tt.want)
		}
	}
}

// FuzzSpans: spans are in order, within the text and not empty, in every language.
func FuzzSpans(f *testing.F) {
	f.Add("go", "func f() { x := '\\'' // \"\n}")
	f.Add("python", "'''\n\"\"\" # '")
	f.Add("lua", "--[[ x ]] 'a\\")
	f.Fuzz(func(t *testing.T, lang, text string) {
		if l := byName[lang]; l == nil || l.syntax == nil {
			lang = "go"
		}
		end := 0
		for _, s := range Spans(lang, []byte(text)) {
			if s.From < end || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%s %q: span %d-%d after %d, of %d bytes", lang, text, s.From, s.To, end, len(text))
			}
			end = s.To
		}
	})
}
