package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// Expiry says which snapshots [Archive.Expire] drops. The zero value drops none.
type Expiry struct {
	Before time.Time // those taken before; the zero time means no limit by age
	Bytes  int64     // the oldest, until the rest name at most this many bytes, each blob counted once; 0 means no limit
	DryRun bool      // only say what would go
}

// Expired is what [Archive.Expire] did.
type Expired struct {
	Kept    int      `json:"kept"`
	Dropped []string `json:"dropped"` // ids, newest first
	Freed   int64    `json:"freed"`   // bytes of blobs that no snapshot names any more
}

// Expire drops snapshots from the chain. Their objects go when git collects garbage
// the next time. Snapshots that another process takes meanwhile are kept.
func (a *Archive) Expire(ctx context.Context, x Expiry) (Expired, error) {
	locks := 0
	for range maxTries {
		out, err := a.expire(ctx, x)
		var moved *git.RefMovedError
		if !errors.As(err, &moved) || moved.Locked && locks == maxLocks {
			return out, err
		}
		if moved.Locked {
			locks++
		}
	}
	return Expired{}, &git.RefMovedError{Name: Ref}
}

func (a *Archive) expire(ctx context.Context, x Expiry) (out Expired, err error) {
	tip, err := a.repo.Ref(ctx, Ref)
	if err != nil {
		return out, err
	}
	entries, damaged, err := a.list(ctx, tip)
	if err != nil {
		return out, err
	}
	if len(damaged) > 0 {
		return out, fmt.Errorf("%s is damaged, and nothing was dropped: %w", Ref, damaged[0])
	}
	names, err := a.named(ctx, entries)
	if err != nil {
		return out, err
	}
	var keep, drop []Entry
	live := make(map[string]int64) // the blobs of what is kept
	var sum int64
	full := false
	for i, e := range entries { // newest first
		more := int64(0)
		for id, n := range names[i] {
			if _, counted := live[id]; !counted {
				more += n
			}
		}
		full = full || x.Bytes > 0 && sum+more > x.Bytes
		if full || e.Taken.Before(x.Before) {
			drop = append(drop, e)
			out.Dropped = append(out.Dropped, e.ID)
			continue
		}
		sum += more
		maps.Copy(live, names[i])
		keep = append(keep, e)
	}
	out.Kept = len(keep)
	freed := make(map[string]bool)
	for i := range entries {
		for id, n := range names[i] {
			if _, alive := live[id]; !alive && !freed[id] {
				freed[id] = true
				out.Freed += n
			}
		}
	}
	if x.DryRun || tip == "" {
		return out, nil
	}
	top := tip
	if len(drop) > 0 {
		if top, err = a.rechain(ctx, keep); err != nil {
			return out, err
		}
	}
	// Together with the chain, even if it stays, so that a snapshot that was
	// taken meanwhile is seen.
	return out, a.repo.UpdateRefs(ctx, git.RefUpdate{Name: Ref, New: top, Old: tip})
}

// named returns the blobs that each of the entries' records names, with their
// sizes. A record that cannot be read is an error: what it names must not be
// dropped.
func (a *Archive) named(ctx context.Context, entries []Entry) ([]map[string]int64, error) {
	all := make([]map[string]int64, len(entries))
	objects := a.repo.Objects(ctx)
	defer objects.Close()
	objects.Limit = maxRecord
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.record
	}
	var first error
	err := objects.ReadAll(ids, func(i int, text []byte, err error) {
		blobs, err := blobsOf(ctx, entries[i].ID, text, err)
		if err != nil && first == nil {
			first = err
		}
		all[i] = blobs
	})
	if err != nil {
		return nil, err
	}
	return all, first
}

// blobsOf returns the blobs that a record names, with their sizes, from what
// reading it came to.
func blobsOf(ctx context.Context, id string, text []byte, err error) (map[string]int64, error) {
	if err != nil {
		return nil, damage(ctx, id, "its record", err)
	}
	r, err := decode(id, text)
	if err != nil {
		return nil, err
	}
	blobs := make(map[string]int64, len(r.Items)+1)
	for i := range r.Items {
		blobs[r.Items[i].Blob] = max(r.Items[i].Size, 0)
	}
	if r.Output != nil {
		blobs[r.Output.Blob] = max(r.Output.Size, 0)
	}
	return blobs, nil
}

// rechain writes the entries as a chain of their own and returns its newest
// commit, "" if there are none.
func (a *Archive) rechain(ctx context.Context, keep []Entry) (string, error) {
	objects := a.repo.NewObjects()
	top := ""
	for _, e := range slices.Backward(keep) {
		_, tree, err := a.repo.Resolve(ctx, e.commit)
		if err != nil {
			return "", err
		}
		var parents []string
		if top != "" {
			parents = []string{top}
		}
		top = objects.Commit(tree, parents, author(e.Taken), e.message())
	}
	return top, objects.Store(ctx)
}

// Blobs returns the ids of all blobs that snapshots name, sorted, each once. A
// program that collects garbage by marks of its own marks these: with none
// nothing else holds them. It is an error if a snapshot cannot be read, since what
// that one names would be missing.
func (a *Archive) Blobs(ctx context.Context) ([]string, error) {
	entries, damaged, err := a.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(damaged) > 0 {
		return nil, damaged[0]
	}
	names, err := a.named(ctx, entries)
	if err != nil {
		return nil, err
	}
	all := make(map[string]int64)
	for i := range names {
		maps.Copy(all, names[i])
	}
	return slices.Sorted(maps.Keys(all)), nil
}
