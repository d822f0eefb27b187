package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel/internal/scene"
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
