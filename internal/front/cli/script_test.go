package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
)

// The command run satchel of a script runs in the test process, which is some 20 ms
// faster than exec satchel. Use exec where the process matters: signals, locks, limits, pipes,
// shells, and work that goes on after the command.

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
func runSatchel(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "satchel" {
		ts.Fatalf("usage: run satchel ARGS...")
	}
	if code := inProcess(ts, args[1:]); (code != base.ExitOK) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// inProcess runs satchel in this process and returns its exit code.
func inProcess(ts *testscript.TestScript, args []string) int {
	input := ts.Value(inputKey{}).(*string)
	env := base.Env{
		Dir: ts.MkAbs("."), Environ: scriptEnviron(ts),
		Stdin: strings.NewReader(*input), Stdout: ts.Stdout(), Stderr: ts.Stderr(),
		HookDeadline: patient,
	}
	*input = ""
	return checkedMain(context.Background(), env, args)
}

// scriptEnviron returns the variables of a script that satchel or a program started by it
// may read. testscript does not list them, so these are the names in [isolated] and in
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
		for _, kv := range append(isolated(""), "WORK=", "TMPDIR=", faultsVar+"=", writtenVar+"=") {
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
