package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestRun measures a benchmark of two repositories. One is not on this machine.
func TestRun(t *testing.T) {
	gittest.Isolate(t)
	bench, mirror := t.TempDir(), t.TempDir()
	r := gittest.At(t, filepath.Join(mirror, "o+shop", "repo"))
	r.Write("src/cart.go", "package shop\n\n// Total adds up the prices of a cart.\nfunc Total(prices []int) int { return len(prices) }\n",
		"src/mail.go", "package shop\n\n// Send sends an invoice by mail.\nfunc Send(to string) {}\n", "cart.md", "# Total of a cart\n")
	id := r.Commit("shop: sell things")
	for name, text := range map[string]string{
		"repos.json": `[{"name":"shop","language":"go","url":"https://github.com/o/shop.git","revision":"` + id + `","benchmark_root":"src"},
			{"name":"gone","language":"c","url":"https://github.com/o/gone.git","revision":"` + id + `","benchmark_root":null}]`,
		"annotations/shop.json": `[{"query":"total of a cart","relevant":["src/cart.go"],"secondary":[],"category":"semantic"},
			{"query":"Send","relevant":[{"path":"mail.go","start_line":4,"end_line":4}],"secondary":["src/none.go"],"category":"symbol"}]`,
		"annotations/gone.json": `[{"query":"x","relevant":["x.c"],"category":"symbol"}]`,
	} {
		name = filepath.Join(bench, "benchmarks", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs strings.Builder
	if err := run(t.Context(), []string{"-bench", bench, "-mirror", mirror, "-cache", t.TempDir()}, &out, &errs); err != nil {
		t.Fatal(err)
	}
	// The second query finds one of two labels, at the top: 1 / (1 + 1/log2 3).
	for _, want := range []string{"mean of repositories       1    0.807\n", "semantic                   1    1.000\n", "symbol                     1    0.613\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, &out)
		}
	}
	if want := "left out: gone: repository o/gone: "; !strings.HasPrefix(errs.String(), want) {
		t.Errorf("stderr %q, want %q", errs.String(), want)
	}
}

func TestNDCG(t *testing.T) {
	third := 1 / math.Log2(4)
	for _, tt := range []struct {
		files  string
		labels []label
		want   float64
	}{
		{"a.go b.go", []label{"a.go"}, 1},
		{"b.go c.go x/a.go", []label{"a.go"}, third},
		{"b.go c.go a.go", []label{"x/a.go"}, third},
		{"b.go", []label{"a.go"}, 0},
		{"1 2 3 4 5 6 7 8 9 10 a.go", []label{"a.go"}, 0},
		{"ba.go", []label{"a.go"}, 0},
	} {
		if got := ndcg(strings.Fields(tt.files), tt.labels); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("ndcg(%s, %v) = %v, want %v", tt.files, tt.labels, got, tt.want)
		}
	}
}
