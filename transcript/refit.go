package transcript

import (
	"math"
	"slices"

	"github.com/satchel-dev/satchel/tokens"
)

// A step of growth is what happened between two answers that report their
// usage.
type growthStep struct {
	from, to int     // messages said in between: [from, to)
	tokens   float64 // by which the context grew, less what the answer before reports of itself
	packed   packed  // what made it grow: a Weight
	answer   bool    // the answer before is part of said, since its output is not recorded
	clean    bool    // nothing but tool results was said
}

// growth returns the steps of a session.
func growth(marks []mark, r Rate) []growthStep {
	answers := 0
	for i := range marks {
		if marks[i].answer && marks[i].usage != nil {
			answers++
		}
	}
	steps := make([]growthStep, 0, answers) // at once: of a long session they are what takes most memory
	last := -1
	for i := range marks {
		switch {
		case !marks[i].answer:
			continue
		case marks[i].usage == nil:
			last = -1 // an answer of unknown size stands in between
			continue
		case last >= 0 && i > last+1:
			steps = append(steps, stepBetween(marks, last, i, r))
		}
		last = i
	}
	return steps
}

func stepBetween(marks []mark, a, b int, r Rate) growthStep {
	before := marks[a].usage
	g := growthStep{from: a + 1, to: b, clean: true}
	var said Weight
	g.tokens = float64(marks[b].usage.Prompt() - before.Prompt())
	if believable(before, r.tokens(marks[a].weight())) {
		g.tokens -= float64(before.Output)
	} else {
		g.answer = true
		said = said.Plus(marks[a].weight())
	}
	for i := a + 1; i < b; i++ {
		said = said.Plus(marks[i].weight())
		g.clean = g.clean && marks[i].results
	}
	if said.Images > 0 || said.Opaque > 0 || said.Results == 0 {
		g.clean = false
	}
	g.packed = pack(said)
	return g
}

// said is what made the context grow.
func (g *growthStep) said() Weight { return g.packed.weight() }

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
func (r Rate) refit(steps []growthStep) Rate {
	use := make([]*growthStep, 0, len(steps))
	sum := 0.0
	for i := range steps {
		if g := &steps[i]; g.clean && g.tokens > 0 {
			use = append(use, g)
			sum += g.tokens
		}
	}
	table := medianError(r, use)
	if len(use) > 0 && r.Steps == 0 && table > r.Error {
		r.Error = min(table, 0.9) // the session shows that the table knows less than it thinks
	}
	if len(use) < leastSteps || sum < leastGrowth {
		return r
	}
	k, c, ok := solve(r, use)
	if !ok {
		return r
	}
	next := r
	next.Code, next.Prose, next.Input, next.Result = r.Code*k, r.Prose*k, r.Input*k, c
	if next.Code < leastRate || next.Code > mostRate || c < 0 || c > mostResult {
		return r
	}
	next.Steps = len(use)
	if e := medianError(next, use); e < table {
		next.Error = max(e, 0.002)
		next.method = next.refitted()
		return next
	}
	return r
}

// solve returns the factor of the table's rates and the tokens of a result that
// fit the steps best.
func solve(r Rate, steps []*growthStep) (k, c float64, ok bool) {
	const (
		rounds = 8
		huber  = 0.15 // relative error from which a step is trusted less
		least  = 50   // tokens; relative to less, rounding would rule
	)
	trust := make([]float64, len(steps))
	for i := range trust {
		trust[i] = 1
	}
	for range rounds {
		var xx, xn, nn, xy, ny float64
		for i, g := range steps {
			y := max(g.tokens, least)
			w := trust[i] / (y * y)
			x, n, left := r.text(g.said()), float64(g.said().Results), g.tokens-r.rest(g.said())
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
		for i, g := range steps {
			off := math.Abs(float64(k*r.text(g.said()))+float64(c*float64(g.said().Results))+r.rest(g.said())-g.tokens) / max(g.tokens, least)
			trust[i] = 1
			if off > huber {
				trust[i] = huber / off
			}
		}
	}
	return k, c, !math.IsNaN(k) && !math.IsNaN(c)
}

// medianError returns the median relative error of a rate over steps.
func medianError(r Rate, steps []*growthStep) float64 {
	off := make([]float64, 0, len(steps))
	for _, g := range steps {
		off = append(off, math.Abs(r.tokens(g.said())-g.tokens)/g.tokens)
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

// apply gives the messages of a step the tokens by which the context grew, in
// proportion to their estimates.
func (g *growthStep) apply(z *Sizes) {
	if g.answer {
		return // what grew is the answer as well
	}
	estimate := 0
	for i := g.from; i < g.to; i++ {
		estimate += z.Messages[i].Tokens
	}
	off := math.Abs(g.tokens - float64(estimate))
	if estimate == 0 || g.tokens <= 0 || off > smallOff && off > mostOff*float64(estimate) {
		return
	}
	method, band := methodUsage, 0.0
	if g.to-g.from > 1 {
		method, band = methodShared, z.Rate.Error
	}
	left, leftEstimate := int(g.tokens), estimate
	for i := g.from; i < g.to; i++ {
		n := 0
		if leftEstimate > 0 {
			n = int(int64(left) * int64(z.Messages[i].Tokens) / int64(leftEstimate))
		}
		leftEstimate -= z.Messages[i].Tokens
		left -= n
		z.Messages[i] = tokens.Count{Tokens: n, Method: method, Error: band}
	}
}
