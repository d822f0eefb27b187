package ranking

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// Long definitions weigh more than short ones, containers by what they hold but
// less than that, tests hardly anything.
func TestWeigh(t *testing.T) {
	symbols := []satchel.Symbol{
		{Name: "Store", From: 1, To: 100},
		{Name: "Get", Parent: "Store", From: 2, To: 10},
		{Name: "Merge", Parent: "Store", From: 11, To: 90},
		{Name: "inner", Parent: "Store.Merge", From: 20, To: 29},
		{Name: "limit", From: 101, To: 101},
		{Name: "tests", From: 102, To: 400},
		{Name: "test_merge", Parent: "tests", From: 103, To: 399},
	}
	w := weigh(symbols)
	order := []int{0, 1, 2, 3, 4, 5, 6}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case w[a] > w[b]:
			return -1
		case w[a] < w[b]:
			return 1
		}
		return 0
	})
	var got []string
	for _, k := range order {
		got = append(got, symbols[k].Name)
	}
	want := []string{"Merge", "Store", "test_merge", "inner", "Get", "tests", "limit"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by weight (-want +got):\n%s\n%v", diff, w)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"func F()\n", "func F()\n"},
		{strings.Repeat("a", 24) + "\n", strings.Repeat("a", 20) + "…\n"},
		{strings.Repeat("é", 12) + "\n", strings.Repeat("é", 10) + "…\n"},
		{"a" + strings.Repeat("é", 12) + "\n", "a" + strings.Repeat("é", 9) + "…\n"},
	} {
		got := cutLine(clean.New("", c.line), 20).String()
		if got != c.want || !utf8.ValidString(got) {
			t.Errorf("cut(%q, 20) = %q, want %q", c.line, got, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		all  bool
	}{
		{"", 0, true},
		{"a\n", 1, true},
		{"a\n  b\nc\n", 3, true},
		{"a\n  b\n⋮ 12 more\n", 2, false},
	} {
		if n, all := Named(&satchel.Form{Text: satchel.Clean("", c.text)}); n != c.n || all != c.all {
			t.Errorf("Named(%q) = %d, %v, want %d, %v", c.text, n, all, c.n, c.all)
		}
	}
}

func TestProse(t *testing.T) {
	for line, want := range map[string]bool{
		"# Depot": true, "Depot stores things.": true, "  indented words": true, "#": false, "": false, "   ": false,
		"[![badge](a)](b)": false, "<p align=center>": false, "![logo](l.png)": false, "=====": false, "---": false, ".. image:: x": false,
	} {
		if got := prose(line); got != want {
			t.Errorf("prose(%q) = %v, want %v", line, got, want)
		}
	}
}

func ExampleNamed() {
	n, all := Named(&satchel.Form{Text: satchel.Clean("", "type Store\n  func Flush()\n⋮ 40 more\n")})
	fmt.Println(n, all)
	// Output: 2 false
}
