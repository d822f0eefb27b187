// Package gittest makes git repositories for tests. What runs in them owes nothing
// to the host: not its configuration, not its clock, not its names.
package gittest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// begin is when commits are made, in unix seconds.
const begin = 1_700_000_000

// Env is the whole environment of git in a test, with an identity and a time.
// Nothing is configured but in home.
func Env(home string) []string { return envAt(home, begin) }

func envAt(home string, when int64) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false", // saves a process for each commit
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", fmt.Sprintf("GIT_AUTHOR_DATE=%d +0000", when),
		"GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.com", fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", when),
	}
}

// Isolate makes a new home that of the test's own process, for what runs git by
// itself, and returns it.
func Isolate(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return home
}

// A Repo is a repository in a folder of the test's.
type Repo struct {
	Dir  string
	Home string
	When int64 // of the next commit, in unix seconds
	Tick int64 // seconds from one commit to the next

	tb testing.TB
}

// New makes a repository in a new folder, with more arguments for git init.
func New(tb testing.TB, args ...string) *Repo {
	tb.Helper()
	return At(tb, tb.TempDir(), args...)
}

// At makes a repository at a folder, which is made if it is not there.
func At(tb testing.TB, dir string, args ...string) *Repo {
	tb.Helper()
	r := In(tb, dir, tb.TempDir())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	r.Init(args...)
	return r
}

// In is the repository that is in a folder, or will be, for a user with a home.
func In(tb testing.TB, dir, home string) *Repo {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
	return &Repo{Dir: dir, Home: home, When: begin, tb: tb}
}

// templates holds the files that git init writes, by its arguments.
var templates struct {
	sync.Mutex
	files map[string]fstest.MapFS
}

// Init makes the repository, with more arguments for git init, which may not name
// files. It starts git only for arguments that the process has not used before.
func (r *Repo) Init(args ...string) {
	r.tb.Helper()
	templates.Lock()
	defer templates.Unlock()

	key := strings.Join(args, "\x00")
	files := templates.files[key]
	if files == nil {
		made := In(r.tb, r.tb.TempDir(), r.tb.TempDir())
		made.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
		files = read(r.tb, made.Dir)
		if templates.files == nil {
			templates.files = map[string]fstest.MapFS{}
		}
		templates.files[key] = files
	}
	if err := os.CopyFS(r.Dir, files); err != nil {
		r.tb.Fatal(err)
	}
}

// read returns the files and folders below dir, without examples of hooks.
func read(tb testing.TB, dir string) fstest.MapFS {
	tb.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || strings.HasSuffix(name, ".sample"):
			return err
		case d.IsDir():
			files[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = &fstest.MapFile{Data: text, Mode: 0o644}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// Env is the environment of git in the repository.
func (r *Repo) Env() []string { return envAt(r.Home, r.When) }

// Git runs git and returns what it prints, without the last newline.
func (r *Repo) Git(args ...string) string {
	r.tb.Helper()
	return r.Input("", args...)
}

// Input is Git with a text on its standard input.
func (r *Repo) Input(text string, args ...string) string {
	r.tb.Helper()
	cmd := r.Command(args...)
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), &stderr
	out, err := cmd.Output()
	if err != nil {
		r.tb.Fatalf("git %q: %v\n%s%s", args, err, out, &stderr)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Command prepares git.
func (r *Repo) Command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env()
	return cmd
}

// Write writes files, given as path, text, path, text, …
func (r *Repo) Write(pairs ...string) {
	r.tb.Helper()
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(r.Dir, filepath.FromSlash(pairs[i]))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(pairs[i+1]), 0o644)); err != nil {
			r.tb.Fatal(err)
		}
	}
}

// WriteAll writes files, given as texts by path.
func (r *Repo) WriteAll(files map[string]string) {
	r.tb.Helper()
	for name, text := range files {
		r.Write(name, text)
	}
}

// Commit adds everything, commits it, and returns the commit.
func (r *Repo) Commit(message string) string {
	r.tb.Helper()
	r.When += r.Tick
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Head()
}

// Head is the commit that is checked out. It is read from the files of the repository
// where they hold it, without git.
func (r *Repo) Head() string {
	r.tb.Helper()
	dir := filepath.Join(r.Dir, ".git")
	text, _ := os.ReadFile(filepath.Join(dir, "HEAD"))
	if name, ok := strings.CutPrefix(string(text), "ref: "); ok {
		text, _ = os.ReadFile(filepath.Join(dir, filepath.FromSlash(strings.TrimSpace(name))))
	}
	id := strings.TrimSpace(string(text))
	if _, err := hex.DecodeString(id); err != nil || id == "" {
		return r.Git("rev-parse", "HEAD")
	}
	return id
}
