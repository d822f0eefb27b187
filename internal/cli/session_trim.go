package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/sessions"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

type trimFlags struct {
	windowFlags
	format  string
	budget  string
	trigger string
	profile string
	output  string
	pins    []int
	dryRun  bool
	explain bool
	json    bool

	summarize bool
	given     func(flag string) bool
}

func (a *app) sessionTrimCommand() *cobra.Command {
	var f trimFlags
	cmd := &cobra.Command{
		Use:   "trim [FILE|latest|-]",
		Short: "Cut a session to a token limit, keeping what the agent needs next",
		Long: `Cut a session to a token limit. The newest messages stay verbatim; before them,
text and tool inputs stay in place and results shrink to selected lines; what is
older becomes one message with the user's words verbatim and selected lines of
the rest. What is left out can be fetched by its handle: satchel session fetch.

The file is never changed: the result goes to the file that -o names, or to
standard output, in the form of the session's own agent, which can resume it.
--format messages reads and writes arrays of messages for programs.

A budget of 30% is that share of the model's window, in its tokens; a number is
in tokens of o200k_base, or of the model that --model names. The profile gitclaw
takes its budget and its trigger from a context.json instead.

--summarize sends what is digested, redacted, to the model that [summarizer] in
your own config.toml names, and puts its summary above the digest. Without it
nothing is sent anywhere; with --dry-run it says what would be.`,
		Example: `  satchel session trim session.jsonl --budget 4000 -o short.jsonl
  satchel session trim session.jsonl --budget 4000 --dry-run --explain
  satchel session trim session.jsonl --budget 4000 --profile gitclaw -o short.jsonl
  satchel session trim --format messages conversation.json -o short.json --budget 20000`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			return a.sessionTrim(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.budget, "budget", "30%", "`tokens` of the messages that are left: 20000, 20k, or a share of the model's window")
	fs.StringVar(&f.trigger, "trigger", "", "leave a session alone that takes no more than these `tokens` (default the budget)")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output; never the session itself")
	fs.StringVar(&f.format, "format", "", "write messages, anthropic, chat or responses instead of the session's own `format`")
	fs.StringVar(&f.profile, "profile", string(trim.Default), "cut by the rules of `NAME`: default or gitclaw")
	fs.IntSliceVar(&f.pins, "pin", nil, "keep turn `N` verbatim, as session show numbers it (repeatable)")
	fs.BoolVar(&f.dryRun, "dry-run", false, "say what would become of the session, and write nothing")
	fs.BoolVar(&f.explain, "explain", false, "say what becomes of each turn")
	fs.BoolVar(&f.json, "json", false, "with --dry-run, write one JSON document")
	fs.BoolVar(&f.summarize, "summarize", false, "ask the model that your config.toml names for a summary, and put it above the digest")
	f.add(a, fs)
	return cmd
}

// inputFormats are names that --format may have besides those of arrays: the
// session has to be of that format, and is written in it.
var inputFormats = []transcript.Format{transcript.ClaudeCode, transcript.Codex, transcript.Pi, transcript.OpenCode, transcript.Copilot,
	transcript.Gemini, transcript.SWEAgent, transcript.OpenHands, transcript.Cline}

// arrayFormats are those that any session can be written in.
var arrayFormats = []transcript.Format{transcript.Messages, transcript.Anthropic, transcript.Chat, transcript.Responses}

// A trimming is one run of the command.
type trimming struct {
	name    string
	file    io.ReaderAt
	size    int64
	session *transcript.Session
	sizes   *transcript.Sizes
	window  window
	budget  int // as trim.Options has it

	inModelTokens bool // the budget was given in tokens of the model

	profile trim.Profile
	shares  trim.GitClawShares
	options trim.Options
	summary *summary // nil unless one was asked for
	result  *trim.Result
}

func (a *app) sessionTrim(ctx context.Context, f *trimFlags, args []string) error {
	profile, err := parseProfile(f.profile)
	if err != nil {
		return err
	}
	format := transcript.Format(f.format)
	switch {
	case f.format != "" && !slices.Contains(inputFormats, format) && !slices.Contains(arrayFormats, format):
		return usagef("--format %s: want messages, anthropic, chat, responses, or the session's own format", f.format)
	case f.json && !f.dryRun:
		return usagef("--json describes a --dry-run; the result of a trim is the session")
	}
	bar := a.progress()
	defer bar.stop()
	t := &trimming{profile: profile}
	if err := a.openTrim(ctx, t, args); err != nil {
		return err
	}
	if c, ok := t.file.(io.Closer); ok {
		defer c.Close()
	}
	if err := a.notTheInput(f.output, t.name); err != nil {
		return err
	}
	bar.step("trimming", 1, 3)
	if err := a.gitClaw(t, f); err != nil {
		return err
	}
	if t.summary, err = a.summary(f); err != nil {
		return err
	}
	if err := a.limitTrim(t, f); err != nil {
		return err
	}
	if err := t.run(ctx, f); err != nil {
		return err
	}
	if own := t.session.Format; format != "" && !slices.Contains(arrayFormats, format) && format != own {
		return fmt.Errorf("read %s: it is a session of %s, not of %s", t.name, own, format)
	}
	bar.step("trimming", 2, 3)
	var out bytes.Buffer
	if !f.dryRun {
		if err := t.write(&out, format); err != nil {
			return err
		}
	}
	bar.stop()
	a.notes(t.session.Notes)
	a.notes(t.result.Notes)
	if text := t.summary.sentText(); text != "" && !a.settings.Quiet {
		a.say("%s", text)
	}
	return a.deliver(t, f, out.Bytes())
}

// openTrim opens the session: standard input for -, and without an argument if
// that is no terminal.
func (a *app) openTrim(ctx context.Context, t *trimming, args []string) error {
	if len(args) == 0 && !a.env.StdinTTY {
		args = []string{"-"}
	}
	if len(args) > 0 && args[0] == "-" {
		text, err := a.readText(ctx, "-")
		if err != nil {
			return err
		}
		t.name, t.file, t.size = "standard input", bytes.NewReader(text), int64(len(text))
		t.session, err = transcript.Read(t.file, t.size)
		if err != nil {
			return sessionError(fmt.Errorf("read standard input: %w", err))
		}
		return nil
	}
	name, err := a.sessionPath(args)
	if err != nil {
		return err
	}
	file, err := sessions.Open(name)
	if err != nil {
		return sessionError(err)
	}
	t.name, t.file, t.size = name, file, file.Size
	t.session, err = wait(ctx, func() (*transcript.Session, error) { return transcript.Read(file, file.Size) })
	if err != nil {
		return sessionError(fmt.Errorf("read session %s: %w", name, err))
	}
	t.session.Notes = append(t.session.Notes, file.Notes...)
	return nil
}

// notTheInput refuses to write over the session.
func (a *app) notTheInput(output, input string) error {
	if output == "" || output == "-" {
		return nil
	}
	to, err := os.Stat(a.fromHere(output))
	if err != nil {
		return nil //nolint:nilerr // it is not there yet, or writing will say what is wrong
	}
	if from, err := os.Stat(input); err == nil && os.SameFile(from, to) {
		return &usageError{fmt.Errorf("-o %s is the session itself, which is never changed", output), "name another file"}
	}
	return nil
}

// limitTrim turns the budget into tokens as package trim counts them.
func (a *app) limitTrim(t *trimming, f *trimFlags) error {
	limit, err := budget.Parse(f.budget)
	if err != nil {
		return usagef("--budget: %w", err)
	}
	model, err := a.sessionModel(t.session)
	if err != nil {
		return err
	}
	t.sizes = transcript.Measure(t.session, model)
	steps := make([]int, len(t.sizes.Steps))
	for i, s := range t.sizes.Steps {
		steps[i] = s.Tokens
	}
	if limit.NeedsWindow() {
		if t.window, err = f.find(a, model, steps); err != nil {
			return err
		}
	}
	n, err := limit.Tokens(t.window.tokens, 0, budget.Complexity{}, budget.Auto{})
	if err != nil {
		return usagef("--budget: %w", err)
	}
	t.budget = n
	if limit.NeedsWindow() || a.settings.Model != "" {
		t.budget, t.inModelTokens = t.inO200k(n), true
	}
	if n > 0 {
		t.budget = max(t.budget, 1)
	}
	return nil
}

// inO200k turns tokens of the session's model into those that package trim
// counts, at the rate of this session's messages.
func (t *trimming) inO200k(n int) int {
	model, own := t.rate()
	return int(int64(n) * int64(own) / int64(model))
}

// inModel is the reverse.
func (t *trimming) inModel(n int) int {
	model, own := t.rate()
	return int(int64(n) * int64(model) / int64(own))
}

// rate returns what the messages take in tokens of the model, and of
// o200k_base; both are 1 if there are none.
func (t *trimming) rate() (model, own int) {
	for _, c := range t.sizes.Messages {
		model += c.Tokens
	}
	own = trim.Estimate(t.session.Messages)
	if model <= 0 || own <= 0 {
		return 1, 1
	}
	return model, own
}

func (t *trimming) run(ctx context.Context, f *trimFlags) error {
	o := trim.Options{Budget: t.budget}
	if f.trigger != "" {
		limit, err := budget.Parse(f.trigger)
		if err != nil {
			return usagef("--trigger: %w", err)
		}
		if limit.NeedsWindow() && t.window.tokens == 0 {
			return usagef("--trigger %s is a share of the window: give --budget as one, too", f.trigger)
		}
		n, err := limit.Tokens(t.window.tokens, 0, budget.Complexity{}, budget.Auto{})
		if err != nil {
			return usagef("--trigger: %w", err)
		}
		if o.Trigger = n; limit.NeedsWindow() {
			o.Trigger = t.inO200k(n)
		}
	}
	if len(f.pins) > 0 {
		turns := trim.Prioritize(t.session.Messages, t.profile)
		for _, n := range f.pins {
			if n < 0 || n >= len(turns) {
				return usagef("--pin %d: the session has %s, the first is 0", n, plural(len(turns), "turn"))
			}
			for i := turns[n].From; i < turns[n].To; i++ {
				o.Pins = append(o.Pins, i)
			}
		}
	}
	var cut engine.Cut = trim.Trim
	if t.profile == trim.GitClaw {
		cut = t.shares.Trim
	}
	t.options = o
	var err error
	t.result, err = wait(ctx, func() (*trim.Result, error) { return t.summary.trim(ctx, t.session.Messages, o, cut, f.dryRun) })
	var overflow *trim.OverflowError
	if errors.As(err, &overflow) {
		return &trimError{overflow, f.budget}
	}
	return err
}

// A trimError is a budget that cannot hold what has to stay.
type trimError struct {
	*trim.OverflowError
	budget string
}

func (e *trimError) Error() string {
	return fmt.Sprintf("a budget of %s is too small: the newest messages and what is pinned take %s tokens, the limit is %s", e.budget, thousands(e.Need), thousands(e.Limit))
}

func (e *trimError) hint() string { return fmt.Sprintf("--budget %d is enough", e.Need) }

// write writes the result in its own format or as an array.
func (t *trimming) write(w io.Writer, format transcript.Format) error {
	if slices.Contains(arrayFormats, format) && format != t.session.Format {
		return transcript.Encode(w, format, t.result.Messages)
	}
	rw := &transcript.Rewrite{Messages: t.result.Messages, TokensBefore: t.sizes.Context.Tokens}
	rw.Read, rw.Modified = trim.Touched(t.session.Messages)
	err := transcript.Write(w, t.file, t.size, rw)
	if errors.Is(err, transcript.ErrNoWriter) {
		t.result.Notes = append(t.result.Notes, satchel.Note{Text: fmt.Sprintf("%s cannot resume a shorter session: the result is an array of messages", t.session.Format)})
		return transcript.Encode(w, transcript.Messages, t.result.Messages)
	}
	return err
}

// deliver writes the session where it belongs and says what became of it.
func (a *app) deliver(t *trimming, f *trimFlags, out []byte) error {
	if f.dryRun {
		if f.json {
			return a.writeJSON(t.account())
		}
		_, err := a.out.WriteString(a.fatesText(t, f.explain))
		return err
	}
	write := func(w io.Writer) error {
		_, err := w.Write(out)
		return err
	}
	var err error
	if f.output == "" || f.output == "-" {
		if a.env.StdoutTTY && f.output == "" {
			return usagef("the session would fill the terminal: name a file with -o, or - for standard output")
		}
		err = write(a.out)
	} else {
		err = writeFile(a.fromHere(f.output), write)
	}
	if err != nil || a.settings.Quiet {
		return err
	}
	for line := range strings.Lines(a.fatesText(t, f.explain)) {
		a.say("%s", strings.TrimRight(line, "\n"))
	}
	return nil
}
