package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/pack"
)

// A wanted file is one that must be shown: pinned, to edit, or a pinned context
// file. It is shown whole if that fits beside the others, and else by its best
// functions, whole or trimmed, below the outline of the rest.
type wanted struct {
	c     satchel.Candidate // the whole text, then outlines or else beginnings
	file  int32             // of the view, or -1: then there are no functions
	parts []satchel.Candidate
	apart bool // parts are there
}

// partGives puts the functions of a wanted file above everything that is not
// pinned, but below what is.
const partGives = pinnedScore - 5

// leastHeadTokens is the least that is shown of the beginning of a text without an
// outline.
const leastHeadTokens = 60

// want adds a file that must be shown. file is -1 if the text is not the one of
// the view.
func (b *builder) want(c satchel.Candidate, file int32) {
	full := len(c.Forms) > 0 && c.Forms[0].Detail == satchel.Full
	if full {
		c.Forms = slices.DeleteFunc(slices.Clone(c.Forms), func(f satchel.Form) bool { return f.Detail == satchel.Mention })
	}
	switch {
	case !full:
		file = -1
	case len(c.Forms) == 1:
		c.Forms, file = append(c.Forms, b.heads(&c.Forms[0])...), -1
	}
	b.wanted = append(b.wanted, wanted{c: c, file: file})
}

// heads returns the beginnings of a text in whole lines, longest first.
func (b *builder) heads(full *satchel.Form) []satchel.Form {
	var forms []satchel.Form
	lines := slices.Collect(strings.Lines(full.Text))
	var text strings.Builder
	sum, next := 0, leastHeadTokens
	for n, line := range lines {
		if sum += b.count.Count(line); sum > next && n > 0 {
			forms = append(forms, satchel.Form{
				Detail: satchel.Trimmed, Text: text.String() + source.Mark, Tokens: b.count.Count(text.String() + source.Mark),
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

// chosen returns the candidates for a limit, with the wanted files in the forms
// that fit it.
func (b *builder) chosen(o pack.Options) ([]satchel.Candidate, error) {
	if len(b.wanted) == 0 {
		return b.candidates, nil
	}
	list := make([]satchel.Candidate, 0, len(b.wanted))
	for i := range b.candidates {
		if b.candidates[i].Pinned {
			list = append(list, b.candidates[i])
		}
	}
	for i := range b.wanted {
		list = append(list, b.wanted[i].c)
	}
	whole := make(map[satchel.Ref]bool)
	if o.Limit > 0 {
		r, err := pack.Fit(list, o)
		if err != nil {
			return nil, err
		}
		for i := range r.Entries {
			whole[r.Entries[i].Ref] = r.Entries[i].Detail == satchel.Full
		}
	}
	list = slices.Clone(b.candidates)
	for i := range b.wanted {
		w := &b.wanted[i]
		c := w.c
		switch {
		case o.Limit <= 0:
		case whole[c.Ref]:
			c.Forms = c.Forms[:1]
		default:
			b.takeApart(w)
			if n := len(c.Forms); len(w.parts) > 0 {
				// The functions come before a longer outline.
				for k := 1; k < n; k++ {
					if c.Forms[k].Tokens <= b.req.Budget/outlineShare || k == n-1 {
						c.Forms = c.Forms[k:]
						break
					}
				}
			}
		}
		list = append(append(list, c), w.parts...)
		if whole[c.Ref] || o.Limit <= 0 {
			list = list[:len(list)-len(w.parts)]
		}
	}
	return list, nil
}

// takeApart makes candidates of the functions of a wanted file, whose text was
// loaded, once.
func (b *builder) takeApart(w *wanted) {
	if w.apart || w.file < 0 || b.req.Detail != 0 && b.req.Detail < satchel.Trimmed {
		return
	}
	w.apart = true
	var list []source.Chunk
	var weights map[uint64]float32
	if b.ranking != nil {
		list, weights = b.ranking.ChunksOf([]int32{w.file}), b.lineWeights()
	} else {
		doc := b.view.Docs()[b.view.Files()[w.file].Doc]
		for c := doc.Chunk0; c < doc.Chunk1; c++ {
			list = append(list, source.Chunk{File: w.file, Index: c})
		}
		weights = source.NameWeights(b.manifest.names)
	}
	for i, it := range b.reader.Items(list, weights) {
		// The outline of the file has the signatures.
		it.Forms = slices.DeleteFunc(it.Forms, func(f satchel.Form) bool { return f.Detail < satchel.Trimmed })
		if len(it.Forms) == 0 {
			continue
		}
		if w.c.Ref.Kind == satchel.KindContext {
			it.Ref.Kind = satchel.KindContext
			it.Title, it.ReadOnly = cmp.Or(w.c.Title, it.Title), w.c.ReadOnly
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("of a file that must be shown", partGives)
		if b.ranking != nil {
			c.Score = append(c.Score, b.ranking.Models.Chunks.Explain(&list[i].Row)...)
		}
		w.parts = append(w.parts, c)
	}
}

// viewed is the file of the view that has the text of a context file, or -1.
func (b *builder) viewed(f *ContextFile) int32 {
	if i, ok := b.view.File(f.Path); ok && b.view.Files()[i].Blob == f.Blob {
		return int32(i)
	}
	return -1
}
