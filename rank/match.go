package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Match judges the evidence. Packs, searches and hooks all use this rule.
//
// A strong match passes two thresholds: it reads like a task rather than like thanks or
// a question about the world ([Evidence.Relevance]), and like a task of this repository
// rather than of another one ([Evidence.Kinship]). A short task that spells a name of the
// repository is always strong.
func (e *Evidence) Match() satchel.Match {
	switch {
	case e.Held == 0 && e.None():
		return satchel.MatchNone
	case e.Spelled > 0 || e.Relevance() >= RelevantFrom && e.Kinship() >= KinFrom:
		return satchel.MatchStrong
	}
	return satchel.MatchWeak
}

// Fills reports whether a pack fills its budget. Most tasks of this repository that are a
// weak match do, since leaving out what they need costs more than tokens.
func (e *Evidence) Fills() bool {
	return e.Match() == satchel.MatchStrong || e.Relevance() >= RelevantFrom && e.Kinship() >= FillFrom
}

// kinshipFeatures is the number of features of [Evidence.Kinship].
const kinshipFeatures = 13

// Kinship returns the logarithm of the odds that a prompt is about this repository and
// not about another one of the same language. It is a logistic regression, like Relevance.
func (e *Evidence) Kinship() float64 {
	z := kinshipBias
	for i, x := range e.KinshipFeatures() {
		z += kinshipWeights[i] * x
	}
	return z
}

// KinshipFeatures returns the evidence as Kinship sees it.
func (e *Evidence) KinshipFeatures() [kinshipFeatures]float64 {
	return [...]float64{
		signedLog(e.Surprise),
		e.MeanSurprise,
		signedLog(e.TopSurprise),
		math.Log1p(e.Together),
		e.TogetherShare,
		math.Log1p(e.Naming),
		math.Log1p(max(e.Lead, 0)),
		(e.Idents + 0.3) / (e.Idents + e.NoIdents + 1),
		signedLog(e.DefSurprise),
		math.Log1p(float64(max(e.Unknown, 0))),
		math.Log1p(float64(max(e.Terms, 0))),
		math.Log1p(e.Joined),
		e.MeanJoined,
	}
}

func signedLog(x float64) float64 { return math.Copysign(math.Log1p(math.Abs(x)), x) }

// Found holds the words of a task, as it spells them, by whether a repository has them.
// Each is there once, the rarest elsewhere first.
type Found struct {
	Names   []string // of files and definitions, as the repository spells them
	Telling []string // more frequent here than in other repositories
	Common  []string // here, and about as frequent in other repositories
	Parts   []string // names that are not here, though their parts are
	Missing []string // not here
}

// Absent reports whether all names of the task are absent here. Their parts do not show
// that the task is about this repository.
func (f *Found) Absent() bool {
	return len(f.Parts) > 0 && len(f.Names)+len(f.Telling)+len(f.Common) == 0
}

// foundWords is how many words of each kind an explanation names.
const foundWords = 5

// Nowhere lists the words and names of the task that the repository does not have, or
// returns "".
func (f *Found) Nowhere() string {
	if len(f.Parts)+len(f.Missing) == 0 {
		return ""
	}
	return "nowhere in the repository: " + some(slices.Concat(f.Parts, f.Missing))
}

// Why explains a match in a sentence.
func (f *Found) Why(m satchel.Match) string {
	if m == satchel.MatchNone {
		if len(f.Missing) == 0 {
			return "the task contains no searchable words"
		}
		return f.Nowhere()
	}
	var s []string
	add := func(what string, words []string) {
		if len(words) > 0 {
			s = append(s, what+some(words))
		}
	}
	add("names in this repository: ", f.Names)
	if m == satchel.MatchStrong {
		add("rare in other code: ", f.Telling)
	} else {
		add("found here: ", f.Telling)
		add("as common in other code: ", f.Common)
	}
	if nowhere := f.Nowhere(); nowhere != "" {
		s = append(s, nowhere)
	}
	return strings.Join(s, "; ")
}

func some(words []string) string {
	s := strings.Join(words[:min(len(words), foundWords)], ", ")
	if n := len(words) - foundWords; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
