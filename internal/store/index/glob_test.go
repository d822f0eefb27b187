package index

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestMatchFold(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.md", "READ.MD", true},
		{"Docs/**/*.md", "docs/A/b.MD", true},
		{"docs/[a-c]x", "DOCS/Bx", true},
		{"[^a]", "A", true}, // A is not a
		{"[^a]", "a", true}, // and on this disk they may be one file
		{"*.lock", "x.loc\u212A", true},
		{"x.loc\u212A", "x.lock", true},
		{"\u017Fpec", "SPEC", true},
		{"[r-t]pec", "\u017FPEC", true},
		{"i", "\u0130", false}, // one letter and two, of which one is a dot
		{"\u0130", "\u0130", true},
		{"caf\xe9*", "caf\xe9s", true},
		{"caf\xe9*", "caf\xea", true},
		{"caf\xe9", "caf\u00e9", false},
		{"*.md", "a.txt", false},
	} {
		p, err := ParsePattern(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MatchFold(test.path); got != test.want {
			t.Errorf("%q: MatchFold(%q) = %v, want %v", test.pattern, test.path, got, test.want)
		}
	}
}

// FuzzMatchGlob compares with path.Match, and states what fold adds.
func FuzzMatchGlob(f *testing.F) {
	for _, s := range [][2]string{
		{"*.md", "READ.MD"}, {"[a-c]x", "Bx"}, {"[^a]", "A"}, {`\*`, "*"}, {"a*b*c", "aXbYc"}, {"?", "é"}, {"[A-z]_", "__"}, {"k", "\u212a"},
		{"*\xff", "\xff"}, {"\x85", "\xdc"}, {`\` + "\xff", "\xff"}, {"\uFFFD", "\xff"}, {"*??", "é"}, {"*\xa9", "é"}, {"\xc3*", "é"}, {"ſ*İ", "sXİ"}, {`[\]-^]`, "]"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Contains(name, "/") || strings.Contains(pattern, "/") {
			return // segments have none
		}
		want, err := path.Match(pattern, name)
		if _, bad := path.Match(pattern, ""); err != nil || bad != nil {
			return
		}
		exact, fold := matchGlob(pattern, name, false), matchGlob(pattern, name, true)
		whole := utf8.ValidString(name) && utf8.ValidString(pattern)
		ascii := strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
		switch {
		case ascii && exact != want, whole && !strings.Contains(pattern, "*") && exact != want:
			t.Errorf("matchGlob(%q, %q) = %v, path.Match %v", pattern, name, exact, want)
		case whole && exact && !want:
			t.Errorf("matchGlob(%q, %q) holds, and path.Match does not", pattern, name)
		case exact && !fold:
			t.Errorf("matchGlob(%q, %q) holds without fold only", pattern, name)
		}
		caseless := func(s string) bool {
			return strings.IndexFunc(s, func(r rune) bool { return unicode.SimpleFold(r) != r }) < 0
		}
		if whole && caseless(name) && caseless(pattern) && exact != fold {
			t.Errorf("matchGlob(%q, %q) = %v, with fold %v", pattern, name, exact, fold)
		}
		if other := strings.Map(unicode.SimpleFold, name); matchGlob(pattern, other, true) != fold {
			t.Errorf("matchGlob(%q, …) with fold = %v for %q, and not for %q", pattern, fold, name, other)
		}
	})
}
