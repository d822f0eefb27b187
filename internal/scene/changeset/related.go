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
// kind, the changed ones included: where a changed test covers the change already, others
// are unlikely. leastSigns keeps out files of small repositories that have a share for
// want of others. On the commits of lab/related, the lists have 82 % of the tests to find
// and 60 % of the other files, one in six and one in nine of them right.
const (
	leastShare  = 0.01
	leastSigns  = 2.0 // of the sum of the signals
	mostRelated = 20
)

// Belongs is what belongs to a change, or to files that somebody is going to edit.
type Belongs struct {
	Tests    []satchel.Related // that cover it, the likeliest first
	Others   []satchel.Related // that probably change too
	Mentions *signal.Relations // what of other files mentions it; nil if that is not known
}

// related fills the lists of the report.
func (x *Run) related() {
	if x.View != nil {
		x.Belongs = Related(x.View, x.Report.Files, x.Before(), x.LeavesOut)
		x.Report.Tests, x.Report.Related = x.Belongs.Tests, x.Belongs.Others
	}
}

// Related lists the files of a view that belong to changed files and that leavesOut, which
// may be nil, says no to. The changed files come with the most important first, the
// commits with the newest first. What changes no code, such as a document or a comment,
// belongs to nothing; a change of tests alone has no tests.
func Related(v *index.View, files []change.Scored, commits []index.Commit, leavesOut func(path string) bool) (b Belongs) {
	var code, covering []change.Scored
	changed := map[string]bool{}
	for i := range files {
		f := &files[i]
		changed[f.Path] = true
		switch {
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
	likely := found.List[:0:0]
	var sums [2]float64 // of the odds of others, and of tests
	values := map[int32]float64{}
	for _, rel := range found.List {
		f := &v.Files()[rel.File]
		model, kind := &rank.RipplesOf, 0
		if f.Class == outline.Test {
			model, kind = &rank.TestsOf, 1
		}
		x := math.Exp(float64(model.Value(&rel.Row)))
		sums[kind] += x
		if kind == 1 && !covers || changed[f.Path] || leavesOut != nil && leavesOut(f.Path) {
			continue
		}
		likely = append(likely, rel)
		values[rel.File] = x
	}
	for _, rel := range likely {
		f := &v.Files()[rel.File]
		model, kind, list := &rank.RipplesOf, 0, &b.Others
		if f.Class == outline.Test {
			model, kind, list = &rank.TestsOf, 1, &b.Tests
		}
		p := values[rel.File] / sums[kind]
		if p < leastShare || math.Log(values[rel.File]) < leastSigns {
			continue
		}
		r := satchel.Related{Path: f.Path, Reasons: model.Reasons(&rel.Row), Score: rank.Round(p)}
		if chunks := found.Chunks(rel.File); len(chunks) > 0 {
			c := v.Chunks()[chunks[0]]
			r.Line = int(c.From)
			if c.Symbol >= 0 {
				s := v.Symbols(c.Doc)[c.Symbol]
				r.Line, r.Definition = s.NameLine, satchel.Clean(f.Path, s.Signature)
			}
		}
		*list = append(*list, r)
	}
	for _, list := range []*[]satchel.Related{&b.Tests, &b.Others} {
		slices.SortFunc(*list, func(a, b satchel.Related) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
		})
		*list = (*list)[:min(len(*list), mostRelated)]
	}
	b.Mentions = found
	return b
}
