package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/pack"
)

// A Must is what must be shown: pinned, to edit, or a pinned context file. It is
// shown whole if that fits beside the others, and else by its best functions, whole
// or trimmed, below the outline of the rest.
type Must struct {
	satchel.Candidate       // the whole text, then outlines or else beginnings
	file              int32 // of the view, or -1: then there are no functions
	parts             []satchel.Candidate
	apart             bool // parts are there
}

// partGives puts the functions of a wanted file above everything that is not
// pinned, but below what is.
const partGives = pinnedScore - 5

// leastHeadTokens is the least that is shown of the beginning of a text without an
// outline.
const leastHeadTokens = 60

// must makes a Must of a file. file is -1 if the text is not the one of the view.
func (sc *Scene) must(c satchel.Candidate, file int32) Must {
	full := len(c.Forms) > 0 && c.Forms[0].Detail == satchel.Full
	if full {
		c.Forms = slices.DeleteFunc(slices.Clone(c.Forms), func(f satchel.Form) bool { return f.Detail == satchel.Mention })
	}
	switch {
	case !full:
		file = -1
	case len(c.Forms) == 1:
		c.Forms, file = append(c.Forms, sc.heads(&c.Forms[0])...), -1
	}
	return Must{Candidate: c, file: file}
}

// heads returns the beginnings of a text in whole lines, longest first.
func (sc *Scene) heads(full *satchel.Form) []satchel.Form {
	var forms []satchel.Form
	lines := slices.Collect(strings.Lines(full.Text))
	var text strings.Builder
	sum, next := 0, leastHeadTokens
	for n, line := range lines {
		if sum += sc.count.Count(line); sum > next && n > 0 {
			forms = append(forms, satchel.Form{
				Detail: satchel.Trimmed, Text: text.String() + ranking.Mark, Tokens: sc.count.Count(text.String() + ranking.Mark),
				Lines: []satchel.Range{{From: 1, To: n}},
			})
			for next < sum {
				next *= 2
			}
		}
		text.WriteString(line)
	}
	slices.Reverse(forms)
	return forms
}

// offered returns the candidates for a limit, with what must be shown in the forms
// that fit it.
func (sel *selection) offered(o pack.Options) ([]satchel.Candidate, error) {
	if len(sel.Musts) == 0 {
		return sel.Candidates, nil
	}
	whole, err := sel.wholeWithin(o)
	if err != nil {
		return nil, err
	}

	list := slices.Clone(sel.Candidates)
	for i := range sel.Musts {
		m := &sel.Musts[i]
		c := m.Candidate
		switch {
		case o.Limit <= 0:
			list = append(list, c)
		case whole[c.Ref]:
			c.Forms = c.Forms[:1]
			list = append(list, c)
		default:
			sel.takeApart(m)
			if len(m.parts) > 0 {
				// The functions come before a longer outline.
				c.Forms = outlineFrom(c.Forms, sel.req.Budget/outlineShare)
			}
			list = append(append(list, c), m.parts...)
		}
	}
	return list, nil
}

// wholeWithin returns what must be shown that fits a limit whole, beside all else
// that must.
func (sel *selection) wholeWithin(o pack.Options) (map[satchel.Ref]bool, error) {
	if o.Limit <= 0 {
		return nil, nil
	}
	list := make([]satchel.Candidate, 0, len(sel.Musts))
	for i := range sel.Candidates {
		if sel.Candidates[i].Pinned {
			list = append(list, sel.Candidates[i])
		}
	}
	for i := range sel.Musts {
		list = append(list, sel.Musts[i].Candidate)
	}
	r, err := pack.Fit(list, o)
	if err != nil {
		return nil, err
	}
	whole := make(map[satchel.Ref]bool)
	for i := range r.Entries {
		whole[r.Entries[i].Ref] = r.Entries[i].Detail == satchel.Full
	}
	return whole, nil
}

// outlineFrom drops the full text of a file, and outlines of more than so many
// tokens but for the shortest.
func outlineFrom(forms []satchel.Form, most int) []satchel.Form {
	for k := 1; k < len(forms); k++ {
		if forms[k].Tokens <= most || k == len(forms)-1 {
			return forms[k:]
		}
	}
	return forms
}

// takeApart makes candidates of the functions of what must be shown, whose text was
// loaded, once.
func (sc *Scene) takeApart(w *Must) {
	if w.apart || w.file < 0 || sc.req.Detail != 0 && sc.req.Detail < satchel.Trimmed {
		return
	}
	w.apart = true
	var list []ranking.Chunk
	var weights map[uint64]float32
	if sc.ranking != nil {
		list, weights = sc.ranking.ChunksOf([]int32{w.file}), sc.lineWeights()
	} else {
		doc := sc.view.Docs()[sc.view.Files()[w.file].Doc]
		for c := doc.Chunk0; c < doc.Chunk1; c++ {
			list = append(list, ranking.Chunk{File: w.file, Index: c})
		}
		weights = ranking.NameWeights(sc.manifest.names)
	}
	for i, it := range sc.reader.Items(list, weights) {
		// The outline of the file has the signatures.
		it.Forms = slices.DeleteFunc(it.Forms, func(f satchel.Form) bool { return f.Detail < satchel.Trimmed })
		if len(it.Forms) == 0 {
			continue
		}
		if w.Ref.Kind == satchel.KindContext {
			it.Ref.Kind = satchel.KindContext
			it.Title = cmp.Or(w.Title, it.Title)
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("of a file that must be shown", partGives)
		if sc.ranking != nil {
			c.Score = append(c.Score, sc.ranking.Models.Chunks.Explain(&list[i].Row)...)
		}
		w.parts = append(w.parts, c)
	}
}

// viewed is the file of the view that has the text of a context file, or -1.
func (sc *Scene) viewed(f *ContextFile) int32 {
	if i, ok := sc.view.File(f.Path); ok && sc.view.Files()[i].Blob == f.Blob {
		return int32(i)
	}
	return -1
}
