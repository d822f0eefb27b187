package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// What stands behind "satchel pack" may be a task in words, a folder or file of a
// repository, or both. A word is a path only if the user shows that it is meant as
// one: it begins with ./ or ../ or /, or it holds a slash and stands alone, first,
// or beside a quoted task. A sentence stays a sentence, also if one of its words is
// a folder. Whatever is taken for a path is said, with the way to say otherwise.

// arguments returns the words of the task, after it has gone to the repository that
// the others name.
func (a *app) arguments(ctx context.Context, f *packFlags, args []string) (words []string, err error) {
	r, args, err := a.remote(f, args)
	switch {
	case err != nil:
		return nil, err
	case r != nil:
		return args, a.clone(ctx, f, r)
	}
	return a.argument(f, args)
}

// argument sorts the arguments into the words of the task and the scope: what is
// to be packed alone, which is added to f.paths. The command then works where the
// scope lies.
func (a *app) argument(f *packFlags, args []string) (words []string, err error) {
	var scope, given []string
	beside := f.task != "" || f.taskFile != "" || a.onlyPaths(args)
	for i, arg := range args {
		full, ok := a.scope(args, i, beside)
		if !ok && isPlace(arg) && !strings.ContainsAny(arg, " \t\n") {
			return nil, &hintError{fmt.Errorf("%s: no such file or folder", arg), "--task takes it for words"}
		}
		if !ok {
			words = append(words, arg)
			continue
		}
		scope, given = append(scope, full), append(given, arg)
	}
	if len(scope) == 0 {
		if len(args) == 1 && isGlob(args[0]) {
			f.paths = append(f.paths, args[0])
			a.remark("note: packing what matches %s; --task %[1]s takes it for words", clean.Inline(shellWord(args[0])))
			return nil, nil
		}
		a.doubt(args)
		return words, nil
	}
	return words, a.narrow(f, scope, given)
}

// onlyPaths reports whether several arguments are all paths that exist, as a shell
// makes of src/*.py: no sentence is.
func (a *app) onlyPaths(args []string) bool {
	for _, arg := range args {
		if full, _ := a.there(arg, isPlace(arg)); full == "" {
			return false
		}
	}
	return len(args) > 1
}

// isGlob reports whether an argument is a pattern of paths by its look, such as
// tests/**.
func isGlob(arg string) bool {
	return index.IsPattern(arg) && strings.Contains(arg, "/") && !strings.ContainsAny(arg, " \t\n") && !isURL(arg)
}

// isPlace reports whether an argument is a path by its look alone.
func isPlace(arg string) bool {
	slashed := filepath.ToSlash(arg)
	return slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || filepath.IsAbs(arg)
}

// scope returns the place that the argument at i means, if it means one. beside
// says that a flag gives the task, so that no argument can.
func (a *app) scope(args []string, i int, beside bool) (full string, ok bool) {
	arg := filepath.ToSlash(args[i])
	plain := isPlace(args[i])
	if !plain && !beside && !strings.Contains(arg, "/") {
		return "", false
	}
	full, isFolder := a.there(args[i], plain)
	if full == "" || plain || beside || len(args) == 1 {
		return full, full != ""
	}
	quoted := true
	for k, other := range args {
		quoted = quoted && (k == i || strings.ContainsAny(other, " \t\n"))
	}
	return full, quoted || i == 0 && isFolder
}

// there returns the full path of a file or folder that is meant from the root of
// the repository or, if nothing is there or the path is plain, from where the user
// stands; "" if there is none.
func (a *app) there(name string, plain bool) (full string, isFolder bool) {
	bases := []string{config.Root(a.dir), a.dir}
	if plain {
		bases = bases[1:]
	}
	for _, base := range bases {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(base, name)
		}
		if real, err := filepath.EvalSymlinks(full); err == nil {
			if fi, err := os.Stat(real); err == nil {
				return real, fi.IsDir()
			}
		}
	}
	return "", false
}

// narrow makes places the scope, and goes to the repository that they lie in.
func (a *app) narrow(f *packFlags, scope, given []string) error {
	var root string
	for _, full := range scope {
		r := a.rootOf(full)
		if root != "" && r != root {
			return usagef("%s and %s are in different repositories, and a pack is of one", scope[0], full)
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
	a.remark("note: packing %s; --task %s takes it for words", clean.Inline(what), clean.Inline(shellWord(given[0])))
	return nil
}

// rootOf returns the root of the project that a place belongs to: its repository,
// or the plain folder in which the command works, or else the place itself.
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

// doubt says what a single word that could have been meant as a path is taken for.
func (a *app) doubt(args []string) {
	if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
		return
	}
	arg := args[0]
	switch full, _ := a.there(arg, false); {
	case full != "":
		a.remark("note: %s is taken for the task; ./%s packs what is there", clean.Inline(arg), clean.Inline(shellWord(arg)))
	case pathLike.MatchString(arg):
		elsewhere := ""
		if ownerRepo.MatchString(arg) || hostOwnerRepo.MatchString(arg) {
			elsewhere = "; --remote packs the repository of that name"
		}
		a.remark("note: there is no %s here: it is taken for the task%s", clean.Inline(arg), elsewhere)
	}
}

// pathLike matches what can be a path with a folder in it, and no sentence.
var pathLike = regexp.MustCompile(`^[\w.@~+-]+(/[\w.@~+\[\]()-]+)+/?$`)

// plainWord needs no quotes in any shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+=,-]*$`)

// shellWord quotes a word for a shell, if that takes quotes.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// dashedTask adds the way out to an error about a flag where a task may have been
// meant.
func dashedTask(cmd *cobra.Command, err error) error {
	usage := flagUsage(cmd, err)
	if usage.hint == "" {
		usage.hint = "a task that begins with a dash goes behind --, as in satchel pack -- '-v is ignored', or to --task"
	}
	return usage
}

var errEmptyTask = &usageError{errors.New("the task is empty"), "leave it out to pack the whole repository"}
