package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

func (a *app) indexCommand() *cobra.Command {
	var status, background bool
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Update the index, or show its state",
		Long: `Update the index of the work tree, and show its state. You never need this: every
command updates the index itself. You can delete the index at any time.`,
		Example: `  satchel index
  satchel index --status
  satchel index --status --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.index(cmd.Context(), status, background) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&status, "status", false, "show the state and change nothing")
	fs.BoolVar(&background, "background", false, "run at low priority, unless another such run is active")
	a.jsonFlag(fs)
	a.settingFlags(fs, readSettings)
	return cmd
}

// An indexDocument is the JSON form of the index's state.
type indexDocument struct {
	Version int `json:"version"`
	*engine.IndexStatus
}

func (a *app) index(ctx context.Context, status, background bool) error {
	if background {
		yieldToOthers()
	}
	s, err := a.indexStatus(ctx, status, background)
	if err != nil {
		return err
	}
	var broken error
	if !status {
		broken = notKept(s)
	}
	if a.json {
		err = a.writeJSON(indexDocument{2, s})
	} else {
		a.printIndex(s)
	}
	return cmp.Or(err, broken)
}

// indexStatus opens the index, updates it unless look is true, and returns its state
// on disk.
func (a *app) indexStatus(ctx context.Context, look, alone bool) (*engine.IndexStatus, error) {
	e, err := a.openProject(ctx)
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
	found, err := a.indexStatus(ctx, true, false)
	if err == nil {
		found.Diagnostics = s.Diagnostics
	}
	return found, err
}

// A storeError is an index that could not be brought up to date on disk.
type storeError struct{ dir, why string }

func (e *storeError) Error() string { return "index " + e.dir + ": " + e.why }

// notKept says why an index that was just refreshed is out of date, or nil.
func notKept(s *engine.IndexStatus) error {
	if s.Fresh || s.Dir == "" {
		return nil
	}
	for _, n := range s.Diagnostics {
		if n.Path == s.Dir {
			return &storeError{s.Dir, n.Text}
		}
	}
	return &storeError{s.Dir, render.Plural(s.Stale, "document") + " missing: another process is writing the index, or files have changed"}
}

func (a *app) printIndex(s *engine.IndexStatus) {
	a.diagnostics(s.Diagnostics)
	dir := s.Dir
	dir = cmp.Or(dir, "in memory")
	state := "up to date"
	if !s.Fresh {
		state = render.Plural(s.Stale, "document") + " missing"
	}
	for _, line := range [][2]string{
		{"state", state},
		{"folder", clean.Inline(dir)},
		{"documents", thousands(s.Documents)},
		{"commits", thousands(s.Commits)},
		{"segments", thousands(s.Segments)},
		{"bytes", thousands(int(s.Bytes))},
	} {
		fmt.Fprintf(a.out, "%-10s %s\n", line[0], line[1])
	}
}
