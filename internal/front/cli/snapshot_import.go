package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/gitinternal"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/session/snapshots"
	"github.com/satchel-dev/satchel/transcript"
)

func (a *app) snapshotImportCommand() *cobra.Command {
	var request string
	var claude bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Store a snapshot that git-internal wrote, or what Claude Code sent",
		Long: `Store a snapshot that git-internal (0.4, 0.6, 0.7 or later) wrote as JSON. The
blobs that it names must be in this repository. - is standard input.

With --claude, FILE is a transcript of Claude Code, or latest. It records what
was sent to the model; the snapshot holds system prompt, tools and messages, each
proven by the hash in the transcript. What cannot be proven is left out with a
note, and secrets are redacted.`,
		Example: `  satchel snapshot export --git-internal latest | satchel snapshot import -
  satchel snapshot import --claude claude.jsonl --request all`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if claude {
				return a.importRequests(cmd.Context(), args[0], request)
			}
			if cmd.Flags().Changed("request") {
				return usagef("--request is for --claude")
			}
			text, err := a.readAtMost(cmd.Context(), args[0], maxImport)
			if err != nil {
				return err
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				g, err := gitinternal.Decode(text)
				if err != nil {
					return err
				}
				entry, fresh, err := e.Snapshots().Import(cmd.Context(), g.Record(), g.CreatedAt, a.settings.Retention)
				if err != nil {
					return err
				}
				return a.taken(entry, fresh)
			})
		},
	}
	cmd.Flags().BoolVar(&claude, "claude", false, "FILE is a transcript of Claude Code")
	cmd.Flags().StringVar(&request, "request", snapshots.LatestRequest, "the `request` to import: its id or the beginning of it, latest or all")
	a.jsonFlag(cmd.Flags())
	return cmd
}

// importedRequests is the JSON form of the requests of a session.
type importedRequests struct {
	Version     int                      `json:"version"`
	Requests    []engine.RequestSnapshot `json:"requests"`
	Diagnostics []satchel.Diagnostic     `json:"diagnostics"`
}

// importRequests stores what Claude Code sent to its model.
func (a *app) importRequests(ctx context.Context, name, request string) error {
	name, err := a.sessionPath([]string{name})
	if err != nil {
		return err
	}
	return a.withEngine(ctx, func(e *engine.Engine) error {
		list, diags, err := e.Snapshots().ImportRequests(ctx, name, request, a.settings.Retention)
		var unknown *engine.UnknownRequestError
		switch {
		case errors.Is(err, transcript.ErrNoRequests):
			return &hintError{err, "only Claude Code records what it sends, in newer versions; satchel snapshot take records what you choose"}
		case errors.As(err, &unknown):
			return &hintError{err, "--request all imports every one"}
		case err != nil:
			return sessionError(err)
		}
		if a.json {
			return a.writeJSON(importedRequests{2, list, append([]satchel.Diagnostic{}, diags...)})
		}
		for _, s := range list {
			diags = append(diags, s.Diagnostics...)
			fmt.Fprintf(a.out, "%s\n", s.ID)
		}
		a.diagnostics(slices.CompactFunc(diags, func(x, y satchel.Diagnostic) bool { return x == y }))
		return nil
	})
}

// maxImport is the longest JSON that is imported.
const maxImport = 256 << 20
