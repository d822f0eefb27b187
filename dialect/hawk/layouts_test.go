package hawk_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/hawk"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hawkWindow has hawk's sections: 84,000 of 200,000 tokens.
func hawkWindow() *render.Window {
	w := &render.Window{Tokens: 200_000, Sections: []render.Section{
		{Name: "system_prompt", Tokens: 4_000},
		{Name: "conversation", Tokens: 60_000, Compressible: true, Items: []render.SectionItem{{Label: "turns 1 to 14", Tokens: 50_000}, {Label: "文件/処理.go of a long name", Tokens: 10_000, Truncated: true}}},
		{Name: "tool_results", Tokens: 0},
		{Name: "plan", Tokens: 900},
		{Name: "reserved", Tokens: 19_100, Reserved: true},
	}}
	for i := range w.Sections {
		w.Sections[i].Short = hawk.Short(w.Sections[i].Name)
	}
	return w
}

// TestLayoutsGolden draws everything in hawk's layouts; the golden file is to be
// looked at.
func TestLayoutsGolden(t *testing.T) {
	var b strings.Builder
	draw := func(what, text string) { fmt.Fprintf(&b, "# %s\n%s\n\n", what, strings.TrimRight(text, "\n")) }
	over := hawkWindow()
	over.Sections[1].Tokens = 200_000
	for _, n := range []int{0, 20, 50} {
		draw(fmt.Sprintf("bar, %d", n), hawk.Bar(hawkWindow(), n))
	}
	draw("bar, over-full", hawk.Bar(over, 20))
	draw("line", hawk.Line(hawkWindow()))
	draw("line, over-full", hawk.Line(over))
	draw("table", hawk.Table(hawkWindow()))
	draw("table, over-full", hawk.Table(over))
	draw("chart", hawk.Chart(history()[15:20], 130_000, 20))
	for _, percent := range []int{85, 86, 95, 96, 112} {
		draw(fmt.Sprintf("warning, %d", percent), hawk.Warning(percent))
	}
	d, err := hawk.Divide(128_000, 100_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	draw("budget", hawk.Budget(&d, 100_000))
	draw("budget, no conversation", hawk.Budget(&d, 0))
	notes := []rank.Note{
		{Text: "API uses sqlite", Trace: rank.Trace{Pinned: true}},
		{Text: "two lines\n[1.00] 📌 that looks like another\x1b[2J"},
		{Text: "old idea"},
	}
	draw("memos", hawk.Notes(notes, []float64{1, 0.5, 0.13}))
	draw("no memos", hawk.Notes(nil, nil))
	const name = "testdata/layouts.txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(want)); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// TestLayoutsAbsurd: in the reference a negative size or percentage panics, and
// the separators of a bar push its end out of the width.
func TestLayoutsAbsurd(t *testing.T) {
	sizes := []int{math.MinInt, -1, 0, 1, 199_999, 200_000, math.MaxInt}
	for _, window := range sizes {
		for _, n := range sizes {
			w := hawkWindow()
			w.Tokens = window
			for i := range w.Sections {
				w.Sections[i].Tokens = n
			}
			for _, cells := range []int{math.MinInt, -1, 0, 3, 10, 11, 77, 10_000} {
				lines := strings.Split(hawk.Bar(w, cells), "\n")
				want := max(cells, 10)
				for _, line := range lines {
					from, to := strings.Index(line, "["), strings.Index(line, "]")
					if got := render.Width(line[from+1 : to]); got != want {
						t.Fatalf("window %d, sections %d: a bar of %d cells, want %d: %s", window, n, got, want, line)
					}
				}
				hawk.Chart([]render.Point{{Turn: n, Tokens: n}, {Turn: 2, Tokens: window}}, window, cells)
			}
			hawk.Line(w)
			hawk.Table(w)
			hawk.Warning(n)
		}
	}
	hawk.Budget(&budget.Division{Window: -1, Free: -1}, math.MaxInt)
	hawk.Notes([]rank.Note{{Tokens: -1, Created: time.Time{}}}, []float64{math.NaN()})
}

// history grows for 26 turns, with a compaction before the eighteenth.
func history() []render.Point {
	var ps []render.Point
	size := 0
	for turn := 1; turn <= 26; turn++ {
		size += 8_000
		if turn == 18 {
			size = 26_000
		}
		ps = append(ps, render.Point{Turn: turn, Tokens: size, Compacted: turn == 18, Injected: turn == 5})
	}
	return ps
}
