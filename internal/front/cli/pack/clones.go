package pack

import (
	"context"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// removeOldClones removes the clones that are older than MaxCloneAge and hold only the
// repository. If it cannot remove one, it tries again next time.
func (a *app) removeOldClones(ctx context.Context) {
	list, _ := a.KnownClones(ctx)
	for i := range list {
		c := &list[i]
		notes, snapshots, other := c.Holds()
		if c.Fetched.IsZero() || a.Now().Sub(c.Fetched) <= base.MaxCloneAge || notes || snapshots || other {
			continue
		}
		if c.Remove() == nil {
			a.Remark("note: removed the clone of %s, last fetched more than 30 days ago", clean.Inline(c.URL))
		}
	}
}
