package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
)

// A Reranker orders the likeliest candidates of a pack anew, by more than was
// measured.
type Reranker interface {
	// Rerank returns the places of candidates in their new order, each once, the
	// best first, and beside them what is said of each of the candidates; "" for one
	// that nothing was said of. The list is in the old order. An error becomes a
	// Diagnostic, and the old order holds.
	Rerank(ctx context.Context, task string, list []satchel.Candidate) (order []int, said []string, err error)
}

// mostReranked is how many candidates are ordered anew.
const mostReranked = 60

// rerank has the Reranker order the likeliest candidates anew: each gets the score of
// the place that it comes to, by one more reason.
func (sel *selection) rerank(ctx context.Context, r Reranker) error {
	if r == nil || sel.Req.Task == "" || sel.Change != nil {
		return nil
	}
	var best []int
	for i := range sel.Candidates {
		c := &sel.Candidates[i]
		if !c.Pinned && sendable(c.Ref) {
			best = append(best, i)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int {
		x, y := &sel.Candidates[a], &sel.Candidates[b]
		return cmp.Or(cmp.Compare(y.Score.Value(), x.Score.Value()), x.Ref.Compare(y.Ref))
	})
	best = best[:min(len(best), mostReranked)]
	if len(best) < 2 {
		return nil
	}
	list := make([]satchel.Candidate, len(best))
	scores := make([]float64, len(best))
	for k, i := range best {
		list[k] = sel.Candidates[i]
		scores[k] = list[k].Score.Value()
	}
	order, said, err := r.Rerank(ctx, sel.Req.Task, list)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && !permutation(order, len(list)) {
		err = fmt.Errorf("%d places of %d candidates", len(order), len(list))
	}
	if err != nil {
		sel.Diagnostics = append(sel.Diagnostics, satchel.Diagnostic{Text: "not reranked: " + err.Error()})
		return nil
	}
	for place, k := range order {
		if said[k] == "" {
			continue
		}
		c := &sel.Candidates[best[k]]
		c.Score = slices.Clone(c.Score)
		c.Score.Add(said[k], scores[place]-scores[k])
	}
	return nil
}

func permutation(order []int, n int) bool {
	seen := make([]bool, n)
	for _, k := range order {
		if k < 0 || k >= n || seen[k] {
			return false
		}
		seen[k] = true
	}
	return len(order) == n
}
