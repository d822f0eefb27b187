package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
)

// edits offers the files to edit. Small ones have one form, the whole; of large
// ones the outline is pinned, and their functions are offered with those of other
// files, ahead of them.
type edits struct{}

func (edits) Offer(ctx context.Context, sc *Scene) (o Offer, err error) {
	m := &sc.manifest
	for _, p := range sc.req.Edit {
		i, ok := sc.view.File(p)
		if !ok {
			if why := sc.whyNot(p); why != noSuchFile {
				return o, fmt.Errorf("path to edit %s: %s", p, why)
			}
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: p, Text: toBeMade})
			continue
		}
		if !m.holds(int32(i)) {
			m.files = append(m.files, int32(i))
		}
	}
	if err := sc.reader.Load(ctx, m.files); err != nil {
		return o, err
	}
	whole := math.MaxInt
	if n := len(m.files); n > 0 && sc.req.Budget > 0 {
		whole = max(smallFile, sc.req.Budget/2/n)
	}
	for _, i := range m.files {
		it := sc.reader.File(i)
		it.Pinned = true
		m.texts = append(m.texts, "")
		if !sc.claim(i) {
			continue // it is pinned, too
		}
		if len(it.Forms) > 0 && it.Forms[0].Detail == satchel.Full {
			m.texts[len(m.texts)-1] = it.Forms[0].Text
		}
		full := it.Forms[0]
		switch {
		case len(it.Forms) == 1:
		case full.Detail != satchel.Full, sc.req.Detail != 0 && sc.req.Detail < satchel.Trimmed:
			it.Forms = it.Forms[:len(it.Forms)-1] // as pin does
		case full.Tokens <= whole, len(it.Forms) == 2: // there is no outline
			c := satchel.Candidate{Item: it}
			c.Score.Add("to edit", pinnedScore)
			o.Musts = append(o.Musts, sc.must(c, i))
			continue
		default:
			it.Forms = []satchel.Form{outlineWithin(it.Forms[1:len(it.Forms)-1], sc.req.Budget/outlineShare/len(m.files))}
			m.large = append(m.large, i)
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("to edit", pinnedScore)
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// smallFile is how many tokens a file to edit may have and be shown whole
// whatever the budget is: who edits it needs all of it. A larger one is shown
// whole if it takes no more than its part of half the budget.
const smallFile = 600

// outlineShare is the part of the budget that the outlines of all files to edit
// may take.
const outlineShare = 8

// outlineWithin returns the longest outline of at most so many tokens, or the
// shortest.
func outlineWithin(forms []satchel.Form, most int) satchel.Form {
	for _, f := range forms {
		if f.Tokens <= most {
			return f
		}
	}
	return forms[len(forms)-1]
}

// neighbours offers the chunks around the files to edit, where no task ranks any.
type neighbours struct{}

func (neighbours) Offer(ctx context.Context, sc *Scene) (o Offer, err error) {
	sc.around()
	chunks := slices.Sorted(maps.Keys(sc.manifest.gains))
	fileOf := map[int32]int32{}
	for i := range slices.Backward(sc.view.Files()) {
		fileOf[sc.view.Files()[i].Doc] = int32(i)
	}
	var list []ranking.Chunk
	for _, c := range chunks {
		i := fileOf[sc.view.Chunks()[c].Doc]
		if sc.accounted[i] {
			continue
		}
		list = append(list, ranking.Chunk{File: i, Index: c})
	}
	files := filesOf(list)
	if err := sc.reader.Load(ctx, files); err != nil {
		return o, err
	}
	for k, it := range sc.reader.Items(list, ranking.NameWeights(sc.manifest.names)) {
		if len(it.Forms) > 0 {
			sc.document(&it, &list[k])
			o.Candidates = append(o.Candidates, satchel.Candidate{Item: it, Score: sc.manifest.gains[list[k].Index]})
		}
	}
	for _, i := range files {
		sc.claim(i)
	}
	return o, nil
}

// toBeMade is the Diagnostic about a file to edit that does not exist.
const toBeMade = "there is no such file yet: it is to be made"
