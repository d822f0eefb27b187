package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// # A git that does not answer
//
// git answers within milliseconds, but for listing the work tree, which takes as long
// as the disk does. A repository can make it take forever: by an ignore file whose
// patterns take exponential time to compare, or by a pipe in the place of a file that
// git reads. So a silent git is stopped after a time limit.

// defaultTimeout is the default limit of git's silence.
const defaultTimeout = time.Minute

// minDiffTimeout is how long it may be while it compares, which takes its time over
// large changes and reads nothing of the work tree.
const minDiffTimeout = time.Minute

// waitShown is the silence of git after which the user gets a message, and waitTick
// the interval of further messages.
const (
	waitShown = 2 * time.Second
	waitTick  = time.Second
)

// A SilentError means that git did not answer in time.
type SilentError struct{ Wait time.Duration }

func (e *SilentError) Error() string {
	return fmt.Sprintf("no answer within %v, perhaps due to a slow disk or an ignore pattern with many **", e.Wait)
}

// An OverdueError means that a git command was busy for too long, though never silent.
type OverdueError struct{ Limit time.Duration }

// mostTurns is how many times the limit of silence a git command may take in all.
const mostTurns = 10

func (e *OverdueError) Error() string {
	return fmt.Sprintf("not done within %v, the limit for one call (%d times git-timeout)", e.Limit, mostTurns)
}

// A meter reads from a pipe and fails if there are more than left bytes, or none
// for longer than wait.
type meter struct {
	in      io.Reader
	left    int64
	wait    time.Duration
	waiting func(waited time.Duration) // called during long silence; may be nil
	silent  bool                       // it failed for that
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.read(p)
	if m.left -= int64(n); m.left < 0 {
		return 0, errOverLimit
	}
	return n, err
}

func (m *meter) read(p []byte) (int, error) {
	pipe, ok := m.in.(*os.File)
	if !ok {
		return m.in.Read(p)
	}
	for waited, step := time.Duration(0), waitShown; ; step = waitTick {
		step = min(step, m.wait-waited)
		_ = pipe.SetReadDeadline(time.Now().Add(step)) // a pipe has deadlines
		n, err := pipe.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if waited += step; waited >= m.wait {
			m.silent = true
			return n, err
		}
		if m.waiting != nil {
			m.waiting(waited)
		}
	}
}

// meter reads what a command prints.
func (r *runner) meter(command string, in io.Reader, limit int64) *meter {
	m := &meter{in: in, left: limit, wait: r.timeout}
	if r.progress != nil {
		m.waiting = func(waited time.Duration) { r.progress(command, waited, m.wait) }
	}
	return m
}

// gitFiles are files that git reads in nearly every call, in one of the two folders.
var gitFiles = []string{
	"HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir", "gitdir",
	"info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout",
	"objects/info/alternates", "objects/info/commit-graph", "objects/info/commit-graphs/commit-graph-chain", "objects/pack/multi-pack-index",
}

// gitFolders finds the two folders of a repository as git does, by names alone: the
// work tree's own, and the common one. They are "" if they do not exist.
func gitFolders(dir string) (own, common string) {
	for {
		own = filepath.Join(dir, ".git")
		fi, err := os.Lstat(own)
		if err == nil {
			if fi.Mode().IsRegular() {
				text, err := readRegular(own, maxShort)
				to, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
				if err != nil || !ok {
					return "", ""
				}
				if own = to; !filepath.IsAbs(to) {
					own = filepath.Join(dir, to)
				}
			}
			break
		}
		if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
			if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
				own = dir // bare
				break
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
	common = own
	if text, err := readRegular(filepath.Join(own, "commondir"), maxShort); err == nil {
		if common = strings.TrimRight(text, "\r\n"); !filepath.IsAbs(common) {
			common = filepath.Join(own, common)
		}
	}
	return own, common
}

// readRegular reads a small file, and waits for nothing.
func readRegular(name string, limit int64) (string, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "", ErrNotRegular
	}
	b, err := readShared(name, limit)
	return string(b), err
}

// readShared reads a file of git's so that git can replace it meanwhile. One that is
// larger than limit, as it may have become just now, is a *[TooLargeError].
func readShared(name string, limit int64) ([]byte, error) {
	f, err := fsx.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, &TooLargeError{What: filepath.Base(name), Limit: limit}
	}
	return b, err
}

// odd looks for something that makes git wait among the files that it reads in
// every call.
func odd(own, common string) (name, kind string) {
	if own == "" {
		return "", ""
	}
	for _, dir := range []string{own, common} {
		for _, f := range gitFiles {
			f = filepath.Join(dir, filepath.FromSlash(f))
			if fi, err := os.Stat(f); err == nil {
				if kind := waitsFor(fi); kind != "" {
					return f, kind
				}
			}
		}
	}
	return "", ""
}

// waitsFor says what a thing is that git would wait for in the place of a file.
func waitsFor(fi fs.FileInfo) string {
	m := fi.Mode()
	switch {
	case m.IsRegular(), m.IsDir():
		return ""
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		if null, err := os.Stat(os.DevNull); err != nil || !os.SameFile(fi, null) {
			return "a device"
		}
	}
	return ""
}
