package engine

import (
	"context"

	"github.com/satchel-dev/satchel/change"
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
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (*render.Diff, error) {
	return hunks.Diff(ctx, e.project, req)
}

// Change measures what changed, most relevant first, and shows nothing of it: what
// is left of a Diff without its text. The errors are those of Diff.
func (e *Engine) Change(ctx context.Context, req DiffRequest) (*change.Report, error) {
	x, err := changeset.Measure(ctx, e.project, &req)
	if err != nil {
		return nil, err
	}
	return &x.Report, nil
}
