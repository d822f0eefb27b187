package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/snapshot"
)

// author is who makes the commits of the chain.
func author(t time.Time) git.Signature {
	return git.Signature{Name: "satchel", Email: "satchel@localhost", Time: t.Unix()}
}

// maxTries is how often Keep looks again because another process was faster.
// Each round one of the writers succeeds. maxLocks is how often the reference
// may be found locked; git waits 100 ms each time (core.filesRefLockTimeout).
const (
	maxTries = 1000
	maxLocks = 20
)

// Keep stores a draft that was taken at a time, and returns its entry when it is
// on the disk. If an equal snapshot is there already, that one is returned, and
// fresh is false.
//
// The error is a *[snapshot.DraftError] if an item has no blob, and git's own
// words if the repository cannot be written.
func (a *Archive) Keep(ctx context.Context, d *snapshot.Draft, taken time.Time, r Retention) (e Entry, fresh bool, err error) {
	record, err := d.Finish()
	if err != nil {
		return Entry{}, false, err
	}
	text, err := record.Canonical()
	if err != nil {
		return Entry{}, false, err
	}
	e = Entry{ID: snapshot.IDOf(text), Taken: dated(taken), Summary: record.Summary,
		Items: len(record.Items), Bytes: size(record), Retention: r, record: a.BlobID(text)}
	w := &snapshotWriter{Archive: a, entry: e, record: text, blobs: record.Blobs(), new: d.Blobs}
	locks := 0
	for range maxTries {
		old, err := a.repo.Ref(ctx, Ref)
		if err != nil {
			return Entry{}, false, err
		}
		if same, ok, err := a.present(ctx, old, &e); ok || err != nil {
			return same, false, err
		}
		update, err := w.store(ctx, old)
		if err != nil {
			return Entry{}, false, fmt.Errorf("store the snapshot: %w", err)
		}
		err = a.repo.UpdateRefs(ctx, update)
		var moved *git.RefMovedError
		if errors.As(err, &moved) && (!moved.Locked || locks < maxLocks) {
			if moved.Locked {
				locks++
			}
			continue
		}
		if err != nil {
			return Entry{}, false, fmt.Errorf("store the snapshot: %w", err)
		}
		// A collection of garbage that began before the reference moved may
		// have taken what nothing referred to yet.
		missing, err := w.missing(ctx)
		if err != nil {
			return Entry{}, false, err
		}
		if missing == "" {
			return w.entry, true, nil
		}
		if err := w.again(ctx, old, missing); err != nil {
			return Entry{}, false, err
		}
		return w.entry, true, nil
	}
	return Entry{}, false, &git.RefMovedError{Name: Ref}
}

// dated is a time as a commit can say it: a whole second since 1970, of a year
// with four digits. git takes others for damage.
func dated(t time.Time) time.Time {
	const last = 253402300799 // the end of 9999
	return time.Unix(max(0, min(t.Unix(), last)), 0).UTC()
}

// size is the bytes of all blobs that a record names, each once.
func size(r *snapshot.Record) int64 {
	seen := make(map[string]bool)
	var n int64
	for i := range r.Items {
		if it := &r.Items[i]; !seen[it.Blob] {
			seen[it.Blob] = true
			n += it.Size
		}
	}
	if r.Output != nil && !seen[r.Output.Blob] {
		n += r.Output.Size
	}
	return n
}

// present finds a snapshot on the chain, which holds the records of all.
func (a *Archive) present(ctx context.Context, tip string, e *Entry) (Entry, bool, error) {
	if tip == "" {
		return Entry{}, false, nil
	}
	objects := a.repo.Objects(ctx)
	defer objects.Close()
	if _, err := objects.Size(e.record); errors.Is(err, git.ErrMissing) {
		return Entry{}, false, nil
	}
	entries, _, err := a.list(ctx, tip)
	if err != nil {
		return Entry{}, false, err
	}
	i := slices.IndexFunc(entries, func(old Entry) bool { return old.ID == e.ID })
	if i < 0 {
		return Entry{}, false, nil
	}
	return entries[i], true, nil
}

// A snapshotWriter is one snapshot on its way to the disk.
type snapshotWriter struct {
	*Archive
	entry  Entry
	record []byte
	blobs  []string          // all that the record names
	new    map[string][]byte // those that have to be written

	tree   string
	stored bool // all but the commit is on the disk
}

// store writes the objects of a commit on top of tip, and returns the update that
// moves the chain to it.
func (w *snapshotWriter) store(ctx context.Context, tip string) (git.RefUpdate, error) {
	objects := w.repo.NewObjects()
	if !w.stored {
		if err := w.addBlobs(objects); err != nil {
			return git.RefUpdate{}, err
		}
	}
	var parents []string
	if tip != "" {
		parents = []string{tip}
	}
	w.entry.commit = objects.Commit(w.tree, parents, author(w.entry.Taken), w.entry.message())
	if err := objects.Store(ctx); err != nil {
		return git.RefUpdate{}, err
	}
	w.stored = true
	return git.RefUpdate{Name: Ref, New: w.entry.commit, Old: tip}, nil
}

// addBlobs adds the record, the new blobs and the tree.
func (w *snapshotWriter) addBlobs(objects *git.NewObjects) error {
	for _, id := range w.blobs {
		if data, ok := w.new[id]; ok {
			objects.Blob(data)
		}
	}
	entries := []git.TreeEntry{{Mode: git.ModeFile, Name: "snapshot.json", ID: objects.Blob(w.record)}}
	if w.entry.Retention == chain && len(w.blobs) > 0 {
		var names []git.TreeEntry
		for _, id := range w.blobs {
			names = append(names, git.TreeEntry{Mode: git.ModeFile, Name: id, ID: id})
		}
		tree, err := objects.Tree(names)
		if err != nil {
			return err
		}
		entries = append(entries, git.TreeEntry{Mode: git.ModeDir, Name: "blobs", ID: tree})
	}
	var err error
	w.tree, err = objects.Tree(entries)
	return err
}

// missing returns one of the snapshot's objects that the repository lacks, or
// "".
func (w *snapshotWriter) missing(ctx context.Context) (string, error) {
	objects := w.repo.Objects(ctx)
	defer objects.Close()
	ids := append([]string{w.entry.commit, w.tree, w.entry.record}, w.blobs...)
	missing := ""
	err := objects.Sizes(ids, func(i int, _ int64, err error) {
		if errors.Is(err, git.ErrMissing) && missing == "" {
			missing = ids[i]
		}
	})
	return missing, err
}

// again writes everything once more, now that references hold it.
func (w *snapshotWriter) again(ctx context.Context, tip, missing string) error {
	w.stored = false
	if _, err := w.store(ctx, tip); err != nil {
		return fmt.Errorf("store the snapshot: %w", err)
	}
	still, err := w.missing(ctx)
	if err == nil && still != "" {
		err = &DamageError{w.entry.ID, fmt.Sprintf("object %s vanished while the snapshot was stored, and cannot be made again", missing)}
	}
	return err
}
