package cli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

var (
	update = flag.Bool("update", false, "rewrite the golden parts of testdata/*.txtar")
	goOn   = flag.Bool("go-on", false, "run scripts to their end, to see all that fails")
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){
		"satchel": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			env := cli.System()
			env.HookDeadline = patient
			code := checkedMain(ctx, env, os.Args[1:])
			stop()
			os.Exit(code)
		},
	})
}

// A suite runs the tests in a process whose environment is isolated too.
type suite struct{ *testing.M }

func (s suite) Run() int {
	var err error
	if shared, err = os.MkdirTemp("", "cli"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared)
	for _, kv := range isolated(filepath.Join(shared, "home")) {
		name, value, _ := strings.Cut(kv, "=")
		os.Setenv(name, value)
	}
	return s.M.Run()
}

// patient is a deadline that no hook reaches, however busy the machine is.
const patient = 10 * time.Minute

// shared is the folder of fixtures that several tests copy.
var shared string

// slow skips a test that takes about a second if -short asks for that.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes about a second")
	}
}

// isolated returns environment variables for tests. With them the configuration of the
// host has no effect and commits have the same ids in each run. The memory settings keep
// commands that run in the test process from changing those of the process.
func isolated(home string) []string {
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

func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	written := t.TempDir()
	t.Cleanup(func() { everyDocument(t, written) })
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		ContinueOnError:     *goOn,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// Windows takes / in paths, as sh and what is written into JSON do.
			e.Setenv("WORK", filepath.ToSlash(e.WorkDir))
			home := filepath.ToSlash(filepath.Join(e.WorkDir, ".home"))
			e.Vars = append(e.Vars, isolated(home)...)
			e.Values[serverKey{}] = new(served)
			e.Values[modelKey{}] = new(models)
			e.Values[inputKey{}] = new(string)
			faults := filepath.Join(e.WorkDir, ".schema-faults")
			e.Vars = append(e.Vars, faultsVar+"="+faults, writtenVar+"="+written)
			e.Defer(func() { failOnFaults(e.T(), faults) })
			return os.MkdirAll(filepath.FromSlash(home), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run":      runSatchel,
			"input":    setInput,
			"exits":    exits,
			"repo":     repo,
			"same":     same,
			"terminal": terminal,

			"newer-state": newerState,

			"llm":          startModel,
			"llm-requests": modelRequests,
			"model":        useModel,
			"same-request": sameRequest,
			"serve-git":    serveGit,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "links":
				return symlinks(), nil
			case "http-backend":
				return httpBackend() != "", nil
			}
			return false, nil
		},
	})
}

// symlinks reports whether symbolic links can be made. Wine says so of itself, and is
// wrong.
var symlinks = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "link")
	_ = os.Symlink(dir, link) // what counts is what is there
	_, err = os.Readlink(link)
	return err == nil
})

// exits runs a program and checks its exit code: exits 3 satchel pack …
// As after run, satchel runs in this process; exec satchel does not.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if args[1] == "satchel" {
		code = inProcess(ts, args[2:])
	} else {
		if args = args[1:]; args[0] == "exec" {
			args = args[1:]
		}
		err = ts.Exec(args[0], args[1:]...)
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			code = ended.ExitCode()
		} else {
			ts.Check(err)
		}
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// repo makes a git repository of the folder, with one commit of all that is in
// it and the tag v1.2.0.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo FOLDER")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(os.CopyFS(filepath.Join(dir, ".git"), os.DirFS(filepath.Join(emptyRepository(), ".git"))))
	}
	for _, git := range [][]string{
		{"add", "-A"},
		{"commit", "-q", "--allow-empty", "-m", "first commit"},
		{"tag", "v1.2.0"},
	} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, git...)...))
	}
}

// emptyRepository returns a folder whose .git is that of a new repository.
var emptyRepository = sync.OnceValue(func() string {
	dir := filepath.Join(shared, "empty")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", "--template=", dir).CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	return dir
})

// same checks that two files hold the same bytes, or with ! that they do not.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("%s and %s: same is %v", args[0], args[1], neg)
	}
}

// terminal runs a command as on a terminal of so many columns: terminal 80 status
// s.jsonl. No line may be wider.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: terminal COLUMNS ARGS...")
	}
	width, err := strconv.Atoi(args[0])
	ts.Check(err)
	var environ []string
	for _, kv := range append(isolated(""), "NO_COLOR=") {
		name, _, _ := strings.Cut(kv, "=")
		environ = append(environ, name+"="+ts.Getenv(name))
	}
	var out bytes.Buffer
	env := base.Env{Dir: ts.MkAbs("."), Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: ts.Stderr(), StdoutTTY: true, Width: width}
	if code := cli.Main(context.Background(), env, args[1:]); code != base.ExitOK {
		ts.Fatalf("exit code %d", code)
	}
	for line := range strings.Lines(out.String()) {
		line = ansi.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")
		if n := render.Width(line); n > width {
			ts.Fatalf("%d cells, want at most %d: %s", n, width, line)
		}
	}
	_, err = out.WriteTo(ts.Stdout())
	ts.Check(err)
}

var ansi = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// run runs a command without a process, in a folder of its own.
func run(t *testing.T, env base.Env, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env.Stdout, env.Stderr, env.HookDeadline = &out, &errs, patient
	if env.Stdin == nil {
		env.Stdin = strings.NewReader("")
	}
	if env.Dir == "" {
		env.Dir = t.TempDir()
	}
	code = cli.Main(t.Context(), env, args)
	return code, out.String(), errs.String()
}

// TestNames walks from engine.Options to the settings to the flags: one name
// for one thing.
func TestNames(t *testing.T) {
	options := reflect.TypeFor[engine.Options]()
	var fields []string
	for i := range options.NumField() {
		if name := options.Field(i).Name; name != "Dir" && name != "Progress" && name != "Embedder" && name != "DocumentWeights" && name != "Sources" && name != "Never" && name != "Asking" && name != "Environ" { // the place, Go code and what a command says about itself are no settings; Never is the flag of one
			fields = append(fields, name)
		}
	}
	var keys []string
	for _, k := range config.Keys {
		keys = append(keys, config.Field(k.Name))
	}
	for _, f := range fields {
		if !slices.Contains(keys, f) {
			t.Errorf("engine.Options.%s is not a setting", f)
		}
	}
}

// TestHelp keeps every command's help complete.
func TestHelp(t *testing.T) {
	for _, c := range cli.Root().Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		code, out, errs := run(t, base.Env{}, c.Name(), "--help")
		if code != base.ExitOK || errs != "" {
			t.Errorf("%s --help: exit code %d, stderr %q", c.Name(), code, errs)
		}
		if part := "Usage:\n  satchel " + c.Name(); !strings.Contains(out, part) {
			t.Errorf("%s --help does not hold %q:\n%s", c.Name(), part, out)
		}
		_, examples, _ := strings.Cut(out, "Examples:\n  ")
		if first, _, _ := strings.Cut(examples, "\n"); !strings.Contains(first, "satchel ") { // behind a pipe, for some
			t.Errorf("%s --help: the first example is %q", c.Name(), first)
		}
		for line := range strings.Lines(out) {
			if len(strings.TrimRight(line, "\n")) > 110 && !strings.HasPrefix(line, "      --") {
				t.Errorf("%s --help: long line %q", c.Name(), line)
			}
		}
	}
}

func TestColor(t *testing.T) {
	text := func(environ []string, tty bool, args ...string) bool {
		_, out, _ := run(t, base.Env{Environ: environ, StdoutTTY: tty}, append([]string{"config", "--explain"}, args...)...)
		return strings.Contains(out, "\x1b[")
	}
	for _, tt := range []struct {
		environ []string
		tty     bool
		args    []string
		want    bool
	}{
		{nil, true, nil, true},
		{nil, false, nil, false},
		{[]string{"NO_COLOR=1"}, true, nil, false},
		{[]string{"NO_COLOR="}, true, nil, true},
		{[]string{"CLICOLOR=0"}, true, nil, false},
		{[]string{"TERM=dumb"}, true, nil, false},
		{[]string{"CLICOLOR_FORCE=1"}, false, nil, true},
		{[]string{"NO_COLOR=1", "CLICOLOR_FORCE=1"}, true, nil, false},
		{[]string{"NO_COLOR=1"}, false, []string{"--set", "color=always"}, true},
		{nil, true, []string{"--set", "color=never"}, false},
		{[]string{"SATCHEL_COLOR=always"}, false, nil, true},
	} {
		if got := text(tt.environ, tt.tty, tt.args...); got != tt.want {
			t.Errorf("environ %q, terminal %v, args %q: colour %v, want %v", tt.environ, tt.tty, tt.args, got, tt.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := base.Env{Dir: dir, Environ: []string{"HOME=" + dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	code := cli.Main(ctx, env, []string{"pack", "--set", "no-cache", "--quiet"})
	if code != base.ExitInterrupted || errs.String() != "satchel: interrupted\n" || out.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), errs.String())
	}
}

// TestInterruptedRead: a pipe that nobody writes to can be interrupted.
func TestInterruptedRead(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, args := range [][]string{{"tokens", "-"}, {"pack", "--set", "no-cache", "--task-file", "-"}} {
		ctx, cancel := context.WithCancel(t.Context())
		var stdout, stderr bytes.Buffer
		env := base.Env{Dir: t.TempDir(), Stdin: interruptReader{in, cancel}, Stdout: &stdout, Stderr: &stderr}
		code := cli.Main(ctx, env, args)
		if code != base.ExitInterrupted || stderr.String() != "satchel: interrupted\n" || stdout.Len() > 0 {
			t.Errorf("satchel %q: exit code %d, stdout %q, stderr %q", args, code, stdout.String(), stderr.String())
		}
	}
}

// An interruptReader interrupts when it is read.
type interruptReader struct {
	io.Reader
	interrupt func()
}

func (r interruptReader) Read(b []byte) (int, error) {
	r.interrupt()
	return r.Reader.Read(b)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

// TestBrokenPipe: a reader that has seen enough is no failure.
func TestBrokenPipe(t *testing.T) {
	var errs bytes.Buffer
	env := base.Env{Dir: t.TempDir(), Stdin: strings.NewReader(""), Stdout: brokenPipe{}, Stderr: &errs}
	if code := cli.Main(t.Context(), env, []string{"config"}); code != base.ExitOK || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
}

func TestVersion(t *testing.T) {
	code, out, _ := run(t, base.Env{}, "version")
	if !regexp.MustCompile(`^satchel \S+ \(commit [^)]*\) go\S+ \w+/\w+\n$`).MatchString(out) || code != base.ExitOK {
		t.Errorf("exit code %d, %q", code, out)
	}
	// A damaged configuration takes neither version nor help away.
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "satchel"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "satchel", "config.toml"), []byte("="), 0o644); err != nil {
		t.Fatal(err)
	}
	env := base.Env{Environ: []string{"XDG_CONFIG_HOME=" + dir}}
	for _, args := range [][]string{{"version"}, {"--version"}, {"help", "pack"}, {"pack", "--help"}, {"completion", "bash"}} {
		if code, _, errs := run(t, env, args...); code != base.ExitOK {
			t.Errorf("satchel %s: exit code %d, stderr %q", strings.Join(args, " "), code, errs)
		}
	}
	if code, _, errs := run(t, env, "tokens"); code != base.ExitUsage || !strings.Contains(errs, "config.toml:1:1: ") {
		t.Errorf("tokens with a damaged configuration: exit code %d, stderr %q", code, errs)
	}
}

// TestSummaryOnly checks where each stream goes.
func TestQuiet(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".satchel.toml"), []byte("pager = 'x'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, loud, errs := run(t, base.Env{Dir: dir, Stdin: strings.NewReader("one two")}, "tokens", "-")
	if !strings.Contains(errs, "pager is refused") || !strings.Contains(errs, "o200k_base") {
		t.Errorf("stderr %q", errs)
	}
	_, quiet, errs := run(t, base.Env{Dir: dir, Stdin: strings.NewReader("one two")}, "tokens", "-", "--quiet")
	if errs != "" {
		t.Errorf("--quiet: stderr %q", errs)
	}
	if diff := cmp.Diff(loud, quiet); diff != "" {
		t.Errorf("--quiet changes the result (-loud +quiet):\n%s", diff)
	}
}

// withoutJSON are the commands that have no --json, and why.
var withoutJSON = map[string]string{
	"satchel hook":            "its answer is the client's own format",
	"satchel mcp":             "it speaks a protocol",
	"satchel snapshot export": "it writes a snapshot",
	"satchel log replay":      "it writes what the command wrote",
	"satchel snapshot replay": "it writes the bytes that the model was sent",
}

// TestJSON demands --json of every command that shows something.
func TestJSON(t *testing.T) {
	seen := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		name := c.CommandPath()
		if !c.Runnable() || c.HasSubCommands() && c.Flags().Lookup("json") == nil || strings.HasPrefix(name, "satchel completion") || name == "satchel help" {
			return
		}
		has := c.Flags().Lookup("json") != nil
		if _, excused := withoutJSON[name]; excused == has {
			t.Errorf("%s: has --json: %v", name, has)
		}
		seen[name] = true
	}
	walk(cli.Root())
	for name := range withoutJSON {
		if !seen[name] {
			t.Errorf("%s is no command", name)
		}
	}
}
