package project

import (
	"context"

	"github.com/satchel-dev/satchel"
)

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
