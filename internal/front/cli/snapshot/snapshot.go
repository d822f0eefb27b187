// Package snapshot has the command snapshot: records of what an agent was shown.
package snapshot

import (
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Record what an agent was shown, and verify it later",
		Long: `Record what an agent was shown, verify it, and show it again. A snapshot holds the
request, each item with its score and reasons, what was left out, and every byte. It
is kept in the repository's object store below refs/satchel, which push and fetch
ignore. Secrets are redacted first. ID is the start of an id (four digits or more),
latest or previous. Equal packs share one snapshot.`,
		Example: `  satchel pack "login times out" --snapshot
  satchel snapshot list
  satchel snapshot verify --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.snapshotTakeCommand(), a.snapshotListCommand(), a.snapshotShowCommand(), a.snapshotDiffCommand(),
		a.snapshotVerifyCommand(), a.snapshotReplayCommand(), a.snapshotWhyCommand(), a.snapshotGCCommand(),
		a.snapshotExportCommand(), a.snapshotImportCommand())
	for _, c := range cmd.Commands() {
		c.Flags().SortFlags = false
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[takenSnapshot]("snapshot", 1, "A new or imported snapshot", "snapshot take", "snapshot import"),
		schema.Writes[snapshotDifferences]("snapshot-diff", 1, "The differences of two snapshots", "snapshot diff"),
		schema.Writes[snapshotsDropped]("snapshot-gc", 2, "The removed snapshots", "snapshot gc"),
		schema.Writes[snapshotList]("snapshot-list", 2, "The snapshots, newest first", "snapshot list"),
		schema.Writes[shownSnapshot]("snapshot-show", 1, "A snapshot, with its record", "snapshot show"),
		schema.Writes[snapshotProofs]("snapshot-verify", 2, "The verification of snapshots", "snapshot verify"),
		schema.Writes[snapshotAnswer]("snapshot-why", 1, "The reasons for an item in a snapshot", "snapshot why"),
	}
}
