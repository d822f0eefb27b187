package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// someGroups returns lists in which the rows of higher column 1 tend to be
// right, column 0 says nothing and column 2 is constant.
func someGroups(n int) []group {
	r := rand.New(rand.NewPCG(5, 1))
	out := make([]group, n)
	for k := range out {
		g := &out[k]
		g.weight = 1
		best, most := 0, -1.0
		for i := range 8 {
			told := r.Float64()
			g.rows = append(g.rows, []float32{r.Float32(), float32(10 * told), 3})
			g.gold = append(g.gold, false)
			if v := told + 0.3*r.Float64(); v > most {
				best, most = i, v
			}
		}
		g.gold[best] = true
	}
	return out
}

// TestMinimise goes down a long valley whose lowest point is known.
func TestMinimise(t *testing.T) {
	lowest := []float64{3, -2, 0.5}
	steep := []float64{1, 100, 10_000}
	got := minimise(func(x []float64) (fx float64, g []float64) {
		g = make([]float64, len(x))
		for i, v := range x {
			d := v - lowest[i]
			fx += steep[i] / 2 * d * d
			g[i] = steep[i] * d
		}
		return fx, g
	}, make([]float64, len(lowest)))
	for i, v := range got {
		if math.Abs(v-lowest[i]) > 1e-3 {
			t.Errorf("minimise = %v, want %v", got, lowest)
			break
		}
	}
}

// TestGradient compares the gradient of the loss with what a small step does.
func TestGradient(t *testing.T) {
	p := &problem{l2: 0.1, columns: 3}
	p.standardise(someGroups(5), nil)
	w := []float64{0.3, -0.7, 1.1}
	_, g := p.loss(w)
	const step = 1e-5
	for d := range w {
		up, down := append([]float64(nil), w...), append([]float64(nil), w...)
		up[d] += step
		down[d] -= step
		above, _ := p.loss(up)
		below, _ := p.loss(down)
		if want := (above - below) / (2 * step); math.Abs(g[d]-want) > 1e-4 {
			t.Errorf("slope %d = %v, want %v", d, g[d], want)
		}
	}
}

func TestFit(t *testing.T) {
	groups := someGroups(60)
	w := fit(groups, 3, 0.01, nil)
	if w[1] <= 0 || math.Abs(w[1]*10) < 3*math.Abs(w[0]) {
		t.Errorf("weights %v: the column that tells is not the heaviest", w)
	}
	if w[2] != 0 {
		t.Errorf("weight of a constant column is %v, want 0", w[2])
	}
	again := fit(groups, 3, 0.01, nil)
	without := fit(groups, 3, 0.01, func(col int) bool { return col != 1 })
	for d := range w {
		if w[d] != again[d] {
			t.Errorf("weight %d is %v, then %v", d, w[d], again[d])
		}
	}
	if without[1] != 0 {
		t.Errorf("weight of a column not in use is %v, want 0", without[1])
	}
	heavy := append(someGroups(60), group{rows: [][]float32{{0, 10, 3}, {0, 0, 3}}, gold: []bool{false, true}}) // of no weight
	if got := fit(heavy, 3, 0.01, nil); got[1] <= 0 {
		t.Errorf("weights %v: a group without weight counted", got)
	}
}

// TestHardRows keeps the likeliest rows and all right ones, in order.
func TestHardRows(t *testing.T) {
	s := &sample{gold: map[int]bool{3: true, 150: true}}
	scores := make([]float32, 200)
	for i := range scores {
		scores[i] = float32(i)
		if i%10 != 0 || i == 150 {
			s.rows = append(s.rows, i)
		}
	}
	got := s.hardRows(scores)
	if len(got) != hard+1 { // 150 is among the likeliest
		t.Errorf("%d rows kept, want %d", len(got), hard+1)
	}
	if got[0] != 3 || got[len(got)-1] != 199 || !slices.IsSorted(got) || !slices.Contains(got, 150) {
		t.Errorf("rows kept are %v", got)
	}
	if !slices.IsSorted(s.rows) {
		t.Error("the rows of the sample were reordered")
	}
}
