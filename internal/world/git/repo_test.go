package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// A sandbox is a folder for repositories, and a user's environment that owes
// nothing to the host.
type sandbox struct {
	t    testing.TB
	dir  string
	home string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t, dir, filepath.Join(dir, "home")}
	s.mkdir("home")
	return s
}

// env is the environment in which the tests themselves run git.
func (s *sandbox) env() []string { return gittest.Env(s.home) }

func (s *sandbox) options() *Options { return &Options{Env: s.env()} }

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, name) }

func (s *sandbox) mkdir(name string) string {
	s.t.Helper()
	if err := os.MkdirAll(s.path(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return s.path(name)
}

func (s *sandbox) write(name, text string) {
	s.t.Helper()
	s.mkdir(filepath.Dir(name))
	if err := os.WriteFile(s.path(name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// program makes a program of a script. Windows runs none.
func (s *sandbox) program(name, script string) {
	s.t.Helper()
	if runtime.GOOS == "windows" {
		s.t.Skip("no program is a script")
	}
	s.write(name, script)
	if err := os.Chmod(s.path(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// lineFeed is what a name may hold that is hard to read: a newline, where one may.
func lineFeed() string {
	if runtime.GOOS == "windows" {
		return " "
	}
	return "\n"
}

// git runs git in the folder dir of the sandbox and returns what it prints.
func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	return s.gitIn(dir, "", args...)
}

func (s *sandbox) gitIn(dir, input string, args ...string) string {
	s.t.Helper()
	return s.repo(dir).Input(input, args...)
}

// repo is the repository in the folder dir of the sandbox.
func (s *sandbox) repo(dir string) *gittest.Repo { return gittest.In(s.t, s.path(dir), s.home) }

// command prepares git in the folder dir of the sandbox.
func (s *sandbox) command(dir string, args ...string) *exec.Cmd { return s.repo(dir).Command(args...) }

// init makes a repository at dir, with more arguments for git init.
func (s *sandbox) init(dir string, args ...string) {
	s.t.Helper()
	s.mkdir(dir)
	s.repo(dir).Init(args...)
}

// commit adds everything and commits it.
func (s *sandbox) commit(dir, message string) string {
	s.t.Helper()
	return s.repo(dir).Commit(message)
}

// open opens a repository with the sandbox's environment.
func (s *sandbox) open(dir string) *Repo {
	s.t.Helper()
	r, err := s.options().Open(s.t.Context(), s.path(dir))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { r.Close() })
	return r
}

// age moves the index's time forward, so that its entries are older than it.
func (s *sandbox) age(dir string) {
	s.t.Helper()
	index := s.git(dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	fi, err := os.Stat(index)
	if err != nil {
		s.t.Fatal(err)
	}
	later := fi.ModTime().Add(2e9)
	if err := os.Chtimes(index, later, later); err != nil {
		s.t.Fatal(err)
	}
}

func modeName(m Mode) string { return fmt.Sprintf("%06o", uint32(m)) }
