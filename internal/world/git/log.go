package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Commit is one commit of the history.
type Commit struct {
	ID      string
	Parents []string
	Time    int64  // of the committer, Unix seconds; 0 if git cannot tell
	Message string // in UTF-8, as far as git could convert it
	Files   []string
	// Files are the paths that differ from the first parent, renames as a
	// removal and an addition; for a root commit, all of its paths.
}

// mostChanged is how many files a commit of a history may change, and how many of the
// differences between two trees are listed.
const mostChanged = 200_000

// logFormat describes the head of a record of git log -z --name-only. A record is
//
//	NUL id SP parents NUL time NUL message NUL [LF path NUL path NUL …]
//
// The NUL before the id is what no file name can imitate: it reads as an empty
// path. The NUL after the message ends the format; the LF separates it from the
// paths, and is there only if there are any. The time is empty if git finds
// none, as in a commit that claims to be in UTF-16.
const logFormat = "--format=tformat:%x00%H %P%x00%ct%x00%B"

var logFlags = []string{"-z", "--name-only", "--diff-merges=first-parent", "--no-renames", "--no-ext-diff", "--no-textconv",
	"--no-show-signature", "--no-notes", "--no-decorate", "--no-relative", "--no-color", "--encoding=UTF-8", "-O/dev/null", logFormat}

// Log calls fn for exactly the given commits, in the given order. An error of fn
// ends it and is returned.
func (r *Repo) Log(ctx context.Context, revs []string, fn func(Commit) error) error {
	if len(revs) == 0 {
		return nil
	}
	var in strings.Builder
	for _, rev := range revs {
		if !r.format.validID(rev) {
			return &UnknownRevisionError{Rev: rev, Why: "want a full commit id"}
		}
		in.WriteString(rev)
		in.WriteByte('\n')
	}
	args := append([]string{"log", "--stdin", "--no-walk=unsorted"}, logFlags...)
	return r.log(ctx, in.String(), args, historyMemory, fn)
}

// LogFrom calls fn for the newest n commits reachable from rev, in the order of
// git log, or for all if n is 0. It is faster than RevList and Log when nothing
// is known yet.
func (r *Repo) LogFrom(ctx context.Context, rev string, n int, fn func(Commit) error) error {
	return r.LogOf(ctx, LogSpec{Rev: rev, Most: n}, fn)
}

// A LogSpec says which commits are asked for.
type LogSpec struct {
	Rev   string   // the commits reachable from here
	Since string   // but not from here; empty means all
	Paths []string // that changed one of these files or folders; the Files of a commit are then these alone
	Most  int      // the newest; 0 means all
}

// LogOf calls fn for some commits, in the order of git log.
func (r *Repo) LogOf(ctx context.Context, q LogSpec, fn func(Commit) error) error {
	commit, err := r.commit(ctx, q.Rev)
	if err != nil {
		return err
	}
	args := append([]string{"log", maxCount(q.Most)}, logFlags...)
	args = append(args, "--end-of-options", commit)
	if q.Since != "" {
		since, err := r.commit(ctx, q.Since)
		if err != nil {
			return err
		}
		args = append(args, "^"+since)
	}
	memory := uint64(historyMemory)
	if q.Most == 0 || len(q.Paths) > 0 {
		memory = usualMemory // git keeps every commit that it walks, 600 bytes each
	}
	return r.log(ctx, "", append(append(args, "--"), q.Paths...), memory, fn)
}

// Messages calls fn for all commits reachable from rev, in the order of git log,
// without their Files.
func (r *Repo) Messages(ctx context.Context, rev string, fn func(Commit) error) error {
	commit, err := r.commit(ctx, rev)
	if err != nil {
		return err
	}
	flags := slices.DeleteFunc(slices.Clone(logFlags), func(f string) bool { return f == "--name-only" || strings.HasPrefix(f, "--diff-merges") })
	args := append(append([]string{"log", "--no-patch"}, flags...), "--end-of-options", commit, "--")
	return r.log(ctx, "", args, usualMemory, fn)
}

func (r *Repo) log(ctx context.Context, input string, args []string, memory uint64, fn func(Commit) error) error {
	run, done, err := r.objectRunner()
	if err != nil {
		return err
	}
	defer done()
	frugal := *run
	frugal.memory = memory
	frugal.config = append(slices.Clone(frugal.config), "core.deltaBaseCacheLimit=32m") // of 96
	_, err = frugal.stream(ctx, strings.NewReader(input), maxHistory, func(br *bufio.Reader) error {
		return parseLog(br, r.format, fn)
	}, args...)
	return asUnknown(err)
}

// parseLog reads records as logFormat describes them.
func parseLog(br *bufio.Reader, format Format, fn func(Commit) error) error {
	tok, err := token(br)
	for {
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if tok != "" {
			return fmt.Errorf("%w: no start of a commit", errAnswer)
		}
		var head [3]string
		for i := range head {
			if head[i], err = token(br); err != nil {
				return truncated(err)
			}
		}
		var c Commit
		ids, isHead := strings.CutSuffix(head[0], " ")
		if !isHead {
			ids = head[0]
		}
		id, parents, _ := strings.Cut(ids, " ")
		c.ID, c.Message = id, head[2]
		if parents != "" {
			c.Parents = strings.Split(parents, " ")
		}
		if !format.validID(c.ID) {
			return fmt.Errorf("%w: no commit id", errAnswer)
		}
		if t, err := strconv.ParseInt(head[1], 10, 64); err == nil {
			c.Time = t
		}
		for _, p := range c.Parents {
			if !format.validID(p) {
				return fmt.Errorf("%w: bad parent of %s", errAnswer, c.ID)
			}
		}
		tok, err = token(br)
		if err == nil && tok != "" {
			name, ok := strings.CutPrefix(tok, "\n")
			if !ok || name == "" {
				return fmt.Errorf("%w: no paths of %s", errAnswer, c.ID)
			}
			for names := 0; name != ""; {
				if names += len(name); len(c.Files) == mostChanged || names > maxTree {
					return fmt.Errorf("commit %s changes more than %d files", c.ID, len(c.Files))
				}
				c.Files = append(c.Files, name)
				if name, err = token(br); err != nil {
					break
				}
			}
			tok = ""
		}
		if err != nil && err != io.EOF {
			return err
		}
		if e := fn(c); e != nil {
			return e
		}
	}
}
