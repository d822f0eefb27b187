package render_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/render"
)

// window is one with a bit of everything: 142,100 of 200,000 tokens.
func window() *render.Window {
	return &render.Window{Tokens: 200_000, Sections: []render.Section{
		{Name: "system", Short: "sys", Tokens: 7_500},
		{Name: "tools", Tokens: 14_800},
		{Name: "files", Tokens: 61_200, Items: []render.SectionItem{{Label: "store.go", Tokens: 8_400}, {Label: "文件/処理.go", Tokens: 5_100, Truncated: true}}},
		{Name: "tool output", Short: "out", Tokens: 38_000, Compressible: true},
		{Name: "chat", Tokens: 17_100},
		{Name: "injected", Short: "inj", Tokens: 3_500},
		{Name: "nothing"},
	}}
}

func overfull() *render.Window {
	w := window()
	w.Sections = append(w.Sections, render.Section{Name: "more", Tokens: 81_900})
	return w
}

// history grows by 8,000 tokens a turn, and is compacted once.
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

// TestWindowGolden draws everything; the golden file is to be looked at.
func TestWindowGolden(t *testing.T) {
	var b strings.Builder
	draw := func(what, text string) { fmt.Fprintf(&b, "# %s\n%s\n\n", what, strings.TrimRight(text, "\n")) }
	for _, n := range []int{1, 2, 3, 5, 12, 40, 60} {
		draw(fmt.Sprintf("stacked, %d cells", n), render.StackedBar(window(), n))
	}
	draw("stacked, over-full, 40 cells", render.StackedBar(overfull(), 40))
	for _, n := range []int{0, 40, 10} {
		draw(fmt.Sprintf("line, %d", n), render.WindowLineIn(window(), n, render.Compact))
	}
	draw("line, over-full", render.WindowLineIn(overfull(), 0, render.Compact))
	draw("advice", strings.Join(render.WindowAdvice(window()), "\n"))
	for _, n := range []int{200, 60, 24, 8} {
		draw(fmt.Sprintf("history, %d", n), render.HistoryLine(history(), 150_000, n))
	}
	draw("history, over-full", render.HistoryLine(history(), 100_000, 60))
	draw("chart", render.HistoryChartIn(history()[15:20], 130_000, 60, render.ChartStyle{Cells: 40, Percent: 4, Compacted: "⟂ compacted"}))
	const name = "testdata/window.txt"
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

func TestWindowWarning(t *testing.T) {
	for _, tt := range []struct {
		percent int
		t       budget.Thresholds
		want    string
	}{
		{60, budget.Thresholds{Note: 0.6, Warn: 0.8}, ""},
		{61, budget.Thresholds{Note: 0.6, Warn: 0.8}, "warning"},
		{81, budget.Thresholds{Note: 0.6, Warn: 0.8}, "critical"},
		{85, budget.Thresholds{Note: 0.85, Warn: 0.95}, ""},
		{86, budget.Thresholds{Note: 0.85, Warn: 0.95}, "warning"},
		{96, budget.Thresholds{Note: 0.85, Warn: 0.95}, "critical"},
		{112, budget.Thresholds{Note: 0.85, Warn: 0.95}, "critical: the context is 112%"},
		{-5, budget.Thresholds{Note: 0.85, Warn: 0.95}, ""},
	} {
		got := render.WindowWarning(tt.percent, tt.t)
		if (got == "") != (tt.want == "") || !strings.HasPrefix(got, tt.want) {
			t.Errorf("WindowWarning(%d, %v) = %q, want %q", tt.percent, tt.t, got, tt.want)
		}
	}
}

// TestWindowAbsurd: negative tokens and percentages make the original panic in
// strings.Repeat, and its separators push the free part out of the bar.
func TestWindowAbsurd(t *testing.T) {
	for _, n := range []int{0, -1, -200_000, math.MinInt, math.MaxInt, 200_000} {
		for _, size := range []int{0, -1, math.MinInt, math.MaxInt, 200_000} {
			w := window()
			w.Tokens = size
			w.Sections[0].Tokens, w.Sections[2].Tokens, w.Sections[2].Items[0].Tokens = n, n, n
			ps := history()
			ps[3].Tokens, ps[7].Turn = n, n
			for _, width := range []int{math.MinInt, -1, 0, 1, 2, 3, 7, 80, 10_000} {
				checkWindow(t, w, ps, width)
			}
		}
	}
	if bar := render.StackedBar(window(), 60); !strings.Contains(bar, "free") {
		t.Errorf("what is free is not in the bar: %s", bar)
	}
}

// checkWindow holds the laws of all pictures: never wider than asked for, bars
// exactly as wide.
func checkWindow(t *testing.T, w *render.Window, ps []render.Point, width int) {
	t.Helper()
	exact := max(0, min(width, 100_000))
	for _, bar := range []string{render.StackedBar(w, width), render.FillBar(w.Used(), w.Tokens, width)} {
		if n := render.Width(bar); n != exact {
			t.Fatalf("a bar of %d cells has %d: %.200q", width, n, bar)
		}
	}
	for what, text := range map[string]string{
		"WindowLineIn": render.WindowLineIn(w, width, render.Compact),
		"HistoryLine":  render.HistoryLine(ps, w.Tokens, width),
	} {
		if width <= 0 && what == "WindowLineIn" {
			continue // no limit
		}
		for line := range strings.Lines(text) {
			if n := render.Width(strings.TrimSuffix(line, "\n")); n > max(width, 0) {
				t.Fatalf("%s at %d cells is %d wide: %.200q", what, width, n, line)
			}
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%s at %d cells is not UTF-8", what, width)
		}
	}
}

func FuzzWindow(f *testing.F) {
	f.Add("system", "文件", 200_000, 7_500, 61_200, 38_000, 80)
	f.Add("", "\x1b[31m\u0301", -1, math.MinInt, math.MaxInt, 0, 3)
	f.Add("a\nb", "👩‍👩‍👧", 10, 1, 1, 9, 17)
	f.Fuzz(func(t *testing.T, a, b string, size, x, y, z, width int) {
		w := &render.Window{Tokens: size, Sections: []render.Section{
			{Name: a, Tokens: x}, {Name: b, Tokens: y, Items: []render.SectionItem{{Label: a + b, Tokens: z}}}, {Short: b, Tokens: z}, {Name: a + b, Short: a, Tokens: x, Reserved: true},
		}}
		ps := []render.Point{{x % 1000, y, false, true}, {y, z, true, false}, {z, x, true, true}, {1, 1, false, false}}
		checkWindow(t, w, ps, width%2_000)
		// A bar has a cell for each section that holds something, where there is room.
		if n := width % 2_000; n >= 11 {
			parts := strings.Count(render.StackedBar(&render.Window{Tokens: size, Sections: []render.Section{{Short: "a", Tokens: x}, {Short: "b", Tokens: y}, {Short: "c", Tokens: z}}}, n), "|")
			want := -1
			for _, k := range []int{x, y, z} {
				if k > 0 {
					want++
				}
			}
			v := render.Window{Tokens: size, Sections: []render.Section{{Tokens: x}, {Tokens: y}, {Tokens: z}}}
			if v.Free() > 0 {
				want++
			}
			if parts != max(want, 0) {
				t.Fatalf("%d of %d parts are in the bar", parts+1, want+1)
			}
		}
	})
}

func TestCompactNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 980: "980", 1_000: "1.0k", 14_200: "14.2k", 99_949: "99.9k", 99_950: "100k", 142_100: "142k", 1_200_000: "1.2M", -118_000: "-118k", math.MinInt: "-9223372037G"} {
		if got := render.Compact(n); got != want {
			t.Errorf("Compact(%d) = %q, want %q", n, got, want)
		}
	}
}
