package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Limits on what git may print, far above what real repositories need: the
// largest public monorepos list a few million paths of about a hundred bytes.
const (
	maxListing = 1 << 30 // bytes of a listing of files or commits
	maxShort   = 1 << 20 // bytes of an answer of a few lines
	maxStderr  = 4 << 10 // bytes of git's complaints that are kept

	// defaultTimeout bounds one listing or question. Only a file system that
	// hangs, or a FIFO in the place of an ignore file, reaches it.
	defaultTimeout = 2 * time.Minute

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
	"core.bigFileThreshold=8m", // larger blobs are streamed, not held in memory
	"color.ui=false",
	"i18n.logOutputEncoding=UTF-8",
}

// safeEnv returns the whole environment of git. It is built from nothing: of the
// caller's environment only home is kept, so that ~ in an include path of the
// repository's configuration resolves as the user expects.
func safeEnv(home string) []string {
	if home == "" {
		home = "/nonexistent"
	}
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
	}
}

// A runner starts git in one folder with one environment.
type runner struct {
	git     string   // absolute path of the program
	dir     string   // working directory
	env     []string // complete environment
	config  []string // key=value settings after the hardened ones
	timeout time.Duration
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

// run runs git to its end and returns what it printed, up to limit bytes.
func (r *runner) run(ctx context.Context, input io.Reader, limit int64, args ...string) ([]byte, error) {
	out, _, err := r.listen(ctx, input, limit, args...)
	return out, err
}

// listen is run for commands that may warn about something and go on.
func (r *runner) listen(ctx context.Context, input io.Reader, limit int64, args ...string) (out []byte, warnings string, err error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	cmd := r.command(ctx, args...)
	stdout, stderr := capped{limit: limit}, capped{limit: maxStderr, discard: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &stdout, &stderr
	err = cmd.Run()
	switch {
	case err == nil:
		return stdout.buf.Bytes(), explain(stderr.buf.String()), nil
	case parent.Err() != nil:
		return nil, "", context.Cause(parent)
	case stdout.over:
		return nil, "", &TooLargeError{What: "output of git " + args[0], Limit: limit}
	case ctx.Err() != nil:
		err = fmt.Errorf("no answer within %v", r.timeout)
	}
	return stdout.buf.Bytes(), "", commandError(args[0], stderr.buf.String(), err)
}

// commandError makes the error of a failed command.
func commandError(command, stderr string, err error) error {
	return &CommandError{Command: command, Stderr: explain(stderr), Err: err}
}

// explain shortens git's complaints to the text of its lines, without escapes.
func explain(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, label := range []string{"fatal: ", "error: ", "warning: "} {
			line = strings.TrimPrefix(line, label)
		}
		if line != "" {
			lines = append(lines, clean(line))
		}
	}
	return strings.Join(lines, "; ")
}

// A capped is a buffer that takes up to limit bytes.
type capped struct {
	buf     bytes.Buffer
	limit   int64
	over    bool
	discard bool // swallow what is over the limit instead of failing
}

var errOverLimit = errors.New("output over the limit")

func (c *capped) Write(p []byte) (int, error) {
	room := c.limit - int64(c.buf.Len())
	if int64(len(p)) <= room {
		return c.buf.Write(p)
	}
	c.over = true
	c.buf.Write(p[:max(room, 0)])
	if c.discard {
		return len(p), nil
	}
	return 0, errOverLimit
}

// exitCode returns the exit status of a failed command, or -1.
func exitCode(err error) int {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	return -1
}
