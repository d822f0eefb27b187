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
		Short: "Keep what an agent was shown, verify it, and show it again",
		Long: `Keep what an agent was shown, verify it, and show it again. A snapshot is the
record of a pack: the items with their scores and reasons, what was left out, the
request, and every byte, in the repository's own object store below
refs/satchel, which no push or fetch looks at. Secrets are redacted before
anything is stored.

ID is the beginning of a snapshot's id, at least four digits, or latest or
previous. Equal packs are one snapshot.`,
		Example: `  satchel pack "login times out behind a proxy" --snapshot
  satchel snapshot list
  satchel snapshot verify --all
  satchel snapshot replay latest`,
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
		return &hintError{err, "get the objects back with git fetch or from a copy; or give the chain up with git update-ref -d " + archive.Ref}
	case errors.As(err, &unknown):
		return &hintError{err, "satchel snapshot list shows them; an id may be cut to its first digits, four or more"}
	case errors.As(err, &damaged):
		return &hintError{err, "satchel snapshot verify --all shows what else is damaged"}
	}
	return err
}
