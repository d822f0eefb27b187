package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/store/archive"
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

// withEngine opens the engine for one command.
func (a *app) withEngine(ctx context.Context, do func(e *engine.Engine) error) error {
	e, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := do(e); err != nil {
		return snapshotHint(err)
	}
	return nil
}

// snapshotHint adds what to do next to errors about snapshots.
func snapshotHint(err error) error {
	var unknown *archive.UnknownError
	var damaged *archive.DamageError
	switch {
	case errors.As(err, &damaged) && damaged.ID == "":
		return &hintError{err, "restore the objects with git fetch or from a copy; or drop all snapshots with git update-ref -d " + archive.Ref}
	case errors.As(err, &unknown):
		return &hintError{err, "satchel snapshot list shows the ids; the first four digits are enough"}
	case errors.As(err, &damaged):
		return &hintError{err, "satchel snapshot verify --all shows what else is damaged"}
	}
	return err
}
