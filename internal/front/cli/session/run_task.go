package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/runner"
)

// issuePlace is the place of --issue in a task-from command.
const issuePlace = "{issue}"

// trackerTimeout ends a command that is to print a task: trackers ask a server.
const trackerTimeout = time.Minute

// runTask returns the task of a run: from a flag, a file, or the command of an issue
// tracker, which the user typed or has in a configuration of their own.
func (a *app) runTask(ctx context.Context, f *runFlags) (string, error) {
	command := a.Settings.TaskFrom
	given := len(a.Given["task-from"]) > 0
	switch {
	case (f.task != "" || f.taskFile != "") && (given || f.issue != ""):
		return "", base.Usagef("the task is given twice: choose --task, --task-file or --task-from")
	case f.task == "" && f.taskFile == "" && command != "":
		return a.taskFrom(ctx, command, f.issue)
	case f.issue != "":
		return "", base.Usage(errors.New("--issue: no command reads issues"), `name your tracker's command: --task-from "gh issue view `+issuePlace+`", or task-from in your configuration`)
	}
	return a.GivenTask(ctx, f.task, f.taskFile)
}

// taskFrom runs a tracker's command and returns what it prints. No shell is involved:
// the command is split into words as a shell splits them. The issue stays within its
// word, and is never an option.
func (a *app) taskFrom(ctx context.Context, command, issue string) (string, error) {
	words, err := shellquote.Split(command)
	switch {
	case err != nil:
		return "", base.Usagef("task-from %q: %w", command, err)
	case len(words) == 0:
		return "", base.Usagef("task-from is blank")
	case strings.Contains(command, issuePlace) && issue == "":
		return "", base.Usagef("task-from %q needs an issue: give --issue", command)
	case !strings.Contains(command, issuePlace) && issue != "":
		return "", base.Usagef("--issue %s: task-from %q has no place for it; write %s there", issue, command, issuePlace)
	case strings.HasPrefix(issue, "-"):
		return "", base.Usagef("--issue %s looks like an option of %s", issue, words[0])
	}
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], issuePlace, issue)
	}
	out, errs := &firstBytes{most: base.MaxTask + 1}, &firstBytes{most: 4 << 10}
	exit, err := runner.Run(ctx, runner.Command{Args: words, Dir: a.Dir, Env: a.Env.Environ, Stdout: out, Stderr: errs, Timeout: trackerTimeout})
	what := "task-from: " + words[0]
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", what, err)
	case exit.TimedOut:
		return "", fmt.Errorf("%s printed no whole task within %s", what, trackerTimeout)
	case exit.Code != 0:
		line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		if line == "" {
			return "", fmt.Errorf("%s failed with exit status %d", what, exit.Code)
		}
		return "", fmt.Errorf("%s failed with exit status %d: %s", what, exit.Code, clean.Inline(line))
	}
	return base.TaskText("task-from: the output of "+words[0], out.Bytes())
}

// firstBytes keeps the first bytes that are written to it.
type firstBytes struct {
	bytes.Buffer
	most int
}

func (b *firstBytes) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:max(0, min(len(p), b.most-b.Len()))])
	return len(p), nil
}
