package source

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// What the parts of a review are worth, as logarithms. The numbers are
// judgement: a hunk is what a review is about; a caller that may be broken comes
// before the rest of a function that was changed, a test before a document.
const (
	hunkGives      = 3.0
	callerGives    = 5.0 // uses a name whose signature or existence changed
	enclosingGives = 2.0 // the definition that a hunk stands in
	testGives      = 3.5 // uses what was changed
	relatedGives   = 1.0 // belongs to the change, see changeset.Related
	relatedScale   = 2.5 // of its score, so that the surest has the value of a test that uses what changed
	docsGives      = 3.0 // mentions what was changed

	mostMentions = 60  // of each kind
	nextMention  = 0.5 // how fast further mentions of a kind lose worth, so that the hunks of a large change keep most of the room
)

// Changes offers the hunks of a change, and what a reviewer needs beside them.
type Changes struct{}

func (Changes) Offer(ctx context.Context, sc *scene.Scene) (scene.Offer, error) {
	r := &review{Scene: sc, Run: sc.Change, taken: map[int32]bool{}}
	r.changedFiles()
	r.hunks()
	if err := r.surroundings(ctx); err != nil {
		return r.Offer, err
	}
	err := r.load(ctx)
	return r.Offer, err
}

// A review is a scene in which what stands beside a change is looked for.
type review struct {
	*scene.Scene
	*changeset.Run
	scene.Offer
	changed map[int32]int  // file of the report of a file of the view
	picked  []pick         // chunks to show
	taken   map[int32]bool // chunks that are picked
}

// A pick is a chunk, and why it may be worth showing.
type pick struct {
	file, chunk int32
	score       satchel.Score
}

// changedFiles finds the changed files in the view.
func (r *review) changedFiles() {
	r.changed = map[int32]int{}
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
	for _, c := range s.Candidates(r.asksFor) {
		c.Score = append(satchel.Score{{Why: "changed", Add: hunkGives}}, c.Score...)
		r.Candidates = append(r.Candidates, c)
		r.Scene.Changed = append(r.Scene.Changed, c.Ref.Path)
	}
}

// asksFor reports whether a path is within the request's scope.
func (r *review) asksFor(name string) bool {
	ok, _ := r.Scope.Has(name)
	return ok
}

// surroundings picks what stands beside the change: the definitions that hunks
// stand in, what mentions what was changed, and what usually changes with it.
func (r *review) surroundings(ctx context.Context) error {
	r.enclosing()
	names := r.names()
	m := &mentions{review: r, worth: names.worth}
	m.add(ranking.Mentions(r.Scene.View, names.changed), true)
	plain, err := r.plainMentions(ctx)
	if err != nil {
		return err
	}
	m.add(plain, true)
	m.add(ranking.Mentions(r.Scene.View, names.all), false)
	r.related()
	return nil
}

// plainMentions finds what calls changed functions whose names are plain words, which
// name too much elsewhere: in the files that import theirs, or stand in its package.
func (r *review) plainMentions(ctx context.Context) (list []ranking.Mention, err error) {
	var names []ranking.PlainName
	var files []int32
	for i := range r.Report.Files {
		if len(names) >= mostMentions {
			break
		}
		f := &r.Report.Files[i]
		k, ok := r.Scene.View.File(f.Path)
		plain := signal.ChangedPlain(f.Edits)
		if !ok || len(plain) == 0 || !r.asksFor(f.Path) {
			continue
		}
		files = append(files, int32(k))
		for _, name := range plain {
			names = append(names, ranking.PlainName{Name: name, File: int32(k)})
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	knowing := signal.Knowing(r.Scene.View, files)
	for _, n := range names[:min(len(names), mostMentions)] {
		found, err := r.Reader.PlainMentions(ctx, n, knowing[slices.Index(files, n.File)])
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// editedNames are the names of what was edited.
type editedNames struct {
	changed []string           // whose existence or signature changed
	all     []string           // of all edits
	worth   map[string]float64 // of the best file that a name was changed in
}

func (r *review) names() editedNames {
	x := editedNames{worth: map[string]float64{}}
	for i := range r.Report.Files {
		f := &r.Report.Files[i]
		if !r.asksFor(f.Path) {
			continue
		}
		names := signal.ChangedNames(f.Edits)
		x.changed = appendNew(x.changed, names...)
		names = append(names, signal.ChangedPlain(f.Edits)...)
		for k := range f.Edits {
			if e := &f.Edits[k]; e.Name != "" && e.Action != change.Imports {
				names = append(names, e.Name)
			}
		}
		x.all = appendNew(x.all, names...)
		for _, n := range names {
			x.worth[n] = max(x.worth[n], hunks.RelevanceWorth(f))
		}
	}
	return x
}

// mentions picks the chunks that mention what was changed.
type mentions struct {
	*review
	worth              map[string]float64 // of names
	calls, tests, docs int                // that were picked
}

// add picks of a list, best first. direct means that the names are those whose
// existence or signature changed.
func (x *mentions) add(list []ranking.Mention, direct bool) {
	for _, m := range list {
		gives, why, before := x.kind(&m, direct)
		if before == nil || *before >= mostMentions {
			continue
		}
		var worth float64
		for _, n := range m.Names {
			worth = max(worth, x.worth[n])
		}
		var score satchel.Score
		score.Add(why, gives)
		score.Add("how rare the name is", rank.Round(math.Log(m.Weight)/2))
		score.Add("after others of its kind", rank.Round(-math.Log(1+nextMention*float64(*before))))
		score.Add("relevance of the change", rank.Round(math.Log(max(worth, 1e-3))))
		x.pick(m.File, m.Chunk, score)
		*before++
	}
}

// kind returns the value of a mention, the reason, and the number of picks of its kind.
// before is nil if such mentions are not shown.
func (x *mentions) kind(m *ranking.Mention, direct bool) (gives float64, why string, before *int) {
	if _, changed := x.changed[m.File]; changed {
		return 0, "", nil
	}
	switch x.Scene.View.Files()[m.File].Class {
	case outline.Source:
		if direct {
			return callerGives, "uses " + strings.Join(m.Names[:min(3, len(m.Names))], ", ") + ", changed here", &x.calls
		}
	case outline.Test:
		return testGives, "tests what changed", &x.tests
	case outline.Docs:
		return docsGives, "mentions what changed", &x.docs
	}
	return 0, "", nil
}

// related picks the parts of tests, and of files that probably change too, which mention
// the change.
func (r *review) related() {
	picks := 0
	for _, list := range [][]satchel.Related{r.Scene.Belongs.Tests, r.Scene.Belongs.Others} {
		for i := range list {
			x := &list[i]
			k, ok := r.Scene.View.File(x.Path)
			if !ok || r.Accounted[k] || !x.Likely() {
				continue
			}
			var score satchel.Score
			score.Add(x.Why(), rank.Round(relatedGives+relatedScale*x.Score))
			if picks >= mostMentions {
				return
			}
			for n, c := range r.Scene.Belongs.Mentions.Chunks(int32(k)) {
				more := slices.Clone(score)
				more.Add("after others of its file", rank.Round(-math.Log(1+float64(n))))
				r.pick(int32(k), c, more)
				picks++
			}
		}
	}
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
			r.pick(k, c, score)
		}
	}
}

// pick adds a chunk, once, for the reason that came first.
func (r *review) pick(file, chunk int32, score satchel.Score) {
	if !r.taken[chunk] && !r.Accounted[file] {
		r.taken[chunk] = true
		r.picked = append(r.picked, pick{file, chunk, score})
	}
}

// load reads the picked chunks and makes candidates of them.
func (r *review) load(ctx context.Context) error {
	slices.SortStableFunc(r.picked, func(a, b pick) int {
		if a.file != b.file {
			return int(a.file) - int(b.file)
		}
		return int(a.chunk) - int(b.chunk)
	})
	var files []int32
	chunks := make([]ranking.Chunk, len(r.picked))
	for i, p := range r.picked {
		if len(files) == 0 || files[len(files)-1] != p.file {
			files = append(files, p.file)
		}
		chunks[i] = ranking.Chunk{File: p.file, Index: p.chunk}
	}
	if err := r.Reader.Load(ctx, files); err != nil {
		return err
	}
	var names []string
	for i := range r.Report.Files {
		names = append(names, signal.ChangedNames(r.Report.Files[i].Edits)...)
	}
	weights := ranking.NameWeights(names)
	for i := range r.Report.Files {
		for _, name := range signal.ChangedPlain(r.Report.Files[i].Edits) {
			weights[terms.Word(strings.ToLower(name))] = 1
		}
	}
	for i, it := range r.Reader.Items(chunks, weights) {
		if len(it.Forms) > 0 {
			r.Candidates = append(r.Candidates, satchel.Candidate{Item: it, Score: r.picked[i].score})
		}
	}
	for _, f := range files {
		r.Take(f)
	}
	return nil
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
