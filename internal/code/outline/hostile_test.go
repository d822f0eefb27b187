package outline

import (
	"strings"
	"sync"
	"testing"
)

func TestConcurrent(t *testing.T) {
	sources := map[string]string{"python": "def f(): pass\n", "go": "package p\nfunc f() {}\n", "rust": "fn f() {}\n", "lua": "function f() end\n"}
	var wg sync.WaitGroup
	for range 8 {
		for lang, src := range sources {
			wg.Go(func() {
				if out := Parse(lang, []byte(src)); len(out.Symbols) != 1 {
					t.Errorf("Parse(%s) = %v", lang, out)
				}
			})
		}
	}
	wg.Wait()
}

// TestBombs are texts that are hard on parsers. Each must come back, with or
// without an outline.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for lang, src := range map[string]string{
		"c":    strings.Repeat("x => \n", 10_000),  // crashes the parser
		"bash": strings.Repeat("@a(\n)\n", 10_000), // takes error recovery very long
	} {
		checkLaws(t, Parse(lang, []byte(src)), []byte(src))
	}
	bombs := map[string]string{
		"python":     strings.Repeat("(", 200_000),
		"javascript": strings.Repeat("a=>{", 100_000),
		"typescript": strings.Repeat("a<b<", 100_000),
		"cpp":        strings.Repeat("a<b<c(", 80_000),
		"c":          strings.Repeat("{", 400_000),
		"java":       strings.Repeat("class A {\n", 20_000),
		"rust":       strings.Repeat("mod a {\n", 20_000),
		"go":         "package p\nvar x = " + strings.Repeat("\n(", 100_000),
		"ruby":       strings.Repeat("def a\n", 20_000),
		"kotlin":     strings.Repeat("x?.let {\n", 20_000),
		"bash":       strings.Repeat("$(\n", 20_000),
		"scala":      strings.Repeat("object A {\n", 20_000),
		"php":        "<?php " + strings.Repeat("[\n", 100_000),
		"csharp":     strings.Repeat("namespace A {\n", 20_000),
		"markdown":   strings.Repeat("# a\n", 100_000),
		"swift":      strings.Repeat("class A {\n", 20_000),
		"lua":        strings.Repeat(" function a()\n", 20_000),
		"json":       strings.Repeat(`{"a":`, 100_000),
		"text":       "a\x00b",
	}
	for lang, src := range bombs {
		t.Run(lang, func(t *testing.T) {
			out := Parse(lang, []byte(src))
			checkLaws(t, out, []byte(src))
		})
	}
}

func TestTooMuch(t *testing.T) {
	long := "x = '" + strings.Repeat("a", maxLine) + "'\ndef f(): pass\n"
	if out := Parse("python", []byte(long)); !out.Partial || len(out.Symbols) == 0 {
		t.Errorf("Parse of a long line = %d symbols, partial %v %q", len(out.Symbols), out.Partial, out.Why)
	}
	big := strings.Repeat("def f():\n    pass\n\n", maxBytes/18)
	if out := Parse("python", []byte(big)); !out.Partial || len(out.Symbols) == 0 {
		t.Errorf("Parse of a large text = %d symbols, partial %v %q", len(out.Symbols), out.Partial, out.Why)
	}
}
