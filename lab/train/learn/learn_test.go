package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near compares weights with what was computed by hand.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for d := range want {
		if len(got) != len(want) || math.Abs(got[d]-want[d]) > 1e-9*math.Max(1, math.Abs(want[d])) {
			t.Errorf("%s = %v, want %v", what, got, want)
			return
		}
	}
}

var inf = math.Inf(1)

// TestAnswers fits logistic regressions whose solutions are known. At odds of 3 to 1
// the score is log 3 and the probability 3/4; a penalty p keeps it there for one yes
// if p·log 3 is what is missing, 1/4.
func TestAnswers(t *testing.T) {
	log3 := math.Log(3)
	for _, tt := range []struct {
		name    string
		a       Answers
		penalty []float64
		want    []float64
	}{
		{"bias by weights", Answers{1, []float32{1, 1}, []bool{true, false}, []float32{3, 1}}, []float64{0}, []float64{log3}},
		{"bias by numbers", Answers{1, []float32{1, 1, 1, 1}, []bool{true, false, true, true}, []float32{2, 2, 2, 2}}, []float64{0}, []float64{log3}},
		{"penalty", Answers{1, []float32{1}, []bool{true}, []float32{1}}, []float64{0.25 / log3}, []float64{log3}},
		{"no", Answers{1, []float32{1}, []bool{false}, []float32{1}}, []float64{0.25 / log3}, []float64{-log3}},
		{"feature of twice the size", Answers{1, []float32{2}, []bool{true}, []float32{1}}, []float64{2 * 0.25 / (log3 / 2)}, []float64{log3 / 2}},
		{"unused column", Answers{2, []float32{1, 5, 1, -7}, []bool{true, false}, []float32{3, 1}}, []float64{0, inf}, []float64{log3, 0}},
		// With x the odds are 3 to 1, without it 1 to 1.
		{"bias and feature", Answers{2, []float32{1, 0, 1, 0, 1, 1, 1, 1}, []bool{true, false, true, false}, []float32{1, 1, 3, 1}}, []float64{0, 0}, []float64{0, log3}},
	} {
		near(t, tt.name, Fit(&tt.a, tt.penalty), tt.want)
	}
}

// TestLists fits orders whose solutions are known: of two rows with the scores w and
// 0 the first has the probability 3/4 at w = log 3.
func TestLists(t *testing.T) {
	log3, two := math.Log(3), [][]float32{{1}, {0}}
	first := []bool{true, false}
	for _, tt := range []struct {
		name    string
		ls      Lists
		penalty []float64
		want    []float64
	}{
		{"first of two", Lists{{Rows: two, Right: first, Weight: 1}}, []float64{0.25 / log3}, []float64{log3}},
		{"of weight 2", Lists{{Rows: two, Right: first, Weight: 2}}, []float64{0.5 / log3}, []float64{log3}},
		{"of several weights", Lists{{Rows: two, Right: first, Weight: 3}, {Rows: two, Right: []bool{false, true}, Weight: 1}}, []float64{0}, []float64{log3}},
		{"beside what says nothing", Lists{{Rows: two, Right: []bool{false, false}, Weight: 9}, {Rows: two, Right: first, Weight: 1}, {Rows: two, Right: first}}, []float64{0.25 / log3}, []float64{log3}},
		{"both right", Lists{{Rows: two, Right: []bool{true, true}, Weight: 1}}, []float64{0}, []float64{0}},
		{"shifted rows", Lists{{Rows: [][]float32{{8}, {7}}, Right: first, Weight: 1}}, []float64{0.25 / log3}, []float64{log3}},
		{"one is ahead", Lists{{Rows: two, Right: first, Offset: []float64{math.Log(2), 0}, Weight: 1}}, []float64{0.25 / math.Log(1.5)}, []float64{math.Log(1.5)}},
		// One row against two others: odds of 3 to 1 are a score of log 6.
		{"first of three", Lists{{Rows: [][]float32{{0}, {1}, {0}}, Right: []bool{false, true, false}, Weight: 1}}, []float64{0.25 / math.Log(6)}, []float64{math.Log(6)}},
	} {
		near(t, tt.name, Fit(tt.ls, tt.penalty), tt.want)
	}

	l := List{Rows: two, Offset: []float64{0, math.Log(2)}}
	chances, logs := l.Chances([]float64{math.Log(6)})
	near(t, "Chances", chances, []float64{0.75, 0.25})
	near(t, "logs of Chances", logs, []float64{math.Log(0.75), math.Log(0.25)})
}

// someLists returns lists in which the rows of higher column 1 tend to be right,
// column 0 says nothing and column 2 is constant.
func someLists(n int) Lists {
	r := rand.New(rand.NewPCG(5, 1))
	out := make(Lists, n)
	for k := range out {
		l := &out[k]
		l.Weight, l.Right = 1, make([]bool, 8)
		best, most := 0, -1.0
		for i := range l.Right {
			told := r.Float64()
			l.Rows = append(l.Rows, []float32{r.Float32(), float32(10 * told), 3})
			if v := told + 0.3*r.Float64(); v > most {
				best, most = i, v
			}
		}
		l.Right[best] = true
	}
	return out
}

// someAnswers returns the rows of lists as answers.
func someAnswers(n int) *Answers {
	a := &Answers{Columns: 3}
	for _, l := range someLists(n) {
		for i, row := range l.Rows {
			a.Rows, a.Yes, a.Weight = append(a.Rows, row...), append(a.Yes, l.Right[i]), append(a.Weight, float32(1+i%3))
		}
	}
	return a
}

// TestSlopes compares first and second derivatives with what a small step does.
func TestSlopes(t *testing.T) {
	for name, l := range map[string]Loss{"lists": someLists(5), "answers": someAnswers(5)} {
		w, penalty := []float64{0.3, -0.7, 1.1}, []float64{0.1, 0.2, 0}
		at := slopeAt(l, penalty, w)
		const step = 1e-5
		for d := range w {
			up, down := slices.Clone(w), slices.Clone(w)
			up[d] += step
			down[d] -= step
			above, below := slopeAt(l, penalty, up), slopeAt(l, penalty, down)
			if want := (above.loss - below.loss) / (2 * step); math.Abs(at.gradient[d]-want) > 1e-5 {
				t.Errorf("%s: slope %d = %v, want %v", name, d, at.gradient[d], want)
			}
			for e := range d + 1 {
				if want := (above.gradient[e] - below.gradient[e]) / (2 * step); math.Abs(at.curvature[d][e]-want) > 1e-4 {
					t.Errorf("%s: curvature %d, %d = %v, want %v", name, d, e, at.curvature[d][e], want)
				}
			}
		}
	}
}

func TestFit(t *testing.T) {
	ls := someLists(60)
	w := Fit(ls, Ridge(0.6, ls.Deviations()))
	if w[1] <= 0 || w[1]*10 < 3*math.Abs(w[0]) {
		t.Errorf("weights %v: the column that tells is not the heaviest", w)
	}
	if w[2] != 0 {
		t.Errorf("weight of a constant column is %v, want 0", w[2])
	}

	for name, l := range map[string]Loss{"lists": ls, "answers": someAnswers(60)} {
		penalty := []float64{0.1, 0.1, 0.1}
		w := Fit(l, penalty)
		if again := Fit(l, penalty); !slices.Equal(again, w) {
			t.Errorf("%s: weights %v, then %v", name, w, again)
		}
		for d, g := range slopeAt(l, penalty, w).gradient {
			if math.Abs(g) > 1e-8 {
				t.Errorf("%s: slope %d at the end is %v", name, d, g)
			}
		}
	}
}

// TestFitFar begins where the loss is almost straight: whole steps go far past the
// lowest point.
func TestFitFar(t *testing.T) {
	ls := Lists{{Rows: [][]float32{{1}, {0}}, Right: []bool{true, false}, Offset: []float64{0, 20}, Weight: 1}}
	penalty := []float64{1e-3}
	w := Fit(ls, penalty)
	chances, _ := ls[0].Chances(w)
	near(t, "penalty at the end", []float64{1e-3 * w[0]}, []float64{1 - chances[0]})
	if w[0] < 20 || w[0] > 40 {
		t.Errorf("weight %v, want some 27", w[0])
	}
}

// TestRidge: the unit of a column does not matter.
func TestRidge(t *testing.T) {
	near(t, "Ridge", Ridge(10, []float64{2, 0.5, 0}), []float64{40, 2.5, inf})
	metres, feet := someLists(20), someLists(20)
	for _, l := range feet {
		for _, row := range l.Rows {
			row[1] *= 4
		}
	}
	want := Fit(metres, Ridge(1, metres.Deviations()))
	want[1] /= 4
	near(t, "weights in other units", Fit(feet, Ridge(1, feet.Deviations())), want)
}

func TestDeviations(t *testing.T) {
	ls := Lists{
		{Rows: [][]float32{{1, 5}, {3, 5}}, Weight: 1},
		{Rows: [][]float32{{7, 5}, {9, 5}}},
	}
	near(t, "deviations of lists", ls.Deviations(), []float64{math.Sqrt(10), 0})
	ls.Centre()
	near(t, "deviations within lists", ls.Deviations(), []float64{1, 0})
	a := &Answers{Columns: 2, Rows: []float32{0, 1, 4, 1}, Yes: []bool{true, false}, Weight: []float32{3, 1}}
	near(t, "deviations of answers", a.Deviations(), []float64{math.Sqrt(3), 0})
}

func TestSolve(t *testing.T) {
	// 4x + 2y + z = 11, 2x + 5y + 3z = 21, x + 3y + 6z = 25
	near(t, "solve", solve([][]float64{{4}, {2, 5}, {1, 3, 6}}, []float64{11, 21, 25}), []float64{1, 2, 3})
}
