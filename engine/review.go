package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/render"
)

// What the parts of a review are worth, as logarithms. The numbers are
// judgement: a hunk is what a review is about; a caller that may be broken comes
// before the rest of a function that was changed, a test before a document.
const (
	hunkGives      = 3.0
	callerGives    = 5.0 // uses a name whose signature or existence changed
	enclosingGives = 2.0 // the definition that a hunk stands in
	testGives      = 3.5 // uses what was changed
	partnerGives   = 2.2 // usually changes with these, and did not
	docsGives      = 3.0 // mentions what was changed

	mostMentions = 60  // of each kind
	nextMention  = 0.5 // how fast further mentions of a kind lose worth, so that the hunks of a large change keep most of the room
)

// lookAtChange makes the scene of a Request with Changes.
func (e *world) lookAtChange(ctx context.Context, req satchel.Request, format render.Format) (*Scene, error) {
	x, err := e.newDiffRun(ctx, &DiffRequest{Range: req.Changes, Task: req.Task, Detail: DiffStandard, Budget: req.Budget})
	if err != nil {
		return nil, err
	}
	if err := x.look(ctx); err != nil {
		return nil, err
	}
	if err := x.rank(ctx); err != nil {
		return nil, err
	}
	if err := x.filter(); err != nil {
		return nil, err
	}
	if x.view == nil { // its error is told in the notes; without it there is nothing beside the change
		return nil, fmt.Errorf("pack %s: the files around the change cannot be read", render.Clean(req.Changes))
	}

	sc := newScene(e, req, format, x.view)
	sc.change = x
	var changed []string // some are not there any more
	for i := range x.report.Files {
		changed = append(changed, x.report.Files[i].Path)
	}
	if sc.scope, sc.diags, err = e.limit(x.view, x.req.newSide(), req.Paths, req.Include, changed...); err != nil {
		return nil, err
	}
	sc.diags = append(slices.Clone(x.report.Diagnostics), sc.diags...)
	sc.memory = e.recall(ctx, req.Now)
	return sc, nil
}

// changes offers the hunks of a change, and what a reviewer needs beside them.
type changes struct{}

func (changes) Offer(ctx context.Context, sc *Scene) (Offer, error) {
	r := &review{Scene: sc, diffRun: sc.change, taken: map[int32]bool{}}
	r.changedFiles()
	r.hunks()
	r.surroundings()
	err := r.load(ctx)
	return r.Offer, err
}

// A review is a scene in which what stands beside a change is looked for.
type review struct {
	*Scene
	*diffRun
	Offer
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
	for i := range r.report.Files {
		if k, ok := r.Scene.view.File(r.report.Files[i].Path); ok && r.within([]int32{int32(k)}) != nil {
			r.changed[int32(k)] = i
		}
	}
}

// hunks makes candidates of the hunks, and of the lines of files whose hunks are
// not worth reading.
func (r *review) hunks() {
	s := newLayout(r.diffRun.req, &r.report, r.shown())
	s.weigh()
	for i := range s.files {
		f := &s.report.Files[i]
		if !r.asksFor(f.Path) {
			continue
		}
		score := func(weight float64) (out satchel.Score) {
			out.Add("changed", hunkGives)
			out.Add("relevance of the change", round(math.Log(relevanceWorth(f))))
			out.Add("what the hunk says", round(math.Log(max(weight, 1e-3))))
			return out
		}
		if line := s.files[i].line; line != "" {
			c := satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Kind: satchel.KindDiff, Path: f.Path}}, Score: score(lineWorth)}
			text := fmt.Sprintf("%s +%d -%d, %s", f.Status, f.Added, f.Removed, line)
			c.Forms = []satchel.Form{{Detail: satchel.Mention, Text: text, Tokens: r.count.Count(text)}}
			r.add(c)
			continue
		}
		worth := relevanceWorth(f)
		for k := s.files[i].from; k < s.files[i].to; k++ {
			c := r.hunk(s, &s.parts[k])
			c.Score = score(s.parts[k].weight / worth)
			r.add(c)
		}
	}
}

// add offers a part of the change.
func (r *review) add(c satchel.Candidate) {
	r.Candidates = append(r.Candidates, c)
	r.Scene.changed = append(r.Scene.changed, c.Ref.Path)
}

// asksFor reports whether a path is within the request's scope.
func (r *review) asksFor(name string) bool {
	ok, _ := r.scope.has(name)
	return ok
}

// hunk makes the item of a part of a hunk.
func (r *review) hunk(s *layout, p *hunkPart) satchel.Candidate {
	f := &s.report.Files[p.file]
	from, lines := int(p.newFrom), int(p.newLines)
	if lines == 0 {
		from, lines = int(p.oldFrom), int(p.oldLines)
	}
	it := satchel.Item{
		Ref:   satchel.Ref{Kind: satchel.KindDiff, Path: f.Path, From: max(from, 1), To: max(from, 1) + max(lines, 1) - 1},
		Lang:  "diff",
		Title: hunkTitle(f, p),
	}
	for _, d := range []satchel.Detail{satchel.Full, satchel.Trimmed, satchel.Outline} {
		h := s.hunk(p, d)
		text := h.Text
		switch d {
		case satchel.Full:
			if p.number == 0 {
				text = f.Header
			} else {
				text = h.Ranges() + "\n" + text
			}
		case satchel.Trimmed:
			if _, ok := trim(p.text(f.Path).text); !ok {
				continue
			}
		case satchel.Outline:
			if text == "" {
				continue
			}
			text += fmt.Sprintf(" +%d -%d", p.added, p.removed)
		}
		form := satchel.Form{Detail: d, Text: text, Tokens: r.count.Count(text)}
		if n := len(it.Forms); n > 0 && form.Tokens >= it.Forms[n-1].Tokens {
			continue
		}
		if d >= satchel.Trimmed {
			form.Lines = []satchel.Range{{From: it.Ref.From, To: it.Ref.To}}
		}
		it.Forms = append(it.Forms, form)
	}
	return satchel.Candidate{Item: it}
}

// hunkTitle says what happened to the file, at its first hunk.
func hunkTitle(f *change.Scored, p *hunkPart) string {
	if p.ord > 1 || f.Status == change.Modified {
		return ""
	}
	if f.OldPath != "" && f.OldPath != f.Path {
		return string(f.Status) + " from " + f.OldPath
	}
	return string(f.Status)
}

// surroundings picks the chunks beside the change.
func (r *review) surroundings() {
	v := r.Scene.view
	var changedNames, allNames []string // whose existence or signature changed; of all edits
	worth := map[string]float64{}       // of the file that a name was changed in
	for i := range r.report.Files {
		f := &r.report.Files[i]
		if !r.asksFor(f.Path) {
			continue
		}
		names := signal.ChangedNames(f.Edits)
		changedNames = appendNew(changedNames, names...)
		for k := range f.Edits {
			if e := &f.Edits[k]; e.Name != "" && e.Action != change.Imports {
				names = append(names, e.Name)
			}
		}
		allNames = appendNew(allNames, names...)
		for _, n := range names {
			worth[n] = max(worth[n], relevanceWorth(f))
		}
	}
	r.enclosing()
	best := func(names []string) (most float64) {
		for _, n := range names {
			most = max(most, worth[n])
		}
		return most
	}
	var calls, tests, docs int
	mention := func(list []ranking.Mention, direct bool) {
		for _, m := range list {
			f := &v.Files()[m.File]
			_, changed := r.changed[m.File]
			var gives float64
			var why string
			var before int // of its kind
			switch {
			case f.Class == outline.Source && direct && !changed && calls < mostMentions:
				gives, why = callerGives, "uses what changed: "+strings.Join(m.Names[:min(3, len(m.Names))], ", ")
				before = calls
				calls++
			case f.Class == outline.Test && !changed && tests < mostMentions:
				gives, why = testGives, "tests what changed"
				before = tests
				tests++
			case f.Class == outline.Docs && !changed && docs < mostMentions:
				gives, why = docsGives, "mentions what changed"
				before = docs
				docs++
			default:
				continue
			}
			var score satchel.Score
			score.Add(why, gives)
			score.Add("rare name", round(math.Log(m.Weight)/2))
			score.Add("after others", round(-math.Log(1+nextMention*float64(before))))
			score.Add("relevance of the change", round(math.Log(max(best(m.Names), 1e-3))))
			r.pick(m.File, m.Chunk, score)
		}
	}
	mention(ranking.Mentions(v, changedNames), true)
	mention(ranking.Mentions(v, allNames), false)
	for _, p := range r.report.Missing {
		k, ok := v.File(p.Path)
		if !ok {
			continue
		}
		if !r.claim(int32(k)) {
			continue
		}
		c := satchel.Candidate{Item: r.reader.Outline(int32(k), nil)}
		c.Score.Add("usually changes with "+p.With, partnerGives)
		c.Score.Add("how usual", round(p.Share))
		r.Candidates = append(r.Candidates, c)
	}
}

// enclosing picks the definitions that hunks stand in.
func (r *review) enclosing() {
	v := r.Scene.view
	files := make([]int32, 0, len(r.changed))
	for k := range r.changed {
		files = append(files, k)
	}
	slices.Sort(files)
	for _, k := range files {
		f := &r.report.Files[r.changed[k]]
		if r.oneLine(f) != "" || f.Class == string(outline.Test) {
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
			score.Add("a hunk stands in it", enclosingGives)
			score.Add("relevance of the change", round(math.Log(relevanceWorth(f))))
			r.pick(k, c, score)
		}
	}
}

// pick adds a chunk, once, for the reason that came first.
func (r *review) pick(file, chunk int32, score satchel.Score) {
	if !r.taken[chunk] && !r.accounted[file] {
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
	if err := r.reader.Load(ctx, files); err != nil {
		return err
	}
	var names []string
	for i := range r.report.Files {
		names = append(names, signal.ChangedNames(r.report.Files[i].Edits)...)
	}
	for i, it := range r.reader.Items(chunks, ranking.NameWeights(names)) {
		if len(it.Forms) > 0 {
			r.Candidates = append(r.Candidates, satchel.Candidate{Item: it, Score: r.picked[i].score})
		}
	}
	for _, f := range files {
		r.claim(f)
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
