package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/signal"
)

// wholeFiles is how many files get forms when a budget will not hold all: the
// least that says anything about a file takes some 30 tokens.
const tokensPerFile = 30

// whole makes candidates of the files of the repository, most important first.
func (b *builder) whole(ctx context.Context) error {
	important := signal.Important(b.view)
	all := make([]int32, len(important))
	for i := range all {
		all[i] = int32(i)
	}
	slices.SortFunc(all, func(a, c int32) int {
		return cmp.Or(cmp.Compare(important[c].Value(), important[a].Value()), cmp.Compare(a, c))
	})
	b.order = b.within(all)
	n := len(b.order)
	if b.req.Budget > 0 {
		n = min(n, max(50, b.req.Budget/tokensPerFile))
	}
	take := make([]int32, 0, n)
	for _, i := range b.order[:n] {
		if !b.accounted[i] {
			take = append(take, i)
		}
	}
	if b.req.Detail == 0 || b.req.Detail >= satchel.Trimmed {
		if err := b.reader.Load(ctx, take); err != nil {
			return err
		}
	}
	for _, i := range take {
		b.accounted[i] = true
		var it satchel.Item
		if b.req.Detail == 0 || b.req.Detail >= satchel.Trimmed {
			it = b.reader.File(i)
		} else {
			it = b.reader.Outline(i)
		}
		x := important[i]
		c := satchel.Candidate{Item: it}
		c.Score.Add("imported", x.Central)
		c.Score.Add("changed", x.Changed)
		c.Score.Add("kind of file", x.Kind)
		c.Score.Add("entry point", x.Entry)
		b.candidates = append(b.candidates, c)
	}
	b.length = 1
	return nil
}
