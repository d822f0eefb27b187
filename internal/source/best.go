package source

import (
	"context"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/rank"
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

// behindBest is by how much a function may be behind the best one of all, in
// score, which is about the logarithm of odds: a twentieth as likely. What is
// further behind is not put beside a prompt, even if the session holds all that is
// better, nor shown of a weak match.
const behindBest = 3.0

// leastWorth is how much of what the best function holds of a task's words another
// one must hold to be shown of a weak match.
const leastWorth = 0.5

// mostOfWeak is how many functions a weak match shows at most for want of a second
// word of the task that tells anything: what somebody looks through to see that it is
// not there. Where one word of many occurs, all functions that hold it are near the
// best.
const mostOfWeak = 6

// worthIt returns which of the chunks a pack shows: all, but of a weak match only
// what is near the best, and what the task asks for by name.
func worthIt(sc *scene.Scene, list []ranking.Chunk) func(*ranking.Chunk) bool {
	if !sc.Sparing() {
		return func(*ranking.Chunk) bool { return true }
	}
	best := math.Inf(-1)
	for i := range list {
		best = max(best, list[i].Score)
	}
	worth := sc.Ranking.Worth()
	least := best - behindBest
	var scores []float64
	for i := range list {
		if c := &list[i]; c.Score >= least && worth[c.Index] >= leastWorth {
			scores = append(scores, c.Score)
		}
	}
	if sc.Telling < 2 && len(scores) > mostOfWeak {
		slices.Sort(scores)
		least = scores[len(scores)-mostOfWeak]
	}
	return func(c *ranking.Chunk) bool {
		most := worth[c.Index] == 1 && sc.Telling > 1 // it holds more of the task than any other
		return c.Score >= least && worth[c.Index] >= leastWorth || most || asksFor(sc, c)
	}
}

// asksFor reports whether the task asks for a chunk by its name or that of its
// file, or a file to edit does: such are shown however weak the match is.
func asksFor(sc *scene.Scene, c *ranking.Chunk) bool {
	_, gains := sc.Manifest.Gains[c.Index]
	return gains || c.Row[rank.ChunkNamed] >= rank.ExactFrom || sc.Ranking.Named(c.File)
}
