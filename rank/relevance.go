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
	Exact   float64 // the same of the best one of [Query].Exact alone
	Files   float64 // files that the prompt names, or 0
	Terms   int     // distinct terms that it holds
	Held    int     // the same, words of [Smalltalk] included
	Defs    float64 // for each of them, the share of its functions that have it in a name they define
	Spelled int     // places that the prompt spells, of those that come first for it
	Lead    float64 // by how much the likeliest file is ahead of the twentieth, in score

	// By how much likelier the prompt is about this repository than about others,
	// by [Background]: sums of [Surprise], the mean ones by word.
	Surprise, MeanSurprise  float64
	TopSurprise             float64 // of its most telling words
	Together, TogetherShare float64 // of those that stand in the one function that holds the most; their share of all rare ones
	Naming                  float64 // for each word, as far as it is part of names that are defined
	DefSurprise             float64 // of the definitions that it names
	Joined, MeanJoined      float64 // of identifiers that its neighbouring words make
	Idents, NoIdents        float64 // compound words that the repository has, and has not
}

// Relevance says how likely a prompt is about the repository, in 0..1: a task
// rather than thanks, chatter or a question about the world.
//
// It is a logistic regression over the logarithms of the evidence; the weights
// are from lab/train/relevance. But who names a thing of the repository as it is
// spelled there means it, in however few words: see [Evidence.Names]. Prompts
// without any known term are never relevant.
func (e *Evidence) Relevance() float64 {
	if e.None() {
		return 0
	}
	z := relevanceBias
	for i, x := range e.Features() {
		z += relevanceWeights[i] * x
	}
	p := 1 / (1 + math.Exp(-z))
	if e.Names() {
		p = max(p, namedRelevance)
	}
	return p
}

// Names reports whether the prompt names a file of the repository, or a thing that
// it defines, as exactly as people do who mean it.
func (e *Evidence) Names() bool { return e.Exact >= ExactFrom || e.Files >= FileFrom }

// How few things must have a name for a prompt with it to be about one of them.
// Of the prompts of lab/train/relevance that have nothing to do with a repository, one
// in a thousand is let through by this ("how do you say good evening in
// Portuguese", where there is a class of that name).
const (
	ExactFrom      = 0.02 // at most 50 definitions
	FileFrom       = 0.5  // at most 4 files of that name, or 16 with their folder
	namedRelevance = 0.99
)

// None reports whether nothing speaks for it, unless words of [Smalltalk] do.
func (e *Evidence) None() bool {
	return e.Known <= 0 && e.Named <= 0 && e.Exact <= 0 && e.Files <= 0
}

// evidenceFeatures is the number of features of an Evidence.
const evidenceFeatures = 8

// Features returns the evidence as the regression sees it.
func (e *Evidence) Features() [evidenceFeatures]float64 {
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
