package clitest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"golang.org/x/tools/txtar"
)

// A Stage is a repository and a user who has configured a model.
type Stage struct {
	*Repo
	Kind   string // the protocol: anthropic or openai
	Server *llmtest.Server
}

// Play starts a server for a script and names it in the user's configuration, with
// the keys of more.
func (s *Stage) Play(more string, script ...llmtest.Step) *llmtest.Server {
	s.T.Helper()
	s.Server = llmtest.Serve(script...)
	s.T.Cleanup(s.Server.Close)
	s.Configure(s.Server.URL, more)
	return s.Server
}

// Configure writes the configuration of the user, with the keys of more.
func (s *Stage) Configure(url, more string) {
	s.T.Helper()
	dir := filepath.Join(filepath.Dir(s.Dir), ".config", "satchel")
	text := fmt.Sprintf("[llm.default]\nurl = %q\nkind = %q\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"LLM_KEY\"\n%s\n", url, s.Kind, more)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		s.T.Fatal(err)
	}
	s.Environ = append(s.Environ, "LLM_KEY="+llmtest.Key)
}

// Env returns the surroundings of a command that repeats requests without waiting.
func (s *Stage) Env() base.Env {
	return base.Env{Dir: s.Dir, Environ: s.Environ, Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

// Asks runs a command. No output of it may hold the key.
func (s *Stage) Asks(args ...string) (code int, stdout, stderr string) {
	s.T.Helper()
	code, stdout, stderr = s.suite.Run(s.T, s.Env(), args...)
	if !slices.Contains([]int{0, 1, 2, 4, 6, 7, 130}, code) {
		s.T.Errorf("satchel %q: exit code %d, stderr %s", args, code, stderr)
	}
	if strings.Contains(stdout+stderr, llmtest.Key) {
		s.T.Errorf("satchel %q prints the key", args)
	}
	return code, stdout, stderr
}

// Bodies are the requests that came. None may have been refused.
func (s *Stage) Bodies() (list []string) {
	s.T.Helper()
	for i, r := range s.Server.Requests() {
		if r.Fault != "" {
			s.T.Errorf("request %d was refused: %s\n%.2000s", i, r.Fault, r.Body)
		}
		list = append(list, string(r.Body))
	}
	return list
}

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
