package assist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/runner"
)

// errMoved means that the message is about other changes than the staged ones.
var errMoved = errors.New("what is staged changed after the model was asked")

// settle asks what becomes of a message, and does it. again means that another
// message is wanted.
func (a *app) settle(ctx context.Context, e *engine.Engine, f *commitFlags, m *assist.Message, q *assist.CommitRequest) (again bool, err error) {
	edit := f.edit
	if !f.yes {
		if lacks := (&base.IncompleteError{Why: m.Incomplete}); len(lacks.Why) > 0 {
			a.Say("%s", clean.Inline(lacks.Error()))
			a.SayMissing(lacks)
		}
		answer, err := a.askCommit(ctx, len(m.Incomplete) > 0)
		if err != nil {
			return false, err
		}
		switch answer {
		case "n":
			a.Remark("nothing committed")
			return false, nil
		case "r":
			hint, err := a.AskLine(ctx, "what did you mean? ")
			if err != nil {
				return false, err
			}
			if hint != "" {
				q.Hints = append(q.Hints, hint)
			}
			return true, nil
		case "e":
			edit = true
		}
	} else if err := a.lacking(m); err != nil {
		return false, err // without a question, nothing incomplete is committed
	}
	now, err := (&assist.Desk{Engine: e}).Staged(ctx, f.amend)
	switch {
	case err != nil:
		return false, err
	case assist.Digest(now) == m.Digest:
	case f.yes:
		return false, base.Hint(errMoved, "run the command again")
	default:
		a.Say("%v: here is a new message", errMoved)
		return true, nil
	}
	return false, a.gitCommit(ctx, e, m, f, edit)
}

// gitCommit runs git commit, the user's own command, and keeps the edited message.
func (a *app) gitCommit(ctx context.Context, e *engine.Engine, m *assist.Message, f *commitFlags, edit bool) error {
	args := []string{"git", "commit"}
	file, err := os.CreateTemp("", "satchel-message-*.txt")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(m.Text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	cleanup := "--cleanup=whitespace"
	if edit { // git's notes for the editor follow a scissors line
		cleanup = "--cleanup=scissors"
	}
	args = append(args, "-F", file.Name(), cleanup)
	if edit {
		args = append(args, "-e")
	}
	if f.amend {
		args = append(args, "--amend")
	}
	args = append(args, f.git...)
	a.Say("%s", shellquote.Join(args...))
	exit, err := a.runGit(ctx, args)
	switch {
	case err != nil:
		return err
	case exit.Code != 0:
		return fmt.Errorf("git commit failed with status %d: nothing committed", exit.Code)
	}
	if edit {
		a.keepEdit(ctx, e, m, f.run)
	}
	return nil
}

// runGit runs a command of git's for the user, on the user's terminal.
func (a *app) runGit(ctx context.Context, args []string) (runner.Exit, error) {
	if a.Env.StdinTTY {
		return runner.Attached(ctx, runner.Command{Args: args, Dir: a.Dir, Env: a.Env.Environ}, a.Env.Stdin, a.Env.Stdout, a.Env.Stderr)
	}
	return runner.Run(ctx, runner.Command{Args: args, Dir: a.Dir, Env: a.Env.Environ, Stdout: a.Env.Stderr, Stderr: a.Env.Stderr})
}

// keepEdit keeps the message that an editor made of a generated one, beside the run
// that generated it.
func (a *app) keepEdit(ctx context.Context, e *engine.Engine, m *assist.Message, run string) {
	list, err := e.History().Messages(ctx, "HEAD", 1)
	if run == "" || err != nil || len(list) == 0 || strings.TrimSpace(list[0]) == strings.TrimSpace(m.Text) {
		return
	}
	edited := []engine.TakenItem{item(outputItem, []byte(list[0]))}
	if _, _, err = e.Snapshots().Take(ctx, edited, editSummary+run, a.Now(), a.Settings.Retention); err == nil {
		a.Remark("kept your edit; satchel log show %.12s shows it", run)
	}
}

// askCommit asks what becomes of a message.
func (a *app) askCommit(ctx context.Context, incomplete bool) (string, error) {
	question := "[y] commit  [e] edit  [r] again, with a hint  [n] no ▸ "
	if incomplete {
		question = "incomplete! " + question
	}
	for {
		line, err := a.AskLine(ctx, question)
		if err != nil {
			return "", err
		}
		switch word := strings.ToLower(line); {
		case word == "":
			return "n", nil
		case slices.Contains([]string{"y", "yes", "e", "edit", "r", "n", "no", "q"}, word):
			return strings.Replace(word[:1], "q", "n", 1), nil
		}
		a.Say("%.20q is not y, e, r or n", line)
	}
}

// commitHook writes a message into the file of a prepare-commit-msg hook. It never
// fails, since a commit would fail with it, and it asks nothing.
func (a *app) commitHook(ctx context.Context, f *commitFlags) error {
	switch f.hookSource {
	case "merge", "squash", "commit", "message":
		return nil // the file has a message already
	}
	ctx, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	a.Settings.Quiet = true
	q, err := f.request()
	if err != nil {
		return nil
	}
	e, err := a.OpenAsking(ctx)
	if err != nil {
		return nil
	}
	defer e.Close()
	r, err := a.desk(ctx, e, &f.assistFlags, engine.DiffRequest{Source: "staged"})
	if err != nil {
		return nil
	}
	m, err := r.Commit(ctx, q)
	text := ""
	if err == nil {
		text = m.Text
	}
	if r.end(ctx, []byte(text), err) != nil || text == "" {
		return nil
	}
	name := a.FromHere(f.hook)
	old, err := os.ReadFile(name)
	if err != nil || bytes.HasPrefix(old, []byte(text)) {
		return nil
	}
	_ = base.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n"+string(old))
		return err
	})
	return nil
}
