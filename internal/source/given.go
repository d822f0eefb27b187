// Package source holds the built-in Sources, one kind of context a file: what must be
// shown (pins, files to edit, context files), what was found (code, outlines,
// documents, whole files, a change), and what is known besides (notes, providers).
//
// A Source offers candidates for a scene. It knows nothing of budgets but what the
// request says, and it never renders.
package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A Given Source is one of Options.Sources: nothing is known of its counts.
type Given struct{ scene.Source }

// Offer is that of the Source, with its tokens counted anew, and its reasons and
// diagnostics cleaned. Candidates without a path or without a form, and Musts, are an error, as
// the Source is a part of the program.
func (g Given) Offer(ctx context.Context, sc *scene.Scene) (scene.Offer, error) {
	o, err := g.Source.Offer(ctx, sc)
	if err != nil {
		return scene.Offer{}, fmt.Errorf("%T: %w", g.Source, err)
	}
	if len(o.Musts) > 0 {
		return scene.Offer{}, fmt.Errorf("%T: what must be shown is a candidate with Pinned set; Musts are of satchel's own Sources", g.Source)
	}
	for i := range o.Candidates {
		c := &o.Candidates[i]
		if c.Ref.Path == "" || len(c.Forms) == 0 {
			return scene.Offer{}, fmt.Errorf("%T: candidate %d has no path, or no form", g.Source, i)
		}
		forms := slices.Clone(c.Forms)
		for k := range forms {
			forms[k].Tokens = sc.Count(forms[k].Text.String())
		}
		c.Forms = forms

		c.Score = slices.Clone(c.Score)
		for k := range c.Score {
			c.Score[k].Why = clean.Line(c.Score[k].Why).String()
		}
	}
	for i := range o.Omitted {
		w := &o.Omitted[i]
		w.Why = clean.Line(w.Why).String()
	}
	for i := range o.Diagnostics {
		d := &o.Diagnostics[i]
		d.Text = clean.Line(d.Text).String()
	}
	return o, nil
}

// Pins offers the files that must be shown.
type Pins struct{}

func (Pins) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	var files []int32
	for _, p := range sc.Req.Pinned {
		i, ok := sc.View.File(p)
		if !ok {
			return o, fmt.Errorf("pinned path %w", &index.PathError{Path: p, Why: sc.WhyNot(p)})
		}
		if sc.Take(int32(i)) {
			files = append(files, int32(i))
		}
	}
	if err := sc.Reader.Load(ctx, files); err != nil {
		return o, err
	}

	for _, i := range files {
		it := sc.Reader.File(i)
		it.Pinned = true
		// A name alone is not what was asked for: the least is an outline, or
		// the beginning where there is none.
		if n := len(it.Forms); n > 1 {
			it.Forms = it.Forms[:n-1]
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("pinned", scene.PinnedScore)
		m := sc.Must(c, i)
		m.Shares = true
		o.Musts = append(o.Musts, m)
	}
	return o, nil
}
