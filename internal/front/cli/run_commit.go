package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/runner"
	"github.com/satchel-dev/satchel/render"
)

// mostChanged is how many files a run may have changed for its commit step: more are
// not read before a yes.
const mostChanged = 200

// A runCommit is the commit step of a run: what the agent changed is named, staged
// after a yes, and committed by the functions of satchel commit after another one.
type runCommit struct {
	*commandRun
	flags  commitFlags
	head   string               // before the run
	before map[string]fileState // what differed from it then
}

// A fileState tells one content of a path from another.
type fileState struct {
	status change.Status
	mode   uint32
	blob   string
}

// prepareCommit looks, before an agent has worked for an hour, whether its work could
// be committed. It returns nil if nobody wants that.
func (r *commandRun) prepareCommit(ctx context.Context) (*runCommit, error) {
	f := r.f
	switch {
	case !f.commit && (f.yes || f.llm != ""):
		return nil, usagef("--yes and --llm are about --commit")
	case !f.commit || f.dryRun:
		return nil, nil
	case !f.yes && (!r.env.StdinTTY || !r.env.StderrTTY):
		return nil, &usageError{errors.New("--commit: there is no terminal to ask on"), "--yes stages and commits without a question"}
	}
	s := &runCommit{commandRun: r}
	s.flags = commitFlags{kind: "auto", body: string(assist.BodyAuto), yes: f.yes}
	s.flags.assistFlags = assistFlags{llm: f.llm, spend: spendFlag{tokens: usualSpend}, parallel: "auto", noSnapshot: f.noSnapshots}
	if f.task != "" {
		s.flags.hints = []string{f.task} // the user's own words; those of an issue are anybody's
	}
	if _, err := s.testWords(); err != nil {
		return nil, err
	}
	d, err := r.desk(ctx, r.engine, &s.flags.assistFlags, engine.DiffRequest{Source: string(git.SourceStaged)})
	if err != nil {
		return nil, err
	}
	staged, err := d.Staged(ctx, false)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--commit: %w", err)
	case len(staged.Files)+len(staged.LeftOut) > 0:
		return nil, &hintError{fmt.Errorf("--commit: %s staged already, and would be committed with what the agent does", render.Plural(len(staged.Files)+len(staged.LeftOut), "file")), "commit them first, or take them back with git reset"}
	}
	err = d.ready(ctx)
	for _, c := range d.close {
		c()
	}
	if err != nil {
		return nil, err
	}
	s.head = staged.From
	_, s.before, err = s.changed(ctx)
	return s, err
}

// changed is what differs from HEAD on the disk.
func (s *runCommit) changed(ctx context.Context) (head string, files map[string]fileState, err error) {
	report, err := s.engine.Change(ctx, engine.DiffRequest{Source: string(git.SourceWorkTree)})
	if err != nil {
		return "", nil, fmt.Errorf("--commit: %w", err)
	}
	files = make(map[string]fileState)
	list := make([]*change.File, 0, len(report.Files))
	for i := range report.Files {
		list = append(list, &report.Files[i].File)
	}
	for i := range report.LeftOut { // no model sees them, and they are committed
		list = append(list, &report.LeftOut[i].File)
	}
	for _, f := range list {
		files[f.Path] = fileState{f.Status, f.NewMode, f.NewBlob}
		if f.Status == change.Renamed {
			files[f.OldPath] = fileState{status: change.Deleted}
		}
	}
	return report.From, files, nil
}

// end is the commit step after a run that ended well.
func (s *runCommit) end(ctx context.Context) error {
	head, now, err := s.changed(ctx)
	if err != nil {
		return err
	}
	var list []string
	mixed := 0
	for _, path := range slices.Sorted(maps.Keys(now)) {
		if was, dirty := s.before[path]; now[path] != was {
			list = append(list, path)
			if dirty {
				mixed++
			}
		}
	}
	s.record.Changed = list
	switch {
	case head != s.head:
		s.say("HEAD is another commit than before the run: the agent committed by itself, and nothing is committed here")
		return nil
	case len(list) == 0:
		s.tell("the run changed no file: there is nothing to commit")
		return nil
	case len(list) > mostChanged:
		return fmt.Errorf("the run changed %s files, and nobody reads so many names: nothing is staged or committed", thousands(len(list)))
	case s.f.yes && len(s.record.Open) > 0:
		return &incompleteError{[]string{"the agent still asks for something: nothing is committed"}}
	}
	if err := s.test(ctx); err != nil {
		return err
	}
	s.say("the run changed %s:", render.Plural(len(list), "file"))
	for _, path := range list {
		note := ""
		if _, dirty := s.before[path]; dirty {
			note = " (it differed from HEAD before the run, too)"
		}
		s.say("  %s %s%s", now[path].status, clean.Inline(path), note)
	}
	if s.f.yes && mixed > 0 {
		return &hintError{fmt.Errorf("%s of them differed from HEAD before the run, too: nothing is committed", thousands(mixed)), "stage what belongs together, and run satchel commit"}
	}
	return s.stage(ctx, list)
}

// stage stages the files after a yes, and goes on as satchel commit does.
func (s *runCommit) stage(ctx context.Context, list []string) error {
	a := s.beside()
	args := append([]string{"git", "-C", config.Root(s.dir), "--literal-pathspecs", "add", "--"}, list...)
	if !s.f.yes {
		line, err := a.askLine(ctx, "[y] stage them and word a message  [n] no ▸ ")
		if err != nil {
			return err
		}
		if word := strings.ToLower(line); word != "y" && word != "yes" {
			a.remark("nothing is staged or committed")
			return nil
		}
	}
	if _, again, err := s.changed(ctx); err != nil {
		return err
	} else if slices.ContainsFunc(list, func(p string) bool { return again[p] == s.before[p] }) {
		return errors.New("the files have changed since the run: nothing is staged or committed")
	}
	a.say("%s", clean.Inline(shellquote.Join(args...)))
	exit, err := a.runGit(ctx, args)
	switch {
	case err != nil:
		return err
	case exit.Code != 0:
		return fmt.Errorf("git add ended with status %d: nothing is committed", exit.Code)
	}
	d := &assist.Desk{Engine: s.engine}
	staged, err := d.Staged(ctx, false)
	if err != nil {
		return err
	}
	for i := range staged.Files {
		if p := staged.Files[i].Path; !slices.Contains(list, p) {
			return &hintError{fmt.Errorf("%s is staged, and is not what the run left on the disk: nothing is committed", p), "git status says more"}
		}
	}
	q, err := s.flags.request()
	if err != nil {
		return err
	}
	err = a.converse(ctx, s.engine, &s.flags, q)
	after, lost := d.Staged(context.WithoutCancel(ctx), false)
	switch {
	case lost == nil && after.From != s.head:
		s.record.Commit = after.From
	case lost == nil && len(after.Files) > 0:
		a.remark("what the run changed stays staged; git reset takes it back")
	}
	return err
}

// beside is the app for the commit step: standard output is the command's, so that
// the message and what git says go to standard error, and the settings of the pack
// are not those of the message.
func (s *runCommit) beside() *app {
	a := *s.app
	a.env.Stdout, a.env.StdoutTTY = a.env.Stderr, a.env.StderrTTY
	a.out = bufio.NewWriter(results{&a})
	a.json = false
	a.given = maps.Clone(a.given)
	delete(a.given, "budget")
	a.args = []string{"commit"} // what satchel log replay repeats
	for _, hint := range s.flags.hints {
		a.args = append(a.args, "--hint="+hint)
	}
	if s.f.llm != "" {
		a.args = append(a.args, "--llm="+s.f.llm)
	}
	return &a
}

// testWords are the words of the command that tests the project. They are the user's
// own: no repository's file can name any.
func (s *runCommit) testWords() ([]string, error) {
	words, err := shellquote.Split(s.settings.Test)
	if err != nil {
		return nil, usagef("test %q: %w", s.settings.Test, err)
	}
	for _, w := range words {
		if strings.ContainsAny(w, "|&;<>`$") {
			return nil, &usageError{fmt.Errorf("test %q: --commit runs it without a shell, and %s needs one", s.settings.Test, w), "put it into a script, or run without --commit"}
		}
	}
	return words, nil
}

// test runs the command that tests the project, if the user named one: what does not
// pass is not committed.
func (s *runCommit) test(ctx context.Context) error {
	words, err := s.testWords()
	if err != nil || len(words) == 0 {
		return err
	}
	s.say("%s", clean.Inline(shellquote.Join(words...)))
	exit, err := runner.Run(ctx, runner.Command{Args: words, Dir: config.Root(s.dir), Env: s.env.Environ, Stdout: s.env.Stderr, Stderr: s.env.Stderr, Timeout: s.f.timeout})
	switch {
	case err != nil:
		return fmt.Errorf("test: %w", err)
	case exit.TimedOut:
		return fmt.Errorf("test: %s took longer than %s (--timeout): nothing is committed", words[0], s.f.timeout)
	case exit.Code != 0:
		return fmt.Errorf("test: %s failed with exit status %d: nothing is committed", words[0], exit.Code)
	}
	return nil
}
