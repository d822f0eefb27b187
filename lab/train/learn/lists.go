package learn

import "math"

// Lists are lists of rows of which some are right: the files of a task, the chunks of
// those files. The loss of a list is that of a softmax over its rows (ListNet's
// top-one loss): minus the mean logarithm of the probability of a right row. Only
// differences between the rows of a list matter.
type Lists []List

// A List is one example. Its rows are as long as those of the other lists.
type List struct {
	Rows   [][]float32
	Right  []bool
	Offset []float64 // added to the scores of the rows, not learned; nil is none
	Weight float64   // of the list; 0 leaves it out
}

// Learned reports whether a list says anything: it has weight and a right row.
func (l *List) Learned() bool { return l.Weight != 0 && l.right() > 0 }

// right counts the right rows.
func (l *List) right() (n int) {
	for _, right := range l.Right {
		if right {
			n++
		}
	}
	return n
}

// Scores returns the score of each row.
func (l *List) Scores(w []float64) []float64 {
	out := make([]float64, len(l.Rows))
	for i, row := range l.Rows {
		out[i] = score(row, w)
		if l.Offset != nil {
			out[i] += l.Offset[i]
		}
	}
	return out
}

// Chances returns the probability of each row, and the logarithms of them.
func (l *List) Chances(w []float64) (chances, logs []float64) {
	logs = l.Scores(w)
	most := math.Inf(-1)
	for _, s := range logs {
		most = math.Max(most, s)
	}
	z := 0.0
	for _, s := range logs {
		z += math.Exp(s - most)
	}
	chances = make([]float64, len(logs))
	for i := range logs {
		logs[i] -= most + math.Log(z)
		chances[i] = math.Exp(logs[i])
	}
	return chances, logs
}

func (ls Lists) columns() int {
	for _, l := range ls {
		if len(l.Rows) > 0 {
			return len(l.Rows[0])
		}
	}
	return 0
}

func (ls Lists) examples() int { return len(ls) }

// add adds the slope of a list. The curvature is the covariance of its rows, each as
// likely as the model says.
func (ls Lists) add(at int, w []float64, sum *slope) {
	l := &ls[at]
	if !l.Learned() {
		return
	}
	chances, logs := l.Chances(w)
	share := 1 / float64(l.right())
	mean := make([]float64, len(w))
	for i, row := range l.Rows {
		off := chances[i]
		if l.Right[i] {
			sum.loss -= l.Weight * share * logs[i]
			off -= share
		}
		for d, v := range row {
			if v == 0 {
				continue
			}
			x := float64(v)
			sum.gradient[d] += l.Weight * off * x
			mean[d] += chances[i] * x
			by, into := l.Weight*chances[i]*x, sum.curvature[d]
			for e, u := range row[:d+1] {
				into[e] += by * float64(u)
			}
		}
	}
	for d, m := range mean {
		for e, n := range mean[:d+1] {
			sum.curvature[d][e] -= l.Weight * m * n
		}
	}
}

// Deviations returns the standard deviation of each column over all rows, also those
// of lists that have no weight.
func (ls Lists) Deviations() []float64 {
	m := newMoments(ls.columns())
	for _, l := range ls {
		for _, row := range l.Rows {
			m.add(row, 1)
		}
	}
	return m.deviations()
}

// Centre subtracts from each row the mean of its list. No score differs but by what
// is the same for the whole list, and [Lists.Deviations] then says how much columns
// vary within lists.
func (ls Lists) Centre() {
	for _, l := range ls {
		m := newMoments(ls.columns())
		for _, row := range l.Rows {
			m.add(row, 1)
		}
		for _, row := range l.Rows {
			for d := range row {
				row[d] -= float32(m.sum[d] / m.weight)
			}
		}
	}
}
