package scene

import (
	"maps"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A Must is what must be shown: pinned, to edit, or a pinned context file. It is
// shown whole if that fits beside the others, and else by its best functions, whole
// or trimmed, below the outline of the rest.
type Must struct {
	satchel.Candidate       // the whole text, then outlines or else beginnings
	file              int32 // of the view, or -1 without functions
	Parts             []satchel.Candidate
	apart             bool // parts are there
	Shares            bool // it is not part of the task, which has half of the budget beside it
}

// partGives puts the functions of a wanted file above everything that is not
// pinned, but below what is.
const partGives = PinnedScore - 5

// leastHeadTokens is the least that is shown of the beginning of a text without an
// outline.
const leastHeadTokens = 60

// Must makes a Must of a file. file is -1 if the text is not the one of the view.
func (sc *Scene) Must(c satchel.Candidate, file int32) Must {
	full := len(c.Forms) > 0 && c.Forms[0].Detail == satchel.Full
	if full {
		c.Forms = slices.DeleteFunc(slices.Clone(c.Forms), func(f satchel.Form) bool { return f.Detail == satchel.Mention })
	}
	switch {
	case !full:
		file = -1
	case len(c.Forms) == 1:
		c.Forms, file = append(c.Forms, sc.Heads(&c.Forms[0])...), -1
	}
	return Must{Candidate: c, file: file}
}

// Heads returns the beginnings of a text in whole lines, longest first.
func (sc *Scene) Heads(full *satchel.Form) []satchel.Form {
	var forms []satchel.Form
	lines := clean.NewLines(full.Text)
	sum, next := 0, leastHeadTokens
	for n := range lines.Last() {
		if sum += sc.Encoding.Count(lines.Between(n+1, n+1).String()); sum > next && n > 0 {
			text := clean.Concat(lines.Between(1, n), clean.Const(ranking.Mark))
			forms = append(forms, satchel.Form{
				Detail: satchel.Trimmed, Text: text, Tokens: sc.Encoding.Count(text.String()),
				Lines: []satchel.Range{{From: 1, To: n}},
			})
			for next < sum {
				next *= 2
			}
		}
	}
	slices.Reverse(forms)
	return forms
}

// TakeApart makes candidates of the functions of what must be shown, whose text was
// loaded, once.
func (sc *Scene) TakeApart(w *Must) {
	if w.apart || w.file < 0 || sc.Req.Detail != 0 && sc.Req.Detail < satchel.Trimmed {
		return
	}
	w.apart = true
	var list []ranking.Chunk
	var weights map[uint64]float32
	if sc.Ranking != nil {
		list, weights = sc.Ranking.ChunksOf([]int32{w.file}), sc.LineWeights()
	} else {
		doc := sc.View.Docs()[sc.View.Files()[w.file].Doc]
		for c := doc.Chunk0; c < doc.Chunk1; c++ {
			list = append(list, ranking.Chunk{File: w.file, Index: c})
		}
		weights = ranking.NameWeights(sc.Manifest.Names)
	}
	for i, it := range sc.Reader.Items(list, weights) {
		// The outline of the file has the signatures.
		it.Forms = slices.DeleteFunc(it.Forms, func(f satchel.Form) bool { return f.Detail < satchel.Trimmed })
		if len(it.Forms) == 0 {
			continue
		}
		if w.Ref.Kind == satchel.KindContext {
			it.Ref.Kind = satchel.KindContext
			if !w.Title.IsZero() {
				it.Title = w.Title
			}
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("of a file that must be shown", partGives)
		if sc.Ranking != nil {
			c.Score = append(c.Score, sc.Ranking.Models.Chunks.Explain(&list[i].Row)...)
		}
		w.Parts = append(w.Parts, c)
	}
}

// Viewed is the file of the view that has the text of a context file, or -1.
func (sc *Scene) Viewed(f *state.ContextFile) int32 {
	if i, ok := sc.View.File(f.Path); ok && sc.View.Files()[i].Blob == f.Blob {
		return int32(i)
	}
	return -1
}

// PinnedScore is above every learned score, so that pinned files grow first.
const PinnedScore = 50

// LineWeights returns the weights for choosing lines of chunks: the task's words, and
// the names of edited files.
func (sc *Scene) LineWeights() map[uint64]float32 {
	weights := sc.Ranking.TermWeights()
	if len(sc.Manifest.Names) == 0 {
		return weights
	}
	weights = maps.Clone(weights)
	for t, w := range ranking.NameWeights(sc.Manifest.Names) {
		weights[t] += w
	}
	return weights
}
