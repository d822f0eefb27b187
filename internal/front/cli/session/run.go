package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/world/runner"
	"github.com/satchel-dev/satchel/need"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type runFlags struct {
	taskFile     string
	task         string
	issue        string
	edit         []string
	pins         []string
	rounds       int
	agent        string
	resume       string
	resumeBudget string
	profile      string // by which the session is trimmed
	summarize    bool
	footer       bool
	told         []string // flags that the user gave
	timeout      time.Duration
	record       string
	dryRun       bool
}

// startable names the agents that run without a terminal.
var startable = agents.Names("or", func(a *agents.Agent) bool { return a.Start != nil })

func NewRun(b *base.App) *cobra.Command {
	a := &app{b}
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run --task-file FILE [--agent NAME] [-- COMMAND ...]",
		Short: "Run an agent on a task with its context, and answer requests",
		Long: `Run an agent's command with a prompt: the task, the files to edit, the build and
test commands, the code and documents that matter. The command gets the prompt on
standard input, or in place of {prompt} or {prompt_file} in its arguments. It can
end its output with requests such as NEED_CODE: path/to/file.go:10-80, NEED_DOC,
NEED_SYMBOL or NEED_DIFF. satchel answers or refuses them, and runs the command
again, up to --rounds. --agent ` + startable + ` knows the command, and resumes the same
session. The exit code is the command's own: 124 if its time was up, 126 or 127 if
it could not start.`,
		Example: `  satchel run --task "retry failed requests" --dry-run
  satchel run --task "retry failed requests" --budget 4k -- head -4
  satchel run --task-from "echo fix {issue}" --issue 12 --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch at := cmd.ArgsLenAtDash(); {
			case at < 0 && len(args) > 0:
				if strings.ContainsAny(args[0], " \t") { // no program's name
					return base.Usage(fmt.Errorf("%s is not expected here", base.ShellWord(args[0])), "give the task with --task: satchel run --task "+base.ShellWord(args[0]))
				}
				return base.Usage(fmt.Errorf("%s is not expected here", args[0]), "put the command after --: satchel run --task-file issue.md -- "+strings.Join(args, " "))
			case at > 0:
				return base.Usage(fmt.Errorf("%s is not expected before --", args[0]), "give the task with --task or --task-file")
			}
			cmd.Flags().Visit(func(x *pflag.Flag) { f.told = append(f.told, x.Name) })
			return a.run(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.taskFile, "task-file", "", "read the task from this `file`, or - for standard input")
	fs.StringVar(&f.task, "task", "", "the task in `words`")
	a.SettingFlags(fs, []string{"task-from"})
	fs.StringVar(&f.issue, "issue", "", "the `id` that replaces {issue} in --task-from")
	fs.StringArrayVar(&f.edit, "edit", nil, "let the agent edit these `paths` (repeatable, or a,b)")
	fs.StringArrayVar(&f.pins, "pin", nil, "always show this `path` (repeatable)")
	a.SettingFlags(fs, []string{"budget", "model"})
	fs.StringVar(&f.agent, "agent", "", "agent `NAME`: "+startable)
	fs.IntVar(&f.rounds, "rounds", 3, "run the command at most `N` times")
	fs.StringVar(&f.resume, "resume", "", "trim this session `file` into a copy, and resume the copy")
	fs.StringVar(&f.resumeBudget, "resume-budget", "30%", "limit the copy to these `tokens`, or a share of the window")
	fs.StringVar(&f.profile, "profile", string(profileDefault), "trim by the rules of `NAME`: default or gitclaw")
	fs.BoolVar(&f.summarize, "summarize", false, "ask your model for a summary of the trimmed part")
	fs.BoolVar(&f.footer, "footer", false, "append how full the window is to the answer")
	fs.DurationVar(&f.timeout, "timeout", time.Hour, "end a round after this `time`; 0 is never")
	fs.StringVarP(&f.record, "output", "o", "", "write the record of the run to this `file`, as JSON")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print the first prompt, and run nothing")
	fs.BoolVar(&a.JSON, "json", false, "write the record of the run to standard output")
	a.SettingFlags(fs, base.ReadSettings)
	return cmd
}

// A runPrompt is what a run would begin with.
type runPrompt struct {
	Version     int                  `json:"version"`
	DryRun      bool                 `json:"dry_run"`
	Command     []string             `json:"command,omitempty"`
	Edit        []string             `json:"edit,omitempty"`
	Prompt      string               `json:"prompt"`
	Context     int                  `json:"context_tokens"` // of the context in it
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
}

// A commandRun is one run of the command.
type commandRun struct {
	*app
	f      *runFlags
	engine *engine.Engine
	agent  *agents.Agent // nil if no preset is used
	args   []string      // the command
	record base.RunRecord

	req     engine.PromptRequest
	session string // to resume
	shown   []engine.SeenLines
	asked   map[string]bool
	said    string // the end of what the agent said last
	events  bool   // it prints events, not words
	plan    *gitclaw.Plan
	used    int // answers given
	tokens  int // that they took
}

func (a *app) run(ctx context.Context, f *runFlags, args []string) error {
	r := &commandRun{app: a, f: f, args: args, asked: map[string]bool{}}
	if err := r.check(ctx); err != nil {
		return err
	}
	e, err := a.OpenProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	r.engine = e
	if err := a.Limit(&r.req.Request); err != nil {
		return err
	}
	if err := r.divide(); err != nil {
		return err
	}
	prompt, err := r.prompt(ctx)
	if err != nil {
		return err
	}
	a.Bar.Stop() // what is on the screen from now on is the command's
	a.Diagnostics(e.Index().Diagnostics())
	if f.dryRun {
		if a.JSON {
			return a.WriteJSON(runPrompt{2, true, r.args, r.req.Edit, prompt.Text, prompt.Pack.Used, prompt.Pack.Diagnostics})
		}
		a.Diagnostics(prompt.Pack.Diagnostics)
		_, err := a.Out.WriteString(prompt.Text)
		return err
	}
	if f.record != "" && !isPipe(r.FromHere(f.record)) { // better now than when an agent has worked for an hour
		if err := r.writeRecord(); err != nil {
			return err
		}
	}
	if err := r.trim(ctx); err != nil {
		return err
	}
	err = r.rounds(ctx, prompt)
	r.pressure(ctx)
	if lost := r.keepRecord(); lost != nil && err == nil {
		return lost
	} else if lost != nil {
		r.app.Say("%v", lost) // the exit status is the command's
	}
	return err
}

// isPipe reports whether a file is there that keeps all that is written to it.
func isPipe(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && !fi.Mode().IsRegular() && !fi.IsDir()
}

// check reads the flags.
func (r *commandRun) check(ctx context.Context) error {
	f := r.f
	task, err := r.runTask(ctx, f)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(task) == "":
		return base.Usagef("no task: give --task, --task-file or --task-from")
	case f.footer && f.resume == "":
		return base.Usagef("--footer needs --resume")
	case f.rounds < 1:
		return base.Usagef("--rounds %d: want 1 or more", f.rounds)
	case f.timeout < 0:
		return base.Usagef("--timeout %s: want 0 or more", f.timeout)
	}
	if f.agent != "" {
		if r.agent = agents.ByName(f.agent); r.agent == nil || r.agent.Start == nil {
			return base.Usagef("--agent %s: want %s", f.agent, startable)
		}
		if len(r.args) == 0 {
			r.args = r.agent.Start
		}
	}
	if len(r.args) == 0 && !f.dryRun {
		return base.Usage(errors.New("no command to run"), "add --agent claude, or a command after --; --dry-run prints the prompt")
	}
	if f.resume != "" && r.agent == nil && !slices.ContainsFunc(r.args, func(s string) bool { return strings.Contains(s, "{session}") }) {
		return base.Usage(errors.New("--resume: the command has no place for the session"), "add --agent, or write {session} where the command takes the file")
	}
	r.record = base.RunRecord{Version: base.RunRecordVersion, Agent: f.agent, Command: r.args, Rounds: []base.RunRound{}}
	r.req = engine.PromptRequest{
		Request: satchel.Request{Task: task, Documents: r.Documents(true)}, Build: r.Settings.Build, Test: r.Settings.Test, Round: 1, Rounds: f.rounds,
	}
	if r.req.Edit, err = r.EditPaths(f.edit); err != nil {
		return err
	}
	if r.req.Pinned, err = r.RootPaths(f.pins); err != nil {
		return err
	}
	r.record.Edit = r.req.Edit
	return nil
}

// prompt writes the prompt of the round.
func (r *commandRun) prompt(ctx context.Context) (*engine.Prompt, error) {
	p, err := r.engine.Prompt(ctx, r.req)
	var over *satchel.OverflowError
	if errors.As(err, &over) {
		return nil, base.PackTooSmall(over, len(r.req.Pinned)+len(r.req.Edit), 0)
	}
	return p, err
}

// rounds runs the command until it asks for nothing more.
func (r *commandRun) rounds(ctx context.Context, prompt *engine.Prompt) error {
	r.req.Pack = prompt.Pack
	r.shown = engine.ShownIn(prompt.Pack)
	for {
		round := base.RunRound{Round: r.req.Round, Tokens: prompt.Tokens, Snapshot: r.snapshot(ctx, prompt)}
		found, exit, err := r.start(ctx, prompt.Text)
		round.Status, round.Session = exit.Code, found.Session
		r.said, r.events = found.Said, found.Events
		r.record.Rounds = append(r.record.Rounds, round)
		r.record.Status, r.record.Signal, r.record.TimedOut = exit.Code, exit.Signal, exit.TimedOut
		if err != nil {
			return err
		}
		if exit.Code != 0 {
			return r.failed(exit)
		}
		if len(found.Needs)+len(found.Bad) == 0 {
			return nil
		}
		if again, err := r.answer(ctx, &found); err != nil || !again {
			return err
		}
		if prompt, err = r.prompt(ctx); err != nil {
			return err
		}
	}
}

// start runs the command once.
func (r *commandRun) start(ctx context.Context, prompt string) (need.Result, runner.Exit, error) {
	errs := &lineWriter{w: r.Env.Stderr}
	c := runner.Command{Dir: r.Dir, Env: r.Env.Environ, Stderr: errs, Timeout: r.f.timeout}
	args, used, tidy, err := r.words(prompt)
	if err != nil {
		return need.Result{}, runner.Exit{}, err
	}
	defer tidy()
	if c.Args = args; !used {
		c.Stdin = prompt
	}
	if err := r.Flush(); err != nil {
		return need.Result{}, runner.Exit{}, err
	}
	out := &lineWriter{w: r.Env.Stdout}
	if r.JSON {
		out.w = r.Env.Stderr
	}
	var scan need.Scanner
	c.Stdout = tee{&scan, out}
	exit, err := runner.Run(ctx, c)
	// The next message starts on a new line. Standard output has only the command's text.
	if errs.open || out.open && (r.JSON || r.Env.StdoutTTY && r.Env.StderrTTY) {
		fmt.Fprintln(r.Env.Stderr)
	}
	var failed *runner.StartError
	if errors.As(err, &failed) {
		return need.Result{}, runner.Exit{Code: failed.Code}, &base.StatusError{Code: failed.Code, Err: failed}
	}
	return scan.Result(), exit, err
}

// A tee writes to two places; the first is never left out.
type tee struct{ first, second io.Writer }

func (t tee) Write(p []byte) (int, error) {
	if _, err := t.first.Write(p); err != nil {
		return 0, err
	}
	_, _ = t.second.Write(p) // the command goes on if its reader is gone
	return len(p), nil
}

// A lineWriter remembers whether the last line has no end yet.
type lineWriter struct {
	w    io.Writer
	open bool
}

func (l *lineWriter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.open = p[len(p)-1] != '\n'
	}
	return l.w.Write(p)
}

// words returns the words of the command, with the prompt in them if they have a
// place for it, and what to do when it has ended.
func (r *commandRun) words(prompt string) (args []string, used bool, tidy func(), err error) {
	tidy = func() {}
	args = slices.Clone(r.args)
	if r.session != "" && r.agent != nil {
		args = r.agent.Resume(args, r.session)
	}
	name := "" // of the file with the prompt; one for all words
	for i, w := range args {
		if strings.Contains(w, "{session}") && r.record.Resumed != nil {
			w = strings.ReplaceAll(w, "{session}", r.record.Resumed.To)
		}
		if strings.Contains(w, "{prompt_file}") {
			used = true
			if name == "" {
				if name, tidy, err = promptFile(prompt); err != nil {
					return nil, false, tidy, err
				}
			}
			w = strings.ReplaceAll(w, "{prompt_file}", name)
		}
		if strings.Contains(w, "{prompt}") {
			used = true
			w = strings.ReplaceAll(w, "{prompt}", prompt)
		}
		args[i] = w
	}
	return args, used, tidy, nil
}

// promptFile writes the prompt where only the user can read it.
func promptFile(prompt string) (name string, tidy func(), err error) {
	dir, err := os.MkdirTemp("", "satchel-prompt-")
	if err != nil {
		return "", func() {}, err
	}
	name = filepath.Join(dir, "prompt.md")
	return name, func() { os.RemoveAll(dir) }, os.WriteFile(name, []byte(prompt), 0o600)
}

// failed says how the command ended.
func (r *commandRun) failed(exit runner.Exit) error {
	name := r.args[0]
	switch {
	case exit.TimedOut:
		return &base.StatusError{Code: exit.Code, Err: fmt.Errorf("%s was stopped: it took longer than %s (--timeout)", name, r.f.timeout)}
	case exit.Signal != "":
		return &base.StatusError{Code: exit.Code, Err: fmt.Errorf("%s was stopped by a signal: %s", name, exit.Signal)}
	}
	return &base.StatusError{Code: exit.Code, Err: fmt.Errorf("%s failed: exit status %d", name, exit.Code)}
}
