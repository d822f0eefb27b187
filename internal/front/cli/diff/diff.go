// Package diff has the command diff: a change, its most relevant files first.
package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/iris"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An app is one run of a command.
type app struct{ *base.App }

// diffFlags are the flags of diff that do not go into the request as they are.
type diffFlags struct {
	staged, unstaged, untracked bool
	patch                       string
	base.FilterFlags
	split  int
	format string
	copy   bool
}

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var q engine.DiffRequest
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff [RANGE] [PATH]...",
		Short: "Show what changed, most relevant first",
		Long: `Show what changed, most relevant first, with the reasons for each score. By
default, it shows the staged changes, or the work tree if nothing is staged. A RANGE
is as in git: A..B, A...B, A^!, or A for the work tree against A. An existing PATH
limits the diff to it; after --, every argument is a path. With --budget, the diff
shows the hunks that matter most and lists the rest; --cursor shows the next part.
Without --budget, lock files and the like take one line each.`,
		Example: `  satchel diff
  satchel diff --commit HEAD
  satchel diff HEAD~1 --budget 8k`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if q.Range, q.Files, err = a.ChangeArguments(cmd, args); err != nil {
				return err
			}
			if f.split == 0 && cmd.Flags().Changed("split") {
				f.split = -1 // which is refused
			}
			q.JSON = a.JSON
			return a.diff(cmd.Context(), q, &f)
		},
	}
	a.diffFlags(cmd.Flags(), &q, &f)
	return cmd
}

// diffFlags adds the flags of diff, in the order of its help.
func (a *app) diffFlags(fs *pflag.FlagSet, q *engine.DiffRequest, f *diffFlags) {
	fs.StringVar(&q.Base, "base", "", "show the changes of HEAD since it left this `branch`")
	fs.StringVar(&q.Commit, "commit", "", "show what this `commit` changed; for a merge, what it brought")
	fs.BoolVar(&f.staged, "staged", false, "show what the next commit changes")
	fs.BoolVar(&f.unstaged, "unstaged", false, "show unstaged changes; with --staged, both")
	fs.BoolVar(&f.untracked, "untracked", false, "show files that git does not track")
	fs.StringVar(&f.patch, "patch", "", "read a patch from this `file`; - is standard input")
	fs.StringVar(&q.Detail, "detail", "", "`level`: summary or standard; --budget implies standard")
	f.FilterFlags.Add(fs)
	fs.StringVar(&q.Task, "task", "", "also score relevance to this `task`")
	fs.StringVar(&q.Cursor, "cursor", "", "continue after a call that ended with this `text`")
	fs.IntVar(&f.split, "split", 0, "group files into `n` tasks for parallel reading, 1 to "+strconv.Itoa(engine.MostTasks))
	fs.StringVarP(&f.format, "format", "f", base.FormatText, "output `format`: text, or md for a pull request page")
	fs.BoolVar(&q.Debug, "debug", false, "show how each score is computed")
	fs.BoolVar(&f.copy, "copy", false, base.CopyUse)
	a.JSONFlag(fs)
	a.SettingFlags(fs, []string{"budget", "model"})
	fs.Lookup("budget").Usage = "token limit: 16k, 40%, 200000 or auto (default no limit)"
	a.SettingFlags(fs, base.ReadSettings)
}

func (a *app) diff(ctx context.Context, q engine.DiffRequest, f *diffFlags) error {
	if err := a.diffRequest(ctx, &q, f); err != nil {
		return err
	}
	if f.patch != "" {
		in, err := a.patch(f.patch)
		if err != nil {
			return err
		}
		defer in.Close()
		q.Patch = in
	}
	if a.Getenv("GOMEMLIMIT")+a.Getenv("GOGC") == "" {
		// A changeset of 100 MB is held whole, but not twice, garbage included; most
		// are so small that collecting garbage would take more time than it saves.
		debug.SetGCPercent(diffGarbage)
		debug.SetMemoryLimit(diffMemory)
	}

	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if f.split != 0 {
		if f.copy {
			return base.Usagef("--split and --copy contradict each other")
		}
		return a.split(ctx, e, q, f.split)
	}
	d, err := e.Diff(ctx, q)
	if err != nil {
		var overflow *satchel.OverflowError
		if errors.As(err, &overflow) {
			return base.PackTooSmall(overflow, 0, 0)
		}
		return err
	}
	a.Diagnostics(e.Index().Diagnostics())
	return a.writeDiff(ctx, d, &q, f)
}

// diffRequest makes the request of the flags.
func (a *app) diffRequest(ctx context.Context, q *engine.DiffRequest, f *diffFlags) error {
	if err := a.diffSource(q, f); err != nil {
		return err
	}
	q.Profile = iris.ByName(a.Settings.DiffProfile)
	if q.Detail != "" && q.Detail != engine.DiffSummary && q.Detail != engine.DiffStandard {
		return base.Usagef("--detail %s: want summary or standard", q.Detail)
	}
	switch {
	case f.format != base.FormatText && f.format != base.FormatMD:
		return base.Usagef("--format %s: want text or md", f.format)
	case f.format == base.FormatMD && (q.Detail == engine.DiffStandard || q.JSON || q.Debug || f.split != 0 || q.Cursor != "" || len(a.Given["budget"]) > 0 || q.Profile != nil):
		return base.Usagef("--format md summarizes a whole change: omit --detail, --budget, --cursor, --split, --debug, --json and the setting diff-profile")
	}
	if f.patch == "-" && f.FilesFrom == "-" {
		return base.ErrTwoReaders
	}
	only, err := a.Filter(ctx, &f.FilterFlags)
	if err != nil {
		return err
	}
	q.Files, q.Include = slices.Concat(q.Files, only.Paths), only.Include
	a.Diagnostics(only.Diags)
	if len(a.Given["budget"]) > 0 {
		if q.Budget, _, err = a.Settings.Limit(); err != nil {
			return base.Usagef("--budget: %w", err)
		}
	}
	return nil
}

// patch opens the file of --patch.
func (a *app) patch(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.Env.Stdin), nil
	}
	file, err := os.Open(a.FromHere(name))
	if err != nil {
		return nil, fmt.Errorf("--patch %s: %w", name, fsx.Cause(err))
	}
	return file, nil
}

// writeDiff writes a diff to standard output or the clipboard.
func (a *app) writeDiff(ctx context.Context, d *render.Diff, q *engine.DiffRequest, f *diffFlags) error {
	copied := func(text string) error {
		return a.Copy(ctx, []byte(text), render.Plural(len(d.Report.Files), "changed file"))
	}
	if q.JSON {
		text, _, err := render.DiffJSON(d)
		if err != nil {
			return err
		}
		if f.copy {
			return copied(text)
		}
		_, err = a.Out.WriteString(text)
		return err
	}

	a.Diagnostics(d.Report.Diagnostics)
	if q.Source == "" && d.Report.Source == string(git.SourceStaged) {
		a.Remark("note: only staged changes are shown; satchel diff HEAD shows all changes")
	}
	if len(d.Report.Files) == 0 {
		a.Remark("nothing changed")
		return nil
	}
	text := render.DiffText(d)
	if f.format == base.FormatMD {
		text = render.DiffMarkdown(d)
	}
	if f.copy {
		return copied(text)
	}
	if f.format == base.FormatText && a.Color(a.Env.StdoutTTY) {
		text = render.PaintDiff(text)
	}
	return a.Page([]byte(text))
}

// diffMemory is from how many bytes on a diff prefers collecting garbage to
// taking more memory, and diffGarbage how much of it may lie around before, in
// percent of what is in use.
const (
	diffMemory  = 288 << 20
	diffGarbage = 400
)

// diffSource reads the flags that say what to compare.
func (a *app) diffSource(q *engine.DiffRequest, f *diffFlags) error {
	switch {
	case f.staged && f.unstaged:
		q.Source = "worktree"
	case f.staged:
		q.Source = "staged"
	case f.unstaged:
		q.Source = "unstaged"
	case f.untracked:
		q.Source = "untracked"
	}
	switch {
	case base.CountSet(q.Range, q.Commit, q.Base, q.Source, f.patch) > 1:
		return base.Usagef("more than one comparison is given")
	case f.untracked && (f.staged || f.unstaged):
		return base.Usagef("--untracked cannot be combined with another comparison")
	}
	return nil
}

// split writes the tasks of a changeset.
func (a *app) split(ctx context.Context, e *engine.Engine, q engine.DiffRequest, n int) error {
	if n < 1 || n > engine.MostTasks {
		return base.Usagef("--split: want 1 to %d tasks", engine.MostTasks)
	}
	s, err := e.Split(ctx, q, n)
	if err != nil {
		return err
	}
	a.Diagnostics(e.Index().Diagnostics())
	if q.JSON {
		return a.WriteJSON(s)
	}
	a.Diagnostics(s.Diagnostics)
	paint := base.Brush(a.Color(a.Env.StdoutTTY))
	var b strings.Builder
	for i := range s.Tasks {
		t := &s.Tasks[i]
		fmt.Fprintf(&b, "%s\n", paint.Bold(fmt.Sprintf("%d. %s", i+1, clean.Inline(t.Title))))
		fmt.Fprintf(&b, "   %s, +%d -%d, %s tokens\n", render.Plural(len(t.Files), "file"), t.Added, t.Removed, render.Thousands(t.Budget))
		for _, name := range t.Files {
			fmt.Fprintf(&b, "   %s\n", paint.Path(clean.Inline(name)))
		}
	}
	return a.Page([]byte(b.String()))
}

func Documents() []schema.Document {
	return []schema.Document{
		{Name: "diff", Version: 3, What: "A change, its most relevant files first", Writers: []string{"diff"}, Type: render.DiffDocument()},
		schema.Writes[engine.Split]("diff-split", 2, "A change split into tasks", "diff --split"),
	}
}
