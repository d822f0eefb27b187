package scene

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
)

// A verdict is whether a task is about the repository, and why.
type verdict struct {
	Match     satchel.Match
	Why       string
	Relevance float64
	Telling   int // words of the task that are here and rare elsewhere, or names of what is here
}

// Judge says whether what was ranked is about the repository, whatever part of it
// is asked for.
func Judge(r *ranking.Ranking) verdict {
	e := r.Evidence()
	v := verdict{Match: e.Match(), Relevance: e.Relevance()}
	found := r.Found(satchel.Clean("", r.Query.Text).String())
	if v.Match == satchel.MatchStrong && found.Absent() {
		v.Match = satchel.MatchWeak
	}
	v.Why = found.Why(v.Match)
	v.Telling = len(found.Names) + len(found.Telling)
	if len(r.View.Files()) == 0 && len(found.Missing) == 0 {
		v.Why = "there are no files to look in"
	}
	return v
}

// Nothing reports whether a pack shows nothing but what was asked for by path.
func (sc *Scene) Nothing() bool { return sc.Match == satchel.MatchNone && !sc.Req.Fill }

// Sparing reports whether a pack leaves out what is far behind the best.
func (sc *Scene) Sparing() bool {
	return sc.Match == satchel.MatchWeak && !sc.Req.Fill && sc.Req.Budget > 0
}

// WhyLeft is why a file that is no candidate is left out.
func (sc *Scene) WhyLeft() string {
	switch {
	case sc.Nothing():
		return satchel.WhyNoMatch
	case sc.Sparing():
		return satchel.WhyFar
	}
	return satchel.WhyNoRoom
}

// Excluded says why the files are not here that the task names by their paths and that
// are excluded. A name that ends the paths of several of them says little.
func Excluded(sc *Scene) (notes []satchel.Diagnostic) {
	if sc.Ranking == nil {
		return nil
	}
	for _, name := range sc.Query.Paths {
		if slices.ContainsFunc(sc.Ranking.Exact, func(e ranking.Exact) bool { return e.What == name }) {
			continue
		}
		var found *satchel.Omission
		n := 0
		for i := range sc.View.Excluded() {
			o := &sc.View.Excluded()[i]
			if o.Ref.Path == name {
				found, n = o, 1
				break
			}
			if strings.HasSuffix(o.Ref.Path, "/"+name) {
				found = o
				n++
			}
		}
		if n == 1 {
			notes = append(notes, satchel.Diagnostic{Path: found.Ref.Path, Text: "the task names it, but it is excluded: " + found.Why})
		}
	}
	return notes
}
