package engine

import (
	"context"

	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/render"
)

// Diff says what changed, most relevant first, and shows as much of it as the
// request has room for.
//
// The errors are *git.UnknownRevisionError, *git.NoMergeBaseError,
// git.ErrToWithoutFrom, *git.PatchError, *[FilterError], *[pack.CursorError], and a
// [*satchel.OverflowError] if not even the head, and the names of what was exported
// and is gone, fit the budget.
func (e *Engine) Diff(ctx context.Context, req changeset.Request) (*render.Diff, error) {
	x, err := changeset.NewRun(e.project, &req)
	if err != nil {
		return nil, err
	}
	if err := x.Look(ctx); err != nil { // git: what changed; index: what is around
		return nil, err
	}
	if err := x.Rank(ctx); err != nil { // edits, signals, scores
		return nil, err
	}
	if err := x.Filter(); err != nil { // to what was asked for
		return nil, err
	}
	return hunks.NewLayout(&req, &x.Report, hunks.ShownFiles(x)).Show() // fit
}
