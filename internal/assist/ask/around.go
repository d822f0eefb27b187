package ask

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
)

// leastAround is the room that a change must leave for what stands beside it to be
// looked for, in tokens.
const leastAround = 400

// ReviewAround is [Review] with what stands beside the change, if the change leaves
// room: callers, tests, documents, files that usually change with it. changes names
// it as in a satchel.Request.
func ReviewAround(ctx context.Context, e *engine.Engine, r *change.Report, changes string, o ReviewOptions) (*Ask, error) {
	a, err := Review(r, o)
	if err != nil || budgetOr(o.Budget)-a.Receipt.Tokens < leastAround {
		return a, err
	}
	for i := range a.Receipt.Files {
		if len(a.Receipt.Files[i].Cut) > 0 {
			return a, nil
		}
	}
	if o.Around, err = Around(ctx, e, changes, budgetOr(o.Budget)); err != nil {
		return nil, err
	}
	if len(o.Around) == 0 {
		return a, nil
	}
	return Review(r, o)
}

// Around returns what stands beside a change in a pack of it, most useful first.
// changes names it as in a satchel.Request.
func Around(ctx context.Context, e *engine.Engine, changes string, budget int) ([]satchel.Entry, error) {
	p, err := e.Pack(ctx, satchel.Request{Changes: changes, Budget: budget})
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(p.Entries, func(e satchel.Entry) bool { return e.Ref.Kind == satchel.KindDiff || e.Text.IsZero() })
	sortEntries(list)
	return list, nil
}

// sortEntries orders entries by their use: pinned ones, then those with the best
// score.
func sortEntries(list []satchel.Entry) {
	slices.SortFunc(list, func(a, b satchel.Entry) int {
		switch {
		case a.Pinned && !b.Pinned:
			return -1
		case b.Pinned && !a.Pinned:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Score.Value(), a.Score.Value()), a.Ref.Compare(b.Ref))
	})
}
