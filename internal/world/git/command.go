package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits on what git may print, far above what real repositories need: the
// largest public monorepos list a few million paths of about a hundred bytes.
const (
	maxListing = 1 << 30 // bytes of a listing of the index, the work tree or commits
	maxTree    = 1 << 28 // bytes of a listing of trees, which can name more files than there are atoms
	maxHistory = 1 << 33 // bytes of commits with their messages and paths, or of patches
	maxShort   = 1 << 20 // bytes of an answer of a few lines
	maxStderr  = 4 << 10 // bytes of git's complaints that are kept

	// waitDelay is how long a killed git may hold its pipes open.
	waitDelay = 2 * time.Second
)

// hardened are the settings that override the repository's own in every call.
// Each one names a program that git would run, a file outside the repository
// that it would read, or a change of the output format.
var hardened = []string{
	"core.fsmonitor=false",     // runs a program in everything that reads the index
	"core.hooksPath=/dev/null", // post-index-change and others
	"diff.external=",
	"core.pager=cat",
	"core.sshCommand=false",
	"core.askPass=false",
	"core.editor=false",
	"core.alternateRefsCommand=",
	"credential.helper=",
	"gpg.program=false",
	"gpg.ssh.program=false",
	"gpg.x509.program=false",
	"log.showSignature=false", // runs gpg.program for a signed commit
	"log.showRoot=true",
	"log.mailmap=false",
	"protocol.allow=never",
	"protocol.ext.allow=never",
	"protocol.file.allow=never",
	"submodule.recurse=false",
	"core.quotePath=off",
	"core.attributesFile=/dev/null",
	"core.longPaths=true",      // more than 260 characters, which Windows has to be asked for
	"core.bigFileThreshold=8m", // larger blobs are streamed, not held in memory
	"color.ui=false",
	"i18n.logOutputEncoding=UTF-8",
}

// safeEnv returns the whole environment of git. It is built from nothing: of the
// caller's environment only home is kept, so that ~ in an include path of the
// repository's configuration resolves as the user expects.
func safeEnv(home string) []string {
	home = cmp.Or(home, "/nonexistent")
	return []string{
		"PATH=/usr/bin:/bin",
		"HOME=" + home,
		"LC_ALL=C",
		"TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_PAGER=cat",
		"GIT_EDITOR=false",
		"GIT_ASKPASS=false",
		"GIT_SSH_COMMAND=false",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", // an object is what its id says
		"GIT_LITERAL_PATHSPECS=1",
		allocLimit,
	}
}

// allocLimit is the most memory that git may allocate in one piece. A delta of a few
// bytes can name an object of any size, which git unpacks in memory.
const allocLimit = "GIT_ALLOC_LIMIT=512m"

// A runner starts git in one folder with one environment.
type runner struct {
	git     string   // absolute path of the program
	dir     string   // working directory
	env     []string // complete environment
	config  []string // key=value settings after the hardened ones
	timeout time.Duration
	memory  uint64 // that one git may take; 0 means usualMemory

	progress func(command string, waited, limit time.Duration) // may be nil
}

// without returns a copy of the environment less the variables that begin with one of
// the prefixes.
func (r *runner) without(prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(r.env), func(kv string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(kv, p) })
	})
}

// command prepares a call. args[0] is the subcommand.
func (r *runner) command(ctx context.Context, args ...string) *exec.Cmd {
	full := make([]string, 0, 2*len(hardened)+2*len(r.config)+len(args)+4)
	full = append(full, "--no-pager")
	for _, c := range hardened {
		full = append(full, "-c", c)
	}
	full = append(full, "-c", "safe.bareRepository=explicit")
	for _, c := range r.config {
		full = append(full, "-c", c)
	}
	cmd := exec.CommandContext(ctx, r.git, append(full, args...)...)
	cmd.Dir = r.dir
	cmd.Env = r.env
	cmd.WaitDelay = waitDelay
	return cmd
}

// run runs git to its end and returns what it printed, a few lines.
func (r *runner) run(ctx context.Context, input io.Reader, args ...string) (out []byte, err error) {
	_, err = r.stream(ctx, input, maxShort, func(br *bufio.Reader) (err error) {
		out, err = io.ReadAll(br)
		return err
	}, args...)
	return out, err
}

// stream runs git and lets parse read what it prints while it runs. It returns
// what git complained about although it succeeded. An error of parse ends git,
// and so do more than limit bytes, silence for longer than the time limit, and
// mostTurns times that limit in all.
func (r *runner) stream(ctx context.Context, input io.Reader, limit int64, parse func(*bufio.Reader) error, args ...string) (warnings string, err error) {
	overdue := &OverdueError{Limit: mostTurns * r.timeout}
	own, cancel := context.WithTimeoutCause(ctx, overdue.Limit, overdue)
	defer cancel()
	cmd := r.command(own, args...)
	stderr := capped{limit: maxStderr}
	cmd.Stdin, cmd.Stderr = input, &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := start(cmd, cmp.Or(r.memory, usualMemory)); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", commandError(args[0], "", err)
	}
	m := r.meter(args[0], out, limit)
	parseErr := parse(bufio.NewReaderSize(m, 64<<10))
	if parseErr != nil {
		cancel()
	}
	waitErr := cmd.Wait()
	if strings.Contains(strings.ToLower(stderr.buf.String()), "out of memory") {
		fmt.Fprintf(&stderr, "a git may hold %d MiB\n", cmp.Or(r.memory, usualMemory)>>20)
	}
	switch {
	case ctx.Err() != nil && (waitErr != nil || parseErr != nil):
		return "", context.Cause(ctx)
	case m.left < 0:
		return "", &TooLargeError{What: "output of git " + args[0], Limit: limit}
	case context.Cause(own) == overdue:
		return "", commandError(args[0], "", overdue)
	case m.silent:
		return "", commandError(args[0], stderr.buf.String(), &SilentError{r.timeout})
	case parseErr != nil && !errors.Is(parseErr, errAnswer):
		return "", parseErr
	case waitErr != nil && (parseErr == nil || stderr.buf.Len() > 0):
		return "", commandError(args[0], stderr.buf.String(), waitErr) // git died: that explains its answer
	case parseErr != nil:
		return "", commandError(args[0], "", parseErr)
	}
	return explain(stderr.buf.String()), nil
}

// errAnswer means that git's output is not what its documentation says.
var errAnswer = errors.New("unexpected answer")

// commandError makes the error of a failed command.
func commandError(command, stderr string, err error) error {
	return &CommandError{Command: command, Stderr: explain(stderr), Err: err}
}

// explain shortens git's complaints to the text of its lines, without escapes.
func explain(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ".")
		if strings.HasPrefix(line, "Please ") {
			break // general advice
		}
		for _, label := range []string{"fatal: ", "error: ", "warning: "} {
			line = strings.TrimPrefix(line, label)
		}
		if line != "" {
			lines = append(lines, clean(line))
		}
	}
	return strings.Join(lines, "; ")
}

// A capped keeps the first limit bytes and swallows the rest.
type capped struct {
	buf   bytes.Buffer
	limit int
}

func (c *capped) Write(p []byte) (int, error) {
	c.buf.Write(p[:min(len(p), c.limit-c.buf.Len())])
	return len(p), nil
}

var errOverLimit = errors.New("over the limit")

// exitCode returns the exit status of a failed command, or -1.
func exitCode(err error) int {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	return -1
}

// maxToken bounds one commit message or path.
const maxToken = 16 << 20

// token reads up to the next NUL.
func token(br *bufio.Reader) (string, error) {
	part, err := br.ReadSlice(0)
	if err == nil {
		return string(part[:len(part)-1]), nil
	}
	var long []byte
	for err == bufio.ErrBufferFull {
		if long = append(long, part...); len(long) > maxToken {
			return "", &TooLargeError{What: "commit message or path", Limit: maxToken}
		}
		part, err = br.ReadSlice(0)
	}
	if err == nil {
		return string(append(long, part[:len(part)-1]...)), nil
	}
	if err == io.EOF && len(long)+len(part) > 0 {
		return "", truncated(err)
	}
	return "", err
}

// truncated makes the end of the input in the middle of a record an error.
func truncated(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: ends inside a record", errAnswer)
	}
	return err
}

// start starts git so that it ends with this process and holds at most memory bytes: see
// attend and limitMemory. Linux ends a child with the thread that started it, and the
// runtime ends threads of its own, so one thread that lasts starts all children.
func start(cmd *exec.Cmd, memory uint64) error {
	attend(cmd)
	done := make(chan error, 1)
	starter() <- func() { done <- cmd.Start() }
	err := <-done
	if err == nil {
		limitMemory(cmd.Process.Pid, memory)
	}
	return err
}

// Limits of the memory that one git may hold, without the packs that it maps.
const (
	usualMemory   = 1 << 30   // two files of maxCompared take half of it
	historyMemory = 160 << 20 // git holds the names of one commit at a time: 80 MB for mostChanged
	stagedMemory  = 400 << 20 // git holds the index, some 200 MB for a million files, and what differs
	fetchMemory   = 2 << 30
)

var starter = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})
