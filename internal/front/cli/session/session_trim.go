package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/subject"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	raw     bool

	task     string
	taskFile string

	summarize bool
	told      []string // flags that the user gave
	resume    bool
	copy      *sessions.Copy // where the agent finds the result, with resume
	rename    string         // the id that the file of the result is to tell
	asIs      string         // by which name the session is resumed as it is, with resume
	report    func(*trimRun) // is told what became of it; may be nil
}

func (f *trimFlags) given(flag string) bool { return slices.Contains(f.told, flag) }

func (a *app) sessionTrimCommand() *cobra.Command {
	var f trimFlags
	cmd := &cobra.Command{
		Use:   "trim [FILE|latest|-]",
		Short: "Write a copy cut to a token limit, with what matters next",
		Long: `Cut a session to a token limit. The newest messages stay word for word; older ones
become a digest of your words, the plan, the files, the edits and the commands.
satchel session fetch prints what the digest leaves out. The original never changes:
the result goes to standard output or -o, and --resume puts a copy where the agent
finds it. A budget such as 30% is a share of the model's window; a number counts
tokens of o200k_base, or of --model. Secrets are redacted unless you add --raw, and
only --summarize sends anything to a model.`,
		Example: `  satchel session trim latest --dry-run --explain
  satchel session trim latest --budget 4k -o short.jsonl
  satchel session trim latest --budget 4k --task "write the tests" -o short.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.Flags().Visit(func(x *pflag.Flag) { f.told = append(f.told, x.Name) })
			return a.sessionTrim(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.budget, "budget", "b", "30%", "`tokens` to keep: 20000, 20k, or a share of the window")
	fs.StringVar(&f.trigger, "trigger", "", "cut only a session above these `tokens` (default the budget)")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	fs.BoolVar(&f.resume, "resume", false, "write a copy where the agent finds it, and say how to resume")
	fs.StringVarP(&f.format, "format", "f", "", "write this `format`: messages, anthropic, chat or responses")
	fs.StringVar(&f.profile, "profile", string(profileDefault), "cut by the rules of `NAME`: default or gitclaw")
	fs.IntSliceVar(&f.pins, "pin", nil, "keep the text of turn `N` of session show whole (repeatable)")
	fs.StringVar(&f.task, "task", "", "keep first what the next task needs, in `words`")
	fs.StringVar(&f.taskFile, "task-file", "", "read the task from this `file`, or - for standard input")
	fs.BoolVar(&f.raw, "raw", false, "leave secrets in the result")
	fs.BoolVar(&f.dryRun, "dry-run", false, "say what would be cut, and write nothing")
	fs.BoolVar(&f.explain, "explain", false, "say what happens to each turn, and why")
	fs.BoolVar(&a.JSON, "json", false, "with --dry-run, write one JSON document")
	fs.BoolVar(&f.summarize, "summarize", false, "ask your model for a summary, and put it above the digest")
	f.add(a, fs)
	return cmd
}

// resumesFiles reports whether an agent goes on with the copy of a session.
func resumesFiles(a *agents.Agent) bool { return a.Sessions != nil && a.Sessions.Copy != nil }

// inputFormats are the values of --format that keep the format of the session.
var inputFormats = transcript.Formats()

// arrayFormats are the formats that any session can be written in.
var arrayFormats = []transcript.Format{transcript.Messages, transcript.Anthropic, transcript.Chat, transcript.Responses}

// A trimRun is one run of the command.
type trimRun struct {
	name    string
	file    io.ReaderAt
	size    int64
	changed time.Time // when the session was written last
	session *transcript.Session
	sizes   *transcript.Sizes
	window  recordings.Window
	model   tokens.Model
	limit   int           // as the user gave it
	trigger int           // as the user gave it in tokens of the model; 0 if it is options.Trigger, in o200k_base
	budget  int           // as trim.Options has it
	trimmer *trim.Trimmer // nil until it is needed, as is inModel
	inModel *trim.Window
	task    string
	raw     bool
	inPlace bool // the result is to be resumed

	modelNamed    bool // by --model
	inModelTokens bool // the budget was given in tokens of the model
	after         int  // tokens of the result, in those of the model if the budget is

	profile profile
	shares  gitclaw.Shares
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
		return base.Usagef("--format %s: want messages, anthropic, chat, responses, or the session's own format", f.format)
	case f.resume && (f.output != "" || f.format != "" || f.dryRun):
		return base.Usagef("--resume writes a copy for the agent: leave out -o, --format and --dry-run")
	case a.JSON && f.given("json") && !f.dryRun:
		return base.Usagef("--json needs --dry-run: the result of a trim is the session itself")
	}
	if f.taskFile == "-" && len(args) > 0 && args[0] == "-" {
		return base.Usagef("standard input is the session: read the task from a file")
	}
	task, err := a.GivenTask(ctx, f.task, f.taskFile)
	if err != nil {
		return err
	}
	t := &trimRun{profile: profile, task: task, raw: f.raw}
	if err := a.openTrim(ctx, t, args); err != nil {
		return err
	}
	if c, ok := t.file.(io.Closer); ok {
		defer c.Close()
	}
	if n := t.session.Budget; n > 0 && !f.given("budget") { // the program's word, as a flag would be
		f.told, f.budget = append(f.told, "budget"), strconv.Itoa(n)
	}
	if err := a.placeCopy(t, f); err != nil {
		return err
	}
	if err := a.notTheInput(f.output, t.name); err != nil {
		return err
	}
	a.Bar.Step("trimming", 1, 3)
	if err := a.gitClaw(t, f); err != nil {
		return err
	}
	if t.summary, err = a.summary(ctx, f); err != nil {
		return err
	}
	if err := a.limitTrim(t, f); err != nil {
		a.Diagnostics(t.session.Diagnostics) // one may say why there is no limit
		return err
	}
	if err := t.run(ctx, f); err != nil {
		return err
	}
	if own := t.session.Format; format != "" && !slices.Contains(arrayFormats, format) && format != own {
		return fmt.Errorf("read %s: it is a session of %s, not of %s", t.name, own, format)
	}
	if f.report != nil {
		f.report(t)
	}
	a.Bar.Step("trimming", 2, 3)
	var out []byte
	if f.asIs = a.resumedAsIs(t, f); f.asIs == "" && !f.dryRun {
		if out, err = t.bytes(format); err != nil {
			return sessionError(err)
		}
		if f.rename != "" {
			if out, err = transcript.Rename(out, f.rename); err != nil {
				return fmt.Errorf("copy session %s: %w", t.name, err)
			}
		}
	}
	a.Diagnostics(t.session.Diagnostics)
	a.Diagnostics(t.result.Diagnostics)
	if text := t.summary.sentText(); text != "" {
		a.Remark("%s", text)
	}
	return a.deliver(t, f, out)
}

func (a *app) openTrim(ctx context.Context, t *trimRun, args []string) error {
	name, err := a.SessionPath(args)
	if err != nil {
		return err
	}
	file, err := a.openSession(ctx, name)
	if err != nil {
		return sessionError(err)
	}
	t.name, t.file, t.size, t.changed = name, file, file.Size, file.Time
	t.session, err = base.Wait(ctx, func() (*transcript.Session, error) { return transcript.Read(file, file.Size) })
	if err != nil {
		return sessionError(fmt.Errorf("read session %s: %w", name, err))
	}
	session.RedactHead(t.session)
	t.session.Diagnostics = append(t.session.Diagnostics, file.Diagnostics...)
	what := clean.Inline(cmp.Or(t.session.ID, name))
	if sessions.IsCopy(t.session.ID) {
		a.Remark("trimming %s, which is itself a trim of another session", what)
	} else if len(args) == 0 || args[0] == base.Latest {
		a.Remark("trimming %s", what)
	}
	return nil
}

// notTheInput refuses to write over the session.
func (a *app) notTheInput(output, input string) error {
	if output == "" || output == "-" {
		return nil
	}
	to, err := os.Stat(a.FromHere(output))
	if err != nil {
		return nil //nolint:nilerr // it is not there yet, or writing will say what is wrong
	}
	if from, err := os.Stat(input); err == nil && os.SameFile(from, to) {
		return base.Usage(fmt.Errorf("-o %s is the session itself, which is never changed", output), "name another file")
	}
	return nil
}

// limitTrim turns the budget into tokens as package trim counts them.
func (a *app) limitTrim(t *trimRun, f *trimFlags) error {
	limit, err := budget.Parse(f.budget)
	if err != nil {
		return base.Usagef("--budget: %w", err)
	}
	if limit.String() == "auto" {
		return base.Usagef("--budget auto: a session has no task to measure; use a share of the window, such as 30%%")
	}
	model, err := a.sessionModel(t.session)
	if err != nil {
		return err
	}
	t.model, t.modelNamed, t.sizes = model, a.Settings.Model != "", transcript.Measure(t.session, model)
	if limit.NeedsWindow() {
		if t.window, err = f.find(a, model, t.session.Largest); err != nil {
			var unknown *unknownWindowError
			switch isUnknown := errors.As(err, &unknown); {
			case isUnknown && t.profile == profileGitClaw:
				t.window.Tokens = gitclaw.DefaultPlan().Total
				t.session.Diagnostics = append(t.session.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("%s: GITCLAW's %s tokens are assumed; set it with --window or --model", unknown, render.Thousands(t.window.Tokens))})
			case isUnknown && !f.given("budget"):
				return base.Hint(unknown, "add --budget TOKENS; or --window TOKENS or --model NAME for a share of the window")
			default:
				return err
			}
		}
	}
	n, _, err := limit.Tokens(t.window.Tokens, 0, budget.Auto{})
	if err != nil {
		return base.Usagef("--budget: %w", err)
	}
	t.budget, t.limit = n, n
	if limit.NeedsWindow() || t.modelNamed {
		t.budget, t.inModelTokens = t.inWindow().Budget(n), true
	}
	if n > 0 {
		t.budget = max(t.budget, 1)
	}
	return nil
}

// cutter is the session taken apart, once.
func (t *trimRun) cutter() *trim.Trimmer {
	if t.trimmer == nil {
		t.trimmer = trim.New(t.session.Messages, t.open())
	}
	return t.trimmer
}

// inWindow is the session in tokens of its model.
func (t *trimRun) inWindow() *trim.Window {
	if t.inModel == nil {
		t.inModel = trim.NewWindow(t.cutter(), t.model, t.sizes)
	}
	return t.inModel
}

func (t *trimRun) run(ctx context.Context, f *trimFlags) error {
	o := t.open()
	o.Budget = t.budget
	if f.trigger != "" {
		limit, err := budget.Parse(f.trigger)
		if err != nil {
			return base.Usagef("--trigger: %w", err)
		}
		if limit.NeedsWindow() && t.window.Tokens == 0 {
			return base.Usagef("--trigger %s is a share of the window: give --budget as a share, too", f.trigger)
		}
		n, _, err := limit.Tokens(t.window.Tokens, 0, budget.Auto{})
		if err != nil {
			return base.Usagef("--trigger: %w", err)
		}
		if o.Trigger = n; limit.NeedsWindow() || t.modelNamed {
			o.Trigger, t.trigger = t.inWindow().Budget(n), n
		}
	}
	if len(f.pins) > 0 {
		turns := trim.Turns(t.session.Messages)
		for _, n := range f.pins {
			if n < 0 || n >= len(turns) {
				return base.Usagef("--pin %d: want a turn from 0 to %d", n, len(turns)-1)
			}
			for i := turns[n].From; i < turns[n].To; i++ {
				o.Pins = append(o.Pins, i)
			}
		}
	}
	cut := t.cutByProfile()
	if t.summary != nil && t.profile == profileGitClaw {
		t.summary.limits = session.SummaryLimits{Room: t.shares.OfSummary(o.Budget), Above: gitclaw.FewTurns, Cut: true}
	}
	var err error
	t.result, err = base.Wait(ctx, func() (*trim.Result, error) {
		res, err := t.cut(&o, cut)
		if err != nil || t.summary == nil {
			return res, err
		}
		return t.summary.trim(ctx, t.session.Messages, o, cut, f.dryRun)
	})
	t.options = o
	var overflow *satchel.OverflowError
	if errors.As(err, &overflow) {
		return t.tooSmall(f.budget, overflow.Need)
	}
	return err
}

// tooSmall is the error of a budget below need, which is given as trim counts.
func (t *trimRun) tooSmall(given string, need int) error {
	inModel := t.inWindow().Tokens(need) + 1
	enough := need // as --budget takes it
	if t.modelNamed {
		enough = inModel // a plain number is in its tokens, too
	}
	if t.inModelTokens {
		need = inModel
	}
	return &base.BudgetError{
		Text: fmt.Sprintf("a budget of %s is too small: the newest and the pinned messages take %s tokens, the limit is %s", given, render.Thousands(need), render.Thousands(t.limit)),
		Hint: fmt.Sprintf("--budget %d is enough", enough),
	}
}

// cutByProfile returns what cuts by the profile. The session's own messages are taken
// apart once.
func (t *trimRun) cutByProfile() trim.Cut {
	if t.profile == profileGitClaw {
		return t.shares.Trim
	}
	return func(ms []transcript.Message, o trim.Options) (*trim.Result, error) {
		if len(ms) > 0 && &ms[0] == &t.session.Messages[0] {
			return t.cutter().Trim(o)
		}
		return trim.Trim(ms, o)
	}
}

// cut cuts the session to the budget in the tokens that it was given in. Of a
// result in tokens of the model, o says in the end which budget it is of.
func (t *trimRun) cut(o *trim.Options, cut trim.Cut) (*trim.Result, error) {
	if !t.inModelTokens || o.Budget <= 0 {
		return cut(t.session.Messages, *o)
	}
	f, err := t.inWindow().ToWindow(t.limit, *o, cut)
	if err != nil {
		return nil, err
	}
	o.Budget, t.after = f.Budget, f.Tokens
	return f.Result, nil
}

// open returns the options that do not depend on the budget.
func (t *trimRun) open() trim.Options {
	o := trim.Options{Task: t.task}
	if !t.raw {
		o.Mask = session.WithoutSecrets
	}
	return o
}

// bytes returns the bytes of the result, with the secrets of the messages and of all
// other fields redacted.
func (t *trimRun) bytes(format transcript.Format) ([]byte, error) {
	var out bytes.Buffer
	if err := t.write(&out, format); err != nil {
		return nil, err
	}
	if t.raw {
		return out.Bytes(), nil
	}
	clean, found := session.RedactSession(out.Bytes())
	if found > 0 {
		t.result.Diagnostics = append(t.result.Diagnostics, satchel.Diagnostic{Text: render.Plural(found, "secret") + " redacted in the result; --raw leaves them"})
	}
	return clean, nil
}

// write writes the result in its own format or as an array.
func (t *trimRun) write(w io.Writer, format transcript.Format) error {
	own := !slices.Contains(arrayFormats, format) || format == t.session.Format
	if own && !t.result.Changed { // whatever its writer would do
		return transcript.Copy(w, t.file, t.size)
	}
	if !own {
		return transcript.Encode(w, format, t.result.Messages)
	}
	rw := &transcript.Rewrite{Messages: t.result.Messages, TokensBefore: t.sizes.Context.Tokens}
	rw.Read, rw.Modified = subject.Of(cutting.Masked(t.session.Messages, t.open().Mask)).Touched()
	err := transcript.Write(w, t.file, t.size, rw)
	if errors.Is(err, transcript.ErrNoWriter) && !t.inPlace {
		t.result.Diagnostics = append(t.result.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("%s cannot resume a shorter session: the result is an array of messages", t.session.Format)})
		return transcript.Encode(w, transcript.Messages, t.result.Messages)
	}
	return err
}

// deliver writes the session where it belongs and says what became of it.
func (a *app) deliver(t *trimRun, f *trimFlags, out []byte) error {
	if f.dryRun {
		if a.JSON {
			return a.WriteJSON(t.account())
		}
		_, err := a.Out.WriteString(a.fatesText(t, f.explain))
		return err
	}
	write := func(w io.Writer) error {
		_, err := w.Write(out)
		return err
	}
	var err error
	switch {
	case f.asIs != "": // nothing to write
	case f.output == "" || f.output == "-":
		if a.Env.StdoutTTY && f.output == "" {
			return base.Usagef("the session would fill the terminal: name a file with -o, or - for standard output")
		}
		err = write(a.Out)
	default:
		if f.copy != nil {
			if err := os.MkdirAll(filepath.Dir(f.output), 0o700); err != nil {
				return fmt.Errorf("--resume: cannot make a folder for %s: %w", f.output, fsx.Cause(err))
			}
		}
		err = base.WriteFile(a.FromHere(f.output), write)
		if err == nil && f.rename != "" { // older than the session, until its agent writes to it
			at := t.changed.Add(-time.Second)
			err = os.Chtimes(f.output, at, at)
		}
	}
	if err != nil || a.Settings.Quiet {
		return err
	}
	for line := range strings.Lines(a.fatesText(t, f.explain)) {
		a.Say("%s", strings.TrimRight(line, "\n"))
	}
	if f.asIs != "" {
		a.Say("nothing to cut: nothing was written")
	}
	if text := a.resumeText(t, f); text != "" {
		a.Say("%s", text)
	}
	return nil
}
