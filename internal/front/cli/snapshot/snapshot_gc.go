package snapshot

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

func (a *app) snapshotVerifyCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "verify [ID...]",
		Short: "Verify that snapshots are complete and unchanged",
		Long: `Verify that every byte of snapshots is present and unchanged. Each record must have
the hash that is its id, and each blob the hash in its record. The exit code is 1 if
anything is missing or changed.`,
		Example: `  satchel snapshot verify latest
  satchel snapshot verify --all
  satchel snapshot verify --all --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return base.Usagef("want the IDs of snapshots, or --all")
			}
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.verify(cmd.Context(), e, args) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "verify all snapshots")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// snapshotProofs is the JSON form of what was verified.
type snapshotProofs struct {
	Version     int                    `json:"version"`
	OK          bool                   `json:"ok"`
	Snapshots   []engine.SnapshotProof `json:"snapshots"`
	Diagnostics []satchel.Diagnostic   `json:"diagnostics"`
}

func (a *app) verify(ctx context.Context, e *engine.Engine, ids []string) error {
	proofs, diags, err := e.Snapshots().Verify(ctx, ids...)
	if err != nil {
		return err
	}
	good, bad, blobs := 0, len(diags), 0
	for _, p := range proofs {
		blobs += p.Blobs
		if len(p.Problems) > 0 {
			bad++
		} else {
			good++
		}
	}
	if a.JSON {
		err = a.WriteJSON(snapshotProofs{2, bad == 0, append([]engine.SnapshotProof{}, proofs...), append([]satchel.Diagnostic{}, diags...)})
	} else {
		for _, p := range proofs {
			for _, why := range p.Problems {
				fmt.Fprintf(a.Out, "%s  %s\n", p.ID[:12], clean.Inline(why))
			}
		}
		a.Diagnostics(diags)
		a.Remark("%s verified, %s", render.Plural(good, "snapshot"), render.Plural(blobs, "blob"))
	}
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%s", render.Plural(bad, "snapshot")+" damaged")
	}
	return nil
}

func (a *app) snapshotGCCommand() *cobra.Command {
	var older, size string
	var dry, all bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Drop old snapshots, and what only they kept",
		Long: `Drop snapshots by age or size. git frees their data at its next garbage collection,
unless something else uses it. Without --older-than,
--keep-bytes or --all, no snapshot is dropped.`,
		Example: `  satchel snapshot gc --older-than 30d --dry-run
  satchel snapshot gc --keep-bytes 500m
  satchel snapshot gc --older-than 2026-01-31`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x := engine.SnapshotExpiry{DryRun: dry}
			var err error
			if all && (older != "" || size != "") {
				return base.Usagef("--all drops every snapshot: leave out --older-than and --keep-bytes")
			}
			if all {
				x.Before = base.EverTaken
			}
			if older != "" {
				if x.Before, err = base.ParseAge(older, a.Now()); err != nil {
					return base.Usagef("--older-than %s: %w", older, err)
				}
			}
			if size != "" {
				if x.Bytes, err = base.ParseBytes(size); err != nil {
					return base.Usagef("--keep-bytes %s: %w", size, err)
				}
			}
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.expire(cmd.Context(), e, x) })
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "", "drop snapshots older than this `age`: 30d, 12h or a date")
	cmd.Flags().StringVar(&size, "keep-bytes", "", "drop the oldest until at most these `bytes` are left: 500m")
	cmd.Flags().BoolVar(&all, "all", false, "drop all snapshots")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be dropped")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// snapshotsDropped is the JSON form of what was dropped.
type snapshotsDropped struct {
	Version int  `json:"version"`
	DryRun  bool `json:"dry_run"`
	engine.SnapshotExpired
}

func (a *app) expire(ctx context.Context, e *engine.Engine, x engine.SnapshotExpiry) error {
	out, err := e.Snapshots().Expire(ctx, x)
	if err != nil {
		return err
	}
	if a.JSON {
		if out.Dropped == nil {
			out.Dropped = []string{}
		}
		return a.WriteJSON(snapshotsDropped{2, x.DryRun, out})
	}
	for _, id := range out.Dropped {
		fmt.Fprintf(a.Out, "%s\n", id)
	}
	verb := "dropped"
	if x.DryRun {
		verb = "would be dropped"
	}
	a.Remark("%s %s, %d kept, %s freed for git gc", render.Plural(len(out.Dropped), "snapshot"), verb, out.Kept, base.BytesText(out.Freed))
	return nil
}
