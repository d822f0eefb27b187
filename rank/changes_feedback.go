package rank

import (
	"math"

	"github.com/satchel-dev/satchel"
)

// A Verdict is what a person made of one changeset: which of its files
// mattered, such as those that the commit message speaks of.
type Verdict struct {
	Signals  [][]satchel.Signal // of each file, as they were measured
	Mattered []bool
}

// Constants of learning from feedback. The prior lets about ten changesets of
// one mind double or halve what a signal of usual weight adds.
const (
	feedbackLogit  = 0.12 // relevance that one unit of the likelihood is, as lab/changes has it
	feedbackPrior  = 2.0  // weight of staying at 1
	feedbackSteps  = 200
	feedbackLittle = 1e-6 // of the loss: what a step has to gain, as multipliers are rounded
	feedbackLeast  = 0.0  // a multiplier never turns a signal around
	feedbackMost   = 4.0
)

// Learn returns multipliers for the signals of a profile under which the files
// that mattered would have come first: those that differ from 1 by at least a
// hundredth, rounded to hundredths. They are for [Profile.Score].
//
// It raises the likelihood of what mattered under a softmax over the files of
// each changeset, held back by a prior at 1, by gradient steps of shrinking
// length. Changesets of which every file or none mattered teach nothing.
func Learn(p *Profile, past []Verdict) map[string]float64 {
	at := map[string]int{}
	var names []string
	for i := range p.Rules {
		s := p.Rules[i].Signal
		if _, ok := at[s]; !ok {
			at[s] = len(names)
			names = append(names, s)
		}
	}
	var sets []feedbackSet
	for i := range past {
		if s, ok := p.feedback(&past[i], at, len(names)); ok {
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	m := make([]float64, len(names))
	for d := range m {
		m[d] = 1
	}
	loss, grad := feedbackLoss(sets, m)
	step := 1.0
	for range feedbackSteps {
		next := make([]float64, len(m))
		for d := range m {
			next[d] = min(max(m[d]-step*grad[d], feedbackLeast), feedbackMost)
		}
		l, g := feedbackLoss(sets, next)
		if l >= loss {
			step /= 2
			continue
		}
		little := loss-l < feedbackLittle*loss
		m, loss, grad = next, l, g
		if little {
			break
		}
		step *= 1.2
	}
	out := map[string]float64{}
	for d, n := range names {
		if r := math.Round(m[d]*100) / 100; r != 1 {
			out[n] = r
		}
	}
	return out
}

// A feedbackSet is one changeset: what each signal adds to each of its files, in
// units of the likelihood.
type feedbackSet struct {
	rows  [][]float64
	right []float64 // shares that sum to 1
}

func (p *Profile) feedback(f *Verdict, at map[string]int, columns int) (s feedbackSet, ok bool) {
	if len(f.Signals) != len(f.Mattered) {
		return s, false
	}
	n := 0.0
	for _, yes := range f.Mattered {
		if yes {
			n++
		}
	}
	if n == 0 || int(n) == len(f.Mattered) {
		return s, false
	}
	for i, signals := range f.Signals {
		row := make([]float64, columns)
		p.each(signals, func(r *Rule, _, add float64) { row[at[r.Signal]] += add / feedbackLogit })
		s.rows = append(s.rows, row)
		share := 0.0
		if f.Mattered[i] {
			share = 1 / n
		}
		s.right = append(s.right, share)
	}
	return s, true
}

// feedbackLoss is what Learn minimises, and its gradient.
func feedbackLoss(sets []feedbackSet, m []float64) (loss float64, grad []float64) {
	grad = make([]float64, len(m))
	for d, x := range m {
		loss += feedbackPrior * (x - 1) * (x - 1)
		grad[d] = 2 * feedbackPrior * (x - 1)
	}
	for _, s := range sets {
		score := make([]float64, len(s.rows))
		most := math.Inf(-1)
		for i, row := range s.rows {
			for d, v := range row {
				score[i] += m[d] * v
			}
			most = max(most, score[i])
		}
		sum := 0.0
		for _, x := range score {
			sum += math.Exp(x - most)
		}
		for i, row := range s.rows {
			logp := score[i] - most - math.Log(sum)
			loss -= s.right[i] * logp
			for d, v := range row {
				grad[d] += (math.Exp(logp) - s.right[i]) * v
			}
		}
	}
	return loss, grad
}
