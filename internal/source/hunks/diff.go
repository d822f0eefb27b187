package hunks

import (
	"context"

	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/render"
)

// Diff lists what changed, most relevant first, and shows as much of it as fits the
// budget of the request.
//
// The errors are *git.UnknownRevisionError, *git.NoMergeBaseError,
// git.ErrToWithoutFrom, *git.PatchError, *[changeset.FilterError], *[pack.CursorError], and a
// [*satchel.OverflowError] if the head and the names of removed exports do not
// fit the budget.
func Diff(ctx context.Context, p *project.Project, req changeset.Request) (*render.Diff, error) {
	x, err := changeset.Measure(ctx, p, &req)
	if err != nil {
		return nil, err
	}
	return NewLayout(x).show()
}
