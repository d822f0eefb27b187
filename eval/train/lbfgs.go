package main

import "math"

// Constants of the minimiser.
const (
	memory     = 10   // pairs that approximate the curvature
	iterations = 120  // enough for every problem here to converge
	tolerance  = 1e-5 // of the gradient's length
)

// minimise finds the minimum of a smooth convex function by L-BFGS (Nocedal and
// Wright, Numerical Optimization, algorithm 7.5) with a backtracking line
// search.
func minimise(f func([]float64) (float64, []float64), x []float64) []float64 {
	var steps, yields [][]float64
	fx, g := f(x)
	for range iterations {
		if norm(g) < tolerance {
			break
		}
		dir := direction(g, steps, yields)
		slope := dot(dir, g)
		if slope >= 0 {
			steps, yields = nil, nil
			dir = scaled(g, -1)
			slope = dot(dir, g)
		}
		t := 1.0
		if len(steps) == 0 {
			t = min(1, 1/norm(g))
		}
		var next, gn []float64
		var fn float64
		found := false
		for range 30 {
			next = plus(x, dir, t)
			fn, gn = f(next)
			if fn <= fx+1e-4*t*slope {
				found = true
				break
			}
			t /= 2
		}
		if !found {
			break
		}
		s, y := plus(next, x, -1), plus(gn, g, -1)
		if dot(s, y) > 1e-12 {
			steps, yields = append(steps, s), append(yields, y)
			if len(steps) > memory {
				steps, yields = steps[1:], yields[1:]
			}
		}
		if fx-fn < 1e-9*max(1, math.Abs(fx)) {
			x = next
			break
		}
		x, fx, g = next, fn, gn
	}
	return x
}

// direction is minus the gradient times the approximated inverse curvature.
func direction(g []float64, steps, yields [][]float64) []float64 {
	q := scaled(g, 1)
	alpha := make([]float64, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		alpha[i] = dot(steps[i], q) / dot(yields[i], steps[i])
		q = plus(q, yields[i], -alpha[i])
	}
	if n := len(steps); n > 0 {
		q = scaled(q, dot(steps[n-1], yields[n-1])/dot(yields[n-1], yields[n-1]))
	}
	for i := range steps {
		beta := dot(yields[i], q) / dot(yields[i], steps[i])
		q = plus(q, steps[i], alpha[i]-beta)
	}
	return scaled(q, -1)
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

// plus returns a + t·b.
func plus(a, b []float64, t float64) []float64 {
	c := make([]float64, len(a))
	for i := range a {
		c[i] = a[i] + t*b[i]
	}
	return c
}

func scaled(a []float64, t float64) []float64 {
	c := make([]float64, len(a))
	for i := range a {
		c[i] = t * a[i]
	}
	return c
}
