package base

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/spf13/cobra"
)

// repo opens the repository of the working folder.
func (a *App) repo(ctx context.Context) (*git.Repo, error) {
	return (&git.Options{Env: a.Env.Environ}).Open(ctx, config.Root(a.Dir))
}

// isRevision reports whether a name is a revision of the repository.
func (a *App) isRevision(ctx context.Context, name string) bool {
	repo, err := a.repo(ctx)
	if err == nil {
		defer repo.Close()
		_, _, err = repo.Resolve(ctx, name)
	}
	return err == nil
}

// UnknownHint suggests a revision or path for an unknown one, or returns "".
func (a *App) UnknownHint(ctx context.Context, err error) string {
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

	paths, rest := a.FilePaths(), ""
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
func (a *App) revisionHint(ctx context.Context, rev string) string {
	names, shallow := a.FilePaths(), false
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
	if a.ExistingHere(rev) != "" {
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

// mostListed is the largest number of files that FilePaths returns.
const mostListed = 20_000

// FilePaths returns the paths of files below the root, except for hidden and installed ones.
func (a *App) FilePaths() (paths []string) {
	folder, err := git.OpenFolder(config.Root(a.Dir))
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

// There returns the full path of a file or folder, or "" if it does not exist. The name is
// relative to the root of the repository or else to the current folder; with ./ or ../,
// only to the current folder.
func (a *App) There(name string) (full string) {
	if strings.TrimSpace(name) == "" {
		return ""
	}
	bases := []string{config.Root(a.Dir), a.Dir}
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
		return a.There(other)
	}
	return ""
}

// readSparse reads a file that a sparse checkout leaves out, and says so. sparse reports
// whether there is one, or a folder of them.
func (a *App) readSparse(full string, most int64) (text []byte, sparse bool, err error) {
	rel, _ := a.RootPath(full) // of a path outside, "", which is not a file
	repo, err := a.repo(context.Background())
	if err != nil {
		return nil, false, err
	}
	defer repo.Close()
	if text, sparse, err = repo.ReadTracked(rel, most); sparse {
		a.Remark("note: %s: %s", clean.Inline(rel), git.NotCheckedOut)
	}
	return text, sparse, err
}

// plainWord matches words that need no quotes in any shell.
var plainWord = lazy.Regexp(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+=,-]*$`)

// ShellWord quotes a word for a shell if necessary.
func ShellWord(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// RootPaths returns paths of the user relative to the root of the repository. A path
// that begins with ./ or ../ or / is relative to the current folder. Lines after the
// path of a file are ignored.
func (a *App) RootPaths(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if whole, _, _ := files.ParsePosition(files.Rewritten(name)); whole != name && a.existing(name) == "" && a.existing(whole) != "" {
			a.Remark("note: %s: the whole file is used", clean.Inline(name))
			name = whole
		}
		p, err := a.RootPath(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// RootPath returns a path of the user relative to the root. See [App.RootPaths].
func (a *App) RootPath(name string) (string, error) {
	slashed := filepath.ToSlash(name)
	full, absolute := rooted(name, a.Dir)
	switch {
	case name == "":
		return "", Usagef("a path is empty")
	case absolute:
	case slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../"):
		full = filepath.Join(a.Dir, name)
	default:
		clean := path.Clean(slashed)
		if clean == ".." || strings.HasPrefix(clean, "../") {
			return "", fmt.Errorf("%s: outside the repository", name)
		}
		return keepSlash(clean, slashed), nil
	}
	root := config.Root(a.Dir)
	rel, ok := Below(root, full)
	if !ok {
		// The same place may have two names, with and without symbolic links.
		root, rootErr := filepath.EvalSymlinks(root)
		dir, dirErr := filepath.EvalSymlinks(filepath.Dir(full))
		if rootErr == nil && dirErr == nil {
			rel, ok = Below(root, filepath.Join(dir, filepath.Base(full)))
		}
	}
	if !ok {
		return "", fmt.Errorf("%s: outside the repository", name)
	}
	return keepSlash(rel, slashed), nil
}

// Below returns the slash-separated path from root to a place below it.
func Below(root, full string) (rel string, ok bool) {
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

// isPlace reports whether an argument is relative to the current folder.
func isPlace(arg string) bool {
	slashed := filepath.ToSlash(arg)
	return slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || filepath.IsAbs(arg)
}

// ChangeArguments splits arguments into a range and paths, as git diff does: paths
// begin behind --, or else at the first argument that exists and is not a revision.
func (a *App) ChangeArguments(cmd *cobra.Command, args []string) (span string, paths []string, err error) {
	at := cmd.ArgsLenAtDash()
	if at < 0 && a.existing(".git") != "" { // a bare repository has no paths
		at = slices.IndexFunc(args, func(arg string) bool { return arg != "" && a.ExistingHere(arg) != "" })
		if at >= 0 && a.isRevision(cmd.Context(), args[at]) {
			return "", nil, Usage(fmt.Errorf("%s is both a revision and a path", args[at]), "put -- before a path, or after a revision")
		}
	}
	if at < 0 {
		at = len(args)
	}
	switch {
	case at > 0 && args[0] == "":
		return "", nil, Usagef("the range is empty")
	case at > 1:
		return "", nil, Usage(fmt.Errorf("%s takes one range, got %d", cmd.CommandPath(), at),
			args[0]+".."+args[1]+" compares two revisions; put -- before paths that do not exist")
	}
	for _, arg := range args[at:] {
		paths = append(paths, cmp.Or(a.ExistingHere(arg), arg))
	}
	paths, err = a.filterPaths(paths)
	return strings.Join(args[:at], ""), paths, err
}

// ShellWords returns a command line for a shell.
func ShellWords(args []string) string {
	words := make([]string, len(args))
	for i, w := range args {
		words[i] = ShellWord(clean.Inline(w))
	}
	return strings.Join(words, " ")
}

// filterPaths returns paths and patterns relative to the root, from lists with
// commas between them.
func (a *App) filterPaths(lists []string) ([]string, error) {
	names, err := a.splitPatterns(lists)
	if err != nil {
		return nil, Usagef("%w", err)
	}
	return a.ScopePaths(names)
}
