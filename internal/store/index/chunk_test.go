package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel"
)

// text returns n lines; those listed are blank.
func text(n int, blank ...int) []byte {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	for _, b := range blank {
		lines[b-1] = ""
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// symbols reads "name 3-9" per symbol.
func symbols(t *testing.T, list ...string) []satchel.Symbol {
	t.Helper()
	var out []satchel.Symbol
	for _, s := range list {
		var y satchel.Symbol
		if _, err := fmt.Sscanf(s, "%s %d-%d", &y.Name, &y.From, &y.To); err != nil {
			t.Fatal(err)
		}
		y.NameLine = y.From
		out = append(out, y)
	}
	return out
}

func TestCut(t *testing.T) {
	tests := []struct {
		name    string
		text    []byte
		symbols []string
		prose   bool
		want    string
	}{
		{"empty", nil, nil, false, ""},
		{"one line without newline", []byte("x"), nil, false, "1-1"},
		{"functions with gaps", text(30), []string{"f 6-12", "g 14-25"}, false, "1-5 6-12:f 13-25:g 26-30"},
		{"short gap at the start joins", text(12), []string{"f 3-12"}, false, "1-12:f"},
		{"short gap at the end joins", text(12), []string{"f 1-10"}, false, "1-12:f"},
		{"one-liners gather", text(12), []string{"a 1-1", "b 2-2", "c 3-3", "d 4-12"}, false, "1-3:a 4-12:d"},
		{"one-liners gather up to thirty", text(70), many(70), false, "1-30:s1 31-60:s31 61-70:s61"},
		{"a small type is one chunk", text(40), []string{"T 1-40", "m 5-10", "n 12-20"}, false, "1-40:T"},
		{"a large type is cut at its members", text(120), []string{"T 1-120", "m 10-50", "n 52-110"}, false, "1-9:T 10-50:m 51-110:n 111-120:T"},
		{"nested types are cut at theirs", text(200), []string{"T 1-200", "U 11-190", "m 21-60", "n 61-120"}, false,
			"1-10:T 11-20:U 21-60:m 61-120:n 121-190:U 191-200:T"},
		{"a long function is cut at blank lines", text(150, 70, 75, 140), []string{"f 1-150"}, false, "1-75:f 76-150:f"},
		{"a long function without blank lines", text(170), []string{"f 1-170"}, false, "1-80:f 81-160:f 161-170:f"},
		{"a short gap before a full chunk joins what precedes it", text(92), []string{"f 1-10", "g 13-92"}, false, "1-12:f 13-92:g"},
		{"overlapping ranges", text(30), []string{"f 1-20", "g 15-30"}, false, "1-20:f 21-30"},
		{"ranges outside of the file", text(10), []string{"f 0-4", "g 8-11", "h 5-3"}, false, "1-10"},
		{"no symbols", text(200, 60), nil, false, "1-60 61-140 141-200"},
		{"prose at headings", []byte("# A\n\nx\ny\n\n## B\n\nx\ny\n```\n# no\n```\n\nT\n===\n\nz\nz\n"), nil, true, "1-5 6-13 14-18"},
		{"prose without headings", text(100, 50, 79), nil, true, "1-79 80-100"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			syms := symbols(t, test.symbols...)
			var got []string
			for _, s := range cutChunks(test.text, lineStarts(nil, test.text), syms, test.prose) {
				g := fmt.Sprintf("%d-%d", s.from, s.to)
				if s.symbol >= 0 {
					g += ":" + syms[s.symbol].Name
				}
				got = append(got, g)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("cut (-want +got):\n%s", diff)
			}
		})
	}
}

// many returns n symbols of one line each.
func many(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("s%d %d-%d", i+1, i+1, i+1))
	}
	return list
}

// Whatever the symbols are, each line is in one chunk, and none is too long.
func TestCutCoversEveryLineOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "lines")
		var blank []int
		for l := 1; l <= n; l++ {
			if rapid.IntRange(0, 9).Draw(t, "blank") == 0 {
				blank = append(blank, l)
			}
		}
		var src []byte
		if n > 0 {
			src = text(n, blank...)
		}
		var syms []satchel.Symbol
		for range rapid.IntRange(0, 12).Draw(t, "symbols") {
			from := rapid.IntRange(-1, n+2).Draw(t, "from")
			syms = append(syms, satchel.Symbol{From: from, To: from + rapid.IntRange(-1, n).Draw(t, "length")})
		}
		checkCover(t, cutChunks(src, lineStarts(nil, src), syms, rapid.Bool().Draw(t, "prose")), n, len(syms))
	})
}

func checkCover(t interface{ Fatalf(string, ...any) }, spans []span, lines, symbols int) {
	at := 1
	for _, s := range spans {
		if s.from != at || s.to < s.from || s.to-s.from >= maxChunk || s.symbol >= symbols {
			t.Fatalf("span %+v after line %d", s, at-1)
		}
		at = s.to + 1
	}
	if at != lines+1 {
		t.Fatalf("spans end at line %d of %d", at-1, lines)
	}
}
