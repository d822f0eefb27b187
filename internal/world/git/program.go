package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// The oldest git this package works with: 2.36 brought cat-file --batch-command.
const (
	minMajor = 2
	minMinor = 36
)

// MinVersion is the oldest git that [Open] accepts.
const MinVersion = "2.36"

// systemDirs may hold git even if they are inside the repository, since only
// the administrator writes to them (a repository at / for /etc, say).
var systemDirs = map[string]bool{"/usr/bin": true, "/bin": true, "/usr/local/bin": true}

// findGit returns the absolute path of the git program: the first in path (a
// PATH list) that is neither relative nor inside the repository around dir,
// where anyone may have put it.
func findGit(path, dir string) (string, error) {
	roots := rootsAround(dir)
	for _, p := range filepath.SplitList(path) {
		if !trusted(p, roots) {
			continue
		}
		exe := filepath.Join(p, programName)
		if fi, err := os.Stat(exe); err == nil && fi.Mode().IsRegular() && (!executableBits || fi.Mode()&0o111 != 0) {
			return exe, nil
		}
	}
	return "", ErrNoGit
}

// Usable says what is wrong with the git program that Open would start for a
// repository at dir: [ErrNoGit], a *[VersionError], or what Open says of it.
func (o *Options) Usable(ctx context.Context, dir string) error {
	dir, err := realDir(dir)
	if err != nil {
		return err
	}
	_, run, err := o.start(dir)
	if err != nil {
		return err
	}
	return run.checkVersion(ctx)
}

// withDefaults returns a copy of the options with the usual environment and timeout.
func (o *Options) withDefaults() (opt Options) {
	if o != nil {
		opt = *o
	}
	if opt.Env == nil {
		opt.Env = os.Environ()
	}
	opt.Timeout = cmp.Or(opt.Timeout, defaultTimeout)
	return opt
}

// start returns the options with what they leave out, and what starts git in dir, which
// is as realDir returns it.
func (o *Options) start(dir string) (opt Options, run runner, err error) {
	opt = o.withDefaults()
	env := environ(opt.Env)
	if opt.Git == "" {
		path, _ := env.lookup("PATH")
		if opt.Git, err = findGit(path, dir); err != nil {
			return opt, run, err
		}
	} else if !filepath.IsAbs(opt.Git) {
		return opt, run, fmt.Errorf("git program %s: not an absolute path", clean(opt.Git))
	}
	return opt, runner{git: opt.Git, dir: dir, env: append(safeEnv(env.home()), opt.extraEnv...), timeout: opt.Timeout, progress: opt.Progress}, nil
}

// rootsAround returns dir and the repositories that it lies in.
func rootsAround(dir string) []string {
	roots := []string{dir}
	for d := dir; ; {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			roots = append(roots, d)
		}
		up := filepath.Dir(d)
		if up == d {
			return roots
		}
		d = up
	}
}

// trusted reports whether programs may be taken from a folder of PATH.
func trusted(p string, roots []string) bool {
	if !filepath.IsAbs(p) {
		return false
	}
	real, err := filepath.EvalSymlinks(p)
	return err == nil && (systemDirs[real] || !inside(real, roots) && !inside(filepath.Clean(p), roots))
}

// inside reports whether p is one of the roots or below one.
func inside(p string, roots []string) bool {
	const sep = string(filepath.Separator)
	return slices.ContainsFunc(roots, func(r string) bool { return p == r || strings.HasPrefix(p, strings.TrimSuffix(r, sep)+sep) })
}

// A version is a git version.
type version struct{ major, minor int }

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

// newEnough remembers the programs that are, which does not change while this
// process runs: path → true.
var newEnough sync.Map

var versionPattern = lazy.Regexp(`git version (\d+)\.(\d+)[^\n]*`)

// checkVersion asks the program for its version, once per process.
func (r *runner) checkVersion(ctx context.Context) error {
	if _, ok := newEnough.Load(r.git); ok {
		return nil
	}
	out, err := r.run(ctx, nil, "version")
	if err != nil {
		return err
	}
	v, text := parseVersion(out)
	if !v.atLeast(minMajor, minMinor) {
		return &VersionError{Path: r.git, Found: clean(text)}
	}
	newEnough.Store(r.git, true)
	return nil
}

func parseVersion(out []byte) (version, string) {
	m := versionPattern().FindSubmatch(out)
	if m == nil {
		return version{}, "unknown"
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	return version{major, minor}, strings.TrimPrefix(string(m[0]), "git version ")
}
