package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options says how to reach git. A nil *Options means all defaults.
type Options struct {
	// Env is the environment for the user's git configuration, home folder and git
	// program. Nil means the process's. Only HOME of it is passed on.
	Env []string

	// Git is the absolute path of the git program. Empty means the first in
	// PATH that is not inside the repository.
	Git string

	// Timeout is how long git may be silent before it counts as stuck, which is
	// a [*SilentError]. Zero means a minute.
	Timeout time.Duration

	// Progress, if set, hears of a git that has been silent for seconds, now and
	// then and from several goroutines.
	Progress func(command string, waited, limit time.Duration)

	extraEnv []string // passed on to git, by tests
}

// A Repo is an open repository.
type Repo struct {
	opts    Options // that it was opened with, for its submodules
	run     runner
	top     string // root of the work tree; empty if bare
	gitDir  string // absolute
	common  string // absolute
	format  Format
	shallow bool
	partial bool
	written written
	folder  *Folder // nil if bare

	excludes string // the file of the user's own ignore rules; devNull for none

	own, shared *Folder   // gitDir and common; nil if they cannot be opened
	batches     batchPool // processes that read objects, for all Objects
	lastIndex   atomic.Pointer[indexFile]
	lastHead    atomic.Pointer[string] // an id that HEAD led to and that git says is a commit
}

// Open opens the repository that contains dir. See [Options.Open].
func Open(ctx context.Context, dir string) (*Repo, error) {
	return (*Options)(nil).Open(ctx, dir)
}

// Open opens the repository that contains dir: a work tree, any folder in one, a
// linked work tree, a submodule's folder, or a bare repository itself.
//
// It returns [ErrNotRepository] for a folder outside git, for which git is not asked
// if nothing there has the name of a repository, [ErrNoGit] or a *[VersionError] if
// there is a repository and no usable git, and *[OwnerError] if git refuses a
// repository that belongs to another user. Whether git refuses depends on the
// user's own safe.directory settings, as everywhere else.
func (o *Options) Open(ctx context.Context, dir string) (*Repo, error) {
	dir, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	if !mayBeRepository(dir) {
		return nil, fmt.Errorf("%s: %w", clean(dir), ErrNotRepository)
	}
	opt, run, err := o.start(dir)
	if errors.Is(err, ErrNoGit) {
		return nil, fmt.Errorf("%w: needed to read the repository of %s", err, clean(dir))
	}
	if err != nil {
		return nil, err
	}
	env := environ(opt.Env)
	own, common := gitFolders(dir)
	if name, kind := odd(own, common); name != "" {
		return nil, fmt.Errorf("%s: %w: %s, which git would wait for", clean(name), ErrNotRegular, kind)
	}

	var (
		wg                         sync.WaitGroup
		user                       userConfig
		found                      discovery
		versErr, userErr, foundErr error
	)
	wg.Go(func() { versErr = run.checkVersion(ctx) })
	wg.Go(func() { user, userErr = run.readUserConfig(ctx, env) })
	wg.Go(func() { found, foundErr = run.discover(ctx) })
	wg.Wait()
	if versErr != nil {
		return nil, versErr
	}
	if _, ok := errors.AsType[*OwnerError](foundErr); ok && len(user.safe) > 0 {
		// The user may have said that this very folder is fine. git decides.
		trusting := run
		for _, s := range user.safe {
			trusting.config = append(trusting.config, "safe.directory="+s)
		}
		if found, foundErr = trusting.discover(ctx); foundErr == nil {
			user, userErr = trusting.readUserConfig(ctx, env) // now with the repository's own
		}
	}
	if foundErr != nil {
		return nil, foundErr
	}
	if userErr != nil {
		return nil, userErr
	}

	r := &Repo{opts: opt, run: run, top: found.top, gitDir: found.gitDir, common: found.common,
		format: found.format, shallow: found.shallow, partial: user.partial, written: user.written, excludes: user.excludes}
	// From here on git gets the place of the repository, so that a later change of a
	// .git file or of core.worktree cannot lead it elsewhere.
	r.run.env = append(r.run.env, "GIT_DIR="+r.gitDir)
	r.run.dir = r.gitDir
	if r.top != "" {
		r.run.env = append(r.run.env, "GIT_WORK_TREE="+r.top)
		r.run.dir = r.top
		if r.folder, err = OpenFolder(r.top); err != nil {
			return nil, err
		}
		r.own, _ = OpenFolder(r.gitDir)
		r.shared, _ = OpenFolder(r.common)
	}
	r.run.config = append(r.run.config, "core.excludesFile="+user.excludes)
	return r, nil
}

// Dir returns the root of the work tree, or "" if the repository is bare.
func (r *Repo) Dir() string { return r.top }

// CommonDir returns the absolute path of the git folder that all work trees of
// the repository share.
func (r *Repo) CommonDir() string { return r.common }

// Format returns the repository's object format.
func (r *Repo) Format() Format { return r.format }

// Cut returns what git keeps of where the history was cut off: nothing if it is whole.
func (r *Repo) Cut() string {
	text, err := readRegular(filepath.Join(r.common, "shallow"), maxShallow)
	if err != nil {
		return ""
	}
	return text
}

// Shallow reports whether the history was cut off when the repository was cloned.
func (r *Repo) Shallow() bool { return r.shallow }

// Close ends the processes that read objects and releases the handles of the
// repository's folders.
func (r *Repo) Close() error {
	r.batches.close()
	var errs []error
	for _, f := range []*Folder{r.folder, r.own, r.shared} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// mayBeRepository reports whether a folder, or one around it, has the file names of a
// repository.
func mayBeRepository(dir string) bool {
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return !errors.Is(err, fs.ErrNotExist) // one that cannot be looked at may be there
	}
	for {
		if there(".git") || there("HEAD") && (there("objects") || there("commondir")) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// realDir returns dir as an absolute path without symbolic links.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return "", &fs.PathError{Op: "open", Path: dir, Err: pe.Err}
	}
	if err != nil {
		return "", err
	}
	fi, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%s: %w", clean(dir), errNotDir)
	}
	return real, nil
}

var errNotDir = errors.New("not a folder")

// A discovery is what git says about the repository around a folder.
type discovery struct {
	top, gitDir, common string
	format              Format
	shallow             bool
}

// discover asks git which repository r.dir belongs to.
func (r *runner) discover(ctx context.Context) (discovery, error) {
	d, err := r.revParse(ctx)
	if err == nil || !strings.Contains(err.Error(), "cannot use bare repository") {
		return d, err
	}
	// A bare repository is opened if it was named, unless it lies in a work
	// tree and so may have arrived as files of another repository.
	for up := filepath.Dir(r.dir); ; up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil || filepath.Base(up) == ".git" {
			return d, fmt.Errorf("%s: %w", clean(r.dir), errEmbeddedBare)
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	if filepath.Base(r.dir) == ".git" {
		return d, fmt.Errorf("%s: %w: use its work tree instead", clean(r.dir), ErrNoWorkTree)
	}
	named := *r
	named.config = append(named.config[:len(named.config):len(named.config)], "safe.bareRepository=all")
	return named.revParse(ctx)
}

// revParse runs the questions of discover. Answers of one word come first, since
// paths may hold newlines.
func (r *runner) revParse(ctx context.Context) (d discovery, err error) {
	questions := []string{"rev-parse", "--path-format=absolute", "--is-bare-repository",
		"--is-inside-work-tree", "--show-object-format", "--is-shallow-repository",
		"--absolute-git-dir", "--git-common-dir", "--show-toplevel"}
	out, err := r.run(ctx, nil, questions...)
	if ce, ok := errors.AsType[*CommandError](err); ok && strings.Contains(ce.Stderr, "must be run in a work tree") {
		// A bare repository has all but the last answer.
		out, err = r.run(ctx, nil, questions[:len(questions)-1]...)
	}
	if err != nil {
		return d, r.discoveryError(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) < 6 {
		return d, commandError("rev-parse", "", errAnswer)
	}
	bare, in := lines[0] == "true", lines[1] == "true"
	d.format, d.shallow = Format(lines[2]), lines[3] == "true"
	if d.format.HexLen() == 0 {
		return d, fmt.Errorf("object format %q is not supported", clean(lines[2]))
	}
	answered := 6
	d.gitDir, d.common = filepath.FromSlash(lines[4]), filepath.FromSlash(lines[5])
	if !bare || in {
		answered = 7
		d.top = filepath.FromSlash(lines[len(lines)-1])
	}
	if len(lines) != answered {
		// A path has more than one line, or the work tree is missing: git reports it.
		if d.gitDir, err = r.path(ctx, "--absolute-git-dir"); err != nil {
			return d, err
		}
		if d.common, err = r.path(ctx, "--git-common-dir"); err != nil {
			return d, err
		}
		if answered == 7 {
			if d.top, err = r.path(ctx, "--show-toplevel"); err != nil {
				return d, r.discoveryError(err)
			}
		}
	}
	if answered == 7 && !ownWorkTree(d.top, d.gitDir) {
		return d, fmt.Errorf("%s: %w: %s", clean(r.dir), errWorkTreeElsewhere, clean(d.top))
	}
	return d, nil
}

// path asks rev-parse for one path, which may hold newlines.
func (r *runner) path(ctx context.Context, question string) (string, error) {
	out, err := r.run(ctx, nil, "rev-parse", "--path-format=absolute", question)
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n")), err
}

// discoveryError gives the failures of discovery their types.
func (r *runner) discoveryError(err error) error {
	ce, ok := errors.AsType[*CommandError](err)
	if !ok {
		return err
	}
	switch {
	case strings.Contains(ce.Stderr, "dubious ownership"), strings.Contains(ce.Stderr, "is owned by someone else"):
		return &OwnerError{Dir: r.dir, Message: ce.Stderr}
	case strings.Contains(ce.Stderr, "not a git repository"):
		return fmt.Errorf("%s: %w: %s", clean(r.dir), ErrNotRepository, ce.Stderr)
	}
	return err
}

// ownWorkTree reports whether top's .git leads to gitDir, so that a
// configuration cannot declare someone's home folder to be its work tree.
func ownWorkTree(top, gitDir string) bool {
	want, err := os.Stat(gitDir)
	if err != nil {
		return false
	}
	link := filepath.Join(top, ".git")
	fi, err := os.Stat(link)
	if err != nil {
		return false
	}
	if fi.IsDir() {
		return os.SameFile(fi, want)
	}
	text, err := readRegular(link, maxShort)
	to, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(top, to)
	}
	fi, err = os.Stat(to)
	return err == nil && os.SameFile(fi, want)
}
