// Package runner runs one command that the user typed: it gives it a text on
// standard input, passes on what it prints while it prints it, forwards signals,
// and leaves no process behind.
//
// On Unix the command leads a process group of its own. A signal that satchel
// gets goes to the whole group; whatever is left of the group when the command
// has ended, when its time is up or when it does not heed a signal, is killed.
// Only a process that leaves the group on purpose (a daemon) lives on. On Windows
// a job object takes the place of the group, Ctrl-C reaches the command from the
// console that it shares, and what cannot be signalled is ended at once.
//
// There is no shell: the command is the words that it was given. Start with
// [Run].
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/satchel-dev/satchel/internal/world/proctree"
)

// A Command is what to run. Args[0] is looked up in PATH as a shell would, except
// that the current folder does not count unless it is named.
type Command struct {
	Args  []string
	Dir   string
	Env   []string
	Stdin string // empty means that there is nothing to read

	Stdout, Stderr io.Writer

	// Timeout ends the command. Zero means none.
	Timeout time.Duration
}

// An Exit says how a command ended.
type Exit struct {
	Code     int    // its status; 128 and the number of the signal that ended it
	Signal   string // the name of that signal, if one did
	TimedOut bool   // it was ended because its time was up
}

// Codes for commands that did not run or did not end by themselves, as shells and
// timeout(1) have them.
const (
	codeTimeout       = 124
	codeNotExecutable = 126
	codeNotFound      = 127
	codeSignal        = 128
)

// A StartError is a command that could not be started.
type StartError struct {
	Name string
	Code int
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("start %s: %v", e.Name, e.Err) }
func (e *StartError) Unwrap() error { return e.Err }

const (
	// grace is how long a command may take to end after a signal, and ctx to be cancelled.
	grace = 5 * time.Second
	// signalLag is how long after a cancellation the signal may come that caused it.
	signalLag = 50 * time.Millisecond
	// drain is how long a process that left the group may hold the output open.
	drain = 500 * time.Millisecond
)

// Run runs a command to its end. The errors are a *[StartError], and that of ctx
// if it was cancelled, after the command has ended; the Exit is known then, too.
func Run(ctx context.Context, c Command) (Exit, error) {
	cmd, err := prepare(&c)
	if err != nil {
		return Exit{}, err
	}
	tree := proctree.New(cmd)
	defer tree.Close()
	in, err := give(c.Stdin)
	if err != nil {
		return Exit{}, err
	}
	cmd.Stdin = in.read
	var copies sync.WaitGroup
	var outputs []*os.File
	var writes []*os.File
	for _, o := range []struct {
		to *io.Writer
		w  io.Writer
	}{{&cmd.Stdout, c.Stdout}, {&cmd.Stderr, c.Stderr}} {
		r, w, err := os.Pipe()
		if err != nil {
			return Exit{}, err
		}
		outputs, writes = append(outputs, r), append(writes, w)
		*o.to = w
		copies.Go(func() { pass(o.w, r) })
	}
	// Signals are ours from before the command is there, so that none is lost.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)

	err = tree.Started(cmd.Start())
	in.read.Close()
	for _, w := range writes {
		w.Close() // the command has its own
	}
	if err != nil {
		in.close()
		for _, r := range outputs {
			r.Close()
		}
		copies.Wait()
		return Exit{}, startError(c.Args[0], err)
	}
	in.send()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended stands in its ProcessState
		close(ended)
	}()
	timedOut, stopped := supervise(ctx, tree, ended, signals, c.Timeout)
	tree.Kill() // what it left behind
	in.close()
	done := make(chan struct{})
	go func() { copies.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drain):
	}
	for _, r := range outputs {
		r.Close()
	}
	<-done
	x := exitOf(cmd)
	if timedOut {
		x.TimedOut, x.Code = true, codeTimeout
	}
	if stopped { // the signal cancels ctx too, in a goroutine that may be late
		select {
		case <-ctx.Done():
		case <-time.After(grace):
		}
	}
	return x, ctx.Err()
}

// supervise waits for the command to end, and ends it if it must. Stopped reports whether
// a signal asked for the end.
func supervise(ctx context.Context, tree *proctree.Tree, ended <-chan struct{}, signals <-chan os.Signal, timeout time.Duration) (timedOut, stopped bool) {
	var late, patience <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	cancelled := ctx.Done()
	var silent <-chan time.Time // after a cancellation that no signal explains
	asked := 0
	for {
		select {
		case <-ended:
			return timedOut, stopped
		case s := <-signals:
			tree.Signal(s)
			stopped = stopped || s == os.Interrupt || s == syscall.SIGTERM
			if asked++; asked > 1 { // the user insists
				tree.Kill()
			}
			patience = time.After(grace)
		case <-cancelled:
			cancelled, silent = nil, time.After(signalLag)
		case <-silent:
			silent = nil
			if asked == 0 {
				tree.Terminate()
				patience = time.After(grace)
			}
		case <-late:
			late, timedOut = nil, true
			tree.Terminate()
			patience = time.After(grace)
		case <-patience:
			patience = nil
			tree.Kill()
		}
	}
}

// prepare finds the program.
func prepare(c *Command) (*exec.Cmd, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, &StartError{"a command", codeNotFound, errors.New("no command is given")}
	}
	name, err := LookPath(c.Args[0], c.Dir, c.Env)
	if err != nil {
		return nil, startError(c.Args[0], err)
	}
	if err := refuse(name, c.Args[1:]); err != nil {
		return nil, &StartError{c.Args[0], codeNotExecutable, err}
	}
	return &exec.Cmd{Path: name, Args: c.Args, Dir: c.Dir, Env: c.Env}, nil
}

// startError finds the code for a command that cannot be started.
func startError(name string, err error) error {
	var pathErr *fs.PathError
	var execErr *exec.Error
	e := &StartError{name, codeNotFound, err}
	switch {
	case errors.As(err, &pathErr):
		e.Err = pathErr.Err
	case errors.As(err, &execErr):
		e.Err = execErr.Err
	}
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		e.Err = errors.New("there is no such command")
	default:
		e.Code = codeNotExecutable
	}
	return e
}

// pass copies what a command prints as it comes. When the writer fails it reads
// on, so that the command is not held up.
func pass(w io.Writer, r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 && w != nil {
			if _, failed := w.Write(buf[:n]); failed != nil {
				w = nil
			}
		}
		if err != nil {
			return
		}
	}
}

// An input is the text that a command reads.
type input struct {
	read  *os.File
	write *os.File // nil if there is nothing to read
	text  string
	sent  chan struct{}
}

func give(text string) (*input, error) {
	if text == "" {
		f, err := os.Open(os.DevNull)
		return &input{read: f}, err
	}
	r, w, err := os.Pipe()
	return &input{read: r, write: w, text: text}, err
}

// send writes the text while the command runs.
func (in *input) send() {
	if in.write == nil {
		return
	}
	in.sent = make(chan struct{})
	go func() {
		defer close(in.sent)
		_, _ = io.WriteString(in.write, in.text) // who does not read it does not want it
		in.write.Close()
	}()
}

func (in *input) close() {
	if in.write == nil {
		return
	}
	in.write.Close()
	if in.sent != nil {
		<-in.sent
	}
}

// Attached runs a command on the terminal of the user, who types to it: it has in for
// its input, and stays in the group of processes to which the terminal's keys send
// their signals. We wait for its end whatever is pressed. Stdin, Stdout, Stderr and
// Timeout of the Command do not count. The errors are those of [Run].
func Attached(ctx context.Context, c Command, in io.Reader, out, errs io.Writer) (Exit, error) {
	cmd, err := prepare(&c)
	if err != nil {
		return Exit{}, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return Exit{}, startError(c.Args[0], err)
	}
	_ = cmd.Wait() // how it ended stands in its ProcessState
	return exitOf(cmd), ctx.Err()
}
