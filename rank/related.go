package rank

import (
	"cmp"
	"slices"
)

// A RelatedSignal is one measure of how a file belongs to a change.
type RelatedSignal int

// The signals. Each is 0 where nothing is known, and most are at most 1.
const (
	Paired        RelatedSignal = iota // same name as a changed file, ignoring words such as test
	PairedFolder                       // of a paired file: the share of the folders that both paths have
	StemWords                          // share of the words of a changed file's name that this name has
	StemOwn                            // share of the words of this name that a changed file's name has
	FolderWords                        // share of the folders of both paths
	SameFolder                         // in the folder of a changed file
	UsesEdited                         // share of the names that the change edits which the file uses
	UsesDefined                        // share of the names that the changed files define which the file uses
	DefinesUsed                        // share of the changed words which the file defines
	Words                              // BM25 of the words of the changed lines
	ImportsIt                          // imports a changed file
	ImportedBy                         // a changed file imports it
	Together                           // share of the commits of a changed file that changed both
	TogetherOften                      // logarithm of how many did
	OftenChanged                       // logarithm of the commits that changed the file
	RelatedTest                        // it is a test
	RelatedOther                       // it is neither code nor a test
	RelatedLang                        // its language is that of a changed file
	NumRelated
)

// A RelatedRow has the signals of one file.
type RelatedRow [NumRelated]float32

// A RelatedModel weighs them.
type RelatedModel [NumRelated]float32

// relatedWhy says what a signal means to a reader.
var relatedWhy = [NumRelated]string{
	Paired: itsName, PairedFolder: itsName, StemWords: itsName, StemOwn: itsName, FolderWords: itsPlace, SameFolder: itsPlace,
	UsesEdited: "uses what changed", UsesDefined: "uses definitions of a changed file", DefinesUsed: "defines what the changed lines use",
	Words: "has words of the changed lines", ImportsIt: "imports a changed file", ImportedBy: "is imported by a changed file",
	Together: habit, TogetherOften: habit, OftenChanged: itsKind, RelatedTest: itsKind, RelatedOther: itsKind, RelatedLang: itsKind,
}

const (
	itsName  = "is named like a changed file"
	itsPlace = "is in or near the folder of a changed file"
	itsKind  = "kind of the file, and how often it changes"
	habit    = "often changes with a changed file"
)

// Reasons returns why a file belongs to a change, the strongest reason first.
func (m *RelatedModel) Reasons(row *RelatedRow) []string {
	sums, reasons := map[string]float32{}, []string{}
	for i, why := range relatedWhy {
		sums[why] += float32(m[i] * row[i]) // not fused, so that all machines agree
	}
	for _, why := range relatedWhy {
		if why != itsKind && Round(float64(sums[why])) > 0 && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	return reasons
}

// Value returns the sum of the weighted signals.
func (m *RelatedModel) Value(row *RelatedRow) (sum float32) {
	for i, w := range m {
		sum += float32(w * row[i]) // not fused, so that all machines agree
	}
	return sum
}
