package source

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
)

// A Given Source is one of Options.Sources: nothing is known of its texts.
type Given struct{ scene.Source }

// Offer is that of the Source, with the secrets of its texts redacted, controls
// removed, and tokens counted anew. Candidates without a path or without a text are
// an error, as the Source is a part of the program.
func (g Given) Offer(ctx context.Context, sc *scene.Scene) (scene.Offer, error) {
	o, err := g.Source.Offer(ctx, sc)
	if err != nil {
		return scene.Offer{}, fmt.Errorf("%T: %w", g.Source, err)
	}
	for i := range o.Candidates {
		c := &o.Candidates[i]
		if c.Ref.Path == "" || len(c.Forms) == 0 {
			return scene.Offer{}, fmt.Errorf("%T: candidate %d has no path, or no form", g.Source, i)
		}
		forms := make([]satchel.Form, len(c.Forms))
		for k, f := range c.Forms {
			redacted, _ := secrets.Redact(c.Ref.Path, []byte(f.Text))
			f.Text, _ = clean.Visible(string(redacted))
			f.Tokens = sc.Count(f.Text)
			forms[k] = f
		}
		c.Forms, c.Title, c.Note = forms, clean.Inline(secrets.Text(c.Title)), clean.Inline(secrets.Text(c.Note))
	}
	for i := range o.Diagnostics {
		d := &o.Diagnostics[i]
		d.Text = clean.Inline(secrets.Text(d.Text))
	}
	return o, nil
}
