package transcript

import (
	"math"
	"slices"

	"github.com/satchel-dev/satchel/tokens"
)

// A growthStep is what happened between two answers that report their usage.
type growthStep struct {
	from, to int     // messages said in between: [from, to)
	tokens   float64 // by which the context grew, less what the answer before reports of itself
	said     Weight  // what made it grow
	answer   bool    // the answer before is part of said, since its output is not recorded
	clean    bool    // nothing but tool results was said
	estimate int     // of the messages in between

	shared                bool // the messages are known to take the tokens together
	left, leftOfEstimates int  // to give to them
}

// growths finds the steps of a session, in order.
type growths struct {
	marks       []mark
	i           int
	table, rate Rate // the former says which outputs are believed, the latter estimates
	last        mark // the answer before, if at is not negative
	at          int
	now         growthStep
}

func (t *Meter) growths(table, rate Rate) *growths {
	return &growths{marks: t.marks, table: table, rate: rate, at: -1}
}

// next returns the next step.
func (g *growths) next() (s growthStep, ok bool) {
	for ; g.i < len(g.marks) && !ok; g.i++ {
		k := &g.marks[g.i]
		if !k.answer() {
			if g.at >= 0 {
				g.now.said = g.now.said.Plus(k.weight)
				g.now.clean = g.now.clean && k.kind == Results
				g.now.estimate += g.rate.count(k.weight).Tokens
			}
			continue
		}
		if !k.reported {
			g.at = -1 // an answer of unknown size stands in between
			continue
		}
		if g.at >= 0 && g.i > g.at+1 {
			s, ok = g.between(k), true
		}
		g.last, g.at = *k, g.i
		g.now = growthStep{from: g.i + 1, clean: true}
	}
	return s, ok
}

// between ends the step that goes on, with the answer behind it.
func (g *growths) between(k *mark) growthStep {
	s, before := g.now, &g.last
	s.to = g.i
	s.tokens = float64(k.prompt - before.prompt)
	if believable(before.output, g.table.tokens(before.weight)) {
		s.tokens -= float64(before.output)
	} else {
		s.answer = true
		s.said = s.said.Plus(before.weight)
	}
	if s.said.Images > 0 || s.said.Opaque > 0 || s.said.Results == 0 {
		s.clean = false
	}
	s.known()
	return s
}

// A cleanStep is a step of results alone, which teaches rates.
type cleanStep struct {
	tokens float64
	said   Weight
}

func (t *Meter) cleanSteps(table Rate) (steps []cleanStep) {
	for g := t.growths(table, table); ; {
		s, ok := g.next()
		if !ok {
			return steps
		}
		if s.clean && s.tokens > 0 {
			steps = append(steps, cleanStep{s.tokens, s.said})
		}
	}
}

// What a fit needs, and what it may find. Sessions with fewer calls teach less
// than the table knows; the bounds are wide around every rate ever measured
// (0.98 to 1.64 tokens, 2 to 94 a result), so that a file with made-up numbers
// cannot teach nonsense.
const (
	leastSteps  = 10
	leastGrowth = 4_000 // tokens over all steps
	leastRate   = 0.6
	mostRate    = 2.5
	mostResult  = 400
)

// refit returns the rate that the steps teach, or r if they teach nothing
// better. It minimises the relative errors of
//
//	growth = k * tokens of the encoding + c * results
//
// and trusts a step less the further it is off (Huber's weights), since
// clients slip in reminders that no record shows. The kinds of text keep their
// proportions in the table.
func (r Rate) refit(steps []cleanStep) Rate {
	sum := 0.0
	for _, s := range steps {
		sum += s.tokens
	}
	off := make([]float64, 0, len(steps))
	table := medianError(r, steps, off)
	if len(steps) > 0 && r.Steps == 0 && table > r.Error {
		r.Error = min(table, 0.9) // the session shows that the table knows less than it thinks
	}
	if len(steps) < leastSteps || sum < leastGrowth {
		return r
	}
	k, c, ok := solve(r, steps)
	if !ok {
		return r
	}
	next := r
	next.Code, next.Prose, next.Input, next.Result = r.Code*k, r.Prose*k, r.Input*k, c
	if next.Code < leastRate || next.Code > mostRate || c < 0 || c > mostResult {
		return r
	}
	next.Steps = len(steps)
	if e := medianError(next, steps, off); e < table {
		next.Error = max(e, 0.002)
		next.method = next.refitted()
		return next
	}
	return r
}

// solve returns the factor of the table's rates and the tokens of a result that
// fit the steps best.
func solve(r Rate, steps []cleanStep) (k, c float64, ok bool) {
	const (
		rounds = 8
		huber  = 0.15 // relative error from which a step is trusted less
		least  = 50   // tokens; relative to less, rounding would rule
	)
	for round := range rounds {
		var xx, xn, nn, xy, ny float64
		for _, s := range steps {
			y := max(s.tokens, least)
			x, n, rest := r.text(s.said), float64(s.said.Results), r.rest(s.said)
			trust := 1.0
			if round > 0 {
				off := math.Abs(float64(k*x)+float64(c*n)+rest-s.tokens) / y
				if off > huber {
					trust = huber / off
				}
			}
			w := trust / (y * y)
			left := s.tokens - rest
			xx += float64(w * x * x)
			xn += float64(w * x * n)
			nn += float64(w * n * n)
			xy += float64(w * x * left)
			ny += float64(w * n * left)
		}
		det := float64(xx*nn) - float64(xn*xn)
		if !(det > 1e-9*xx*nn) {
			return 0, 0, false // all steps look alike: two unknowns cannot be told apart
		}
		k = (float64(xy*nn) - float64(ny*xn)) / det
		c = (float64(ny*xx) - float64(xy*xn)) / det
	}
	return k, c, !math.IsNaN(k) && !math.IsNaN(c)
}

// medianError returns the median relative error of a rate over steps. Off is
// empty room for them.
func medianError(r Rate, steps []cleanStep, off []float64) float64 {
	for _, s := range steps {
		off = append(off, math.Abs(r.tokens(s.said)-s.tokens)/s.tokens)
	}
	if len(off) == 0 {
		return 0
	}
	slices.Sort(off)
	return off[len(off)/2]
}

// mostOff bounds how far a growth may be from the estimate of what was said
// and still be believed to be its size. Beyond it, something else happened: a
// client cleared old results, or slipped something in.
const (
	mostOff  = 0.5
	smallOff = 200 // tokens that do not matter
)

// known decides whether the growth is the size of the messages of the step.
func (g *growthStep) known() {
	off := math.Abs(g.tokens - float64(g.estimate))
	if g.answer || // what grew is the answer as well
		g.estimate == 0 || g.tokens <= 0 || off > smallOff && off > mostOff*float64(g.estimate) {
		return
	}
	g.shared, g.left, g.leftOfEstimates = true, int(g.tokens), g.estimate
}

// share gives the next message of the step its part of the tokens by which the
// context grew, in proportion to the estimates.
func (g *growthStep) share(estimate tokens.Count, r Rate) tokens.Count {
	if !g.shared {
		return estimate
	}
	c := tokens.Count{Method: methodUsage}
	if g.to-g.from > 1 {
		c.Method, c.Error = methodShared, r.Error
	}
	if g.leftOfEstimates > 0 {
		c.Tokens = int(int64(g.left) * int64(estimate.Tokens) / int64(g.leftOfEstimates))
	}
	g.leftOfEstimates -= estimate.Tokens
	g.left -= c.Tokens
	return c
}
