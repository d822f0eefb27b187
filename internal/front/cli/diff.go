package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/iris"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// diffFlags are the flags of diff that do not go into the request as they are.
type diffFlags struct {
	staged, unstaged, untracked bool
	patch                       string
	filterFlags
	split  int
	format string
	copy   bool
}

func (a *app) diffCommand() *cobra.Command {
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
			if q.Range, q.Files, err = a.changeArguments(cmd, args); err != nil {
				return err
			}
			if f.split == 0 && cmd.Flags().Changed("split") {
				f.split = -1 // which is refused
			}
			q.JSON = a.json
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
	f.filterFlags.add(fs)
	fs.StringVar(&q.Task, "task", "", "also score relevance to this `task`")
	fs.StringVar(&q.Cursor, "cursor", "", "continue after a call that ended with this `text`")
	fs.IntVar(&f.split, "split", 0, "group files into `n` tasks for parallel reading, 1 to "+strconv.Itoa(engine.MostTasks))
	fs.StringVarP(&f.format, "format", "f", formatText, "output `format`: text, or md for a pull request page")
	fs.BoolVar(&q.Debug, "debug", false, "show how each score is computed")
	fs.BoolVar(&f.copy, "copy", false, copyUse)
	a.jsonFlag(fs)
	a.settingFlags(fs, []string{"budget", "model"})
	fs.Lookup("budget").Usage = "token limit: 16k, 40%, 200000 or auto (default no limit)"
	a.settingFlags(fs, readSettings)
}

// changeArguments splits arguments into a range and paths, as git diff does: paths
// begin behind --, or else at the first argument that exists and is not a revision.
func (a *app) changeArguments(cmd *cobra.Command, args []string) (span string, paths []string, err error) {
	at := cmd.ArgsLenAtDash()
	if at < 0 && a.existing(".git") != "" { // a bare repository has no paths
		at = slices.IndexFunc(args, func(arg string) bool { return arg != "" && a.existingHere(arg) != "" })
		if at >= 0 && a.isRevision(cmd.Context(), args[at]) {
			return "", nil, &usageError{fmt.Errorf("%s is both a revision and a path", args[at]), "put -- before a path, or after a revision"}
		}
	}
	if at < 0 {
		at = len(args)
	}
	switch {
	case at > 0 && args[0] == "":
		return "", nil, usagef("the range is empty")
	case at > 1:
		return "", nil, &usageError{fmt.Errorf("%s takes one range, got %d", cmd.CommandPath(), at),
			args[0] + ".." + args[1] + " compares two revisions; put -- before paths that do not exist"}
	}
	for _, arg := range args[at:] {
		paths = append(paths, cmp.Or(a.existingHere(arg), arg))
	}
	paths, err = a.filterPaths(paths)
	return strings.Join(args[:at], ""), paths, err
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
	if a.getenv("GOMEMLIMIT")+a.getenv("GOGC") == "" {
		// A changeset of 100 MB is held whole, but not twice, garbage included; most
		// are so small that collecting garbage would take more time than it saves.
		debug.SetGCPercent(diffGarbage)
		debug.SetMemoryLimit(diffMemory)
	}

	e, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if f.split != 0 {
		if f.copy {
			return usagef("--split and --copy contradict each other")
		}
		return a.split(ctx, e, q, f.split)
	}
	d, err := e.Diff(ctx, q)
	if err != nil {
		var overflow *satchel.OverflowError
		if errors.As(err, &overflow) {
			return packTooSmall(overflow, 0, 0)
		}
		return err
	}
	a.diagnostics(e.Index().Diagnostics())
	return a.writeDiff(ctx, d, &q, f)
}

// diffRequest makes the request of the flags.
func (a *app) diffRequest(ctx context.Context, q *engine.DiffRequest, f *diffFlags) error {
	if err := a.diffSource(q, f); err != nil {
		return err
	}
	q.Profile = iris.ByName(a.settings.DiffProfile)
	if q.Detail != "" && q.Detail != engine.DiffSummary && q.Detail != engine.DiffStandard {
		return usagef("--detail %s: want summary or standard", q.Detail)
	}
	switch {
	case f.format != formatText && f.format != formatMD:
		return usagef("--format %s: want text or md", f.format)
	case f.format == formatMD && (q.Detail == engine.DiffStandard || q.JSON || q.Debug || f.split != 0 || q.Cursor != "" || len(a.given["budget"]) > 0 || q.Profile != nil):
		return usagef("--format md summarizes a whole change: omit --detail, --budget, --cursor, --split, --debug, --json and the setting diff-profile")
	}
	if f.patch == "-" && f.filesFrom == "-" {
		return errTwoReaders
	}
	only, err := a.filter(ctx, &f.filterFlags)
	if err != nil {
		return err
	}
	q.Files, q.Include = slices.Concat(q.Files, only.paths), only.include
	a.diagnostics(only.diags)
	if len(a.given["budget"]) > 0 {
		if q.Budget, _, err = a.settings.Limit(); err != nil {
			return usagef("--budget: %w", err)
		}
	}
	return nil
}

// patch opens the file of --patch.
func (a *app) patch(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.env.Stdin), nil
	}
	file, err := os.Open(a.fromHere(name))
	if err != nil {
		return nil, fmt.Errorf("--patch %s: %w", name, fsx.Cause(err))
	}
	return file, nil
}

// writeDiff writes a diff to standard output or the clipboard.
func (a *app) writeDiff(ctx context.Context, d *render.Diff, q *engine.DiffRequest, f *diffFlags) error {
	copied := func(text string) error {
		return a.copy(ctx, []byte(text), render.Plural(len(d.Report.Files), "changed file"))
	}
	if q.JSON {
		text, _, err := render.DiffJSON(d)
		if err != nil {
			return err
		}
		if f.copy {
			return copied(text)
		}
		_, err = a.out.WriteString(text)
		return err
	}

	a.diagnostics(d.Report.Diagnostics)
	if q.Source == "" && d.Report.Source == string(git.SourceStaged) {
		a.remark("note: only staged changes are shown; satchel diff HEAD shows all changes")
	}
	if len(d.Report.Files) == 0 {
		a.remark("nothing changed")
		return nil
	}
	text := render.DiffText(d)
	if f.format == formatMD {
		text = render.DiffMarkdown(d)
	}
	if f.copy {
		return copied(text)
	}
	if f.format == formatText && a.color(a.env.StdoutTTY) {
		text = render.PaintDiff(text)
	}
	return a.page([]byte(text))
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
	case countSet(q.Range, q.Commit, q.Base, q.Source, f.patch) > 1:
		return usagef("more than one comparison is given")
	case f.untracked && (f.staged || f.unstaged):
		return usagef("--untracked cannot be combined with another comparison")
	}
	return nil
}

// filterPaths returns paths and patterns relative to the root, from lists with
// commas between them.
func (a *app) filterPaths(lists []string) ([]string, error) {
	names, err := a.splitPatterns(lists)
	if err != nil {
		return nil, usagef("%w", err)
	}
	return a.scopePaths(names)
}

// split writes the tasks of a changeset.
func (a *app) split(ctx context.Context, e *engine.Engine, q engine.DiffRequest, n int) error {
	if n < 1 || n > engine.MostTasks {
		return usagef("--split: want 1 to %d tasks", engine.MostTasks)
	}
	s, err := e.Split(ctx, q, n)
	if err != nil {
		return err
	}
	a.diagnostics(e.Index().Diagnostics())
	if q.JSON {
		return a.writeJSON(s)
	}
	a.diagnostics(s.Diagnostics)
	paint := brush(a.color(a.env.StdoutTTY))
	var b strings.Builder
	for i := range s.Tasks {
		t := &s.Tasks[i]
		fmt.Fprintf(&b, "%s\n", paint.bold(fmt.Sprintf("%d. %s", i+1, clean.Inline(t.Title))))
		fmt.Fprintf(&b, "   %s, +%d -%d, %s tokens\n", render.Plural(len(t.Files), "file"), t.Added, t.Removed, thousands(t.Budget))
		for _, name := range t.Files {
			fmt.Fprintf(&b, "   %s\n", paint.path(clean.Inline(name)))
		}
	}
	return a.page([]byte(b.String()))
}
