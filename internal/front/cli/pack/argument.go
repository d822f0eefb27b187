package pack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
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
	return a.argument(&f.FilterFlags, args, f.rev != "" || f.diff != "")
}

// argument sorts the arguments into the words of the task and paths, which are added
// to f.paths. The command then works in the repository of these. In another revision,
// a path need not be on the disk.
func (a *app) argument(f *base.FilterFlags, args []string, otherRev bool) (words []string, err error) {
	var scope, given []string
	for _, arg := range args {
		full := a.There(arg)
		switch {
		case full != "":
			scope, given = append(scope, full), append(given, arg)
		case isGlob(arg):
			f.Paths = append(f.Paths, arg)
			a.Remark("note: packing what matches %s; for a task, use --task %[1]s", clean.Inline(base.ShellWord(arg)))
		case !looksLikePath(arg):
			words = append(words, arg)
		case otherRev:
			f.Paths = append(f.Paths, arg)
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
	return index.IsPattern(arg) && strings.Contains(arg, "/") && !strings.ContainsAny(arg, " \t\n") && !base.IsURL(arg)
}

// looksLikePath reports whether an argument has a slash, or the suffix of a language.
func looksLikePath(arg string) bool {
	slashed := filepath.ToSlash(arg)
	return !strings.ContainsAny(arg, " \t\n") && !base.IsURL(arg) && strings.Trim(arg, "/") != "" &&
		(strings.Contains(slashed, "/") || strings.LastIndexByte(arg, '.') > 0 && outline.Language(arg, nil) != "")
}

// ownerRepo is what GitHub calls a repository.
var ownerRepo = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]*[A-Za-z0-9_-]$`)

// noPath is the error for an argument that looks like a path, with the nearest names.
func (a *app) noPath(arg string) error {
	hint := "for a task, use --task"
	if near := files.Nearest(a.FilePaths(), filepath.ToSlash(arg)); near != "" {
		hint = "did you mean " + near + "? " + hint
	} else if ownerRepo().MatchString(arg) {
		hint += "; https://github.com/" + arg + " packs a GitHub repository"
	}
	return base.Hint(fmt.Errorf("%s: no such file or folder", clean.Inline(arg)), hint)
}

// narrow makes places the scope, and goes to the repository that they lie in.
func (a *app) narrow(f *base.FilterFlags, scope, given []string) error {
	var root string
	for _, full := range scope {
		r := a.rootOf(full)
		if root != "" && r != root {
			return base.Usagef("%s and %s are in different repositories: a pack reads only one", scope[0], full)
		}
		root = r
	}
	if base.SameFolder(root, config.Root(a.Dir)) {
		root = ""
	} else if err := a.WorkIn(root); err != nil {
		return err
	}
	names := make([]string, len(scope))
	for i, full := range scope {
		rel, err := a.RootPath(full)
		if err != nil {
			return err
		}
		if rel != "." {
			f.Paths = append(f.Paths, index.Literal(full))
		}
		names[i] = rel
	}
	what := strings.Join(names, ", ")
	switch {
	case what == ".":
		what = config.Root(a.Dir)
	case root != "":
		what += " of " + root
	}
	a.Remark("note: packing %s; for a task, use --task %s", clean.Inline(what), clean.Inline(base.ShellWord(given[0])))
	return nil
}

var errEmptyTask = base.Usage(errors.New("the task is empty"), "omit it to pack the whole repository")

// rootOf returns the root of the project that has a path: its repository, the plain folder
// of this command, or the path itself.
func (a *app) rootOf(full string) string {
	if fi, err := os.Stat(full); err != nil || !fi.IsDir() {
		full = filepath.Dir(full)
	}
	root := config.Root(full)
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return root
	}
	here, err := filepath.EvalSymlinks(config.Root(a.Dir))
	if err != nil || a.NoProject() != "" {
		return root
	}
	if _, ok := base.Below(here, full); ok {
		return here
	}
	return root
}
