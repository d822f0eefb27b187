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

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/store/index"
)

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
