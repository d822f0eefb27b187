package index

import (
	"context"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// Past lists the files of a commit of the view's history, sorted by path, at most
// DefaultMaxFiles. The list is empty outside git. The error comes from git, for
// example if the commit is missing.
func (v *View) Past(ctx context.Context, commit string) ([]git.TreeFile, error) {
	if v.source == nil || v.source.repo == nil {
		return nil, nil
	}
	files, _, err := v.source.repo.TreeWithin(ctx, commit, DefaultMaxFiles)
	return files, err
}

// ReadBlobs calls fn with the bytes of objects, in order and from the calling
// goroutine. A blob that cannot be read has an error and no text.
func (v *View) ReadBlobs(ctx context.Context, blobs []string, fn func(i int, text []byte, err error)) error {
	if v.source == nil || v.source.repo == nil || len(blobs) == 0 {
		return nil
	}
	err := v.source.objects().ReadAll(blobs, fn)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
