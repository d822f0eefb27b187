// Package index has the command index: the state of the index.
package index

import (
	"cmp"
	"context"
	"fmt"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
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
	a.JSONFlag(fs)
	a.SettingFlags(fs, base.ReadSettings)
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
	s, err := a.IndexStatus(ctx, status, background)
	if err != nil {
		return err
	}
	var broken error
	if !status {
		broken = base.NotKept(s)
	}
	if a.JSON {
		err = a.WriteJSON(indexDocument{2, s})
	} else {
		a.printIndex(s)
	}
	return cmp.Or(err, broken)
}

func (a *app) printIndex(s *engine.IndexStatus) {
	a.Diagnostics(s.Diagnostics)
	dir := s.Dir
	dir = cmp.Or(dir, "in memory")
	state := "up to date"
	if !s.Fresh {
		state = render.Plural(s.Stale, "document") + " missing"
	}
	for _, line := range [][2]string{
		{"state", state},
		{"folder", clean.Inline(dir)},
		{"documents", render.Thousands(s.Documents)},
		{"commits", render.Thousands(s.Commits)},
		{"segments", render.Thousands(s.Segments)},
		{"bytes", render.Thousands(int(s.Bytes))},
	} {
		fmt.Fprintf(a.Out, "%-10s %s\n", line[0], line[1])
	}
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[indexDocument]("index", 2, "The state of the index", "index"),
	}
}
