package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/render"
)

// packFlags are the flags of pack that are not settings.
type packFlags struct {
	task     string
	taskFile string
	rev      string
	diff     string
	pins     []string
	edit     []string
	filterFlags
	seen   string
	output string
	copy   bool

	explainExclusions bool
}

func (a *app) packCommand() *cobra.Command {
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
	cmd.SetFlagErrorFunc(dashedTask)
	fs := cmd.Flags()
	a.settingFlags(fs, []string{"budget", "model", "format", "detail", "snapshot"})
	fs.StringVar(&f.task, "task", "", "the task, for `words` that look like a path or a flag")
	fs.StringVar(&f.taskFile, "task-file", "", "read the task from this `file`; - is standard input")
	fs.StringVar(&f.rev, "rev", "", "read this `revision` instead of the work tree")
	fs.StringVar(&f.diff, "diff", "", "pack this `range` of changes, with context for a reviewer")
	fs.StringArrayVar(&f.pins, "pin", nil, "always show this `path` (repeatable)")
	fs.StringArrayVar(&f.edit, "edit", nil, "show `paths` to edit, with callers (repeatable, or a,b)")
	fs.StringVar(&f.seen, "seen", "", "leave out lines in the window of this `session`, or latest")
	f.filterFlags.add(fs)
	fs.BoolVar(&f.explainExclusions, "explain-exclusions", false, "list each left-out path with its rule, and pack nothing")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	fs.BoolVar(&f.copy, "copy", false, copyUse)
	fs.BoolVar(&a.json, "json", false, "the same as --format json")
	a.settingFlags(fs, readSettings)
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
			return usagef("--explain-exclusions packs nothing: it takes only --rev, --json and filters such as --path")
		}
		return a.explainExclusions(ctx, f)
	}
	req, err := a.packRequest(ctx, f, args)
	if err != nil {
		return err
	}

	e, err := a.openProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := a.limit(&req); err != nil {
		return err
	}
	p, err := e.Pack(ctx, req)
	if err != nil {
		var overflow *satchel.OverflowError
		if errors.As(err, &overflow) {
			return packTooSmall(overflow, len(req.Pinned)+len(req.Edit), a.pinnedContext(ctx, e))
		}
		return a.scopeError(err, &f.filterFlags)
	}
	a.diagnostics(e.Index().Diagnostics())
	a.namePlace(p, &req)
	if a.settings.Snapshot {
		if err := a.snapshotPack(ctx, e, req, p, format); err != nil {
			return err
		}
	}
	if err := a.writePack(ctx, f, p, format); err != nil {
		return err
	}
	if a.settings.Quiet {
		return nil
	}
	if f.diff != "" && p.ChangesNothing() {
		a.say("nothing changed")
	}
	a.bar.clear()
	return render.Summary(a.env.Stderr, p, a.color(a.env.StderrTTY))
}

// packFormat is the format that the flags and settings ask for.
func (a *app) packFormat() (render.Format, error) {
	c := &a.settings.Config
	if a.json {
		if given := a.given["format"]; len(given) > 0 && given[len(given)-1] != "json" {
			return "", usagef("--json and --format %s contradict each other", c.Format)
		}
		c.Format = "json"
	}
	format, err := render.ParseFormat(c.Format)
	if err != nil {
		return "", usagef("--format: %w", err)
	}
	return format, nil
}

// packRequest makes the request of the flags, the arguments and the settings, but
// for its budget.
func (a *app) packRequest(ctx context.Context, f *packFlags, args []string) (req satchel.Request, err error) {
	c := &a.settings.Config
	detail, err := satchel.ParseDetail(c.Detail)
	if err != nil {
		return req, usagef("--detail: %w", err)
	}
	if f.taskFile == "-" && f.filesFrom == "-" {
		return req, errTwoReaders
	}
	task, err := a.task(ctx, f, args)
	if err != nil {
		return req, err
	}
	if f.rev != "" && f.diff != "" {
		return req, usagef("--rev and --diff contradict each other: a range has its own revision")
	}
	if len(f.edit) > 0 && f.diff != "" {
		return req, usagef("--edit and --diff contradict each other: a change is reviewed, not edited")
	}
	req = satchel.Request{Task: task, Rev: f.rev, Changes: f.diff, Detail: detail, Format: c.Format, With: config.Names(c.With), Fill: c.Fill}
	req.Documents = a.linkedDocuments(task)
	if f.seen != "" {
		if req.Seen, err = a.sessionPath([]string{f.seen}); err != nil {
			return req, err
		}
		if req.Seen == stdinSession {
			return req, usagef("--seen - is not supported: name the file of a session, or latest")
		}
	}
	if req.Pinned, err = a.rootPaths(f.pins); err != nil {
		return req, err
	}
	if req.Edit, err = a.editPaths(f.edit); err != nil {
		return req, err
	}
	only, err := a.filter(ctx, &f.filterFlags)
	if err != nil {
		return req, err
	}
	req.Paths, req.Include = only.paths, only.include
	a.diagnostics(only.diags)
	return req, nil
}

// maxTask is the longest task that is read. It is far more than is used: an
// issue with its logs has some thousand words.
const maxTask = 4 << 20

// task returns the task from the argument or the file; "" means none.
func (a *app) task(ctx context.Context, f *packFlags, args []string) (string, error) {
	switch {
	case len(args) > 0 && f.task != "":
		return "", usagef("the task is given twice: as an argument and as --task")
	case len(args) > 0 && f.taskFile != "":
		return "", usagef("the task is given twice: as an argument and as --task-file")
	case len(args) > 0 && strings.TrimSpace(strings.Join(args, " ")) == "":
		return "", errEmptyTask
	case len(args) > 0:
		return strings.ToValidUTF8(strings.Join(args, " "), "\uFFFD"), nil
	}
	return a.givenTask(ctx, f.task, f.taskFile)
}

// givenTask returns the task that a flag gives, or a file; "" means none.
func (a *app) givenTask(ctx context.Context, words, file string) (string, error) {
	switch {
	case words != "" && file != "":
		return "", usagef("the task is given twice: as --task and as --task-file")
	case file == "":
		return strings.ToValidUTF8(words, "\uFFFD"), nil
	}
	text, err := a.readText(ctx, file)
	if err != nil {
		return "", fmt.Errorf("task file: %w", err)
	}
	return taskText("task file: read "+file, text)
}

// taskText returns the task that a file or a command gave.
func taskText(what string, text []byte) (string, error) {
	switch {
	case len(text) > maxTask:
		return "", fmt.Errorf("%s: more than %d bytes", what, maxTask)
	case bytes.IndexByte(text, 0) >= 0:
		return "", fmt.Errorf("%s: not text", what)
	case len(bytes.TrimSpace(text)) == 0:
		return "", &hintError{fmt.Errorf("%s: empty", what), "omit it to pack without a task"}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

// limit sets the budget of a request by the settings.
func (a *app) limit(req *satchel.Request) error {
	limit, err := budget.Parse(a.settings.Budget)
	if err != nil {
		return usagef("--budget: %w", err)
	}
	if limit.NeedsWindow() && a.settings.Model == "" {
		return &usageError{
			fmt.Errorf("--budget %s is a share of a model's window, but no model is named", a.settings.Budget),
			"add --model, such as --model claude-sonnet-4-5",
		}
	}
	least, most, err := a.settings.Limit()
	if err != nil {
		return usagef("--budget: %w", err)
	}
	req.Budget = least
	if limit.String() == "auto" {
		req.Auto = &satchel.Auto{Least: least, Most: most}
	}
	return nil
}

// rootPaths returns paths of the user relative to the root of the repository. A path
// that begins with ./ or ../ or / is relative to the current folder. Lines after the
// path of a file are ignored.
func (a *app) rootPaths(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if whole, _, _ := files.ParsePosition(files.Rewritten(name)); whole != name && a.existing(name) == "" && a.existing(whole) != "" {
			a.remark("note: %s: the whole file is used", clean.Inline(name))
			name = whole
		}
		p, err := a.rootPath(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// editPaths reads the lists of --edit.
func (a *app) editPaths(lists []string) ([]string, error) {
	names, err := a.splitPatterns(lists)
	if err != nil {
		return nil, usagef("--edit: %w", err)
	}
	return a.rootPaths(names)
}

func (a *app) rootPath(name string) (string, error) {
	slashed := filepath.ToSlash(name)
	full, absolute := rooted(name, a.dir)
	switch {
	case name == "":
		return "", usagef("a path is empty")
	case absolute:
	case slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../"):
		full = filepath.Join(a.dir, name)
	default:
		clean := path.Clean(slashed)
		if clean == ".." || strings.HasPrefix(clean, "../") {
			return "", fmt.Errorf("%s: outside the repository", name)
		}
		return keepSlash(clean, slashed), nil
	}
	root := config.Root(a.dir)
	rel, ok := below(root, full)
	if !ok {
		// The same place may have two names, with and without symbolic links.
		root, rootErr := filepath.EvalSymlinks(root)
		dir, dirErr := filepath.EvalSymlinks(filepath.Dir(full))
		if rootErr == nil && dirErr == nil {
			rel, ok = below(root, filepath.Join(dir, filepath.Base(full)))
		}
	}
	if !ok {
		return "", fmt.Errorf("%s: outside the repository", name)
	}
	return keepSlash(rel, slashed), nil
}

// below returns the slash-separated path from root to a place below it.
func below(root, full string) (rel string, ok bool) {
	rel, err := filepath.Rel(root, full)
	rel = filepath.ToSlash(rel)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// keepSlash keeps the slash at the end that says "a folder".
func keepSlash(clean, written string) string {
	if strings.HasSuffix(written, "/") && clean != "." {
		return clean + "/"
	}
	return clean
}

// writePack writes the pack to the file, to the clipboard or to standard output,
// where a terminal shows it in colours and page by page.
func (a *app) writePack(ctx context.Context, f *packFlags, p *satchel.Pack, format render.Format) error {
	if f.output != "" && f.output != "-" {
		if err := writeFile(a.fromHere(f.output), func(w io.Writer) error { return render.Pack(w, p, format) }); err != nil || !f.copy {
			return err
		}
	}
	if !f.copy && !a.env.StdoutTTY {
		if err := render.Pack(a.out, p, format); err != nil {
			return fmt.Errorf("write standard output: %w", fsx.Cause(err))
		}
		return a.flush()
	}
	var b bytes.Buffer
	if err := render.Pack(&b, p, format); err != nil {
		return err
	}
	if f.copy {
		return a.copy(ctx, b.Bytes(), render.Plural(p.Used, "token"))
	}
	if format == render.JSON {
		_, err := a.out.Write(b.Bytes())
		return err
	}
	return a.page([]byte(brush(a.color(true)).pack(b.String(), format)))
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
