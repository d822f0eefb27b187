package base

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitPatterns(t *testing.T) {
	for list, want := range map[string]string{
		"*.py":              "*.py",
		"src/**,*.md":       "src/** *.md",
		"src/**, *.md":      "src/** *.md",
		"*.{ts,tsx}":        "*.ts *.tsx",
		"{a,b}/{c,d}":       "a/c a/d b/c b/d",
		"{a,{b,c}d}":        "a bd cd",
		"x,{a,b},y":         "x a b y",
		"{{name}}/*":        "{{name}}/*",
		"{a}":               "{a}",
		"{a,b":              "{a b",
		`a\,b`:              "a,b",
		`\{a\,b\}`:          `\{a,b\}`,
		"{a,}.go":           "a.go .go",
		"[!a],[x-z]?/**/*c": "[!a] [x-z]?/**/*c",
	} {
		got, err := (&App{Dir: "testdata"}).splitPatterns([]string{list})
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("splitPatterns(%q) = %q, %v, want %q", list, got, err, want)
		}
	}
	for _, list := range []string{"", ",", "a,", " ", strings.Repeat("{a,b}", 10)} {
		if got, err := (&App{Dir: "testdata"}).splitPatterns([]string{list}); err == nil {
			t.Errorf("splitPatterns(%q) = %q, want an error", list, got)
		}
	}
}

func FuzzSplitPatterns(f *testing.F) {
	f.Add("src/**,*.{ts,tsx}")
	f.Add("{{a,b},c}\\,{")
	f.Fuzz(func(t *testing.T, list string) {
		if len(list) > 1000 {
			return
		}
		got, err := (&App{Dir: "testdata"}).splitPatterns([]string{list})
		if err != nil {
			return
		}
		if len(got) == 0 || len(got) > maxPatterns || slices.Contains(got, "") && !strings.Contains(list, "{") {
			t.Errorf("splitPatterns(%q) = %q", list, got)
		}
		if !strings.ContainsAny(list, `,{\`) && (len(got) != 1 || got[0] != strings.TrimSpace(list)) {
			t.Errorf("splitPatterns(%q) = %q", list, got)
		}
	})
}

func TestListedNames(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n":              "a|b",
		"a\r\n\r\nb":          "a|b",
		"a b\n c":             "a b| c",
		"a\nb\x00c\r\x00\x00": "a\nb|c\r",
		"\ufeffa\n":           "a",
		"\n\n":                "",
	} {
		if got := strings.Join(listedNames([]byte(text)), "|"); got != want {
			t.Errorf("listedNames(%q) = %q, want %q", text, got, want)
		}
	}
}
