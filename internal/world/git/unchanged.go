package git

import (
	"context"
	"errors"
)

// Unchanged returns, of files of the work tree whose bytes are those of no object, the
// ids of those that are what the index has once git has converted their line ends, as
// Git for Windows does by default. Files of more than limit bytes are not looked at,
// and no filter is run.
func (r *Repo) Unchanged(ctx context.Context, paths []string, limit int64) (map[string]string, error) {
	if r.folder == nil || len(paths) == 0 {
		return nil, nil
	}
	entries, _, err := r.entries(ctx, func() {})
	if err != nil {
		return nil, err
	}
	index := make(map[string]string, len(paths)) // the path's id, or "" as long as it is not found
	for _, p := range paths {
		index[p] = ""
	}
	for i := range entries {
		e := &entries[i]
		if _, wanted := index[e.path]; wanted && e.stage == 0 && e.mode.IsRegular() {
			index[e.path] = e.oid
		}
	}
	attrs, err := r.attributes(ctx, paths, converting...)
	if err != nil && !errors.Is(err, ErrNotRegular) {
		return nil, err
	}
	conv := newConversions(attrs, r.written)
	objects := r.Objects(ctx)
	defer objects.Close()
	same := map[string]string{}
	for _, p := range paths {
		id := index[p]
		if id == "" || conv.filter(p) != "" {
			continue
		}
		data, err := r.ReadFile(p, limit)
		if err != nil {
			continue // it changes just now
		}
		stored := conv.toGit(p, data, func() ([]byte, error) { return objects.Read(id, limit) })
		if BlobID(r.format, stored) == id {
			same[p] = id
		}
	}
	return same, ctx.Err()
}
