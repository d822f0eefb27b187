package snapshot

import (
	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/dialect/gitinternal"
	"github.com/satchel-dev/satchel/engine"
)

func (a *app) snapshotImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Store a snapshot that git-internal wrote",
		Long: `Store a snapshot that git-internal (0.4, 0.6, 0.7 or later) wrote as JSON. Its blobs
must be in this repository. FILE - reads standard input.`,
		Example: `  satchel snapshot export --git-internal latest | satchel snapshot import -`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.ReadAtMost(cmd.Context(), args[0], maxImport)
			if err != nil {
				return err
			}
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				g, err := gitinternal.Decode(text)
				if err != nil {
					return err
				}
				entry, fresh, err := e.Snapshots().Import(cmd.Context(), g.Record(), g.CreatedAt, a.Settings.Retention)
				if err != nil {
					return err
				}
				return a.taken(entry, fresh)
			})
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

// maxImport is the longest JSON that is imported.
const maxImport = 256 << 20
