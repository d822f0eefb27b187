package engine

import (
	"context"

	"github.com/satchel-dev/satchel"
)

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

// IndexStatus looks at the index without changing it.
func (e *Engine) IndexStatus(ctx context.Context) (*IndexStatus, error) {
	s, err := e.project.Index.Status(ctx, e.project.Tree)
	if err != nil {
		return nil, err
	}
	return &IndexStatus{
		Dir: s.Dir, Segments: s.Segments, Documents: s.Documents, Commits: s.Commits, Bytes: s.Bytes,
		Fresh: s.Missing == 0, Stale: s.Missing, Diagnostics: e.project.Index.Diagnostics(),
	}, nil
}

// Diagnostics returns what happened to the index until now: that it cannot be written
// and stays in memory, that damaged files were dropped. No result depends on it.
func (e *Engine) Diagnostics() []satchel.Diagnostic { return e.project.Index.Diagnostics() }

// RefreshIndex brings the index up to date with the work tree.
func (e *Engine) RefreshIndex(ctx context.Context) (*IndexStatus, error) {
	if _, err := e.project.Index.View(ctx, e.project.Tree, ""); err != nil {
		return nil, err
	}
	return e.IndexStatus(ctx)
}
