package engine

import (
	"context"
	"errors"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
)

// choose is fit, and if the budget is too small, finds the smallest that is
// not: the error's Need is a budget that was tried and works, and one token
// less was tried and does not. What a pack of nothing takes is no such number:
// an omission that the receipt counts may take more room than what it leaves out.
//
// Each budget is tried from the start, since what is offered depends on it.
func (e *Engine) choose(ctx context.Context, b *builder) (*satchel.Pack, error) {
	p, err := b.fit()
	var over *pack.OverflowError
	if !errors.As(err, &over) {
		return p, err
	}
	budget := b.req.Budget
	works := func(n int) (bool, error) {
		req := b.req
		req.Budget = n
		b, err := e.build(ctx, req, b.meaning)
		if err != nil {
			return false, err
		}
		p, err := b.fit()
		if errors.As(err, new(*pack.OverflowError)) {
			return false, nil
		}
		return err == nil && p.Used <= n, err
	}
	low, high := budget, max(over.Need, budget+1) // low does not work
	for step := 1; ; step *= 2 {
		ok, err := works(high)
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		if high > mostBudget { // it is not the budget
			return nil, over
		}
		low, high = high, high+step
	}
	// The first guess is right or a little off, so look near it first.
	for step := 1; low+1 < high; step *= 2 {
		n := max(low+(high-low)/2, high-step)
		ok, err := works(n)
		if err != nil {
			return nil, err
		}
		if ok {
			high = n
		} else {
			low = n
		}
	}
	return nil, &pack.OverflowError{Need: high, Limit: budget}
}

// mostBudget is more than any window holds, and than any pinned files take.
const mostBudget = 1 << 30
