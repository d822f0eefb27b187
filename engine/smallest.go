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
func (e *Engine) choose(ctx context.Context, sel *selection) (*satchel.Pack, error) {
	p, err := sel.fitPack()
	var over *satchel.OverflowError
	if !errors.As(err, &over) {
		return p, err
	}
	budget := sel.Req.Budget
	works := func(n int) (bool, error) {
		req := sel.Req
		req.Budget = n
		sel, err := e.offers(ctx, req, sel.Meaning)
		if err != nil {
			return false, err
		}
		p, err := sel.fitPack()
		if errors.As(err, new(*satchel.OverflowError)) {
			return false, nil
		}
		return err == nil && p.Used <= n, err
	}
	need, ok, err := pack.Least(budget, over.Need, works)
	if err != nil {
		return nil, err
	}
	if !ok { // it is not the budget
		return nil, over
	}
	return nil, &satchel.OverflowError{Need: need, Limit: budget}
}
