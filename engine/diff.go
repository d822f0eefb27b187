package engine

import (
	"context"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/source/history"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/render"
)

// Diff lists what changed, most relevant first, and shows as much of it as fits the
// budget of the request.
//
// The errors are *git.UnknownRevisionError, *git.NoMergeBaseError,
// git.ErrToWithoutFrom, *git.PatchError, *[FilterError], *[pack.CursorError], and a
// [*satchel.OverflowError] if the head and the names of removed exports do not
// fit the budget.
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (*render.Diff, error) {
	return hunks.Diff(ctx, e.project, req)
}

// Change reports what changed, most relevant first, without its text. It returns the
// same errors as Diff.
func (e *Engine) Change(ctx context.Context, req DiffRequest) (*change.Report, error) {
	x, err := changeset.Measure(ctx, e.project, &req)
	if err != nil {
		return nil, err
	}
	return &x.Report, nil
}

// History returns the history of the repository.
func (e *Engine) History() history.History { return history.New(e.project) }
