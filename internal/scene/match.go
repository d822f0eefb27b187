package scene

import (
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/rank"
)

// A verdict says how well a task matches the repository, and why.
type verdict struct {
	Match     satchel.Match
	Why       string
	Nowhere   []satchel.Diagnostic // names the words of a short, strong task that are not here
	Relevance float64
	fills     bool // the budget is filled
	Telling   int  // words of the task that are here and rare elsewhere, or names of what is here
}

// Judge returns the verdict on a ranking of the whole repository.
func Judge(r *ranking.Ranking) verdict {
	e := r.Evidence()
	v := verdict{Match: e.Match(), Relevance: e.Relevance(), fills: e.Fills()}
	found := r.Found(satchel.Clean("", r.Query.Text).String())
	if v.Match == satchel.MatchStrong && (found.Absent() || namesOnlyMissingPaths(r, &found)) {
		v.Match, v.fills = satchel.MatchWeak, false
	}
	v.Why = found.Why(v.Match)
	if nowhere := found.Nowhere(); nowhere != "" && v.Match == satchel.MatchStrong && r.Query.Brief() {
		v.Nowhere = []satchel.Diagnostic{{Text: nowhere}}
	}
	v.Telling = len(found.Names) + len(found.Telling)
	if len(r.View.Files()) == 0 && len(found.Missing) == 0 {
		v.Why = "no files to search"
	}
	return v
}

// namesOnlyMissingPaths reports whether a short task names paths, and no file or
// definition that it names is in the repository.
func namesOnlyMissingPaths(r *ranking.Ranking, found *rank.Found) bool {
	return r.Query.Brief() && len(r.Exact) == 0 && slices.ContainsFunc(r.Query.Paths, func(path string) bool { return slices.Contains(found.Missing, path) })
}

// Nothing reports whether a pack shows nothing but what was asked for by path.
func (sc *Scene) Nothing() bool { return sc.Match == satchel.MatchNone && !sc.Req.Fill }

// OnlyAround reports whether a pack shows files to edit and what belongs to them, and
// nothing else: there is no task, and one of the files exists and is code.
func (sc *Scene) OnlyAround() bool {
	return sc.Ranking == nil && len(sc.Req.Edit) > 0 && (sc.Belongs.Mentions != nil || sc.Req.Detail == satchel.Mention)
}

// Sparing reports whether a pack leaves out what is far behind the best: the task is
// probably about another repository.
func (sc *Scene) Sparing() bool {
	return sc.Match == satchel.MatchWeak && !sc.fills && !sc.Req.Fill && sc.Req.Budget > 0
}

// WhyLeft returns the reason to leave out a file that is not a candidate.
func (sc *Scene) WhyLeft() string {
	switch {
	case sc.OnlyAround():
		return satchel.WhyUnrelated
	case sc.Nothing():
		return satchel.WhyNoMatch
	case sc.Sparing():
		return satchel.WhyFar
	}
	return satchel.WhyNoRoom
}

// Excluded returns a note for each excluded file that the task names by its path.
func Excluded(r *ranking.Ranking) (notes []satchel.Diagnostic) {
	if r == nil {
		return nil
	}
	for _, name := range r.Query.Paths {
		if slices.ContainsFunc(r.Exact, func(e ranking.Exact) bool { return e.What == name }) {
			continue
		}
		if o := r.Excluded(name); o != nil {
			notes = append(notes, satchel.Diagnostic{Path: name, Text: "named in the task, but excluded: " + o.Why})
		}
	}
	return notes
}
