package rank

import "math"

// Evidence is what speaks for a prompt being about the repository. Words of
// [Smalltalk] do not count. The weight of a term is its inverse document
// frequency as a share of that of a term in one file: 1 for a word that one file
// has, and near 0 for one that all have.
type Evidence struct {
	Known   float64 // weight of the prompt's distinct terms that the repository holds
	Unknown int     // distinct terms that it does not hold
	Cover   float64 // the weight of those that stand together in one function
	Named   float64 // identifiers of the prompt that the repository defines: 1 for a unique one, less for one of many
	Files   float64 // files that the prompt names, or 0
	Terms   int     // distinct terms that it holds
	Defs    float64 // for each of them, the share of its functions that have it in a name they define
	Lead    float64 // by how much the likeliest file is ahead of the twentieth, in score
}

// Relevance says how likely a prompt is about the repository, in 0..1: a task
// rather than thanks, chatter or a question about the world.
//
// It is a logistic regression over the logarithms of the evidence; the weights
// are from eval/relevance. Prompts without any known term are never relevant.
func (e *Evidence) Relevance() float64 {
	if e.None() {
		return 0
	}
	z := relevanceBias
	for i, x := range e.Features() {
		z += relevanceWeights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// None reports whether nothing speaks for it.
func (e *Evidence) None() bool { return e.Known <= 0 && e.Named <= 0 && e.Files <= 0 }

// EvidenceFeatures is the number of features of an Evidence.
const EvidenceFeatures = 8

// Features returns the evidence as the regression sees it.
func (e *Evidence) Features() [EvidenceFeatures]float64 {
	return [...]float64{
		math.Log1p(max(e.Known, 0)),
		math.Log1p(float64(max(e.Unknown, 0))),
		math.Log1p(max(e.Cover, 0)),
		math.Log1p(max(e.Named, 0)),
		math.Log1p(max(e.Files, 0)),
		math.Log1p(max(e.Lead, 0)),
		math.Log1p(float64(max(e.Terms, 0))),
		math.Log1p(max(e.Defs, 0)),
	}
}

// RelevantFrom is the relevance from which on context is given to a prompt
// unasked. Six tasks of each of the 31 repositories, judged by weights that were
// fitted to the others:
//
//	from   whole tasks  first lines  other prompts  fresh prompts
//	0.50   100 %        97 %         1.1 %          7.1 %
//	0.80   100 %        90 %         0.6 %          1.8 %
//	0.85    99 %        88 %         0.6 %          0.6 %
//
// Fresh prompts were written after everything else and fitted to nothing; an
// equal number of others chose the threshold. Too little is cheap: an agent can
// still ask for context. Too much is 2,500 tokens that nobody wanted.
const RelevantFrom = 0.80

// The weights, from eval/relevance, in the order of the features.
var (
	relevanceBias    = -6.86
	relevanceWeights = [EvidenceFeatures]float64{0.82, 0.68, 0.75, 0.35, 0.01, 1.07, 4.14, 1.71}
)
