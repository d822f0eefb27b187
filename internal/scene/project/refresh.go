package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A refresh in the background is one process that holds the lock of a folder
// beside the index. A file there says when the last one was started, by its time
// of change: one that cannot be kept, for want of room or of rights, is not tried
// again with every prompt.
const (
	refreshName  = "started"
	refreshPause = 30 * time.Second
)

// lockDir returns the folder for the lock, or "" in a bare repository, without a
// cache for a plain folder, or with the index in memory.
func (u Upkeep) lockDir() string {
	if u.CacheDir == "" {
		return ""
	}
	switch t := u.Tree.(type) {
	case *git.Repo:
		if t.Dir() != "" {
			return filepath.Join(t.CommonDir(), "satchel", "refresh")
		}
	case *git.Folder:
		if u.FolderCache != "" {
			return filepath.Join(u.FolderCache, "refresh")
		}
	}
	return ""
}

// Crowded returns the reason why prompts in a plain folder get no context: it has too
// many files to read quickly. Such a folder is indexed only on request.
func (u Upkeep) Crowded() error { return u.Index.Crowded(u.Tree) }

// ClaimRefresh reports whether the caller is the one who ought to start a process
// that refreshes the index: none is running, and none was started lately.
func (u Upkeep) ClaimRefresh(now time.Time) bool {
	dir := u.lockDir()
	if dir == "" {
		return false
	}
	unlock, free, err := index.Lock(dir)
	if err != nil || !free {
		return false
	}
	defer unlock()
	name := filepath.Join(dir, refreshName)
	if st, err := os.Lstat(name); err == nil {
		if age := now.Sub(st.ModTime()); !st.Mode().IsRegular() || age >= 0 && age < refreshPause {
			return false
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	if f.Close() != nil {
		return false
	}
	return os.Chtimes(name, now, now) == nil
}

// ErrRefreshing means that another process refreshes the index already.
var ErrRefreshing = errors.New("another process is updating the index")

// RefreshAlone is Refresh, unless another process is at it by the same
// method: the error is then [ErrRefreshing]. A folder that is [Upkeep.Crowded] is
// not indexed.
func (u Upkeep) RefreshAlone(ctx context.Context) (*IndexStatus, error) {
	if err := u.Crowded(); err != nil {
		return nil, err
	}
	if dir := u.lockDir(); dir != "" {
		unlock, free, err := index.Lock(dir)
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		case !free:
			return nil, ErrRefreshing
		}
		defer unlock()
	}
	return u.Refresh(ctx)
}

// Ready looks at a few new files, if there are such, so that the next prompt need
// not; the error is [ErrNotReady] if there are too many.
func (u Upkeep) Ready(ctx context.Context) error {
	_, err := u.Index.ViewReady(ctx, u.Tree, MostNew)
	var behind *index.BehindError
	if errors.As(err, &behind) {
		return fmt.Errorf("%w: %w", ErrNotReady, err)
	}
	return err
}

// ErrNotReady means that no index can be used at once.
var ErrNotReady = errors.New("the index is not ready")

// MostNew is the number of files which a prompt may wait for to be analysed:
// about as many as an agent edits between two prompts. On terraform each takes
// about a millisecond.
const MostNew = 60

// An Upkeep looks after the index of a project.
type Upkeep struct{ *Project }

// An IndexStatus says what the index holds.
type IndexStatus struct {
	Dir         string               `json:"dir"` // "" if it lives in memory
	Segments    int                  `json:"segments"`
	Documents   int                  `json:"documents"`
	Commits     int                  `json:"commits"`
	Bytes       int64                `json:"bytes"`
	Fresh       bool                 `json:"fresh"` // nothing of the work tree is missing
	Stale       int                  `json:"stale"` // documents of the work tree that are missing
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
}

// Status looks at the index without changing it.
func (u Upkeep) Status(ctx context.Context) (*IndexStatus, error) {
	s, err := u.Index.Status(ctx, u.Tree)
	if err != nil {
		return nil, err
	}
	return &IndexStatus{
		Dir: s.Dir, Segments: s.Segments, Documents: s.Documents, Commits: s.Commits, Bytes: s.Bytes,
		Fresh: s.Missing == 0, Stale: s.Missing, Diagnostics: u.Index.Diagnostics(),
	}, nil
}

// Diagnostics returns what happened to the index until now: that it cannot be written
// and stays in memory, that damaged files were dropped. No result depends on it.
func (u Upkeep) Diagnostics() []satchel.Diagnostic { return u.Index.Diagnostics() }

// Refresh brings the index up to date with the work tree.
func (u Upkeep) Refresh(ctx context.Context) (*IndexStatus, error) {
	if _, err := u.Index.View(ctx, u.Tree, ""); err != nil {
		return nil, err
	}
	return u.Status(ctx)
}
