package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// An existing path limits a command to it; all other words are the task. A word that
// looks like a path and names nothing is an error, so that a slip of the keyboard does
// not become a task. A quoted sentence is never a path.

// arguments returns the words of the task, after it has gone to the repository that
// the others name.
func (a *app) arguments(ctx context.Context, f *packFlags, args []string) (words []string, err error) {
	r, args, err := a.remote(args)
	switch {
	case err != nil:
		return nil, err
	case r != nil:
		return args, a.clone(ctx, f, r)
	}
	return a.argument(&f.filterFlags, args, f.rev != "" || f.diff != "")
}

// argument sorts the arguments into the words of the task and paths, which are added
// to f.paths. The command then works in the repository of these. In another revision,
// a path need not be on the disk.
func (a *app) argument(f *filterFlags, args []string, otherRev bool) (words []string, err error) {
	var scope, given []string
	for _, arg := range args {
		full := a.there(arg)
		switch {
		case full != "":
			scope, given = append(scope, full), append(given, arg)
		case isGlob(arg):
			f.paths = append(f.paths, arg)
			a.remark("note: packing what matches %s; for a task, use --task %[1]s", clean.Inline(shellWord(arg)))
		case !looksLikePath(arg):
			words = append(words, arg)
		case otherRev:
			f.paths = append(f.paths, arg)
		default:
			return nil, a.noPath(arg)
		}
	}
	if len(scope) == 0 {
		return words, nil
	}
	return words, a.narrow(f, scope, given)
}

// isGlob reports whether an argument is a pattern of paths by its look, such as
// tests/**.
func isGlob(arg string) bool {
	return index.IsPattern(arg) && strings.Contains(arg, "/") && !strings.ContainsAny(arg, " \t\n") && !isURL(arg)
}

// isPlace reports whether an argument is relative to the current folder.
func isPlace(arg string) bool {
	slashed := filepath.ToSlash(arg)
	return slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || filepath.IsAbs(arg)
}

// looksLikePath reports whether an argument has a slash, or the suffix of a language.
func looksLikePath(arg string) bool {
	slashed := filepath.ToSlash(arg)
	return !strings.ContainsAny(arg, " \t\n") && !isURL(arg) && strings.Trim(arg, "/") != "" &&
		(strings.Contains(slashed, "/") || strings.LastIndexByte(arg, '.') > 0 && outline.Language(arg, nil) != "")
}

// ownerRepo is what GitHub calls a repository.
var ownerRepo = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-]$`)

// noPath is the error for an argument that looks like a path, with the nearest names.
func (a *app) noPath(arg string) error {
	hint := "for a task, use --task"
	if near := files.Nearest(a.filePaths(), filepath.ToSlash(arg)); near != "" {
		hint = "did you mean " + near + "? " + hint
	} else if ownerRepo().MatchString(arg) {
		hint += "; https://github.com/" + arg + " packs a GitHub repository"
	}
	return &hintError{fmt.Errorf("%s: no such file or folder", clean.Inline(arg)), hint}
}

// repo opens the repository of the working folder.
func (a *app) repo(ctx context.Context) (*git.Repo, error) {
	return (&git.Options{Env: a.env.Environ}).Open(ctx, config.Root(a.dir))
}

// isRevision reports whether a name is a revision of the repository.
func (a *app) isRevision(ctx context.Context, name string) bool {
	repo, err := a.repo(ctx)
	if err == nil {
		defer repo.Close()
		_, _, err = repo.Resolve(ctx, name)
	}
	return err == nil
}

// unknownHint says what to use instead of an unknown revision or path, or "".
func (a *app) unknownHint(ctx context.Context, err error) string {
	if e, ok := errors.AsType[*git.UnknownRevisionError](err); ok {
		return a.revisionHint(ctx, e.Rev)
	}
	name := ""
	if e, ok := errors.AsType[*index.PathError](err); ok && errors.Is(e, fs.ErrNotExist) {
		name = e.Path
	} else if e, ok := errors.AsType[*engine.ScopeError](err); ok {
		name = e.Name
	} else if e, ok := errors.AsType[*engine.FilterError](err); ok {
		name = e.Pattern
	}

	paths, rest := a.filePaths(), ""
	if i := strings.IndexAny(name, "*?["); i >= 0 { // the folder before a wildcard may be wrong
		slash := strings.LastIndex(name[:i], "/")
		name, rest = strings.TrimPrefix(name[:max(slash, 0)], "/"), name[max(slash, 0):]
		for k := range paths {
			paths[k] = path.Dir(paths[k])
		}
	}
	if name == "" || a.existing(name) != "" {
		return ""
	}
	if near := files.Nearest(paths, name); near != "" {
		return "did you mean " + strings.ReplaceAll(near, " or ", rest+" or ") + rest + "?"
	}
	return ""
}

// revisionHint says what to use instead of an unknown revision.
func (a *app) revisionHint(ctx context.Context, rev string) string {
	names, shallow := a.filePaths(), false
	if repo, err := a.repo(ctx); err == nil {
		defer repo.Close()
		shallow = repo.Shallow()
		for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
			refs, _ := repo.Refs(ctx, prefix)
			for _, ref := range refs {
				names = append(names, strings.TrimPrefix(ref.Name, prefix))
			}
		}
	}

	name, _, _ := strings.Cut(strings.ReplaceAll(rev, "^", "~"), "~")
	if a.existingHere(rev) != "" {
		return rev + " is a path, not a revision: pass it as a separate argument"
	}
	var hints []string
	if near := files.Nearest(names, name); near != "" && !a.isRevision(ctx, name) {
		hints = append(hints, "did you mean "+near+"?")
	}
	if shallow {
		hints = append(hints, "this clone is shallow: run git fetch --unshallow --tags")
	}
	return cmp.Or(strings.Join(hints, " "), "a revision is a branch, a tag or a commit; git log --all lists them")
}

// mostListed is the number of files that filePaths returns at most.
const mostListed = 20_000

// filePaths returns the paths of files below the root, except for hidden and installed ones.
func (a *app) filePaths() (paths []string) {
	folder, err := git.OpenFolder(config.Root(a.dir))
	if err != nil {
		return nil
	}
	defer folder.Close()
	list, _, _, _ := folder.FilesIn(func(dir string) bool {
		return !strings.HasPrefix(path.Base(dir), ".") && path.Base(dir) != "node_modules" && path.Base(dir) != "vendor"
	}, mostListed)
	for i := range list {
		paths = append(paths, list[i].Path)
	}
	return paths
}

// there returns the full path of a file or folder, "" if it does not exist. It is
// looked for from the root of the repository and then from the current folder, or
// there alone if it begins with ./ or ../.
func (a *app) there(name string) (full string) {
	if strings.TrimSpace(name) == "" {
		return ""
	}
	bases := []string{config.Root(a.dir), a.dir}
	if isPlace(name) {
		bases = bases[1:]
	}
	for _, base := range bases {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(base, name)
		}
		if real, err := filepath.EvalSymlinks(full); err == nil {
			return real
		}
		if _, sparse, _ := a.readSparse(full, 0); sparse {
			return full
		}
	}
	if other, _, _ := files.ParsePosition(files.Rewritten(name)); other != name {
		return a.there(other)
	}
	return ""
}

// readSparse reads a file that a sparse checkout leaves out, and says so. sparse reports
// whether there is one, or a folder of them.
func (a *app) readSparse(full string, most int64) (text []byte, sparse bool, err error) {
	rel, _ := a.rootPath(full) // of a path outside, "", which is not a file
	repo, err := a.repo(context.Background())
	if err != nil {
		return nil, false, err
	}
	defer repo.Close()
	if text, sparse, err = repo.ReadTracked(rel, most); sparse {
		a.remark("note: %s: %s", clean.Inline(rel), git.NotCheckedOut)
	}
	return text, sparse, err
}

// narrow makes places the scope, and goes to the repository that they lie in.
func (a *app) narrow(f *filterFlags, scope, given []string) error {
	var root string
	for _, full := range scope {
		r := a.rootOf(full)
		if root != "" && r != root {
			return usagef("%s and %s are in different repositories: a pack reads only one", scope[0], full)
		}
		root = r
	}
	if sameFolder(root, config.Root(a.dir)) {
		root = ""
	} else if err := a.workIn(root); err != nil {
		return err
	}
	names := make([]string, len(scope))
	for i, full := range scope {
		rel, err := a.rootPath(full)
		if err != nil {
			return err
		}
		if rel != "." {
			f.paths = append(f.paths, index.Literal(full))
		}
		names[i] = rel
	}
	what := strings.Join(names, ", ")
	switch {
	case what == ".":
		what = config.Root(a.dir)
	case root != "":
		what += " of " + root
	}
	a.remark("note: packing %s; for a task, use --task %s", clean.Inline(what), clean.Inline(shellWord(given[0])))
	return nil
}

// rootOf returns the root of a place's project: its repository, or the plain folder
// that the command works in, or else the place itself.
func (a *app) rootOf(full string) string {
	if fi, err := os.Stat(full); err != nil || !fi.IsDir() {
		full = filepath.Dir(full)
	}
	root := config.Root(full)
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return root
	}
	here, err := filepath.EvalSymlinks(config.Root(a.dir))
	if err != nil || a.noProject() != "" {
		return root
	}
	if _, ok := below(here, full); ok {
		return here
	}
	return root
}

// plainWord needs no quotes in any shell.
var plainWord = lazy.Regexp(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+=,-]*$`)

// shellWord quotes a word for a shell, if that takes quotes.
func shellWord(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// dashedTask adds the way out to an error about a flag where a task may have been
// meant.
func dashedTask(cmd *cobra.Command, err error) error {
	usage := flagUsage(cmd, err)
	var unknown *pflag.NotExistError
	if usage.hint == "" && errors.As(err, &unknown) {
		usage.hint = "put -- before a task that begins with a dash: satchel pack -- '-v is ignored'"
	}
	return usage
}

var errEmptyTask = &usageError{errors.New("the task is empty"), "omit it to pack the whole repository"}
