package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/rank"
)

func TestMcNemar(t *testing.T) {
	for _, test := range []struct {
		a, b int
		want float64
	}{{0, 0, 1}, {5, 5, 1}, {0, 5, 0.0625}, {10, 2, 0.03857}, {2, 10, 0.03857}} {
		if got := mcnemar(test.a, test.b); math.Abs(got-test.want) > 1e-4 {
			t.Errorf("mcnemar(%d, %d) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// TestFit learns weights that are known, and finds the minimum: no step in any
// direction lowers the loss.
func TestFit(t *testing.T) {
	var ls learn.Lists
	x := uint64(1)
	random := func() float64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return float64(x%1000) / 1000
	}
	truth := []float64{4, -2, 0}
	for range 400 {
		l := learn.List{Right: make([]bool, 6), Weight: 1}
		for range 6 {
			l.Rows = append(l.Rows, []float32{float32(random()), float32(random()), float32(random())})
			l.Offset = append(l.Offset, random())
		}
		s := l.Scores(truth)
		best := 0
		for i := range s {
			if s[i] > s[best] {
				best = i
			}
		}
		l.Right[best] = true
		ls = append(ls, l)
	}
	ls.Centre()
	w := fit(ls, 1)
	if hit, _ := quality(ls, w); hit < 0.8 || w[0] <= 1 || w[1] >= -0.5 {
		t.Errorf("weights %v, hit@1 %v", w, hit)
	}
	scale := ls.Deviations()
	loss := func(w []float64) float64 {
		_, logp := quality(ls, w)
		sum := -logp * float64(len(ls))
		for d := range w {
			sum += scale[d] * scale[d] * w[d] * w[d] * float64(len(ls)) / 200
		}
		return sum
	}
	least := loss(w)
	for d := range w {
		for _, step := range []float64{-0.05, 0.05} {
			w[d] += step
			if l := loss(w); l < least {
				t.Errorf("a step of %v in direction %d lowers the loss from %v to %v", step, d, least, l)
			}
			w[d] -= step
		}
	}
}

// TestSource writes the committed weights again.
func TestSource(t *testing.T) {
	want, err := os.ReadFile("../../../rank/changes_weights.go")
	if err != nil {
		t.Fatal(err)
	}
	names, at, _ := learned()
	w := make([]float64, len(names))
	for _, r := range rank.Changes.Rules {
		if d, ok := at[r.Signal]; ok && !r.Bounded && !r.Judged {
			w[d] = r.Add / perLogit
		}
	}
	_, body, _ := strings.Cut(string(want), "\n\n") // the heading
	_, got, _ := strings.Cut(string(source(nil, nil, 0, names, w)), "\n\n")
	if diff := cmp.Diff(body, got); diff != "" {
		t.Errorf("rank/changes_weights.go is not what changes writes (-committed +written):\n%s", diff)
	}
}

func TestPassOf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "repos.txt")
	if err := os.WriteFile(name, []byte("dev\ta/b\t3\ntrain\tc/d\t0\ndev\te/f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := passOf(name, "dev")
	if diff := cmp.Diff([]string{"a/b", "e/f"}, got); err != nil || diff != "" {
		t.Errorf("passOf: %v %s", err, diff)
	}
	if _, err := passOf(name, "none"); err == nil {
		t.Error("a pass without repositories is no error")
	}
}
