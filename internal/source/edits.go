package source

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
)

// Edits offers the files to edit. A small file is shown whole. Of a large file the outline
// is pinned, and its functions compete with the code of other files, ahead of it.
type Edits struct{}

func (Edits) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	m := &sc.Manifest
	for _, p := range sc.Req.Edit {
		i, ok := sc.View.File(p)
		if !ok {
			if why := sc.WhyNot(p); why != scene.NoSuchFile {
				return o, fmt.Errorf("path to edit %s: %s", p, why)
			}
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: p, Text: ToBeMade})
			continue
		}
		if !m.Holds(int32(i)) {
			m.Files = append(m.Files, int32(i))
		}
	}
	if OnlyLists(sc) {
		if len(sc.Belongs.Tests)+len(sc.Belongs.Others) == 0 {
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Text: "no related files found"})
		}
		return o, nil
	}
	if err := sc.Reader.Load(ctx, m.Files); err != nil {
		return o, err
	}
	whole := math.MaxInt
	if n := len(m.Files); n > 0 && sc.Req.Budget > 0 {
		whole = max(smallFile, sc.Req.Budget/2/n)
	}
	for _, i := range m.Files {
		it := sc.Reader.File(i)
		it.Pinned = true
		m.Texts = append(m.Texts, "")
		if !sc.Take(i) {
			continue // it is pinned, too
		}
		if len(it.Forms) > 0 && it.Forms[0].Detail == satchel.Full {
			m.Texts[len(m.Texts)-1] = it.Forms[0].Text.String()
		}
		full := it.Forms[0]
		switch {
		case len(it.Forms) == 1:
		case full.Detail != satchel.Full, sc.Req.Detail != 0 && sc.Req.Detail < satchel.Trimmed:
			it.Forms = it.Forms[:len(it.Forms)-1] // as pin does
		case full.Tokens <= whole, len(it.Forms) == 2: // there is no outline
			c := satchel.Candidate{Item: it}
			c.Score.Add("to edit", scene.PinnedScore)
			o.Musts = append(o.Musts, sc.Must(c, i))
			continue
		default:
			it.Forms = []satchel.Form{outlineWithin(it.Forms[1:len(it.Forms)-1], sc.Req.Budget/OutlineShare/len(m.Files))}
			m.Large = append(m.Large, i)
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("to edit", scene.PinnedScore)
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// smallFile is how many tokens a file to edit may have and be shown whole
// whatever the budget is: who edits it needs all of it. A larger one is shown
// whole if it takes no more than its part of half the budget.
const smallFile = 600

// OutlineShare is the part of the budget that the outlines of all files to edit
// may take.
const OutlineShare = 8

// outlineWithin returns the longest outline that has at most this many tokens; if none
// has, the shortest.
func outlineWithin(forms []satchel.Form, most int) satchel.Form {
	for _, f := range forms {
		if f.Tokens <= most {
			return f
		}
	}
	return forms[len(forms)-1]
}

// Neighbours offers the chunks in and around the files to edit, where no task ranks any.
type Neighbours struct{}

func (Neighbours) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	around(sc)
	if sc.OnlyAround() {
		sc.Order = sc.Within(everyFile(sc))
	}
	fileOf := map[int32]int32{}
	for i := range slices.Backward(sc.View.Files()) {
		fileOf[sc.View.Files()[i].Doc] = int32(i)
	}
	for _, i := range sc.Manifest.Files { // not a copy of it
		fileOf[sc.View.Files()[i].Doc] = i
	}
	var list []ranking.Chunk
	for c := range sc.Manifest.Gains {
		if i := fileOf[sc.View.Chunks()[c].Doc]; !sc.Accounted[i] || slices.Contains(sc.Manifest.Large, i) {
			list = append(list, ranking.Chunk{File: i, Index: c})
		}
	}
	o.Candidates, err = chunks(ctx, sc, list, ranking.NameWeights(sc.Manifest.Names), sc.Manifest.Gains)
	return o, err
}

// chunks makes candidates of chunks, in the order of the files. The weights choose the
// lines of one that is cut.
func chunks(ctx context.Context, sc *scene.Scene, list []ranking.Chunk, weights map[uint64]float32, scores map[int32]satchel.Score) (out []satchel.Candidate, err error) {
	slices.SortFunc(list, func(a, b ranking.Chunk) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Index, b.Index))
	})
	files := filesOf(list)
	if err := sc.Reader.Load(ctx, files); err != nil {
		return nil, err
	}
	for k, it := range sc.Reader.Items(list, weights) {
		if len(it.Forms) > 0 {
			document(sc, &it, &list[k])
			out = append(out, satchel.Candidate{Item: it, Score: scores[list[k].Index]})
		}
	}
	for _, i := range files {
		sc.Take(i)
	}
	return out, nil
}

// OnlyLists reports whether a request asks only for the names of the files that belong to
// the files to edit.
func OnlyLists(sc *scene.Scene) bool {
	return len(sc.Req.Edit) > 0 && len(sc.Req.Pinned)+len(sc.Req.With) == 0 && sc.Ranking == nil && sc.Req.Detail == satchel.Mention
}

// ToBeMade is the Diagnostic about a file to edit that does not exist.
const ToBeMade = "the file does not exist yet: the agent may create it"
