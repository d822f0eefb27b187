// Package clitest runs satchel in tests with the commands of a few families, so that the
// tests of one family do not depend on all others. The host's configuration has no effect,
// and each JSON document that a test writes is checked against its schema.
package clitest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

// A Suite has the commands and documents of a package's tests.
type Suite struct {
	Commands  []program.Command
	Documents []schema.Document // of these commands
	Written   []schema.Document // of them, which the scripts must write
	Types     []schema.Types    // of the families; program.DocumentTypes are included

	Cmds       map[string]func(ts *testscript.TestScript, neg bool, args []string) // of scripts, added to the commands of Scripts
	Conditions map[string]func() bool
}

// Update and GoOn are flags of go test.
var (
	Update = flag.Bool("update", false, "rewrite the golden parts of testdata")
	goOn   = flag.Bool("go-on", false, "run scripts to their end, to see all that fails")
)

// Patient is a deadline that no hook reaches, however busy the machine is.
const Patient = 10 * time.Minute

var shared string

// Shared returns the folder of fixtures that several tests copy.
func Shared() string { return shared }

// Main runs the tests in a process whose environment is isolated. A package calls it from
// its TestMain.
func (s *Suite) Main(m *testing.M) {
	testscript.Main(isolatedProcess{m}, map[string]func(){
		"satchel": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			env := program.System()
			env.HookDeadline = Patient
			code := s.checkedMain(ctx, env, os.Args[1:])
			stop()
			os.Exit(code)
		},
	})
}

type isolatedProcess struct{ *testing.M }

func (p isolatedProcess) Run() int {
	var err error
	if shared, err = os.MkdirTemp("", "cli"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared)
	for _, kv := range Isolated(filepath.Join(shared, "home")) {
		name, value, _ := strings.Cut(kv, "=")
		os.Setenv(name, value)
	}
	return p.M.Run()
}

// Isolated returns environment variables for tests. With them the configuration of the
// host has no effect and commits have the same ids in each run. The memory settings keep
// commands that run in the test process from changing those of the process.
func Isolated(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "GOMEMLIMIT=off", "GOGC=100",
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"LOCALAPPDATA=" + filepath.Join(home, ".cache"), // what XDG_CACHE_HOME is, on Windows
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2020-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2020-01-02T03:04:05Z",
		"TERM=dumb", "LC_ALL=C",
	}
}

// Slow skips a test that takes about a second if -short asks for that.
func Slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes about a second")
	}
}

// Run runs a command without a process, in a new folder unless env names one.
func (s *Suite) Run(t *testing.T, env base.Env, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env.Stdout, env.Stderr, env.HookDeadline = &out, &errs, Patient
	if env.Stdin == nil {
		env.Stdin = strings.NewReader("")
	}
	if env.Dir == "" {
		env.Dir = t.TempDir()
	}
	code = program.Main(t.Context(), env, s.Commands, args)
	return code, out.String(), errs.String()
}

// emptyRepository returns a folder whose .git is that of a new repository.
var emptyRepository = sync.OnceValue(func() string {
	dir := filepath.Join(shared, "empty")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", "--template=", dir).CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	return dir
})

// Symlinks reports whether symbolic links can be made. Wine says that it can, and is wrong.
var Symlinks = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "link")
	_ = os.Symlink(dir, link)
	_, err = os.Readlink(link)
	return err == nil
})
