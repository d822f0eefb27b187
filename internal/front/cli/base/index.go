package base

import (
	"context"
	"errors"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/render"
)

// IndexStatus opens the index, updates it unless look is true, and returns its state
// on disk.
func (a *App) IndexStatus(ctx context.Context, look, alone bool) (*engine.IndexStatus, error) {
	e, err := a.OpenProject(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	refresh := e.Index().Refresh
	switch {
	case look:
		return e.Index().Status(ctx)
	case alone:
		refresh = e.Index().RefreshAlone
	}

	s, err := refresh(ctx)
	if errors.Is(err, engine.ErrRefreshing) {
		return e.Index().Status(ctx)
	}
	if err != nil || s.Dir == "" {
		return s, err
	}
	found, err := a.IndexStatus(ctx, true, false)
	if err == nil {
		found.Diagnostics = s.Diagnostics
	}
	return found, err
}

// NotKept says why an index that was just refreshed is out of date, or nil.
func NotKept(s *engine.IndexStatus) error {
	if s.Fresh || s.Dir == "" {
		return nil
	}
	for _, n := range s.Diagnostics {
		if n.Path == s.Dir {
			return &StoreError{s.Dir, n.Text}
		}
	}
	return &StoreError{s.Dir, render.Plural(s.Stale, "document") + " missing: another process is writing the index, or files have changed"}
}
