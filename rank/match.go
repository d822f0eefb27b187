package rank

import (
	"fmt"
	"math"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Match says whether the repository has what a task is about, by the evidence: the
// one rule of packs, searches and hooks.
//
// A strong match is two things at once: it reads like a task rather than like thanks
// or a question about the world ([Evidence.Relevance]), and like a task of this
// repository rather than of another ([Evidence.Kinship]). But who names a thing as
// it is spelled here means it.
func (e *Evidence) Match() satchel.Match {
	switch {
	case e.Held == 0 && e.None():
		return satchel.MatchNone
	case e.Spelled > 0 || e.Relevance() >= RelevantFrom && e.Kinship() >= KinFrom:
		return satchel.MatchStrong
	}
	return satchel.MatchWeak
}

// kinshipFeatures is the number of features of [Evidence.Kinship].
const kinshipFeatures = 13

// Kinship is the logarithm of the odds that a prompt is about this repository and
// not about another one: a logistic regression, as Relevance is.
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

// Found says which words of a task a repository has, as they are spelled in the
// task, each once, the most telling first.
type Found struct {
	Names   []string // of files and definitions, as the repository spells them
	Telling []string // here, and rarely or only here
	Common  []string // here, in places that have nothing to do with each other
	Parts   []string // names that nothing has here, though their parts are here
	Missing []string // nowhere here
}

// Absent reports whether the task says nothing but names that nothing has here: their
// parts are no evidence that it is about this repository.
func (f *Found) Absent() bool {
	return len(f.Parts) > 0 && len(f.Names)+len(f.Telling)+len(f.Common) == 0
}

// foundWords is how many words of each kind an explanation names.
const foundWords = 5

// Why explains a match in a sentence.
func (f *Found) Why(m satchel.Match) string {
	if m == satchel.MatchNone {
		if len(f.Missing) == 0 {
			return "the task says nothing that could be looked for"
		}
		return "nowhere in the repository: " + some(f.Missing)
	}
	var s []string
	add := func(what string, words []string) {
		if len(words) > 0 {
			s = append(s, what+some(words))
		}
	}
	add("named here: ", f.Names)
	add("nothing here is named ", f.Parts)
	if m == satchel.MatchStrong {
		add("rare elsewhere: ", f.Telling)
		return strings.Join(s, "; ")
	}
	add("here: ", f.Telling)
	add("in common places only: ", f.Common)
	add("nowhere in the repository: ", f.Missing)
	return strings.Join(s, "; ")
}

func some(words []string) string {
	s := strings.Join(words[:min(len(words), foundWords)], ", ")
	if n := len(words) - foundWords; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
