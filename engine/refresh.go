package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

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

// refreshDir returns the folder, "" if there is none: in a bare repository, where
// there is no cache for a plain folder, or if the index is in memory anyway.
func (e *Engine) refreshDir() string {
	if e.opts.CacheDir == "" {
		return ""
	}
	switch t := e.project.Tree.(type) {
	case *git.Repo:
		if t.Dir() != "" {
			return filepath.Join(t.CommonDir(), "satchel", "refresh")
		}
	case *git.Folder:
		if cache := folderCache(t.Dir()); cache != "" {
			return filepath.Join(cache, "refresh")
		}
	}
	return ""
}

// Crowded says why nothing is put beside prompts in this folder, if it is a plain
// one of so many files that to look at it takes too long. Nor is it indexed unless
// the user asks for it.
func (e *Engine) Crowded() error { return e.project.Index.Crowded(e.project.Tree) }

// ClaimRefresh reports whether the caller is the one who ought to start a process
// that refreshes the index: none is running, and none was started lately.
func (e *Engine) ClaimRefresh(now time.Time) bool {
	dir := e.refreshDir()
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
var ErrRefreshing = errors.New("the index is being refreshed by another process")

// RefreshAlone is RefreshIndex, unless another process is at it by the same
// method: the error is then [ErrRefreshing]. A folder that is [Engine.Crowded] is
// not indexed.
func (e *Engine) RefreshAlone(ctx context.Context) (*IndexStatus, error) {
	if err := e.Crowded(); err != nil {
		return nil, err
	}
	if dir := e.refreshDir(); dir != "" {
		unlock, free, err := index.Lock(dir)
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		case !free:
			return nil, ErrRefreshing
		}
		defer unlock()
	}
	return e.RefreshIndex(ctx)
}

// Ready looks at a few new files, if there are such, so that the next prompt need
// not; the error is [ErrNotReady] if there are too many.
func (e *Engine) Ready(ctx context.Context) error {
	_, err := e.project.Index.ViewReady(ctx, e.project.Tree, mostNew)
	var behind *index.BehindError
	if errors.As(err, &behind) {
		return fmt.Errorf("%w: %w", ErrNotReady, err)
	}
	return err
}
