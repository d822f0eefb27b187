package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"
)

// A workshop is the folder in which all groups run:
//
//	bin/satchel          the program
//	home/, tmp/          what its processes may write
//	GROUP/               a clone, or an empty folder
//	GROUP.in/            the input files of the table, with $DIR and $IN filled in
//
// Paths below it are the same in every run but for its own.
type workshop struct {
	f      *settings
	dir    string
	made   bool // by us, and removed at the end
	inputs []txtar.File
	norm   *normaliser
}

// newWorkshop makes the work folder and puts the program there.
func newWorkshop(f *settings, inputs []txtar.File) (*workshop, error) {
	w := &workshop{f: f, dir: absolute(f.work), inputs: inputs}
	f.mirror, f.sessions, f.keep = absolute(f.mirror), absolute(f.sessions), absolute(f.keep)
	if w.dir == "" {
		dir, err := os.MkdirTemp("", "freeze")
		if err != nil {
			return nil, err
		}
		w.dir, w.made = dir, true
	}
	if list, err := os.ReadDir(w.dir); err == nil && len(list) > 0 {
		return nil, fmt.Errorf("%s is not empty", w.dir)
	}
	for _, name := range []string{"bin", "home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(w.dir, name), 0o755); err != nil {
			return nil, err
		}
	}
	if dir, err := filepath.EvalSymlinks(w.dir); err == nil {
		w.dir = dir
	}
	w.norm = &normaliser{work: w.dir, began: time.Now().UTC()}
	return w, os.Symlink(absolute(f.satchel), filepath.Join(w.dir, "bin", "satchel"))
}

// close removes the work folder if nobody named it.
func (w *workshop) close() {
	if w.made {
		os.RemoveAll(w.dir)
	}
}

// environ is the environment of every process: nothing of the host's but the
// programs in its PATH.
func (w *workshop) environ() []string {
	home := filepath.Join(w.dir, "home")
	return []string{
		"PATH=" + filepath.Join(w.dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home,
		"TMPDIR=" + filepath.Join(w.dir, "tmp"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local/share"),
		"XDG_STATE_HOME=" + filepath.Join(home, ".local/state"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-09-01T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-09-01T03:04:05Z",
		"SATCHEL_HOOK_LOG=" + w.hookLog(),
		"TZ=UTC", "LC_ALL=C", "TERM=dumb", "NO_COLOR=1",
	}
}

// hookLog is the file in which hooks say what they did.
func (w *workshop) hookLog() string { return filepath.Join(w.dir, "tmp", "hooks.log") }

// late returns how many hooks ran out of time: their answers say nothing about
// the program, but that the machine is too busy.
func (w *workshop) late() int {
	text, _ := os.ReadFile(w.hookLog())
	return bytes.Count(text, []byte("the deadline has passed"))
}

// runAll runs at most jobs groups at once. It returns the digests in the order of the
// table.
func (w *workshop) runAll(groups []*group, jobs int) ([]digest, error) {
	found := make([][]digest, len(groups))
	errs := make([]error, len(groups))
	var all errgroup.Group
	all.SetLimit(max(jobs, 1))
	for i := range groups {
		all.Go(func() error {
			found[i], errs[i] = w.runGroup(groups[i])
			return nil
		})
	}
	_ = all.Wait() // the errors are in errs
	return slices.Concat(found...), errors.Join(errs...)
}

// runGroup makes the folder of a group and runs its steps.
func (w *workshop) runGroup(g *group) ([]digest, error) {
	dir := filepath.Join(w.dir, g.name)
	r := &runner{w: w, dir: dir, in: dir + ".in", values: map[string]string{}}
	defer r.hangUp()
	if err := w.prepare(g, r); err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	for _, s := range g.steps {
		if err := r.step(s); err != nil {
			return nil, fmt.Errorf("line %d of the table: %s: %w", s.line, g.name, err)
		}
	}
	return r.found, nil
}

// checkoutTime is the time of every file that was checked out.
var checkoutTime = time.Date(2026, 9, 1, 3, 4, 5, 0, time.UTC)

// prepare makes and indexes the repository of a group, and writes its inputs.
func (w *workshop) prepare(g *group, r *runner) error {
	fill := strings.NewReplacer("$DIR", r.dir, "$IN", r.in)
	for _, f := range w.inputs {
		name := filepath.Join(r.in, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(fill.Replace(string(f.Data))), 0o644); err != nil {
			return err
		}
	}
	if g.repo == "" {
		return os.MkdirAll(r.dir, 0o755)
	}
	if g.repo == fixtureRepo {
		if err := w.makeFixture(filepath.Join(w.f.mirror, g.commit), r.dir); err != nil {
			return err
		}
	} else if err := w.clone(g, r.dir); err != nil {
		return err
	}
	return w.settle(r)
}

// clone checks out the commit of a group, as the branch main with the tag start.
// A path that is left out, because the mirror lacks its objects, is gone in a
// commit of our own.
func (w *workshop) clone(g *group, dir string) error {
	source := filepath.Join(w.f.mirror, strings.ReplaceAll(g.repo, "/", "+"), "repo")
	if err := w.git("", nil, "clone", "-q", "-s", "-n", source, dir); err != nil {
		return err
	}
	steps := [][]string{{"symbolic-ref", "HEAD", "refs/heads/main"}, {"update-ref", "refs/heads/main", g.commit}, {"read-tree", "HEAD"}}
	if g.without != "" {
		steps = append(steps, []string{"rm", "-r", "-q", "--cached", g.without}, []string{"commit", "-q", "-m", "leave out " + g.without})
	}
	for _, args := range append(steps, []string{"reset", "-q", "--hard"}, []string{"tag", "start"}) {
		if err := w.git(dir, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// settle gives all files one time, so that nothing depends on when they were
// written, and brings the indexes of git and satchel up to date.
func (w *workshop) settle(r *runner) error {
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return errors.Join(err, filepath.SkipDir)
		}
		if d.Type().IsRegular() {
			return os.Chtimes(path, checkoutTime, checkoutTime)
		}
		return nil
	})
	if err != nil && !errors.Is(err, filepath.SkipDir) {
		return err
	}
	if err := w.git(r.dir, nil, "update-index", "-q", "--refresh"); err != nil {
		return err
	}
	return r.shell("satchel index -q >/dev/null")
}

// git runs git in a folder, with a standard input.
func (w *workshop) git(dir string, stdin []byte, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, w.environ(), bytes.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
