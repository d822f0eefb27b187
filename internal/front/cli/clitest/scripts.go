package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/satchel-dev/satchel/render"
)

// Scripts runs the scripts in testdata. They have the commands of testscript and run, exits,
// input, repo, same and terminal, and for a model's server llm, llm-requests, model and
// same-request.
//
// The command run satchel of a script runs in the test process, which is some 20 ms faster
// than exec satchel. Use exec where the process matters: signals, locks, limits, pipes,
// shells, and work that goes on after the command.
func (s *Suite) Scripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	written := t.TempDir()
	t.Cleanup(func() { s.everyDocument(t, written) })
	p := s.Params(written)
	p.Dir = "testdata"
	testscript.Run(t, p)
}

// Params returns how scripts run. The folder written gets an empty file named as each
// document that a script writes.
func (s *Suite) Params(written string) testscript.Params {
	cmds := map[string]func(*testscript.TestScript, bool, []string){
		"run":      s.runSatchel,
		"input":    setInput,
		"exits":    s.exits,
		"repo":     repo,
		"same":     same,
		"terminal": s.terminal,

		"llm":          startModel,
		"llm-requests": modelRequests,
		"model":        useModel,
		"same-request": sameRequest,
	}
	maps.Copy(cmds, s.Cmds)
	return testscript.Params{
		UpdateScripts:       *Update,
		ContinueOnError:     *goOn,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// Windows takes / in paths, as sh and what is written into JSON do.
			e.Setenv("WORK", filepath.ToSlash(e.WorkDir))
			home := filepath.ToSlash(filepath.Join(e.WorkDir, ".home"))
			e.Vars = append(e.Vars, Isolated(home)...)
			e.Values[modelKey{}] = new(models)
			e.Values[inputKey{}] = new(string)
			faults := filepath.Join(e.WorkDir, ".schema-faults")
			e.Vars = append(e.Vars, faultsVar+"="+faults, writtenVar+"="+written)
			e.Defer(func() { failOnFaults(e.T(), faults) })
			return os.MkdirAll(filepath.FromSlash(home), 0o755)
		},
		Cmds: cmds,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "links":
				return Symlinks(), nil
			}
			if is := s.Conditions[cond]; is != nil {
				return is(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	}
}

// inputKey is the key of a script's *string: the standard input of its next run satchel.
type inputKey struct{}

// setInput is the command input FILE: the next run satchel reads this file, or stdout, as
// its standard input.
func setInput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: input FILE")
	}
	*ts.Value(inputKey{}).(*string) = ts.ReadFile(args[0])
}

// runSatchel is the command run satchel ARGS.
func (s *Suite) runSatchel(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "satchel" {
		ts.Fatalf("usage: run satchel ARGS...")
	}
	if code := s.inProcess(ts, args[1:]); (code != base.ExitOK) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// inProcess runs satchel in this process and returns its exit code.
func (s *Suite) inProcess(ts *testscript.TestScript, args []string) int {
	input := ts.Value(inputKey{}).(*string)
	env := base.Env{
		Dir: ts.MkAbs("."), Environ: scriptEnviron(ts),
		Stdin: strings.NewReader(*input), Stdout: ts.Stdout(), Stderr: ts.Stderr(),
		HookDeadline: Patient,
	}
	*input = ""
	return s.checkedMain(context.Background(), env, args)
}

// exits runs a program and checks its exit code: exits 3 satchel pack …
// As after run, satchel runs in this process; exec satchel does not.
func (s *Suite) exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if args[1] == "satchel" {
		code = s.inProcess(ts, args[2:])
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
func (s *Suite) terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: terminal COLUMNS ARGS...")
	}
	width, err := strconv.Atoi(args[0])
	ts.Check(err)
	var environ []string
	for _, kv := range append(Isolated(""), "NO_COLOR=") {
		name, _, _ := strings.Cut(kv, "=")
		environ = append(environ, name+"="+ts.Getenv(name))
	}
	var out bytes.Buffer
	env := base.Env{Dir: ts.MkAbs("."), Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: ts.Stderr(), StdoutTTY: true, Width: width}
	if code := program.Main(context.Background(), env, s.Commands, args[1:]); code != base.ExitOK {
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

// scriptEnviron returns the variables of a script that satchel or a program started by it
// may read. testscript does not list them, so these are the names in [Isolated] and in
// any script.
func scriptEnviron(ts *testscript.TestScript) (environ []string) {
	for _, name := range scriptNames() {
		if value := ts.Getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

var (
	scriptNames = sync.OnceValue(func() (names []string) {
		for _, kv := range append(Isolated(""), "WORK=", "TMPDIR=", "LLM_KEY=", faultsVar+"=", writtenVar+"=") {
			name, _, _ := strings.Cut(kv, "=")
			names = append(names, name)
		}
		scripts, _ := filepath.Glob("testdata/*.txtar") // TestScripts checks that there are some
		for _, name := range scripts {
			text, err := os.ReadFile(name)
			if err != nil {
				panic(err)
			}
			for _, m := range setsVariable.FindAllSubmatch(text, -1) {
				names = append(names, string(m[1]))
			}
		}
		return names
	})
	setsVariable = regexp.MustCompile(`(?m)^(?:\[\S+\] )*env '?(\w+)=`)
)

// modelKey finds the newest model's server of a script; see [llmtest].
type modelKey struct{}

type models struct{ newest *llmtest.Server }

// startModel is the command llm.
func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! llm")
	}
	ts.Value(modelKey{}).(*models).newest = llmtest.Command(ts, args)
}

// modelRequests is the command llm-requests.
func modelRequests(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(modelKey{}).(*models).newest
	if neg || s == nil {
		ts.Fatalf("llm-requests: no server was started")
	}
	llmtest.CheckRequests(ts, s, args)
}

// useModel is the command model FILE [KIND]: llm, and a configuration of the user's
// that names the server.
func useModel(ts *testscript.TestScript, neg bool, args []string) {
	kind := "anthropic"
	if len(args) == 2 {
		kind, args = args[1], args[:1]
	}
	startModel(ts, neg, args)
	dir := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "satchel")
	ts.Check(os.MkdirAll(dir, 0o700))
	text := fmt.Sprintf("[llm.default]\nurl = %q\nkind = %q\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"LLM_KEY\"\n", ts.Getenv("LLM_URL"), kind)
	if extra, err := os.ReadFile(ts.MkAbs("more.toml")); err == nil {
		text += string(extra)
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600))
}

// sameRequest is the command same-request DRY BODIES: the request of a dry run is, to
// the byte, the first of those that were sent.
func sameRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same-request DRY BODIES")
	}
	var dry struct {
		Request json.RawMessage `json:"request"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &dry))
	first, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	if string(dry.Request) != first {
		ts.Fatalf("would send %s\nsent       %s", dry.Request, first)
	}
}
