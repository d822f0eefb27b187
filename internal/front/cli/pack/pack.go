// Package pack has the command pack: the context that a task needs.
package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

// packFlags are the flags of pack that are not settings.
type packFlags struct {
	task     string
	taskFile string
	rev      string
	diff     string
	pins     []string
	edit     []string
	base.FilterFlags
	seen   string
	output string
	copy   bool

	explainExclusions bool
}

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var f packFlags
	cmd := &cobra.Command{
		Use:   "pack [TASK] [PATH]...",
		Short: "Write the context that a task needs, within a token budget",
		Long: `Write the context that a task needs, within a token budget. The pack lists the
likely files, shows the code and documents that matter most, and ends with a
receipt of what was left out. An existing PATH limits the pack to it; all other
words are the task. Without a task, the pack shows the most important parts of the
repository. The budget covers every token of the output. The URL of a git host, as
the only argument, is cloned into your cache folder and packed.`,
		Example: `  satchel pack "login times out behind a proxy" --budget 16k
  satchel pack "rename the config keys" --model claude-sonnet-4-5 --budget 5%
  satchel pack --diff HEAD~1 --budget 8k`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("task") && strings.TrimSpace(f.task) == "" {
				return errEmptyTask
			}
			return a.pack(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	a.SettingFlags(fs, []string{"budget", "model", "format", "detail", "snapshot"})
	fs.StringVar(&f.task, "task", "", "the task, for `words` that look like a path or a flag")
	fs.StringVar(&f.taskFile, "task-file", "", "read the task from this `file`; - is standard input")
	fs.StringVar(&f.rev, "rev", "", "read this `revision` instead of the work tree")
	fs.StringVar(&f.diff, "diff", "", "pack this `range` of changes, with context for a reviewer")
	fs.StringArrayVar(&f.pins, "pin", nil, "always show this `path` (repeatable)")
	fs.StringArrayVar(&f.edit, "edit", nil, "show `paths` to edit, with callers (repeatable, or a,b)")
	fs.StringVar(&f.seen, "seen", "", "leave out lines in the window of this `session`, or latest")
	f.FilterFlags.Add(fs)
	fs.BoolVar(&f.explainExclusions, "explain-exclusions", false, "list each left-out path with its rule, and pack nothing")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	fs.BoolVar(&f.copy, "copy", false, base.CopyUse)
	fs.BoolVar(&a.JSON, "json", false, "the same as --format json")
	a.SettingFlags(fs, base.ReadSettings)
	return cmd
}

func (a *app) pack(ctx context.Context, f *packFlags, args []string) error {
	args, err := a.arguments(ctx, f, args)
	if err != nil {
		return err
	}
	format, err := a.packFormat()
	if err != nil {
		return err
	}
	if f.explainExclusions {
		if len(args) > 0 || f.task != "" || f.taskFile != "" || f.diff != "" || len(f.edit)+len(f.pins) > 0 || f.output != "" || f.copy {
			return base.Usagef("--explain-exclusions packs nothing: it takes only --rev, --json and filters such as --path")
		}
		return a.explainExclusions(ctx, f)
	}
	req, err := a.packRequest(ctx, f, args)
	if err != nil {
		return err
	}

	e, err := a.OpenProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := a.Limit(&req); err != nil {
		return err
	}
	p, err := e.Pack(ctx, req)
	if err != nil {
		var overflow *satchel.OverflowError
		if errors.As(err, &overflow) {
			return base.PackTooSmall(overflow, len(req.Pinned)+len(req.Edit), a.pinnedContext(ctx, e))
		}
		return a.ScopeError(err, &f.FilterFlags)
	}
	a.Diagnostics(e.Index().Diagnostics())
	a.NamePlace(p, &req)
	if a.Settings.Snapshot {
		if err := a.snapshotPack(ctx, e, req, p, format); err != nil {
			return err
		}
	}
	if err := a.writePack(ctx, f, p, format); err != nil {
		return err
	}
	if a.Settings.Quiet {
		return nil
	}
	if f.diff != "" && p.ChangesNothing() {
		a.Say("nothing changed")
	}
	a.Bar.Clear()
	return render.Summary(a.Env.Stderr, p, a.Color(a.Env.StderrTTY))
}

// packFormat is the format that the flags and settings ask for.
func (a *app) packFormat() (render.Format, error) {
	c := &a.Settings.Config
	if a.JSON {
		if given := a.Given["format"]; len(given) > 0 && given[len(given)-1] != "json" {
			return "", base.Usagef("--json and --format %s contradict each other", c.Format)
		}
		c.Format = "json"
	}
	format, err := render.ParseFormat(c.Format)
	if err != nil {
		return "", base.Usagef("--format: %w", err)
	}
	return format, nil
}

// packRequest makes the request of the flags, the arguments and the settings, but
// for its budget.
func (a *app) packRequest(ctx context.Context, f *packFlags, args []string) (req satchel.Request, err error) {
	c := &a.Settings.Config
	detail, err := satchel.ParseDetail(c.Detail)
	if err != nil {
		return req, base.Usagef("--detail: %w", err)
	}
	if f.taskFile == "-" && f.FilesFrom == "-" {
		return req, base.ErrTwoReaders
	}
	task, err := a.task(ctx, f, args)
	if err != nil {
		return req, err
	}
	if f.rev != "" && f.diff != "" {
		return req, base.Usagef("--rev and --diff contradict each other: a range has its own revision")
	}
	if len(f.edit) > 0 && f.diff != "" {
		return req, base.Usagef("--edit and --diff contradict each other: a change is reviewed, not edited")
	}
	req = satchel.Request{Task: task, Rev: f.rev, Changes: f.diff, Detail: detail, Format: c.Format, With: config.Names(c.With), Fill: c.Fill}
	req.Documents = a.linkedDocuments(task)
	if f.seen != "" {
		if req.Seen, err = a.SessionPath([]string{f.seen}); err != nil {
			return req, err
		}
		if req.Seen == base.StdinSession {
			return req, base.Usagef("--seen - is not supported: name the file of a session, or latest")
		}
	}
	if req.Pinned, err = a.RootPaths(f.pins); err != nil {
		return req, err
	}
	if req.Edit, err = a.EditPaths(f.edit); err != nil {
		return req, err
	}
	only, err := a.Filter(ctx, &f.FilterFlags)
	if err != nil {
		return req, err
	}
	req.Paths, req.Include = only.Paths, only.Include
	a.Diagnostics(only.Diags)
	return req, nil
}

// task returns the task from the argument or the file; "" means none.
func (a *app) task(ctx context.Context, f *packFlags, args []string) (string, error) {
	switch {
	case len(args) > 0 && f.task != "":
		return "", base.Usagef("the task is given twice: as an argument and as --task")
	case len(args) > 0 && f.taskFile != "":
		return "", base.Usagef("the task is given twice: as an argument and as --task-file")
	case len(args) > 0 && strings.TrimSpace(strings.Join(args, " ")) == "":
		return "", errEmptyTask
	case len(args) > 0:
		return strings.ToValidUTF8(strings.Join(args, " "), "\uFFFD"), nil
	}
	return a.GivenTask(ctx, f.task, f.taskFile)
}

// writePack writes the pack to the file, to the clipboard or to standard output,
// where a terminal shows it in colours and page by page.
func (a *app) writePack(ctx context.Context, f *packFlags, p *satchel.Pack, format render.Format) error {
	if f.output != "" && f.output != "-" {
		if err := base.WriteFile(a.FromHere(f.output), func(w io.Writer) error { return render.Pack(w, p, format) }); err != nil || !f.copy {
			return err
		}
	}
	if !f.copy && !a.Env.StdoutTTY {
		if err := render.Pack(a.Out, p, format); err != nil {
			return fmt.Errorf("write standard output: %w", fsx.Cause(err))
		}
		return a.Flush()
	}
	var b bytes.Buffer
	if err := render.Pack(&b, p, format); err != nil {
		return err
	}
	if f.copy {
		return a.Copy(ctx, b.Bytes(), render.Plural(p.Used, "token"))
	}
	if format == render.JSON {
		_, err := a.Out.Write(b.Bytes())
		return err
	}
	return a.Page([]byte(base.Brush(a.Color(true)).Pack(b.String(), format)))
}

// pinnedContext returns the number of context files that are in every pack. It is for
// error messages, and ignores errors of its own.
func (a *app) pinnedContext(ctx context.Context, e *engine.Engine) (n int) {
	c, err := e.Context().List(ctx)
	if err != nil {
		return 0
	}
	for i := range c.Files {
		if c.Files[i].Pinned {
			n++
		}
	}
	return n
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[exclusionsResult]("exclusions", 2, "The paths that packs leave out, and the rules", "pack --explain-exclusions"),
		schema.Writes[satchel.Pack]("pack", satchel.PackVersion, "The context that a task needs", "pack"),
	}
}

// linkedDocuments is Documents for a task that may link to documents. Linked documents of
// this repository are a separate source.
func (a *app) linkedDocuments(task string) *satchel.Documents {
	c := a.Settings
	links := !c.NoDocsLinks && len(document.Links(task)) > 0
	d := a.Documents(links)
	if d != nil && c.Docs == 0 {
		d.IfLinked = true
	}
	return d
}

// snapshotPack stores a pack as it will be written, and prints the id of the snapshot. The
// text cannot contain the id, which is a hash of it; in JSON, the id is in a key that is
// not hashed.
func (a *app) snapshotPack(ctx context.Context, e *engine.Engine, req satchel.Request, p *satchel.Pack, format render.Format) error {
	var text bytes.Buffer
	if err := render.Pack(&text, p, format); err != nil {
		return err
	}
	entry, _, err := e.Snapshots().Keep(ctx, req, p, text.Bytes(), a.Now(), a.Settings.Retention)
	if err != nil {
		return fmt.Errorf("--snapshot: %w", err)
	}
	if format == render.JSON {
		p.Snapshot = entry.ID
	}
	a.Remark("snapshot %s", entry.ID)
	return nil
}
