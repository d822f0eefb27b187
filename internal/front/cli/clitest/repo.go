package clitest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"golang.org/x/tools/txtar"
)

// A Repo is a repository below an isolated home, to run commands in.
type Repo struct {
	*gittest.Repo
	T       *testing.T
	Environ []string // of the commands; the last value of a name counts
	suite   *Suite
}

// NewRepo creates an empty repository.
func (s *Suite) NewRepo(t *testing.T) *Repo {
	t.Helper()
	home := t.TempDir()
	return &Repo{gittest.At(t, filepath.Join(home, "r")), t, Isolated(home), s}
}

// RepoIn returns the repository in a folder, whose home is the folder around it.
func (s *Suite) RepoIn(t *testing.T, dir string) *Repo {
	home := filepath.Dir(dir)
	return &Repo{gittest.In(t, dir, home), t, Isolated(home), s}
}

// Run runs a command. It must end in an exit code of commands that ask no model.
func (r *Repo) Run(args ...string) (code int, stdout, stderr string) {
	r.T.Helper()
	code, stdout, stderr = r.suite.Run(r.T, base.Env{Dir: r.Dir, Environ: r.Environ}, args...)
	if !slices.Contains([]int{0, 1, 2, 3, 5}, code) {
		r.T.Errorf("satchel %q: exit code %d, stderr %s", args, code, stderr)
	}
	if code != 0 && !strings.Contains(stderr, "satchel: ") {
		r.T.Errorf("satchel %q: exit code %d without a message: %q", args, code, stderr)
	}
	return code, stdout, stderr
}

// Examples makes a repository of an archive of files, which are the examples of the help,
// with two commits.
func Examples(t *testing.T, archive string) string {
	t.Helper()
	dir := Unpacked(t, archive, "proxy: dial with a timeout")
	r := gittest.In(t, dir, t.TempDir())
	r.Git("tag", "v1.2.0")
	r.Commit("login: say who is logged in")
	return dir
}

// Unpacked makes a repository of the files of an archive, in one commit.
func Unpacked(t *testing.T, archive, subject string) string {
	t.Helper()
	files, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	r := gittest.New(t)
	for _, f := range files.Files {
		r.Write(f.Name, string(f.Data))
	}
	r.Commit(subject)
	return r.Dir
}
