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
const EvidenceFeatures = 6

// Features returns the evidence as the regression sees it.
func (e *Evidence) Features() [EvidenceFeatures]float64 {
	return [...]float64{
		math.Log1p(max(e.Known, 0)),
		math.Log1p(float64(max(e.Unknown, 0))),
		math.Log1p(max(e.Cover, 0)),
		math.Log1p(max(e.Named, 0)),
		math.Log1p(max(e.Files, 0)),
		math.Log1p(max(e.Lead, 0)),
	}
}

// RelevantFrom is the relevance from which on context is given to a prompt
// unasked. With the weights below and one task of each of the 31 repositories:
//
//	from   whole tasks  first lines  other prompts  unseen prompts
//	0.80   100 %        87 %         3.0 %          12.1 %
//	0.87   100 %                                     1.9 %
//	0.90   100 %        74 %         1.4 %           0.3 %
//
// Unseen prompts were written after the list of small talk was closed, and chose
// the threshold, so that a fresh set may do worse. Too little is cheap: an agent
// can still ask for context. Too much is 2,500 tokens that nobody wanted.
const RelevantFrom = 0.87

// The weights, from eval/relevance, in the order of the fields. They were fitted
// before its prompts grew by thirty.
var (
	relevanceBias    = -1.93
	relevanceWeights = [EvidenceFeatures]float64{2.64, 0.93, 1.48, 0.48, 0.10, 0.53}
)
