package source

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/store/index"
)

// Code offers the functions of the files that the task is probably about, and of
// those around the files to edit. Without a budget it offers all other files, too.
type Code struct{}

func (Code) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	around(sc)
	r := sc.Ranking
	likely := sc.Order[:min(len(sc.Order), ranking.CandidateFiles)]
	if sc.Req.Budget > 0 {
		likely, o.Omitted = originals(sc, likely)
	}
	list := r.ChunksOf(offer(sc, likely))
	list = slices.DeleteFunc(list, func(c ranking.Chunk) bool { return !offered(sc, &c, slices.Contains(likely, c.File)) })
	if err := sc.Reader.Load(ctx, filesOf(list)); err != nil {
		return o, err
	}

	wholeBehind(sc, list)
	items := sc.Reader.Items(list, sc.LineWeights())
	o.Candidates = make([]satchel.Candidate, 0, len(list))
	worthIt := worthIt(sc, list)
	spelled, notes := exact(sc, list, items, sc.Req.Budget)
	o.Diagnostics = notes
	for i := range list {
		c := &list[i]
		sc.Take(c.File)
		if !worthIt(c) {
			o.Omitted = append(o.Omitted, satchel.Omission{Ref: items[i].Ref, Why: satchel.WhyFar, Score: c.Score})
			continue
		}
		document(sc, &items[i], c)
		score := append(r.Models.Chunks.Explain(&c.Row), sc.Manifest.Gains[c.Index]...)
		score.Add(spelled[i].Why, spelled[i].Add)
		o.Candidates = append(o.Candidates, satchel.Candidate{Item: items[i], Score: score})
	}
	if sc.Req.Budget > 0 {
		bestOfEach(o.Candidates, pathsOf(sc.View, likely), sc.Req.Budget)
		var copies []satchel.Omission
		o.Candidates, copies = once(sc, o.Candidates)
		o.Omitted = append(o.Omitted, copies...)
		return o, nil
	}

	// Without a budget nothing need be left out.
	others := sc.Unclaimed()
	if err := sc.Reader.Load(ctx, others); err != nil {
		return o, err
	}
	for _, i := range others {
		c := satchel.Candidate{Item: sc.Reader.File(i)}
		c.Score.Add("rank of its file", float64(r.Scores[i]))
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// What is worth being taken apart: what comes after two budgets of likelier text hardly
// has room.
const (
	partsWithin   = 2  // budgets
	tokensPerLine = 10 // of code, about
)

// wholeBehind says of which chunks no part need be shown.
func wholeBehind(sc *scene.Scene, list []ranking.Chunk) {
	if sc.Req.Budget <= 0 {
		return
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(list[b].Score, list[a].Score), a-b) })
	room := partsWithin * sc.Req.Budget
	for _, i := range order {
		c := &list[i]
		_, gains := sc.Manifest.Gains[c.Index]
		c.Whole = room < 0 && !gains
		x := sc.View.Chunks()[c.Index]
		room -= int(x.To-x.From+1) * tokensPerLine
	}
}

// What the best function of each of the likeliest files gains, as a logarithm: it
// tells whether the file is the right one, which further functions of a likelier file
// do not. So it counts twice, and what is spelled, or a file that is far ahead, still
// comes first. In packs of 4,000, 8,000 and 16,000 tokens, cross-validated, 0, 0.5 and
// 0.7 for eight files showed 63.2, 63.8 and 64.1, 71.6, 72.3 and 72.7, and 79.7, 80.1
// and 80.1 % of the lines that tasks changed; for five files 0.7 showed 63.9, 71.8 and
// 80.1. In a small budget there is no room for eight files.
const (
	bestOfFileGives = 0.7
	likeliestFiles  = 8
	tokensOfLikely  = 500 // of the budget, for each
)

// bestOfEach gives what it gains to the best function of each of the likeliest files.
func bestOfEach(list []satchel.Candidate, likely []string, budget int) {
	best := make(map[string]int, likeliestFiles)
	for _, path := range likely[:min(len(likely), likeliestFiles, budget/tokensOfLikely)] {
		best[path] = -1
	}
	scores := make([]float64, len(list))
	for i := range list {
		scores[i] = list[i].Score.Value()
		if k, ok := best[list[i].Ref.Path]; ok && (k < 0 || scores[i] > scores[k]) {
			best[list[i].Ref.Path] = i
		}
	}
	for _, i := range best {
		if i >= 0 {
			list[i].Score.Add("best of its file", bestOfFileGives)
		}
	}
}

func pathsOf(v *index.View, files []int32) []string {
	var paths []string
	for _, i := range files {
		paths = append(paths, v.Files()[i].Path)
	}
	return paths
}

// filesOf returns the files of chunks, each run of one file once.
func filesOf(list []ranking.Chunk) []int32 {
	var files []int32
	for _, c := range list {
		if len(files) == 0 || files[len(files)-1] != c.File {
			files = append(files, c.File)
		}
	}
	return files
}

// Functions weighs chunks. In packs of 8,000 tokens, cross-validated, Length 0.01,
// 0.3, 0.6 and 1 showed 66.8, 67.6, 68.6 and 66.9 % of the lines that tasks
// changed. Without File and Gap, packs of 8,000 tokens for tasks of flask, ripgrep,
// diffusers and k9s were 4.4 % headings and receipt, with them 3.9 %, and showed as
// many of the lines that tasks changed.
var Functions = scene.Weighing{Length: scene.LengthExponent, PerFile: 90, PerGap: 35}

// Outlines offers the outlines of all files, likeliest first.
type Outlines struct{}

func (Outlines) Offer(_ context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	for k, i := range sc.Order {
		if !sc.Take(i) {
			continue
		}
		c := satchel.Candidate{Item: sc.Reader.Outline(i, sc.Ranking.Chunk)}
		// By rank: a map that skips likely files for small unlikely ones
		// misleads.
		c.Score.Add("rank", -float64(k)/8)
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}
