package archive

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/world/fsx"
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
	Refs    int      `json:"refs"`    // references to blobs that went
	Packs   int      `json:"packs"`   // packs that git may drop now
}

// Expire drops snapshots from the chain, and the references and kept packs of
// blobs that no remaining snapshot names. The objects themselves go when git
// collects garbage the next time. Snapshots that another process takes meanwhile
// are kept.
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
	refs, err := a.deadRefs(ctx, keep, drop, live)
	if err != nil {
		return out, err
	}
	out.Refs = len(refs)
	packs, err := a.deadPacks(drop)
	if err != nil {
		return out, err
	}
	out.Packs = len(packs)
	if x.DryRun {
		return out, nil
	}
	if tip == "" && len(refs) == 0 {
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
	if err := a.repo.UpdateRefs(ctx, append(refs, git.RefUpdate{Name: Ref, New: top, Old: tip})...); err != nil {
		return out, err
	}
	return out, a.unmark(packs)
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
	return top, objects.Store(ctx, "")
}

// deadPacks returns the names of the marks of the packs that snapshots to be dropped
// keep.
func (a *Archive) deadPacks(drop []Entry) ([]string, error) {
	dead := make(map[string]bool)
	for _, e := range drop {
		dead["satchel "+e.ID] = true
	}
	entries, err := os.ReadDir(a.packDir())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ok, _ := path.Match("pack-*.keep", e.Name()); !ok {
			continue
		}
		fi, err := e.Info()
		if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxMark {
			continue // not one of ours
		}
		if text, err := os.ReadFile(filepath.Join(a.packDir(), e.Name())); err == nil && dead[strings.TrimSpace(string(text))] {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// unmark removes the marks of packs.
func (a *Archive) unmark(names []string) error {
	if len(names) == 0 {
		return nil
	}
	dir, err := os.OpenRoot(a.packDir())
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, name := range names {
		temp := "tmp_" + rand.Text() // git prune removes what is called so
		if err := fsx.Remove(dir, temp, name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// packDir is the folder of the repository's packs.
func (a *Archive) packDir() string { return filepath.Join(a.repo.CommonDir(), "objects", "pack") }

// maxMark is more than the mark of a kept pack takes: a word and an id.
const maxMark = 200
