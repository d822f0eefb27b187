package rank

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/satchel-dev/satchel"
)

// A Model is a linear scorer: the score of a row is the sum of weight times
// column. Every scaled signal gives two columns: its value over the largest value of
// a primary row, and its discounted rank. The first tells the best apart, the
// second does not care about distances.
type Model struct {
	Max  [NumSignals]float32 // weight of the value, or of the value over the maximum
	Rank [NumSignals]float32 // weight of the discounted rank
}

// maxRank is the rank after which a discounted rank is 0. The files a task
// needs are among the first 50 of some list in 98 % of tasks.
const maxRank = 256

// Features are the columns of a Table as a Model sees them.
type Features struct {
	Max, Rank [NumSignals][]float32 // nil means all zero
}

// Scale turns measurements into a model's columns, all in 0..1. A discounted rank is 1/(1+log2(rank+1)), rank
// counted from 0 among the primary rows; equal values share the best rank.
func (t *Table) Scale() *Features {
	f := new(Features)
	t.Rescale(f, 0)
	return f
}

// Rescale brings f, which Scale made of t, up to date after columns from a
// signal on have changed.
func (t *Table) Rescale(f *Features, from Signal) {
	const shares = 2
	var wg sync.WaitGroup
	for share := range Signal(shares) {
		wg.Go(func() {
			sorted := make([]float32, 0, t.Rows)
			for s := from + share; s < NumSignals; s += shares {
				f.Max[s], f.Rank[s] = t.scale(s, sorted)
			}
		})
	}
	wg.Wait()
}

// scale returns the columns of one signal. It uses the scratch space.
func (t *Table) scale(s Signal, sorted []float32) (share, ranks []float32) {
	col := t.Columns[s]
	if col == nil || signals[s].kind == plain {
		return col, nil
	}
	var most float32
	for i, v := range col {
		if v > 0 && t.Primary[i] {
			sorted = append(sorted, v)
			most = max(most, v)
		}
	}
	if most == 0 {
		for _, v := range col {
			most = max(most, v)
		}
		if most == 0 {
			return nil, nil
		}
		sorted = append(sorted, most)
	}
	sorted = top(sorted, maxRank)
	least := sorted[len(sorted)-1]
	share, ranks = make([]float32, t.Rows), make([]float32, t.Rows)
	for i, v := range col {
		if v <= 0 {
			continue
		}
		share[i] = min(v/most, 1)
		if v >= least {
			at, _ := slices.BinarySearchFunc(sorted, v, descending)
			ranks[i] = discount[at]
		}
	}
	return share, ranks
}

// top returns the n largest values, in descending order.
func top(v []float32, n int) []float32 {
	if len(v) > 4*n {
		// Most columns hold few large values: cut at a sampled threshold first.
		moveFirst(v, n, descending)
		v = v[:n]
	}
	slices.SortFunc(v, descending)
	return v[:min(n, len(v))]
}

func descending(a, b float32) int { return cmp.Compare(b, a) }

var discount = func() (d [maxRank]float32) {
	for r := range d {
		d[r] = float32(1 / (1 + math.Log2(float64(r)+1)))
	}
	return d
}()

// Scores returns the score of every row.
func (m *Model) Scores(t *Table, f *Features) []float32 {
	out := make([]float32, t.Rows)
	for s := range NumSignals {
		add(out, f.Max[s], m.Max[s])
		add(out, f.Rank[s], m.Rank[s])
	}
	for i, d := range t.Demotion {
		out[i] -= d.By
	}
	for i, g := range t.Used {
		out[i] += g
	}
	return out
}

func add(out, col []float32, w float32) {
	if w == 0 {
		return
	}
	for i, v := range col {
		out[i] += w * v
	}
}

// Explain returns the score of one row as its reasons, largest first. Their sum
// is the score that Scores gives, up to float32 rounding.
func (m *Model) Explain(t *Table, f *Features, row int) satchel.Score {
	var score satchel.Score
	for s := range NumSignals {
		var v float64
		if c := f.Max[s]; c != nil {
			v += float64(m.Max[s] * c[row])
		}
		if c := f.Rank[s]; c != nil {
			v += float64(m.Rank[s] * c[row])
		}
		score.Add(signals[s].why, v)
	}
	slices.SortStableFunc(score, func(a, b satchel.Reason) int { return cmp.Compare(math.Abs(b.Add), math.Abs(a.Add)) })
	if t.Demotion != nil && t.Demotion[row].By != 0 {
		score.Add(t.Demotion[row].Why, -float64(t.Demotion[row].By))
	}
	t.addUsed(&score, row)
	return score
}

// Seeds returns the n best rows and their shares of likelihood, which sum to 1.
func Seeds(scores []float32, n int) ([]int, []float32) {
	rows := make([]int, 0, len(scores))
	for i := range scores {
		rows = append(rows, i)
	}
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) })
	rows = rows[:min(n, len(rows))]
	weights := make([]float32, len(rows))
	var sum float64
	for k, i := range rows {
		w := math.Exp(float64(scores[i]-scores[rows[0]]) / seedTemperature)
		weights[k] = float32(w)
		sum += w
	}
	for k := range weights {
		weights[k] /= float32(sum)
	}
	return rows, weights
}

// seedTemperature flattens the first pass's scores, which are log-odds, if it is
// above 1. Of 0.6, 1, 2 and 4, 1 ranked best in cross-validation: the likelier a
// seed, the more its neighbours should gain.
const seedTemperature = 1
