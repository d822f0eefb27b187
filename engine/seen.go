package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/session/seen"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
)

// withhold takes out of what is offered the lines that stand in the window of a
// session. A piece that is seen as a whole is an omission; of one that is seen in
// part the rest is offered, and what is not sent again is told once it is shown.
// What is pinned stays, and so does what is to be edited.
func (sel *selection) withhold(ctx context.Context, path string, hasty bool) error {
	w, diags, err := seen.Open(ctx, path, hasty)
	if err != nil {
		return err
	}
	sel.Diagnostics = append(sel.Diagnostics, diags...)
	sel.seen = map[satchel.Ref][]satchel.Omission{}
	kept := sel.Candidates[:0]
	for _, c := range sel.Candidates {
		if c.Pinned || slices.Contains(sel.Req.Edit, c.Ref.Path) || !c.Ref.Kind.FileText() || len(c.Forms) == 0 || c.Forms[0].Detail != satchel.Full {
			kept = append(kept, c)
			continue
		}
		whole, parts := sel.split(w, &c)
		switch {
		case whole:
			sel.Omitted = append(sel.Omitted, satchel.Omission{Ref: c.Ref, Why: satchel.WhySeen, Score: c.Score.Value(), Tokens: c.Forms[0].Tokens})
			continue
		case len(parts) > 0:
			sel.seen[c.Ref] = parts
		}
		kept = append(kept, c)
	}
	sel.Candidates = kept
	return nil
}

// split takes the lines that are seen out of the forms of a candidate, and returns
// them; whole says that nothing else is left.
func (sel *selection) split(w *seen.Window, c *satchel.Candidate) (whole bool, parts []satchel.Omission) {
	first := max(c.Ref.From, 1)
	lines := clean.NewLines(c.Forms[0].Text)
	texts := strings.Split(strings.TrimSuffix(c.Forms[0].Text.String(), "\n"), "\n")
	mask := w.Lines(c.Ref.Path, texts)
	for i, text := range texts { // a blank line goes with what is before it
		mask[i] = mask[i] || i > 0 && mask[i-1] && strings.TrimSpace(text) == ""
	}
	var left []satchel.Range
	var text clean.Builder
	fresh := false // some line that is not blank is not seen
	for i := 0; i < len(mask); {
		from := i
		for i < len(mask) && mask[i] == mask[from] {
			i++
		}
		part := lines.Between(from+1, i)
		if !mask[from] {
			fresh = fresh || !part.Blank()
			text.Write(part)
			left = append(left, satchel.Range{From: first + from, To: first + i - 1})
			continue
		}
		ref := c.Ref
		ref.From, ref.To = first+from, first+i-1
		text.Say(ranking.Mark)
		parts = append(parts, satchel.Omission{Ref: ref, Why: satchel.WhySeen, Score: rank.Round(c.Score.Value()), Tokens: sel.Encoding.Count(part.String())})
	}
	if !fresh || len(parts) == 0 {
		return !fresh && len(parts) > 0, nil
	}
	rest := satchel.Form{Detail: satchel.Trimmed, Text: text.Text(), Lines: left}
	rest.Tokens = sel.Encoding.Count(rest.Text.String())
	forms := []satchel.Form{rest}
	for _, f := range c.Forms[1:] {
		if f.Detail < satchel.Trimmed { // what was trimmed may hold lines that are seen
			forms = append(forms, f)
		}
	}
	c.Forms = forms
	return false, parts
}
