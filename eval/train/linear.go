package main

import "math"

// A group is one list to be ordered: rows of features, some of which are
// right.
type group struct {
	rows   [][]float32
	gold   []bool
	weight float64
}

// Settings of the optimiser. They were chosen by cross-validation on the
// development tasks; the result is not sensitive to them.
const (
	steps = 300
	rate  = 0.03
)

// fit learns the weights of a linear scorer that gives right rows the most
// probability under a softmax over their group (ListNet's top-one loss), with
// an L2 penalty on standardised weights, by Adam. A column that active says no
// to stays 0. The result is on the scale of the unstandardised rows.
func fit(groups []group, columns int, l2 float64, active func(col int) bool) []float64 {
	mean, sd := make([]float64, columns), make([]float64, columns)
	n := 0.0
	for _, g := range groups {
		for _, r := range g.rows {
			n++
			for d, v := range r {
				mean[d] += float64(v)
				sd[d] += float64(v) * float64(v)
			}
		}
	}
	use := make([]bool, columns)
	for d := range sd {
		mean[d] /= max(n, 1)
		sd[d] = math.Sqrt(max(0, sd[d]/max(n, 1)-mean[d]*mean[d]))
		use[d] = sd[d] > 1e-6 && (active == nil || active(d))
	}
	w, m, v := make([]float64, columns), make([]float64, columns), make([]float64, columns)
	scaled := make([]float64, columns)
	grads := make([][]float64, workers)
	for step := 1; step <= steps; step++ {
		for d := range w {
			scaled[d] = 0
			if use[d] {
				scaled[d] = w[d] / sd[d]
			}
		}
		// Shares of the work are fixed, and summed in order: the same bytes
		// on any machine.
		parallel(workers, func(k int) {
			grads[k] = make([]float64, columns)
			for i := k * len(groups) / workers; i < (k+1)*len(groups)/workers; i++ {
				gradient(&groups[i], scaled, grads[k])
			}
		})
		for d := range w {
			if !use[d] {
				continue
			}
			g := 0.0
			for k := range grads {
				g += grads[k][d]
			}
			g = g/sd[d]/float64(len(groups)) + l2*w[d]
			m[d] = 0.9*m[d] + 0.1*g
			v[d] = 0.999*v[d] + 0.001*g*g
			mh := m[d] / (1 - math.Pow(0.9, float64(step)))
			vh := v[d] / (1 - math.Pow(0.999, float64(step)))
			w[d] -= rate * mh / (math.Sqrt(vh) + 1e-8)
		}
	}
	for d := range w {
		if use[d] {
			w[d] /= sd[d]
		}
	}
	return w
}

// gradient adds the gradient of one group's loss.
func gradient(g *group, w, sum []float64) {
	ng := 0
	for _, y := range g.gold {
		if y {
			ng++
		}
	}
	if ng == 0 {
		return
	}
	p := make([]float64, len(g.rows))
	most := math.Inf(-1)
	for i, r := range g.rows {
		for d, v := range r {
			p[i] += w[d] * float64(v)
		}
		most = max(most, p[i])
	}
	z := 0.0
	for i := range p {
		p[i] = math.Exp(p[i] - most)
		z += p[i]
	}
	for i, r := range g.rows {
		e := p[i] / z
		if g.gold[i] {
			e -= 1 / float64(ng)
		}
		e *= g.weight
		if math.Abs(e) < 1e-7 {
			continue
		}
		for d, v := range r {
			sum[d] += e * float64(v)
		}
	}
}
