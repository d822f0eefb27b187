package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
)

// A DocumentRow is what was measured about one section of a document, for a task.
// All but Similarity lie in 0..1.
type DocumentRow struct {
	Words      float64 // BM25F of the task's words, of the best section's
	Whole      float64 // BM25F of its whole document, of the best document's
	Cover      float64 // share of the task's words that occur in it, by weight
	Similarity float64 // in meaning, of an embedder, in -1..1; 0 without one
	Linked     float64 // 1 if the task names the document or links to it, less along further links
	Heading    float64 // 1 if a link names this very section
	Stale      float64 // how much of what the document says is outdated
	Record     float64 // 1 for a change log, a licence or a list of people
	Opening    float64 // 1 for the first section of its document
}

// A fusion is a way to join the order by words with the order by meaning.
type fusion string

const (
	sum        fusion = ""    // a weighted sum of both, the default
	Reciprocal fusion = "rrf" // reciprocal-rank fusion: only the two orders count
)

// DocumentWeights are what the signals of sections count. The zero value is not
// useful; start with [DefaultDocumentWeights].
type DocumentWeights struct {
	Alpha, Beta float64 // of Words and Similarity
	Whole       float64 // of the words of the document
	Cover       float64
	Fusion      fusion // how these two are joined

	Linked, Heading, Opening float64 // added
	Stale, Record            float64 // subtracted

	// Fields of BM25F, relative to prose: the section's own heading, the headings
	// above it with the document's path, and blocks of code.
	Title, Trail, Code float64
	Length             float64 // how far length is normalised: BM25's b
}

// DefaultDocumentWeights returns the weights that are used. They were chosen by
// judgement: weights of words and fields that were fitted to the questions of three
// repositories gained nothing on two others; docs/design/013-documents-and-hooks.md has the numbers. A link that the
// task gives outweighs most differences of words, and what is wholly outdated falls below
// an equal fresh section but not out of the list. Beta is a default for embeddings
// to be fitted with: without an embedder it counts nothing.
func DefaultDocumentWeights() DocumentWeights {
	return DocumentWeights{
		Alpha: 1, Beta: 0.5, Whole: 0.3, Cover: 0.3,
		Linked: 0.8, Heading: 0.4, Opening: 0.02, Stale: 0.4, Record: 0.4,
		Title: 3, Trail: 1.5, Code: 0.5, Length: 0.5,
	}
}

// fusionRank is the constant of reciprocal-rank fusion, of Cormack, Clarke and
// Büttcher (2009); fusionScale makes the best possible sum 1.
const (
	fusionRank  = 60
	fusionScale = (fusionRank + 1) / 2.0
)

// Documents scores sections. Each Score is the plain sum of its reasons.
func Documents(rows []DocumentRow, w DocumentWeights) []satchel.Score {
	scores := make([]satchel.Score, len(rows))
	words, alike := make([]float64, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		words[i], alike[i] = w.Alpha*r.Words, w.Beta*r.Similarity
	}
	if w.Fusion == Reciprocal {
		words = reciprocal(rows, func(r *DocumentRow) float64 { return r.Words })
		alike = reciprocal(rows, func(r *DocumentRow) float64 { return r.Similarity })
	}
	for i, r := range rows {
		s := &scores[i]
		s.Add("contains words of the task", decimals(words[i]))
		s.Add("its document contains words of the task", decimals(w.Whole*r.Whole))
		s.Add("covers the task", decimals(w.Cover*r.Cover))
		s.Add("similar in meaning", decimals(alike[i]))
		s.Add("the task links to it", decimals(w.Linked*r.Linked))
		s.Add("the task links to this section", decimals(w.Heading*r.Heading))
		s.Add("first section of its document", decimals(w.Opening*r.Opening))
		s.Add("may be outdated", -decimals(w.Stale*r.Stale))
		s.Add("a record rather than a guide", -decimals(w.Record*r.Record))
	}
	return scores
}

// reciprocal returns what the rank of each row by a value adds; nothing for a
// value of nothing. Equal values have the same rank.
func reciprocal(rows []DocumentRow, of func(*DocumentRow) float64) []float64 {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of(&rows[b]), of(&rows[a])) })
	out := make([]float64, len(rows))
	rank := 0
	for k, i := range order {
		if k == 0 || of(&rows[i]) != of(&rows[order[k-1]]) {
			rank = k + 1
		}
		if of(&rows[i]) > 0 {
			out[i] = fusionScale / float64(fusionRank+rank)
		}
	}
	return out
}

// decimals keeps six decimals: enough to order by, and the same on every machine.
func decimals(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return math.Round(v*1e6) / 1e6
}

// Freshness is how much of a document still holds, measured.
type Freshness struct {
	Dead    float64 // weight of what it mentions and what is gone
	Alive   float64 // weight of what it mentions and what is there
	Changes int     // commits since it was last touched that changed what it mentions
}

// Constants of [Freshness.Weight]. The prior keeps one dead name of two from
// condemning a document; churnHalf is how many later changes of what it describes
// cost it half of what churn can cost.
const (
	freshPrior = 2.0
	churnMost  = 0.35
	churnHalf  = 40.0
)

// DeadShare is the share of what the document mentions that is gone, in 0..1.
func (f Freshness) DeadShare() float64 {
	if f.Dead <= 0 {
		return 0
	}
	return f.Dead / (f.Dead + max(f.Alive, 0) + freshPrior)
}

// Weight is 1 for a document of which everything holds, and falls towards 0:
//
//	(1 - dead share)² · (1 - 0.35 · changes/(changes + 40))
//
// The square has a document of which half is gone keep a quarter; churn alone
// takes no more than a third, since code may change and what is said of it stay
// true.
func (f Freshness) Weight() float64 {
	alive := 1 - f.DeadShare()
	n := float64(max(f.Changes, 0))
	return float64(alive*alive) * (1 - float64(churnMost*(n/(n+churnHalf))))
}

// Doubtful is the weight below which an agent is told that the document may be
// outdated. The reference design says 0.8.
const Doubtful = 0.8
