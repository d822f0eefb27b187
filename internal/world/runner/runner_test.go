//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A buffer may be written while it is read.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func sh(script string) Command {
	return Command{Args: []string{"sh", "-c", script}, Env: os.Environ()}
}

func TestRun(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	big := strings.Repeat("0123456789abcdef", 1<<16) // far more than a pipe holds
	for _, test := range []struct {
		script, stdin, stdout, stderr string
		want                          Exit
	}{
		{"echo out; echo err >&2", "", "out\n", "err\n", Exit{}},
		{"cat", "hello", "hello", "", Exit{}},
		{"cat", "", "", "", Exit{}}, // does not wait for the user
		{"wc -c | tr -d ' '", big, strconv.Itoa(len(big)) + "\n", "", Exit{}},
		{"true", big, "", "", Exit{}}, // does not read it
		{"exit 3", "", "", "", Exit{Code: 3}},
		{"kill -KILL $$", "", "", "", Exit{Code: 137, Signal: "killed"}},
		{"kill -TERM $$", "", "", "", Exit{Code: 143, Signal: "terminated"}},
	} {
		var out, errs buffer
		c := sh(test.script)
		c.Stdin, c.Stdout, c.Stderr = test.stdin, &out, &errs
		got, err := Run(context.Background(), c)
		if err != nil || got != test.want || out.String() != test.stdout || errs.String() != test.stderr {
			t.Errorf("%s: %+v, %v, out %.60q, err %q; want %+v, %.60q, %q", test.script, got, err, out.String(), errs.String(), test.want, test.stdout, test.stderr)
		}
	}
}

func TestRunCannotStart(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"satchel-no-such-command"}, codeNotFound, "start satchel-no-such-command: there is no such command"},
		{[]string{"./nope"}, codeNotFound, "start ./nope: there is no such command"},
		{[]string{"./plain"}, codeNotExecutable, "start ./plain: permission denied"},
		{[]string{dir}, codeNotExecutable, "start " + dir + ": is a directory"},
		{[]string{"plain"}, codeNotFound, "start plain: there is no such command"}, // the current folder does not count
		{nil, codeNotFound, "start a command: no command is given"},
	} {
		c := Command{Args: test.args, Dir: dir, Env: []string{"PATH=.:" + os.Getenv("PATH")}}
		_, err := Run(context.Background(), c)
		var start *StartError
		if !errors.As(err, &start) || start.Code != test.code || err.Error() != test.want {
			t.Errorf("%q: %v, want %s (%d)", test.args, err, test.want, test.code)
		}
	}
}

// leavesNothing runs a script whose children ignore signals, calls act once they run, and
// checks that no process is left. A time limit that ends the script too early is doubled.
func leavesNothing(t *testing.T, script string, c Command, act func(cancel func())) Exit {
	t.Helper()
	pids := filepath.Join(t.TempDir(), "pids")
	var out buffer
	c.Args, c.Env, c.Stdout = []string{"sh", "-c", script}, append(os.Environ(), "PIDS="+pids), &out
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if act != nil {
		go func() {
			for !strings.Contains(out.String(), "ready") {
				time.Sleep(5 * time.Millisecond)
			}
			act(cancel)
		}()
	}
	x, err := Run(ctx, c)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if x.TimedOut && !strings.Contains(out.String(), "ready") && c.Timeout < time.Minute { // a busy machine
		c.Timeout *= 2
		return leavesNothing(t, script, c, act)
	}
	list, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range strings.Fields(string(list)) {
		pid, _ := strconv.Atoi(f)
		for i := 0; alive(pid); i++ {
			if i == 6000 {
				t.Errorf("%s: process %d is left behind", script, pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return x
}

// alive reports whether a process runs; a zombie that nobody waits for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return os.IsNotExist(err) && !isLinux()
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func isLinux() bool { _, err := os.Stat("/proc/self/stat"); return err == nil }

func TestRunLeavesNothingBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const children = `(trap "" TERM INT HUP; sleep 300) & echo $! >>"$PIDS"; sleep 301 & echo $! >>"$PIDS"; `
	// The command ends and its children do not; they hold its output open, too.
	if x := leavesNothing(t, children+"exit 4", Command{}, nil); x.Code != 4 {
		t.Errorf("the exit is %+v, want 4", x)
	}
	if x := leavesNothing(t, children+"echo ready; wait", Command{Timeout: 300 * time.Millisecond}, nil); !x.TimedOut || x.Code != codeTimeout {
		t.Errorf("the exit is %+v, want a time-out", x)
	}
	leavesNothing(t, children+"echo ready; wait", Command{}, func(cancel func()) { cancel() })
	// A signal goes on to the command, which may tidy up.
	var out buffer
	x := leavesNothing(t, children+`trap "echo tidied >&2; exit 7" TERM; echo ready; while :; do sleep 0.05; done`, Command{Stderr: &out}, func(cancel func()) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		cancel() // as signal.NotifyContext does
	})
	if x.Code != 7 || !strings.Contains(out.String(), "tidied") {
		t.Errorf("the exit is %+v, it said %q", x, out.String())
	}
}
