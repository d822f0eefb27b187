package engine

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/render"
)

// Request returns what the scene was made for.
func (sc *Scene) Request() satchel.Request { return sc.req }

// Count returns the tokens of a text, as those of Forms are counted.
func (sc *Scene) Count(text string) int { return sc.count.Count(text) }

// Claim takes a file of the repository, by its path from the root, so that no later
// Source offers it. It reports whether there is such a file that nobody has claimed.
func (sc *Scene) Claim(path string) bool {
	i, ok := sc.view.File(path)
	return ok && sc.claim(int32(i))
}

// A given Source is one of Options.Sources: nothing is known of its texts.
type given struct{ Source }

// Offer is that of the Source, with the secrets of its texts redacted, controls
// removed, and tokens counted anew. Candidates without a path or without a text are
// an error, as the Source is a part of the program.
func (g given) Offer(ctx context.Context, sc *Scene) (Offer, error) {
	o, err := g.Source.Offer(ctx, sc)
	if err != nil {
		return Offer{}, fmt.Errorf("%T: %w", g.Source, err)
	}
	for i := range o.Candidates {
		c := &o.Candidates[i]
		if c.Ref.Path == "" || len(c.Forms) == 0 {
			return Offer{}, fmt.Errorf("%T: candidate %d has no path, or no form", g.Source, i)
		}
		forms := make([]satchel.Form, len(c.Forms))
		for k, f := range c.Forms {
			clean, _ := secrets.Redact(c.Ref.Path, []byte(f.Text))
			f.Text, _ = render.CleanText(string(clean))
			f.Tokens = sc.Count(f.Text)
			forms[k] = f
		}
		c.Forms, c.Title, c.Note = forms, render.Clean(redactText(c.Title)), render.Clean(redactText(c.Note))
	}
	for i := range o.Diagnostics {
		d := &o.Diagnostics[i]
		d.Text = render.Clean(redactText(d.Text))
	}
	return o, nil
}
