package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/spf13/cobra"
)

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
