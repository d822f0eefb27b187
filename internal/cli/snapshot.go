package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/archive"
	"github.com/satchel-dev/satchel/internal/config"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/snapshot"
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
		c.Args = argsAsUsage(c.Args)
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

// withEngine opens the engine for one command.
func (a *app) withEngine(ctx context.Context, do func(e *engine.Engine) error) error {
	bar := a.progress()
	defer bar.stop()
	e, err := a.open(ctx, bar)
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
	case errors.As(err, &unknown):
		return &hintError{err, "satchel snapshot list shows them; an id may be cut to its first digits, four or more"}
	case errors.As(err, &damaged):
		return &hintError{err, "satchel snapshot verify --all shows what else is damaged"}
	}
	return err
}

func (a *app) snapshotListCommand() *cobra.Command {
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the snapshots of this repository, newest first",
		Example: `  satchel snapshot list
  satchel snapshot list --limit 5 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usagef("--limit %d: want 1 or more", limit)
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error { return a.snapshotList(cmd.Context(), e, limit, asJSON) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "show at most this `many`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	a.settingFlags(cmd.Flags(), pageSettings)
	return cmd
}

// snapshotList is the JSON form of the list.
type snapshotList struct {
	Version   int                    `json:"version"`
	Total     int                    `json:"total"`
	Snapshots []engine.SnapshotEntry `json:"snapshots"`
	Notes     []satchel.Note         `json:"notes"`
}

func (a *app) snapshotList(ctx context.Context, e *engine.Engine, limit int, asJSON bool) error {
	entries, notes, err := e.Snapshots(ctx)
	if err != nil {
		return err
	}
	total := len(entries)
	entries = entries[:min(limit, total)]
	if asJSON {
		return a.writeJSON(snapshotList{1, total, append([]engine.SnapshotEntry{}, entries...), append([]satchel.Note{}, notes...)})
	}
	a.notes(notes)
	if total == 0 {
		if !a.settings.Quiet {
			a.say("no snapshots yet; satchel pack TASK --snapshot takes one")
		}
		return nil
	}
	l := listing{paint: style(a.color(a.env.StdoutTTY))}
	for _, s := range entries {
		fmt.Fprintf(&l, "%s  %s  %s  %s\n", l.paint.path(s.ID[:12]), s.Taken.Format("2006-01-02 15:04Z"),
			l.paint.dim(fmt.Sprintf("%8s", bytesText(s.Bytes))), render.Clean(s.Summary))
	}
	if err := a.page(l.Bytes()); err != nil {
		return err
	}
	if total > limit && !a.settings.Quiet {
		a.say("%d more; --limit shows them", total-limit)
	}
	return nil
}

func (a *app) snapshotShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show the record of a snapshot: its items, why each is there, what was left out",
		Example: `  satchel snapshot show latest
  satchel snapshot show latest --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				s, err := e.FindSnapshot(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return a.writeJSON(s)
				}
				return a.showSnapshot(s)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	a.settingFlags(cmd.Flags(), pageSettings)
	return cmd
}

func (a *app) showSnapshot(s *engine.StoredSnapshot) error {
	l := listing{paint: style(a.color(a.env.StdoutTTY))}
	r := s.Record
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&l, "%-10s %s\n", name, text)
		}
	}
	line("snapshot", l.paint.bold(s.ID))
	line("taken", s.Taken.Format(time.RFC3339))
	line("strategy", string(r.Strategy))
	line("commit", r.Commit)
	if r.Request != nil {
		task, rest, _ := strings.Cut(strings.TrimSpace(r.Request.Task), "\n")
		if rest != "" {
			task += " …"
		}
		line("task", render.Clean(task))
		line("revision", render.Clean(r.Request.Rev))
		line("pinned", render.Clean(strings.Join(r.Request.Pinned, " ")))
	}
	if r.Used > 0 {
		limit := "no limit"
		if r.Budget > 0 {
			limit = "of " + thousands(r.Budget)
		}
		line("tokens", fmt.Sprintf("%s %s (%s)", thousands(r.Used), limit, render.Clean(r.Method)))
	}
	if r.Output != nil {
		line("output", fmt.Sprintf("%s, %s, blob %s", r.Output.Format, bytesText(r.Output.Size), r.Output.Blob))
	}
	fmt.Fprintf(&l, "\n%s\n", l.paint.bold(plural(len(r.Items), "item")))
	for i := range r.Items {
		it := &r.Items[i]
		var marks []string
		if it.Kind != snapshot.KindFile {
			kind := string(it.Kind)
			if it.Other != "" {
				kind = render.Clean(it.Other)
			}
			marks = append(marks, kind)
		}
		if it.Role == snapshot.Pinned {
			marks = append(marks, "pinned")
		}
		if it.Dirty {
			marks = append(marks, "uncommitted")
		}
		if it.Redacted > 0 {
			marks = append(marks, plural(it.Redacted, "secret")+" redacted")
		}
		text := fmt.Sprintf("  %6.2f  %-8s %5d  %s", it.Score.Value(), it.Detail, it.Tokens, l.paint.path(render.Clean(it.Ref())))
		if len(marks) > 0 {
			text += "  " + l.paint.dim(strings.Join(marks, ", "))
		}
		l.WriteString(text + "\n")
	}
	if len(r.Omitted) > 0 {
		fmt.Fprintf(&l, "\n%s\n", l.paint.bold(fmt.Sprintf("%d left out", len(r.Omitted))))
		for _, n := range omissionCounts(r.Omitted) {
			fmt.Fprintf(&l, "  %6d  %s\n", n.count, render.Clean(n.why))
		}
	}
	for _, n := range r.Notes {
		l.WriteString("note: " + render.Clean(strings.TrimPrefix(n.Path+": "+n.Text, ": ")) + "\n")
	}
	return a.page(l.Bytes())
}

type whyCount struct {
	why   string
	count int
}

// omissionCounts counts omissions by reason, in the order of their first
// occurrence.
func omissionCounts(list []satchel.Omission) []whyCount {
	var out []whyCount
	at := make(map[string]int)
	for _, o := range list {
		i, ok := at[o.Why]
		if !ok {
			i = len(out)
			at[o.Why] = i
			out = append(out, whyCount{why: o.Why})
		}
		out[i].count++
	}
	return out
}

func (a *app) snapshotDiffCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Say what changed between two snapshots",
		Example: `  satchel snapshot diff previous latest
  satchel snapshot diff previous latest --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				from, err := e.FindSnapshot(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				to, err := e.FindSnapshot(cmd.Context(), args[1])
				if err != nil {
					return err
				}
				return a.compareSnapshots(from, to, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	a.settingFlags(cmd.Flags(), pageSettings)
	return cmd
}

func (a *app) compareSnapshots(from, to *engine.StoredSnapshot, asJSON bool) error {
	found := snapshot.Compare(from.Record, to.Record)
	if asJSON {
		return a.writeJSON(struct {
			Version     int                   `json:"version"`
			From        string                `json:"from"`
			To          string                `json:"to"`
			Differences []snapshot.Difference `json:"differences"`
		}{1, from.ID, to.ID, append([]snapshot.Difference{}, found...)})
	}
	l := listing{paint: style(a.color(a.env.StdoutTTY))}
	for _, d := range found {
		what := d.What
		if d.Ref != "" {
			what = fmt.Sprintf("%-8s %s", d.What, l.paint.path(render.Clean(d.Ref)))
		}
		l.WriteString(what + "\n")
		for _, how := range d.How {
			l.WriteString("    " + render.Clean(how) + "\n")
		}
	}
	if len(found) == 0 && !a.settings.Quiet {
		a.say("the two snapshots say the same")
	}
	return a.page(l.Bytes())
}

func (a *app) snapshotVerifyCommand() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "verify [ID...]",
		Short: "Prove that every byte of snapshots is there and unchanged",
		Long: `Prove that every byte of snapshots is there and unchanged: each record must have
the hash that is its id, and each blob the hash by which the record names it.
The exit code is 1 if anything is missing or changed.`,
		Example: `  satchel snapshot verify latest
  satchel snapshot verify --all --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usagef("want the IDs of snapshots, or --all")
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error { return a.verify(cmd.Context(), e, args, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "verify all snapshots")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	return cmd
}

func (a *app) verify(ctx context.Context, e *engine.Engine, ids []string, asJSON bool) error {
	proofs, notes, err := e.VerifySnapshots(ctx, ids...)
	if err != nil {
		return err
	}
	bad := len(notes)
	blobs := 0
	for _, p := range proofs {
		blobs += p.Blobs
		if len(p.Problems) > 0 {
			bad++
		}
	}
	if asJSON {
		err = a.writeJSON(struct {
			Version   int                    `json:"version"`
			OK        bool                   `json:"ok"`
			Snapshots []engine.SnapshotProof `json:"snapshots"`
			Notes     []satchel.Note         `json:"notes"`
		}{1, bad == 0, append([]engine.SnapshotProof{}, proofs...), append([]satchel.Note{}, notes...)})
	} else {
		for _, p := range proofs {
			for _, why := range p.Problems {
				fmt.Fprintf(a.out, "%s  %s\n", p.ID[:12], render.Clean(why))
			}
		}
		a.notes(notes)
		if !a.settings.Quiet {
			a.say("%s verified, %s", plural(len(proofs), "snapshot"), plural(blobs, "blob"))
		}
	}
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%s", plural(bad, "snapshot")+" damaged")
	}
	return nil
}

func (a *app) snapshotReplayCommand() *cobra.Command {
	var output, item string
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "Write exactly what the agent was shown, byte for byte",
		Long: `Write exactly what the agent was shown, byte for byte: the pack as it was
written, or the items of a snapshot that was taken by hand. --item writes the
whole file of one item, as it was (with secrets redacted).`,
		Example: `  satchel snapshot replay latest
  satchel snapshot replay previous | head -20
  satchel snapshot replay latest --item internal/proxy/proxy.go`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				text, err := replay(cmd.Context(), e, args[0], item)
				if err != nil {
					return err
				}
				if output == "" || output == "-" {
					_, err := a.out.Write(text)
					return err
				}
				return writeFile(a.fromHere(output), func(w io.Writer) error { _, err := w.Write(text); return err })
			})
		},
	}
	cmd.Flags().StringVar(&item, "item", "", "write the file of this `path`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this `file` instead of standard output")
	return cmd
}

func replay(ctx context.Context, e *engine.Engine, id, item string) ([]byte, error) {
	s, err := e.FindSnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	if item == "" {
		return e.Replay(ctx, s)
	}
	for i := range s.Record.Items {
		if it := &s.Record.Items[i]; it.Path == item || it.Ref() == item {
			return e.SnapshotBlob(ctx, s, it)
		}
	}
	return nil, &hintError{fmt.Errorf("snapshot %.12s has no item %s", s.ID, item), "satchel snapshot why " + s.ID[:12] + " " + item}
}

func (a *app) snapshotWhyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why ID PATH",
		Short: "Say why a path is in a snapshot, or why it was left out",
		Example: `  satchel snapshot why latest internal/proxy/proxy.go
  satchel snapshot why latest internal/auth --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				s, err := e.FindSnapshot(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				answer := s.Record.Why(args[1]) // items may be commands and URLs
				if path, err := a.rootPath(args[1]); err == nil && answer.Empty() {
					answer = s.Record.Why(path)
				}
				if asJSON {
					return a.writeJSON(answer)
				}
				return a.why(s, &answer)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	return cmd
}

func (a *app) why(s *engine.StoredSnapshot, answer *snapshot.Answer) error {
	l := listing{paint: style(a.color(a.env.StdoutTTY))}
	brief := len(answer.Items) > maxReasons
	for i := range answer.Items {
		it := &answer.Items[i]
		if brief {
			fmt.Fprintf(&l, "%s  %s, %s tokens, score %.2f\n", l.paint.path(render.Clean(it.Ref())), it.Detail, thousands(it.Tokens), it.Score.Value())
			continue
		}
		fmt.Fprintf(&l, "%s  %s, %s tokens, score %.2f\n", l.paint.path(render.Clean(it.Ref())), it.Detail, thousands(it.Tokens), it.Score.Value())
		if it.Role == snapshot.Pinned {
			l.WriteString("    it was asked for by name\n")
		}
		l.reasons(it.Score)
		what := "blob " + it.Blob
		switch {
		case it.Dirty:
			what += ", not committed then"
		case it.Commit != "":
			what += " of commit " + it.Commit
		}
		l.WriteString("    " + what + "\n")
	}
	for _, o := range answer.Omitted {
		fmt.Fprintf(&l, "%s  left out: %s", l.paint.path(render.Clean(o.Ref.String())), render.Clean(o.Why))
		if o.Score != 0 {
			fmt.Fprintf(&l, ", score %.2f", o.Score)
		}
		if o.Tokens > 0 {
			fmt.Fprintf(&l, ", about %s tokens", thousands(o.Tokens))
		}
		l.WriteString("\n")
	}
	for _, n := range answer.Notes {
		l.WriteString("note: " + render.Clean(n.Text) + "\n")
	}
	if brief && !a.settings.Quiet {
		a.say("note: satchel snapshot why %s %s gives the reasons of one of them", s.ID[:12], render.Clean(answer.Items[0].Ref()))
	}
	if l.Len() == 0 {
		return fmt.Errorf("snapshot %.12s says nothing about %s: it was not a candidate", s.ID, answer.Path)
	}
	_, err := a.out.Write(l.Bytes())
	return err
}

// maxReasons is the most items of one path whose reasons are shown together.
const maxReasons = 4

func (a *app) snapshotGCCommand() *cobra.Command {
	var older, size string
	var dry, asJSON bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Drop old snapshots, and what only they kept alive",
		Long: `Drop snapshots by age or size, and the references and packs that only they kept
alive. The bytes themselves go when git collects garbage the next time. Without
--older-than and --keep-bytes no snapshot is dropped.`,
		Example: `  satchel snapshot gc --older-than 30d --dry-run
  satchel snapshot gc --older-than 2026-01-31
  satchel snapshot gc --keep-bytes 500m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x := engine.SnapshotExpiry{DryRun: dry}
			var err error
			if older != "" {
				if x.Before, err = parseAge(older, a.env.now()); err != nil {
					return usagef("--older-than %s: %w", older, err)
				}
			}
			if size != "" {
				if x.Bytes, err = parseBytes(size); err != nil {
					return usagef("--keep-bytes %s: %w", size, err)
				}
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error { return a.expire(cmd.Context(), e, x, asJSON) })
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "", "drop those older than this `age`, such as 30d, 12h or a date")
	cmd.Flags().StringVar(&size, "keep-bytes", "", "drop the oldest until the rest name at most this many `bytes`, such as 500m")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	return cmd
}

func (a *app) expire(ctx context.Context, e *engine.Engine, x engine.SnapshotExpiry, asJSON bool) error {
	out, err := e.ExpireSnapshots(ctx, x)
	if err != nil {
		return err
	}
	if asJSON {
		if out.Dropped == nil {
			out.Dropped = []string{}
		}
		return a.writeJSON(struct {
			Version int  `json:"version"`
			DryRun  bool `json:"dry_run"`
			engine.SnapshotExpired
		}{1, x.DryRun, out})
	}
	for _, id := range out.Dropped {
		fmt.Fprintf(a.out, "%s\n", id)
	}
	if !a.settings.Quiet {
		verb := "dropped"
		if x.DryRun {
			verb = "would be dropped"
		}
		a.say("%s %s, %d kept, %s freed for git gc", plural(len(out.Dropped), "snapshot"), verb, out.Kept, bytesText(out.Freed))
	}
	return nil
}

func (a *app) snapshotExportCommand() *cobra.Command {
	var gitInternal bool
	var libra, output string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a snapshot for another program",
		Long: `Write a snapshot for another program. --git-internal writes the ContextSnapshot of
git-internal 0.8 as JSON; its readers know no lines, scores or omissions, so
those stay behind. --libra stores it in Libra's layout, as a commit on top of the
reference that is given. Otherwise the record is written as satchel keeps it.`,
		Example: `  satchel snapshot export latest
  satchel snapshot export --git-internal latest
  satchel snapshot export --libra refs/heads/libra/intent latest`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if gitInternal && libra != "" {
				return usagef("--git-internal and --libra are two forms; choose one")
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				s, err := e.FindSnapshot(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if libra != "" {
					id, err := e.ExportLibra(cmd.Context(), s, libra)
					if err == nil {
						fmt.Fprintf(a.out, "%s\n", id)
					}
					return err
				}
				text, err := exported(s, gitInternal)
				if err != nil {
					return err
				}
				text = append(text, '\n')
				if output == "" || output == "-" {
					_, err := a.out.Write(text)
					return err
				}
				return writeFile(a.fromHere(output), func(w io.Writer) error { _, err := w.Write(text); return err })
			})
		},
	}
	cmd.Flags().BoolVar(&gitInternal, "git-internal", false, "as git-internal's ContextSnapshot")
	cmd.Flags().StringVar(&libra, "libra", "", "as Libra's history, on this `reference`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this `file` instead of standard output")
	return cmd
}

func exported(s *engine.StoredSnapshot, gitInternal bool) ([]byte, error) {
	if !gitInternal {
		return s.Record.Canonical()
	}
	g, err := snapshot.GitInternal(s.Record, s.Taken)
	if err != nil {
		return nil, err
	}
	return g.Encode()
}

func (a *app) snapshotImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Store a snapshot that git-internal wrote",
		Long: `Store a snapshot that git-internal (0.4, 0.6, 0.7 or later) wrote as JSON. The
blobs that it names must be in this repository. - is standard input.`,
		Example: `  satchel snapshot export --git-internal latest | satchel snapshot import -`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.readInput(args[0], maxImport)
			if err != nil {
				return err
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				entry, fresh, err := e.ImportSnapshot(cmd.Context(), text, a.settings.Retention)
				if err != nil {
					return err
				}
				return a.taken(entry, fresh, false)
			})
		},
	}
	return cmd
}

// snapshotPack keeps a pack as it is about to be written, and says the
// snapshot's id. The text itself cannot name it, since the id is a hash of that
// text; JSON gets it in a place that is not hashed.
func (a *app) snapshotPack(ctx context.Context, e *engine.Engine, req satchel.Request, p *satchel.Pack, format render.Format) error {
	var text bytes.Buffer
	if err := render.Pack(&text, p, format); err != nil {
		return err
	}
	entry, _, err := e.Snapshot(ctx, req, p, text.Bytes(), a.env.now(), a.settings.Retention)
	if err != nil {
		return fmt.Errorf("--snapshot: %w", err)
	}
	if format == render.JSON {
		p.Snapshot = entry.ID
	}
	if !a.settings.Quiet {
		a.say("snapshot %s", entry.ID)
	}
	return nil
}

// maxImport is the longest JSON that is imported.
const maxImport = 256 << 20

// readInput reads a file that the user named, or standard input for "-".
func (a *app) readInput(name string, limit int64) ([]byte, error) {
	in, what := a.env.Stdin, "standard input"
	if name != "-" {
		what = name
		full := a.fromHere(name)
		fi, err := os.Stat(full)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, cause(err))
		}
		if !fi.Mode().IsRegular() {
			return nil, fmt.Errorf("read %s: not a regular file", name)
		}
		f, err := os.Open(full)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, cause(err))
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, cause(err))
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("read %s: it is larger than %s", what, bytesText(limit))
	}
	return text, nil
}

// takeFlags are what snapshot take takes.
type takeFlags struct {
	files, snippets, commands, urls, images []string
	summary                                 string
	json                                    bool
}

func (a *app) snapshotTakeCommand() *cobra.Command {
	var f takeFlags
	cmd := &cobra.Command{
		Use:   "take",
		Short: "Take a snapshot of items that you name",
		Long: `Take a snapshot of items that you name. Nothing is fetched and nothing is run: the
text of a page or the output of a command comes from a file that you have, or
from standard input for -.`,
		Example: `  satchel snapshot take --file internal/proxy/proxy.go --file README.md
  ls -l | satchel snapshot take --command "ls -l"=-
  satchel snapshot take --url https://example.com/bug=issue.md --summary "as reported"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			items, err := a.takings(&f)
			if err != nil {
				return err
			}
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				entry, fresh, err := e.TakeSnapshot(cmd.Context(), items, f.summary, a.env.now(), a.settings.Retention)
				if err != nil {
					return err
				}
				return a.taken(entry, fresh, f.json)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.files, "file", nil, "a `path` of the repository (repeatable)")
	fs.StringArrayVar(&f.snippets, "snippet", nil, "a text, as `LABEL=FILE` (repeatable)")
	fs.StringArrayVar(&f.commands, "command", nil, "the output of a command, as `COMMAND=FILE` (repeatable)")
	fs.StringArrayVar(&f.urls, "url", nil, "a page, as `URL=FILE` (repeatable)")
	fs.StringArrayVar(&f.images, "image", nil, "an image `file` (repeatable)")
	fs.StringVar(&f.summary, "summary", "", "say in a `line` what it is")
	fs.BoolVar(&f.json, "json", false, "write one JSON document")
	return cmd
}

// maxTaken is the largest item that is taken.
const maxTaken = 64 << 20

// takings reads the items that the flags name.
func (a *app) takings(f *takeFlags) ([]engine.Taking, error) {
	var out []engine.Taking
	for _, name := range f.files {
		p, err := a.rootPath(name)
		if err != nil {
			return nil, err
		}
		out = append(out, engine.Taking{Kind: snapshot.KindFile, Name: p})
	}
	for _, group := range []struct {
		kind  snapshot.Kind
		flag  string
		names []string
	}{{snapshot.KindSnippet, "snippet", f.snippets}, {snapshot.KindCommand, "command", f.commands}, {snapshot.KindURL, "url", f.urls}} {
		for _, arg := range group.names {
			i := strings.LastIndex(arg, "=") // labels hold more of them than file names do
			if i <= 0 || i == len(arg)-1 {
				return nil, usagef("--%s %s: want NAME=FILE", group.flag, arg)
			}
			data, err := a.readInput(arg[i+1:], maxTaken)
			if err != nil {
				return nil, err
			}
			out = append(out, engine.Taking{Kind: group.kind, Name: arg[:i], Data: data})
		}
	}
	for _, name := range f.images {
		data, err := a.readInput(name, maxTaken)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(snapshot.Mime(data), "image/") {
			return nil, fmt.Errorf("--image %s: it is %s, not an image", name, snapshot.Mime(data))
		}
		out = append(out, engine.Taking{Kind: snapshot.KindImage, Name: a.imageName(name), Data: data})
	}
	if len(out) == 0 {
		return nil, usagef("name something to take: --file, --snippet, --command, --url or --image")
	}
	return out, nil
}

// imageName is the path in the repository of an image, or its file name.
func (a *app) imageName(name string) string {
	if rel, ok := below(config.Root(a.dir), a.fromHere(name)); ok {
		return rel
	}
	return filepath.Base(name)
}

// taken tells which snapshot was taken.
func (a *app) taken(e engine.SnapshotEntry, fresh, asJSON bool) error {
	if asJSON {
		return a.writeJSON(struct {
			Version int  `json:"version"`
			Fresh   bool `json:"fresh"`
			engine.SnapshotEntry
		}{1, fresh, e})
	}
	if !fresh && !a.settings.Quiet {
		a.say("note: an equal snapshot was taken at %s", e.Taken.Format(time.RFC3339))
	}
	fmt.Fprintf(a.out, "%s\n", e.ID)
	return nil
}
