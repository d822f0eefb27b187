package source

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// What the parts of a review are worth, as logarithms. The numbers are judgement: a review
// is about the hunks. A caller that may be broken comes before the rest of a changed
// function, and a test before a document.
const (
	hunkGives      = 3.0
	callerGives    = 5.0 // uses a name whose signature or existence changed
	enclosingGives = 2.0 // the definition that contains a hunk
	testGives      = 3.5 // uses what was changed
	relatedGives   = 1.0 // belongs to the change, see changeset.Related
	relatedScale   = 2.5 // times its score: the surest file counts as much as a test
	namedGives     = 3.0 // uses a changed name, in other documents and tests

	mostMentions = 60  // of each kind
	nextMention  = 0.5 // how fast further mentions of a kind lose worth, so that the hunks of a large change keep most of the room
)

// Changes offers the hunks of a change, and what a reviewer needs beside them.
type Changes struct{}

func (Changes) Offer(ctx context.Context, sc *scene.Scene) (scene.Offer, error) {
	r := &review{Scene: sc, Run: sc.Change, changed: map[int32]int{}, scores: map[int32]satchel.Score{}}
	r.changedFiles()
	r.hunks()
	r.enclosing()
	r.related()
	weights := map[uint64]float32{} // of the names to show of a chunk that is cut
	for i := range r.Report.Files {
		for k := range r.Report.Files[i].Edits {
			weights[terms.Name(r.Report.Files[i].Edits[k].KnownAs())] = 1
		}
	}
	more, err := chunks(ctx, sc, r.picked, weights, r.scores)
	r.Candidates = append(r.Candidates, more...)
	return r.Offer, err
}

// A review collects the hunks of a change and the code to show with them.
type review struct {
	*scene.Scene
	*changeset.Run
	scene.Offer
	changed map[int32]int           // file of the report of a file of the view
	picked  []ranking.Chunk         // to show
	scores  map[int32]satchel.Score // of picked chunks
}

// changedFiles finds the changed files in the view.
func (r *review) changedFiles() {
	for i := range r.Report.Files {
		if k, ok := r.Scene.View.File(r.Report.Files[i].Path); ok && r.Within([]int32{int32(k)}) != nil {
			r.changed[int32(k)] = i
		}
	}
}

// hunks makes candidates of the hunks, and of the lines of files whose hunks are
// not worth reading.
func (r *review) hunks() {
	s := hunks.NewLayout(r.Run)
	for _, c := range s.Candidates(func(name string) bool { ok, _ := r.Scope.Has(name); return ok }) {
		c.Score = append(satchel.Score{{Why: "changed", Add: hunkGives}}, c.Score...)
		r.Candidates = append(r.Candidates, c)
		r.Scene.Changed = append(r.Scene.Changed, c.Ref.Path)
	}
}

// related picks what mentions the change: the listed files first, then documents, other
// tests, and what the change breaks.
func (r *review) related() {
	b := &r.Scene.Belongs
	for i := range b.Tests {
		for n, c := range r.mentions(&b.Tests[i]) {
			r.mention(c, b.Tests[i].Why(), testGives, i+n)
		}
	}
	for i := range b.Others {
		x := &b.Others[i]
		for n, c := range r.mentions(x) {
			if b.Mentions.Breaks(c.Index) {
				r.mention(c, x.Why(), callerGives, i+n)
			} else {
				r.mention(c, x.Why(), relatedGives+relatedScale*x.Score, n)
			}
		}
	}
	if b.Mentions == nil {
		return
	}
	after := 0
	for i := range b.Mentions.List {
		f := b.Mentions.List[i].File
		if _, changed := r.changed[f]; changed {
			continue
		}
		class := r.Scene.View.Files()[f].Class
		for _, c := range b.Mentions.Named(f) {
			why, gives := "mentions what changed", namedGives
			if b.Mentions.Breaks(c) {
				why, gives = changeset.Breaks, callerGives
			} else if class != outline.Docs && class != outline.Test {
				continue
			}
			if r.mention(ranking.Chunk{File: f, Index: c}, why, gives, after) {
				after++
			}
		}
	}
}

// mentions returns the chunks of a file that mention the change.
func (r *review) mentions(x *satchel.Related) (list []ranking.Chunk) {
	if k, ok := r.Scene.View.File(x.Path); ok {
		for _, c := range r.Scene.Belongs.Mentions.Chunks(int32(k)) {
			list = append(list, ranking.Chunk{File: int32(k), Index: c})
		}
	}
	return list
}

// mention picks a chunk, and reports whether it was new. after is the number of better
// chunks of its kind.
func (r *review) mention(c ranking.Chunk, why string, gives float64, after int) bool {
	var score satchel.Score
	score.Add(why, rank.Round(gives))
	score.Add("after others of its kind", rank.Round(-math.Log(1+nextMention*float64(after))))
	return after < mostMentions && r.pick(c, score)
}

// enclosing picks the definitions that contain hunks.
func (r *review) enclosing() {
	v := r.Scene.View
	for _, k := range slices.Sorted(maps.Keys(r.changed)) {
		f := &r.Report.Files[r.changed[k]]
		if r.OneLine(f) != "" || f.Class == string(outline.Test) {
			continue
		}
		var lines []satchel.Range
		for i := range f.Hunks {
			if h := &f.Hunks[i]; h.NewLines > 0 {
				lines = append(lines, satchel.Range{From: h.NewFrom, To: h.NewFrom + h.NewLines - 1})
			}
		}
		for _, c := range ranking.Around(v, k, lines) {
			var score satchel.Score
			score.Add("contains changed lines", enclosingGives)
			score.Add("relevance of the change", rank.Round(math.Log(hunks.RelevanceWorth(f))))
			r.pick(ranking.Chunk{File: k, Index: c}, score)
		}
	}
}

// pick adds a chunk, once, for the reason that came first, and reports whether it did.
func (r *review) pick(c ranking.Chunk, score satchel.Score) bool {
	_, ok := r.scores[c.Index]
	if ok || r.Accounted[c.File] {
		return false
	}
	r.scores[c.Index] = score
	r.picked = append(r.picked, c)
	return true
}
