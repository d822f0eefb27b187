package pack

import (
	"context"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// removeOldClones removes the clones that are older than maxCloneAge and hold nothing but
// the repository. One that cannot be removed is tried again next time.
func (a *app) removeOldClones(ctx context.Context) {
	list, _ := a.KnownClones(ctx)
	for i := range list {
		c := &list[i]
		notes, snapshots, other := c.Holds()
		if c.Fetched.IsZero() || a.Now().Sub(c.Fetched) <= base.MaxCloneAge || notes || snapshots || other {
			continue
		}
		if c.Clone.Remove() == nil {
			a.Remark("note: removed the clone of %s, last fetched more than 30 days ago", clean.Inline(c.URL))
		}
	}
}
