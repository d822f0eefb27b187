// Package learn fits linear models: it is the one solver behind all tables of
// weights.
//
// A model scores a row of features by their weighted sum. What the scores are for
// is a [Loss]: [Lists] want the right rows of each list first, [Answers] want to
// know which rows come true. [Fit] finds the weights that make the loss and a
// penalty on large weights least. Rows stay as they are; [Ridge] makes the penalty
// such that the unit in which a feature is measured does not matter.
//
// The same examples give the same weights on any machine: work is divided by
// number, and sums are made in order. The package reads no files and prints nothing.
package learn

import (
	"math"
	"sync"
)

// A Loss says how far a model is from what it ought to do. It is convex and smooth
// in the weights.
type Loss interface {
	columns() int
	examples() int

	// add adds the loss of example i at weights w, its gradient and its curvature.
	add(i int, w []float64, sum *slope)
}

// A slope is a loss with its first and second derivatives by the weights.
type slope struct {
	loss      float64
	gradient  []float64
	curvature [][]float64 // the lower triangle
}

func newSlope(columns int) *slope {
	s := &slope{gradient: make([]float64, columns), curvature: make([][]float64, columns)}
	for d := range s.curvature {
		s.curvature[d] = make([]float64, d+1)
	}
	return s
}

// Constants of Newton's method, which settles in about eight steps.
const (
	rounds  = 100
	settled = 1e-12 // of the loss: a step that gains less is the last
	halves  = 40    // of a step that went too far
	shares  = 8     // of the examples, summed one after the other
)

// Fit returns the weights that make least the loss and, for each column, half its
// penalty times its weight squared. A column whose penalty is infinite gets 0. There
// must be one least loss: where the examples do not decide a weight, a penalty does.
func Fit(l Loss, penalty []float64) []float64 {
	w := make([]float64, l.columns())
	at := slopeAt(l, penalty, w)
	for range rounds {
		step := solve(at.curvature, at.gradient)
		gain := dot(step, at.gradient)
		if gain <= settled*math.Max(1, math.Abs(at.loss)) {
			return minus(w, step, 1)
		}

		next, there, ok := descend(l, penalty, w, step, at.loss, gain)
		if !ok {
			break
		}
		w, at = next, there
	}
	return w
}

// descend goes the step, or as much of it as makes the loss less.
func descend(l Loss, penalty, w, step []float64, loss, gain float64) (next []float64, there *slope, ok bool) {
	size := 1.0
	for range halves {
		next = minus(w, step, size)
		there = slopeAt(l, penalty, next)
		if there.loss <= loss-1e-4*size*gain {
			return next, there, true
		}
		size /= 2
	}
	return nil, nil, false
}

// Ridge returns penalties that are as large for all columns once each is divided by
// its standard deviation. A column that hardly varies is not used.
func Ridge(l2 float64, deviations []float64) []float64 {
	penalty := make([]float64, len(deviations))
	for d, sd := range deviations {
		penalty[d] = math.Inf(1)
		if sd > 1e-6 {
			penalty[d] = l2 * sd * sd
		}
	}
	return penalty
}

// slopeAt sums the slopes of all examples and of the penalty. The curvature of a
// column that is not used is 1, and its gradient 0, so that it stays where it is.
func slopeAt(l Loss, penalty, w []float64) *slope {
	parts := make([]*slope, shares)
	var wg sync.WaitGroup
	for k := range parts {
		wg.Go(func() {
			parts[k] = newSlope(l.columns())
			for i := k * l.examples() / shares; i < (k+1)*l.examples()/shares; i++ {
				l.add(i, w, parts[k])
			}
		})
	}
	wg.Wait()

	sum := newSlope(l.columns())
	for _, p := range parts {
		sum.loss += p.loss
		for d := range sum.gradient {
			sum.gradient[d] += p.gradient[d]
			for e := range sum.curvature[d] {
				sum.curvature[d][e] += p.curvature[d][e]
			}
		}
	}
	for d, by := range penalty {
		if math.IsInf(by, 1) {
			sum.unuse(d)
			continue
		}
		sum.loss += by / 2 * w[d] * w[d]
		sum.gradient[d] += by * w[d]
		sum.curvature[d][d] += by
	}
	return sum
}

// unuse takes a column out.
func (s *slope) unuse(column int) {
	s.gradient[column] = 0
	for d := range s.curvature {
		if d >= column {
			s.curvature[d][column] = 0
		}
	}
	clear(s.curvature[column])
	s.curvature[column][column] = 1
}

// solve returns x with a·x = b for a symmetric, positive matrix of which the lower
// triangle is given, by Cholesky's method. It overwrites a.
func solve(a [][]float64, b []float64) []float64 {
	for i := range a {
		for j := range i + 1 {
			s := a[i][j] - dot(a[i][:j], a[j][:j])
			if i == j {
				a[i][i] = math.Sqrt(math.Max(s, 1e-12))
			} else {
				a[i][j] = s / a[j][j]
			}
		}
	}

	x := make([]float64, len(b))
	for i := range x {
		x[i] = (b[i] - dot(a[i][:i], x[:i])) / a[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// minus returns a - t·b.
func minus(a, b []float64, t float64) []float64 {
	c := make([]float64, len(a))
	for i := range a {
		c[i] = a[i] - t*b[i]
	}
	return c
}

// score is the weighted sum of a row.
func score(row []float32, w []float64) (sum float64) {
	for d, v := range row {
		sum += w[d] * float64(v)
	}
	return sum
}
