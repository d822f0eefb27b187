package terms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// spell returns the terms of text, spelled with the candidates given.
func spell(text string, candidates ...string) []string {
	known := map[uint64]string{}
	for _, c := range candidates {
		kind := KindWord
		if c[0] == '=' {
			kind = KindIdent
		}
		known[hash(kind, []byte(c[1:]))] = c
	}
	var got []string
	var a Analyzer
	for range 2 { // the second round is answered from the cache
		got = got[:0]
		a.Each([]byte(text), func(t uint64) {
			if s, ok := known[t]; ok {
				got = append(got, s)
			} else {
				got = append(got, fmt.Sprintf("?%x", t))
			}
		})
	}
	return got
}

func TestEach(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"parseHTTPHeader", "wpars =parsehttpheader whttp whead"},
		{"the retries of a_retry", "wretry =a_retry"},
		{"x __init__", "winit"},
		{"utf8 caches", "wutf =utf8 wcach"},
		{"connection connected", "wconnect"},
		{"日本語", "w日本 w本語"},
		{"ÜberGröße", "wübergröß"},
		{"cafe\u0301_total", "wcafé wtotal =café_total"},
		{"주문", "w주문"},
		{"\u110c\u116e\u1106\u116e\u11ab", "w주문"}, // the same in conjoining letters
		{"ｐａｒｓｅＨｅａｄｅｒ（ｘｙ）", "wpars whead =parseheader wxy"},
	} {
		cands := strings.Fields(test.want)
		seen := map[string]bool{}
		for _, s := range spell(test.text, cands...) {
			seen[s] = true
		}
		for _, c := range cands {
			if !seen[c] {
				t.Errorf("terms of %q = %v, want %s among them", test.text, seen, c)
			}
		}
	}
}

// A long word is one term, the one that a name of that spelling has, and a long
// sentence without spaces is taken apart like a short one.
func TestLongWords(t *testing.T) {
	for _, word := range []string{strings.Repeat("veryLong", 9), strings.Repeat("very_long_", 90), strings.Repeat("lower", 20), strings.Repeat("a1", 50)} {
		want := Word(strings.ToLower(word))
		if Compound(word) {
			want = Ident(word)
		}
		var got []uint64
		var a Analyzer
		a.Each([]byte("("+word+")"), func(t uint64) { got = append(got, t) })
		if diff := cmp.Diff([]uint64{want}, got); diff != "" {
			t.Errorf("terms of %s: -want +got\n%s", word, diff)
		}
		if Ident(word) == Ident(word+"X") || Word(word) == Word(word+"x") {
			t.Errorf("%s and a longer name have the same term", word)
		}
	}
	n := 0
	var a Analyzer
	a.Each([]byte(strings.Repeat("日本語", 10)), func(uint64) { n++ })
	if n != 29 {
		t.Errorf("30 characters have %d pairs, want 29", n)
	}
}

func TestSplit(t *testing.T) {
	for word, want := range map[string]string{
		"parseHTTPHeader": "parse HTTP Header",
		"snake_case_2x":   "snake case 2 x",
		"ABC":             "ABC",
		"_x_":             "x",
		"v1beta1":         "v 1 beta 1",
		"getURL":          "get URL",
	} {
		var parts []string
		Split([]byte(word), func(a, b int) { parts = append(parts, word[a:b]) })
		if diff := cmp.Diff(strings.Fields(want), parts); diff != "" {
			t.Errorf("Split(%q): -want +got\n%s", word, diff)
		}
	}
}

func FuzzEach(f *testing.F) {
	f.Add("func (a *Analyzer) Each(text []byte) // 日本 \xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		var cold, warm Analyzer
		warm.Each([]byte(text), func(uint64) {})
		var a, b []uint64
		cold.Each([]byte(text), func(h uint64) { a = append(a, h) })
		warm.Each([]byte(text), func(h uint64) { b = append(b, h) })
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("the cache changes the terms: -cold +warm\n%s", diff)
		}
	})
}

func BenchmarkEach(b *testing.B) {
	text := []byte(strings.Repeat("func (v *View) Postings(dst []Posting, term uint64) []Posting { return v.appendPostings(dst, term) }\n", 1000))
	var a Analyzer
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a.Each(text, func(uint64) {})
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"budget", "budget", 0}, {"bugdet", "budget", 1}, {"ab", "ba", 1}, {"abc", "cab", 2}, {"kitten", "sitting", 3},
		{strings.Repeat("x", 1000), "x", 99},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%.20q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// All spellings of a name that have the same normal form have the same terms.
func TestNormal(t *testing.T) {
	for _, names := range [][2]string{{"café", "cafe\u0301"}, {"ＨＴＴＰ＿Server", "HTTP_Server"}, {"ﬁle", "file"}} {
		for what, term := range map[string]func(string) uint64{"Def": Def, "Ident": Ident, "Word": Word} {
			if term(names[0]) != term(names[1]) {
				t.Errorf("%s gives %q and %q different terms", what, names[0], names[1])
			}
		}
	}
}
