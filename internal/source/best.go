package source

import (
	"context"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
)

// BestCode offers the functions of the likeliest files, as code does, but of those
// alone that are not far behind the best, and in forms that show text: a path that
// stands in the list of likely files needs no line besides.
type BestCode struct{}

func (BestCode) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	r := sc.Ranking
	likely, copies := originals(sc, sc.Order[:min(len(sc.Order), ranking.CandidateFiles)])
	list := r.ChunksOf(likely)
	best := math.Inf(-1)
	for i := range list {
		best = max(best, list[i].Score)
	}
	list = slices.DeleteFunc(list, func(c ranking.Chunk) bool { return c.Score < best-behindBest && !r.Spells(&c) })
	if err := sc.Reader.Load(ctx, filesOf(list)); err != nil {
		return o, err
	}

	items := sc.Reader.Items(list, r.TermWeights())
	for i := range items {
		n := 0
		for n < len(items[i].Forms) && items[i].Forms[n].Detail >= satchel.Trimmed {
			n++
		}
		items[i].Forms = items[i].Forms[:n]
	}
	spelled, notes := exact(sc, list, items, sc.Req.Budget)
	o.Diagnostics = notes
	for i := range items {
		if len(items[i].Forms) > 0 {
			score := r.Models.Chunks.Explain(&list[i].Row)
			score.Add(spelled[i].Why, spelled[i].Add)
			o.Candidates = append(o.Candidates, satchel.Candidate{Item: items[i], Score: score})
		}
	}
	o.Candidates, o.Omitted = once(sc, o.Candidates)
	o.Omitted = append(o.Omitted, copies...)
	return o, nil
}
