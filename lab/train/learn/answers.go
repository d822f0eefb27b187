package learn

import "math"

// Answers are rows that came true or did not. The loss of a row is that of a
// logistic regression: minus the logarithm of the probability of what happened, times
// its weight. A model that is to have a bias has a column of ones for it.
type Answers struct {
	Columns int
	Rows    []float32 // one row after the other
	Yes     []bool
	Weight  []float32
}

// Append adds the rows of other answers, as wide as these.
func (a *Answers) Append(b *Answers) {
	a.Rows, a.Yes, a.Weight = append(a.Rows, b.Rows...), append(a.Yes, b.Yes...), append(a.Weight, b.Weight...)
}

// Row returns the features of answer i.
func (a *Answers) Row(i int) []float32 { return a.Rows[i*a.Columns : (i+1)*a.Columns] }

// Score returns the score of answer i: the logarithm of its odds.
func (a *Answers) Score(i int, w []float64) float64 { return score(a.Row(i), w) }

func (a *Answers) columns() int  { return a.Columns }
func (a *Answers) examples() int { return len(a.Yes) }

func (a *Answers) add(i int, w []float64, sum *slope) {
	row, weight := a.Row(i), float64(a.Weight[i])
	z := score(row, w)
	p := 1 / (1 + math.Exp(-z))
	off := p
	if a.Yes[i] {
		off, z = p-1, -z
	}
	sum.loss += weight * softplus(z)
	for d, v := range row {
		if v == 0 {
			continue
		}
		x := float64(v)
		sum.gradient[d] += weight * off * x
		by, into := weight*p*(1-p)*x, sum.curvature[d]
		for e, u := range row[:d+1] {
			into[e] += by * float64(u)
		}
	}
}

// softplus is log(1+exp(z)).
func softplus(z float64) float64 { return math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// Deviations returns the standard deviation of each column, rows counted by their
// weights.
func (a *Answers) Deviations() []float64 {
	m := newMoments(a.Columns)
	for i := range a.Yes {
		m.add(a.Row(i), float64(a.Weight[i]))
	}
	return m.deviations()
}

// moments sum up rows.
type moments struct {
	sum, square []float64
	weight      float64
}

func newMoments(columns int) *moments {
	return &moments{sum: make([]float64, columns), square: make([]float64, columns)}
}

func (m *moments) add(row []float32, weight float64) {
	m.weight += weight
	for d, v := range row {
		x := weight * float64(v)
		m.sum[d] += x
		m.square[d] += x * float64(v)
	}
}

func (m *moments) deviations() []float64 {
	out := make([]float64, len(m.sum))
	for d := range out {
		mean := m.sum[d] / m.weight
		out[d] = math.Sqrt(math.Max(0, m.square[d]/m.weight-mean*mean))
	}
	return out
}
