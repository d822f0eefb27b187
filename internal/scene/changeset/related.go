package changeset

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
)

// Limits of the lists. The score of a file is its share of the odds of all files of its
// kind, changed tests included: where a changed test covers the change already, other tests
// are unlikely. leastSigns drops weak files in small repositories, where few files share
// the odds.
const (
	leastShare  = 0.01
	leastSigns  = 2.0 // of the sum of the signals
	mostRelated = 20
)

// Breaks is the reason for code that the change may break.
const Breaks = "uses a name that was removed or has another signature"

// Belongs is what belongs to a change, or to files to edit.
type Belongs struct {
	Tests    []satchel.Related // that cover it, the likeliest first
	Others   []satchel.Related // that probably change too
	Mentions *signal.Relations // chunks that mention the change; may be nil
}

// Related lists the files that belong to the changed files, which come with the most
// important first. If asked is not nil, only changed files that it accepts count. The lists
// have no file that leavesOut rejects. A change of documents or comments has no lists. A
// change of tests only has no list of tests.
func (x *Run) Related(asked func(path string) bool) Belongs {
	if x.View == nil {
		return Belongs{}
	}
	return Related(x.View, x.Report.Files, x.Before(), asked, x.LeavesOut)
}

// Related is [Run.Related] for any files of a view. The newest of the commits comes first.
func Related(v *index.View, files []change.Scored, commits []index.Commit, asked, leavesOut func(path string) bool) (b Belongs) {
	var code, covering []change.Scored
	changed := map[string]bool{}
	for i := range files {
		f := &files[i]
		changed[f.Path] = true
		switch {
		case asked != nil && !asked(f.Path):
		case f.Comments || f.Spaces:
		case f.Class == string(outline.Source):
			code = append(code, *f)
		case f.Class == string(outline.Test):
			covering = append(covering, *f)
		}
	}
	covers := len(code) > 0
	if !covers {
		code = covering
	}
	if len(code) == 0 {
		return b
	}
	found := signal.Related(v, code, commits)
	models, lists := [...]*rank.RelatedModel{&rank.RipplesOf, &rank.TestsOf}, [...]*[]satchel.Related{&b.Others, &b.Tests}
	kindOf := func(file int32) int { return number(v.Files()[file].Class == outline.Test) }
	var sums [2]float64 // of the odds of the files of a kind
	for i := range found.List {
		rel := &found.List[i]
		kind := kindOf(rel.File)
		sums[kind] += math.Exp(float64(models[kind].Value(&rel.Row)))
	}
	for i := range found.List {
		rel := &found.List[i]
		f, kind := &v.Files()[rel.File], kindOf(rel.File)
		if kind == 1 && !covers || changed[f.Path] || leavesOut != nil && leavesOut(f.Path) {
			continue
		}
		value := float64(models[kind].Value(&rel.Row))
		p := math.Exp(value) / sums[kind]
		direct := (kind == 1 || f.Class == outline.Source) && slices.ContainsFunc(found.Named(rel.File), found.Breaks)
		if !direct && (p < leastShare || value < leastSigns) {
			continue
		}
		reasons := models[kind].Reasons(&rel.Row)
		if direct {
			reasons = append([]string{Breaks}, reasons...)
		}
		if len(reasons) == 0 {
			continue
		}
		r := satchel.Related{Path: f.Path, Reasons: reasons, Direct: direct, Score: rank.Round(p)}
		if chunks := found.Chunks(rel.File); len(chunks) > 0 {
			c := v.Chunks()[chunks[0]]
			r.Line = int(c.From)
			if c.Symbol >= 0 {
				s := v.Symbols(c.Doc)[c.Symbol]
				r.Line, r.Definition = s.NameLine, satchel.Clean(f.Path, s.Signature)
			}
		}
		*lists[kind] = append(*lists[kind], r)
	}
	for _, list := range lists {
		slices.SortFunc(*list, func(a, b satchel.Related) int {
			return cmp.Or(number(b.Direct)-number(a.Direct), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
		})
		*list = (*list)[:min(len(*list), mostRelated)]
	}
	b.Mentions = found
	return b
}

// number is 1 for true.
func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
