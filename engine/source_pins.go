package engine

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel"
)

// pins offers the files that must be shown.
type pins struct{}

func (pins) Offer(ctx context.Context, sc *Scene) (o Offer, err error) {
	var files []int32
	for _, p := range sc.req.Pinned {
		i, ok := sc.view.File(p)
		if !ok {
			return o, fmt.Errorf("pinned path %s: %s", p, sc.whyNot(p))
		}
		if sc.claim(int32(i)) {
			files = append(files, int32(i))
		}
	}
	if err := sc.reader.Load(ctx, files); err != nil {
		return o, err
	}

	for _, i := range files {
		it := sc.reader.File(i)
		it.Pinned = true
		// A name alone is not what was asked for: the least is an outline, or
		// the beginning where there is none.
		if n := len(it.Forms); n > 1 {
			it.Forms = it.Forms[:n-1]
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("pinned", pinnedScore)
		o.Musts = append(o.Musts, sc.must(c, i))
	}
	return o, nil
}

// pinnedScore is above every learned score, so that pinned files grow first.
const pinnedScore = 50
