package snapshot

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/spf13/cobra"
)

func (a *app) snapshotListCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the snapshots of this repository, newest first",
		Example: `  satchel snapshot list
  satchel snapshot list --limit 5
  satchel snapshot list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return base.Usagef("--limit %d: want 1 or more", limit)
			}
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.snapshotList(cmd.Context(), e, limit) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "show at most `n` snapshots")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// snapshotList is the JSON form of the list.
type snapshotList struct {
	Version     int                    `json:"version"`
	Total       int                    `json:"total"`
	Snapshots   []engine.SnapshotEntry `json:"snapshots"`
	Diagnostics []satchel.Diagnostic   `json:"diagnostics"`
}

func (a *app) snapshotList(ctx context.Context, e *engine.Engine, limit int) error {
	entries, diags, err := e.Snapshots().List(ctx)
	if err != nil {
		return err
	}
	total := len(entries)
	entries = entries[:min(limit, total)]
	if a.JSON {
		return a.WriteJSON(snapshotList{2, total, append([]engine.SnapshotEntry{}, entries...), append([]satchel.Diagnostic{}, diags...)})
	}
	a.Diagnostics(diags)
	if total == 0 {
		a.Remark("no snapshots yet; satchel pack TASK --snapshot takes one")
		return nil
	}
	l := a.Table()
	l.Header(fmt.Sprintf("%-12s  %-17s  %8s  %s", "snapshot", "taken", "size", "about"))
	for _, s := range entries {
		fmt.Fprintf(l, "%s  %s  %s  %s\n", l.Paint.Path(s.ID[:12]), s.Taken.Format("2006-01-02 15:04Z"),
			l.Paint.Dim(fmt.Sprintf("%8s", base.BytesText(s.Bytes))), clean.Inline(s.Summary))
	}
	if err := a.Page(l.Bytes()); err != nil {
		return err
	}
	if total > limit {
		a.Remark("%d more; --limit shows them", total-limit)
	}
	return nil
}
