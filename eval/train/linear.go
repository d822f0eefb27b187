package main

import "math"

// A group is one list to be ordered: rows of features, some of which are
// right.
type group struct {
	rows   [][]float32
	gold   []bool
	weight float64
}

// fit learns the weights of a linear scorer that gives right rows the most
// probability under a softmax over their group (ListNet's top-one loss), with
// an L2 penalty on standardised weights. A column that active says no to stays
// 0. The result is on the scale of the unstandardised rows.
func fit(groups []group, columns int, l2 float64, active func(col int) bool) []float64 {
	p := &problem{l2: l2, columns: columns}
	p.standardise(groups, active)
	w := minimise(p.loss, make([]float64, columns))
	for d := range w {
		w[d] *= p.scale[d]
	}
	return w
}

// A problem is a loss to be minimised.
type problem struct {
	groups  []group // with standardised rows; columns not in use are 0
	scale   []float64
	l2      float64
	columns int
}

// standardise divides every column in use by its standard deviation. Means do
// not matter to a softmax.
func (p *problem) standardise(groups []group, active func(col int) bool) {
	mean, square := make([]float64, p.columns), make([]float64, p.columns)
	n := 0.0
	for _, g := range groups {
		for _, r := range g.rows {
			n++
			for d, v := range r {
				mean[d] += float64(v)
				square[d] += float64(v) * float64(v)
			}
		}
	}
	p.scale = make([]float64, p.columns)
	for d := range p.scale {
		mean[d] /= max(n, 1)
		sd := math.Sqrt(max(0, square[d]/max(n, 1)-mean[d]*mean[d]))
		if sd > 1e-6 && (active == nil || active(d)) {
			p.scale[d] = 1 / sd
		}
	}
	for _, g := range groups {
		right := false
		for _, y := range g.gold {
			right = right || y
		}
		if !right || g.weight == 0 {
			continue
		}
		s := group{gold: g.gold, weight: g.weight, rows: make([][]float32, len(g.rows))}
		for i, r := range g.rows {
			row := make([]float32, p.columns)
			for d, v := range r {
				row[d] = v * float32(p.scale[d])
			}
			s.rows[i] = row
		}
		p.groups = append(p.groups, s)
	}
}

// loss returns the loss at w and its gradient. Shares of the work are fixed and
// summed in order, so that the result is the same on any machine.
func (p *problem) loss(w []float64) (float64, []float64) {
	losses, grads := make([]float64, workers), make([][]float64, workers)
	parallel(workers, func(k int) {
		grads[k] = make([]float64, p.columns)
		for i := k * len(p.groups) / workers; i < (k+1)*len(p.groups)/workers; i++ {
			losses[k] += gradient(&p.groups[i], w, grads[k])
		}
	})
	total, sum, weight := 0.0, make([]float64, p.columns), 0.0
	for _, g := range p.groups {
		weight += g.weight
	}
	for k := range grads {
		total += losses[k]
		for d, v := range grads[k] {
			sum[d] += v
		}
	}
	total /= weight
	for d := range sum {
		sum[d] = sum[d]/weight + p.l2*w[d]
		total += p.l2 / 2 * w[d] * w[d]
	}
	return total, sum
}

// gradient adds the gradient of one group's loss, and returns the loss.
func gradient(g *group, w, sum []float64) float64 {
	ng := 0
	for _, y := range g.gold {
		if y {
			ng++
		}
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
		z += math.Exp(p[i] - most)
	}
	logZ := most + math.Log(z)
	loss := 0.0
	for i, r := range g.rows {
		e := math.Exp(p[i] - logZ)
		if g.gold[i] {
			loss += (logZ - p[i]) / float64(ng)
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
	return loss * g.weight
}
