package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A knownClone is a clone in the cache folder.
type knownClone struct {
	URL     string // "" if it was never fetched completely
	Folder  string
	Fetched time.Time

	clone clone
}

// holds reports what a clone has in addition to the repository's files: notes or
// dismissals, snapshots, and files of others. It reports what it cannot read as
// present.
func (c *knownClone) holds() (notes, snapshots, other bool) {
	kept, err := os.ReadDir(filepath.Join(c.Folder, ".git", "satchel"))
	notes = unreadable(err)
	for _, e := range kept {
		notes = notes || keptNotesNames().MatchString(e.Name())
	}
	packed, err := os.ReadFile(filepath.Join(c.Folder, ".git", "packed-refs"))
	_, loose := os.Lstat(filepath.Join(c.Folder, ".git", "refs", "satchel"))
	snapshots = unreadable(err) || strings.Contains(string(packed), " refs/satchel/") || loose == nil || unreadable(loose)
	entries, err := os.ReadDir(c.Folder)
	return notes, snapshots, len(entries) > 1 || unreadable(err)
}

func unreadable(err error) bool { return err != nil && !errors.Is(err, fs.ErrNotExist) }

// maxCloneAge is how long a clone is kept after it was fetched last.
const maxCloneAge = 30 * 24 * time.Hour

// removeOldClones removes the clones that are older than maxCloneAge and hold nothing but
// the repository. One that cannot be removed is tried again next time.
func (a *app) removeOldClones(ctx context.Context) {
	list, _ := a.knownClones(ctx)
	for i := range list {
		c := &list[i]
		notes, snapshots, other := c.holds()
		if c.Fetched.IsZero() || a.env.now().Sub(c.Fetched) <= maxCloneAge || notes || snapshots || other {
			continue
		}
		if c.clone.remove() == nil {
			a.remark("note: removed the clone of %s, last fetched more than 30 days ago", clean.Inline(c.URL))
		}
	}
}

// knownClones lists the clones, sorted by URL.
func (a *app) knownClones(ctx context.Context) (list []knownClone, err error) {
	dir, err := a.clonesDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if b, err := hex.DecodeString(e.Name()); err != nil || len(b) != 16 || !e.IsDir() {
			continue // not ours
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := knownClone{clone: clone{filepath.Join(dir, e.Name())}}
		c.Folder, c.Fetched = c.clone.work(), c.clone.fetchedAt()
		if text, err := index.ReadFile(c.clone.dir, cloneName, 1<<16); err == nil {
			c.URL = strings.TrimSpace(string(text))
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b knownClone) int { return strings.Compare(a.URL+"\x00"+a.Folder, b.URL+"\x00"+b.Folder) })
	return list, nil
}

// treeBytes returns the size of a file, or of the files below a folder.
func treeBytes(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if fi, err := d.Info(); err == nil {
				n += fi.Size()
			}
		}
		return nil // unreadable files count as empty
	})
	return n
}

// remove deletes a clone, unless another process fetches it.
func (c clone) remove() error {
	unlock, free, err := index.Lock(c.dir)
	if err != nil {
		return err
	}
	if !free {
		return fmt.Errorf("%s: another process is fetching it", c.dir)
	}
	defer unlock()
	return fsx.RemoveAll(c.dir)
}
