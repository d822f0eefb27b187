package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/satchel-dev/satchel/dialect/gitinternal"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/spf13/cobra"
)

// exportFlags are what snapshot export takes.
type exportFlags struct {
	gitInternal        bool
	libra, run, output string
}

func (a *app) snapshotExportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export [ID]",
		Short: "Write a snapshot for another program",
		Long: `Write a snapshot as satchel keeps it, or for another program. --git-internal writes
the ContextSnapshot of git-internal 0.8 as JSON, which has no lines, scores or
omissions. --libra stores it as a commit in Libra's layout, on top of the reference.
--run takes the record of satchel run -o FILE instead of an ID. It writes the
snapshot of the first prompt, then git-internal's Run.`,
		Example: `  satchel snapshot export latest
  satchel snapshot export --git-internal latest
  satchel snapshot export --libra refs/heads/libra/intent latest`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.gitInternal && f.libra != "":
				return base.Usagef("choose one of --git-internal and --libra")
			case f.libra != "" && f.output != "":
				return base.Usagef("--libra stores in the repository: leave out -o")
			case (len(args) > 0) == (f.run != ""):
				return base.Usagef("want the ID of a snapshot, or the record of a run with --run")
			}
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.export(cmd.Context(), e, &f, args) })
		},
	}
	cmd.Flags().BoolVar(&f.gitInternal, "git-internal", false, "write git-internal's ContextSnapshot")
	cmd.Flags().StringVar(&f.libra, "libra", "", "store it in Libra's history on this `reference`")
	cmd.Flags().StringVar(&f.run, "run", "", "export the run recorded in this `file`")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	return cmd
}

func (a *app) export(ctx context.Context, e *engine.Engine, f *exportFlags, args []string) error {
	if f.run != "" {
		return a.exportRun(ctx, e, f)
	}
	s, err := e.Snapshots().Find(ctx, args[0])
	if err != nil {
		return err
	}
	if f.libra != "" {
		return a.exportLibra(ctx, e, s, f.libra)
	}
	text, err := exported(s, f.gitInternal)
	if err != nil {
		return err
	}
	return a.WriteBytes(f.output, append(text, '\n'))
}

// exportRun writes the snapshot that a run began with, and the run.
func (a *app) exportRun(ctx context.Context, e *engine.Engine, f *exportFlags) error {
	record, err := a.ReadAtMost(ctx, f.run, maxImport)
	if err != nil {
		return err
	}
	var r base.RunRecord
	if err := json.Unmarshal(record, &r); err != nil || r.Version != base.RunRecordVersion || len(r.Rounds) == 0 {
		return base.Hint(fmt.Errorf("%s: it is not the record of a run", f.run), "satchel run -o FILE writes one")
	}
	if r.Rounds[0].Snapshot == "" {
		return base.Hint(fmt.Errorf("%s: the run kept no snapshot of its prompt", f.run), "run it in a git repository, without snapshot = false")
	}
	s, err := e.Snapshots().Find(ctx, r.Rounds[0].Snapshot)
	if err != nil {
		return err
	}
	g, err := gitinternal.FromRecord(s.Record, s.Taken)
	if err != nil {
		return err
	}
	run, err := gitinternal.NewRun(s.Record, g, record)
	if err != nil {
		return fmt.Errorf("%s: %w", f.run, err)
	}
	if f.libra != "" {
		if err := a.exportLibra(ctx, e, s, f.libra); err != nil {
			return err
		}
		return a.appendLibra(ctx, e, f.libra, run.ObjectID, run.Libra)
	}
	first, err := g.Encode()
	if err != nil {
		return err
	}
	second, err := run.Encode()
	if err != nil {
		return err
	}
	return a.WriteBytes(f.output, append(bytes.Join([][]byte{first, second}, []byte("\n")), '\n'))
}

// exportLibra appends a snapshot to Libra's history on ref and prints its id.
func (a *app) exportLibra(ctx context.Context, e *engine.Engine, s *engine.StoredSnapshot, ref string) error {
	g, err := gitinternal.FromRecord(s.Record, s.Taken)
	if err != nil {
		return err
	}
	return a.appendLibra(ctx, e, ref, g.ObjectID, g.Libra)
}

func (a *app) appendLibra(ctx context.Context, e *engine.Engine, ref, id string, file func() (archive.HistoryFile, error)) error {
	f, err := file()
	if err != nil {
		return err
	}
	if err := e.Snapshots().AppendHistory(ctx, ref, &f); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s\n", id)
	return nil
}

func exported(s *engine.StoredSnapshot, gitInternal bool) ([]byte, error) {
	if !gitInternal {
		return s.Record.Canonical()
	}
	g, err := gitinternal.FromRecord(s.Record, s.Taken)
	if err != nil {
		return nil, err
	}
	return g.Encode()
}

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
