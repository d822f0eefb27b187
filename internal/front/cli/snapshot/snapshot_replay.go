package snapshot

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/spf13/cobra"
)

func (a *app) snapshotReplayCommand() *cobra.Command {
	var output, item string
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "Write exactly what the agent was shown",
		Long: `Write exactly what the agent was shown, byte for byte: a pack, or the items of a
snapshot that you took. ID is latest, previous, or four or more digits of an id.
--item writes the whole file of one item as it was, with secrets redacted.`,
		Example: `  satchel snapshot replay latest
  satchel snapshot replay previous
  satchel snapshot replay latest --item README.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				text, err := replay(cmd.Context(), e, args[0], item)
				if err != nil {
					return err
				}
				return a.WriteBytes(output, text)
			})
		},
	}
	cmd.Flags().StringVar(&item, "item", "", "write the file of this `path`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this `file` instead of standard output")
	return cmd
}

func replay(ctx context.Context, e *engine.Engine, id, item string) ([]byte, error) {
	s, err := e.Snapshots().Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if item == "" {
		return e.Snapshots().Replay(ctx, s)
	}
	for i := range s.Record.Items {
		if it := &s.Record.Items[i]; it.Path == item || it.Ref() == item {
			return e.Snapshots().Blob(ctx, s, it)
		}
	}
	return nil, base.Hint(fmt.Errorf("snapshot %.12s has no item %s", s.ID, item), "satchel snapshot show "+s.ID[:12]+" lists its items")
}
