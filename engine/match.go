package engine

import (
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/rank"
)

// A verdict is whether a task is about the repository, and why.
type verdict struct {
	match     satchel.Match
	why       string
	relevance float64
	telling   int // words of the task that are here and rare elsewhere, or names of what is here
}

// judge says whether what was ranked is about the repository, whatever part of it
// is asked for.
func judge(r *ranking.Ranking) verdict {
	e := r.Evidence(r.Order, r.Scores)
	v := verdict{match: e.Match(), relevance: e.Relevance()}
	found := r.Found(redactText(r.Query.Text))
	v.why = found.Why(v.match)
	v.telling = len(found.Names) + len(found.Telling)
	return v
}

// behindBest is by how much a function may be behind the best one of all, in
// score, which is about the logarithm of odds: a twentieth as likely. What is
// further behind is not put beside a prompt, even if the session holds all that is
// better, nor shown of a weak match.
const behindBest = 3.0

// nothing reports whether a pack shows nothing but what was asked for by path.
func (sc *Scene) nothing() bool { return sc.match == satchel.MatchNone && !sc.req.Fill }

// sparing reports whether a pack leaves out what is far behind the best.
func (sc *Scene) sparing() bool {
	return sc.match == satchel.MatchWeak && !sc.req.Fill && sc.req.Budget > 0
}

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
func (sc *Scene) worthIt(list []ranking.Chunk) func(*ranking.Chunk) bool {
	if !sc.sparing() {
		return func(*ranking.Chunk) bool { return true }
	}
	best := math.Inf(-1)
	for i := range list {
		best = max(best, list[i].Score)
	}
	worth := sc.ranking.Worth()
	least := best - behindBest
	var scores []float64
	for i := range list {
		if c := &list[i]; c.Score >= least && worth[c.Index] >= leastWorth {
			scores = append(scores, c.Score)
		}
	}
	if sc.telling < 2 && len(scores) > mostOfWeak {
		slices.Sort(scores)
		least = scores[len(scores)-mostOfWeak]
	}
	return func(c *ranking.Chunk) bool {
		return c.Score >= least && worth[c.Index] >= leastWorth || sc.asksFor(c)
	}
}

// whyLeft is why a file that is no candidate is left out.
func (sc *Scene) whyLeft() string {
	switch {
	case sc.nothing():
		return satchel.WhyNoMatch
	case sc.sparing():
		return satchel.WhyFar
	}
	return satchel.WhyNoRoom
}

// asksFor reports whether the task asks for a chunk by its name or that of its
// file, or a file to edit does: such are shown however weak the match is.
func (sc *Scene) asksFor(c *ranking.Chunk) bool {
	_, gains := sc.manifest.gains[c.Index]
	return gains || c.Row[rank.ChunkNamed] >= rank.ExactFrom || sc.ranking.Named(c.File)
}
