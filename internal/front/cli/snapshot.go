package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) snapshotCommand() *cobra.Command {
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
