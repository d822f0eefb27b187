package session_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/render"
)

// frames passes on what is written until somebody has enough of it.
type frames chan string

func (f frames) Write(p []byte) (int, error) {
	f <- string(p)
	return len(p), nil
}

// exampleSession returns the session of the examples, and a folder to have it in.
func exampleSession(t *testing.T) (dir string, session []byte) {
	t.Helper()
	session, err := os.ReadFile(filepath.Join(clitest.Examples(t, "../testdata/examples.tree"), "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return t.TempDir(), session
}

// TestStatusWatch: a watched session is shown at once and again when it has
// grown, on a terminal in place, and the command ends when interrupted.
func TestStatusWatch(t *testing.T) {
	clitest.Slow(t)
	for _, tty := range []bool{false, true} {
		dir, session := exampleSession(t)
		name := filepath.Join(dir, "s.jsonl")
		lines := bytes.SplitAfter(session, []byte("\n"))
		if err := os.WriteFile(name, bytes.Join(lines[:4], nil), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		out := make(frames)
		code := make(chan int, 1)
		go func() {
			code <- program.Main(ctx, base.Env{Dir: dir, Environ: append(clitest.Isolated(dir), "TERM=xterm"), Stdout: out, Stderr: &bytes.Buffer{}, StdoutTTY: tty, Width: 60}, suite.Commands, []string{"status", "s.jsonl", "--watch"})
		}()
		first := <-out
		if err := os.WriteFile(name+".new", session, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil { // so that no half is read
			t.Fatal(err)
		}
		second := <-out
		stop()
		got := -1
		for got < 0 {
			select {
			case <-out: // a frame that was under way
			case got = <-code:
			}
		}
		if got != base.ExitInterrupted {
			t.Errorf("exit code %d, want %d", got, base.ExitInterrupted)
		}
		if first == second || !strings.Contains(first, "0198c0de") || !strings.Contains(second, "0198c0de") {
			t.Errorf("terminal %v: first\n%s\nthen\n%s", tty, first, second)
		}
		if tty != strings.Contains(second, "\x1b[H") {
			t.Errorf("terminal %v: the second frame is %q", tty, second)
		}
	}
}

// TestStatusWidth: no line is wider than the terminal, and without colour
// nothing but text is written.
func TestStatusWidth(t *testing.T) {
	dir, session := exampleSession(t)
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), session, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1, 2, 5, 10, 17, 25, 40, 60, 80, 200, 10_000} {
		for _, args := range [][]string{{"status", "s.jsonl"}, {"status", "s.jsonl", "--window", "5k"}} {
			env := base.Env{Dir: dir, Environ: append(clitest.Isolated(dir), "NO_COLOR=1"), StdoutTTY: true, Width: width}
			code, out, errs := suite.Run(t, env, args...)
			if code != base.ExitOK {
				t.Fatalf("%v: exit code %d: %s", args, code, errs)
			}
			if strings.Contains(out, "\x1b") {
				t.Errorf("%v paints where it should not: %q", args, out)
			}
			for line := range strings.Lines(out) {
				if n := render.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%v at %d cells is %d wide: %q", args, width, n, line)
				}
			}
		}
	}
}

// TestSessionWidth checks that the tables of a session fit the terminal.
func TestSessionWidth(t *testing.T) {
	dir, session := exampleSession(t)
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), session, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{60, 80, 200} {
		for _, args := range [][]string{{"stats"}, {"show"}} {
			env := base.Env{Dir: dir, Environ: append(clitest.Isolated(dir), "NO_COLOR=1", "PAGER=cat"), StdoutTTY: true, Width: width}
			code, out, errs := suite.Run(t, env, append(append([]string{"session"}, args...), "s.jsonl")...)
			if code != base.ExitOK {
				t.Fatalf("%v: exit code %d: %s", args, code, errs)
			}
			for line := range strings.Lines(out) {
				if n := render.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%v at %d cells is %d wide: %q", args, width, n, line)
				}
			}
		}
	}
}
