// Package assist has the commands that ask a model: ask, commit, review, pr and changelog, and log, which lists their runs.
package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/spf13/pflag"
)

// An app is one run of a command.
type app struct{ *base.App }

// assistFlags are the flags of every command that asks a model.
type assistFlags struct {
	llm          string
	spend        spendFlag
	instructions string
	dryRun       bool
}

// usualSpend is how many tokens one command may read and write, all calls together.
const usualSpend = 400_000

// askFlags adds the flags of a command that asks a model.
func (a *app) askFlags(fs *pflag.FlagSet, f *assistFlags) {
	f.spend.tokens = usualSpend
	fs.StringVar(&f.llm, "llm", "", "use the model `NAME` of your config.toml (default \"default\")")
	fs.Var(&f.spend, "max-spend", "stop at this `amount`: 400k tokens or 0.50usd; 0: no limit")
	fs.BoolVar(&f.dryRun, "dry-run", false, "show what would be sent, and send nothing")
	fs.StringVar(&f.instructions, "instructions", "", "extra instructions: `text` or @FILE")
	a.SettingFlags(fs, []string{"budget"})
	fs.Lookup("budget").Usage = "limit the first prompt (default 24k, at most 30%)"
	a.SettingFlags(fs, base.ReadSettings)
}

// A spendFlag is what all calls of a command may take.
type spendFlag struct {
	tokens int     // 0 is no limit
	usd    float64 // 0 is no limit
}

func (f *spendFlag) Set(text string) error {
	lower := strings.ToLower(strings.TrimSpace(text))
	if dollars, ok := strings.CutSuffix(lower, "usd"); ok {
		n, err := strconv.ParseFloat(strings.TrimSpace(dollars), 64)
		if err != nil || !(n > 0) || math.IsInf(n, 0) {
			return errors.New("want dollars such as 0.50usd")
		}
		f.usd = n
		return nil
	}
	limit, err := budget.Parse(lower)
	if err != nil || limit.NeedsWindow() {
		return errors.New("want tokens such as 400k, or dollars such as 0.50usd")
	}
	f.tokens, _, err = limit.Tokens(0, 0, budget.Auto{})
	return err
}

func (f *spendFlag) String() string { return strconv.Itoa(f.tokens) }

func (f *spendFlag) Type() string { return "amount" }

// Variables of tests and bug reports. The first names the file to record all requests
// and answers in, the second such a file to answer from, offline.
const (
	recordVariable = "SATCHEL_RECORD"
	replayVariable = "SATCHEL_REPLAY"
)

// A deskRun is one command that asks a model: its desk, and what records its calls.
type deskRun struct {
	*assist.Desk
	app      *app
	flags    *assistFlags
	replay   *llm.Replay // nil unless it is one
	header   llm.RecordHeader
	address  string // of the top model's server
	absent   error  // that no model is configured: one is assumed
	snapshot string // of the run, once it is kept

	incomplete []string // what the run lacks, for the snapshot

	callers []*caller
	opened  sync.Once
	refused error // why no model can be asked

	mu    sync.Mutex
	dry   *dryCall // what would have been sent first
	trips []llm.Trip
	file  *os.File // of SATCHEL_RECORD
	fault error    // in writing it
	close []func()
}

// A caller is a model. Its key is read with the first call of the run, so that an error
// in what is asked for comes before one of the key.
type caller struct {
	*llm.Client // without a key
	run         *deskRun
	llm         *config.LLM
	price       assist.Price
	keyed       *llm.Client
}

// Ask asks the model, or keeps what would be sent.
func (c *caller) Ask(ctx context.Context, call *llm.Call, watch func(llm.Delta)) (*llm.Answer, error) {
	if c.run.flags.dryRun {
		return nil, c.keep(call)
	}
	if err := c.run.ready(ctx); err != nil {
		return nil, err
	}
	return c.keyed.Ask(ctx, call, watch)
}

// ready reads the keys and opens the record, once.
func (r *deskRun) ready(ctx context.Context) error {
	r.opened.Do(func() {
		r.refused = r.absent
		for _, c := range r.callers {
			if r.refused == nil {
				r.refused = c.open(ctx)
			}
		}
		if r.refused == nil {
			r.refused = r.openRecord()
		}
	})
	return r.refused
}

// open makes the client that has the key.
func (c *caller) open(ctx context.Context) error {
	a, e := c.run.app, c.llm.Endpoint("")
	var err error
	if e.Key, err = a.Key(ctx, c.llm, "an answer", "see what would be sent with --dry-run"); err != nil {
		return err
	}
	c.keyed, err = llm.New(e, &llm.Options{Wire: &llm.Recorder{Now: a.Env.Now, Done: c.run.took, Key: e.Key}, Pause: a.Env.Pause})
	if err == nil {
		c.run.close = append(c.run.close, c.keyed.Close)
	}
	return err
}

// desk prepares a command to ask models. The caller closes it.
func (a *app) desk(ctx context.Context, e *engine.Engine, f *assistFlags, change engine.DiffRequest) (*deskRun, error) {
	r := &deskRun{app: a, flags: f, header: llm.RecordHeader{Version: llm.RecordVersion, Command: a.command(), Endpoints: map[string]llm.RecordedEndpoint{}}}
	d := &assist.Desk{Engine: e, Turns: a.Settings.Turns, Parallel: parallel(a.Settings.Parallel), Language: a.Settings.Language, Spend: &assist.Spend{MostTokens: f.spend.tokens, MostUSD: f.spend.usd}, Watch: a.watch()}
	r.Desk = d
	var err error
	if d.Instructions, err = a.instructions(ctx, f.instructions); err != nil {
		return nil, err
	}
	from := a.Getenv(replayVariable)
	if from != "" && (f.dryRun || a.Getenv(recordVariable) != "") {
		return nil, base.Usagef(replayVariable + " sends nothing: leave out --dry-run and " + recordVariable)
	}
	d.Tools = a.toolbox(e, change)
	if from != "" {
		return r, r.replayFrom(ctx, from)
	}
	d.Elapsed = func(label string, took time.Duration) time.Duration {
		r.took(llm.Trip{Label: label, Took: took.Milliseconds()})
		return took
	}
	top, err := a.Settings.LLM(f.llm)
	if none := new(config.NoModelError); errors.As(err, &none) && f.llm == "" && len(none.Have) == 0 {
		top, r.absent = config.Assumed(), a.NoModel(err)
	} else if err != nil {
		return nil, a.NoModel(err)
	}
	helper, err := a.Settings.Helper(top)
	if err != nil {
		return nil, a.NoModel(err)
	}
	if f.spend.usd > 0 {
		for _, l := range []*config.LLM{top, helper} {
			if !a.Settings.Priced(l) {
				return nil, base.Usage(fmt.Errorf("--max-spend: the price of %s is not known", l.Model), fmt.Sprintf("add price = [input, cache read, cache write, output] to [llm.%s], or a table [prices.%q]", l.Name, l.Model))
			}
		}
	}
	if err := r.seat(&d.Top, top); err != nil {
		return nil, err
	}
	if helper != top {
		d.Helper = new(assist.Seat)
		if err := r.seat(d.Helper, helper); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// seat prepares one model.
func (r *deskRun) seat(s *assist.Seat, l *config.LLM) error {
	a := r.app
	endpoint := l.Endpoint("")
	if r.address == "" {
		r.address = endpoint.Address()
	}
	client, err := llm.New(endpoint, nil)
	if err != nil {
		return err
	}
	c := &caller{Client: client, run: r, llm: l}
	if a.Settings.Priced(l) {
		c.price = func(u *transcript.Usage) (float64, bool) { return a.Settings.Cost(l, u) }
	}
	r.callers = append(r.callers, c)
	*s = assist.Seat{Name: l.Name, Model: c, Window: windowOf(l), Price: c.price}
	r.header.Endpoints[l.Name] = llm.RecordedEndpoint{URL: l.URL, Kind: string(l.Kind), Model: l.Model, Window: s.Window, MaxTokens: int(l.MaxTokens), Helper: l.Helper, Price: a.priceOf(l)}
	r.header.Top = cmp.Or(r.header.Top, l.Name)
	return nil
}

// priceOf is what a million tokens of each kind cost; nil if that is not known.
func (a *app) priceOf(l *config.LLM) (list []float64) {
	const million = 1_000_000
	for _, u := range []transcript.Usage{{Input: million}, {CacheRead: million}, {CacheWrite: million}, {Output: million}} {
		usd, known := a.Settings.Cost(l, &u)
		if !known {
			return nil
		}
		list = append(list, usd)
	}
	return list
}

// windowOf is the window of a model: what the user says, or else the table of models.
func windowOf(l *config.LLM) int {
	if l.Window > 0 {
		return int(l.Window)
	}
	m, err := tokens.ModelByName(l.Model)
	if err != nil {
		return 0
	}
	return m.Window
}

func keyOrigin(a *app, l *config.LLM) string {
	switch {
	case l.KeyEnv != "" && a.Getenv(l.KeyEnv) == "":
		return l.KeyEnv + ": not set"
	case l.KeyEnv != "":
		return l.KeyEnv + ": set"
	case len(l.KeyCommand) > 0:
		return "the command " + l.KeyCommand[0]
	}
	return "none"
}

// replayFrom prepares a run that is answered from a record.
func (r *deskRun) replayFrom(ctx context.Context, name string) error {
	if info, err := os.Stat(r.app.FromHere(name)); err == nil && name != "-" && !info.Mode().IsRegular() {
		return fmt.Errorf("read %s: it is %s", name, satchel.WhySpecial) // a pipe may never end
	}
	in, err := r.app.ReadAtMost(ctx, name, mostRecord)
	if err != nil {
		return err
	}
	p, err := llm.ReadRecord(strings.NewReader(string(in)))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.replay, r.header = p, p.Header
	r.Desk.Elapsed = p.Elapsed
	top := p.Header.Top
	at, ok := p.Header.Endpoints[top]
	if !ok {
		return fmt.Errorf("%s names no endpoint", name)
	}
	if err := r.replaySeat(&r.Desk.Top, top, at); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if helper, ok := p.Header.Endpoints[at.Helper]; ok {
		r.Desk.Helper = new(assist.Seat)
		return r.replaySeat(r.Desk.Helper, at.Helper, helper)
	}
	return nil
}

func (r *deskRun) replaySeat(s *assist.Seat, name string, at llm.RecordedEndpoint) error {
	c, err := llm.New(llm.Endpoint{URL: at.URL, Kind: llm.Kind(at.Kind), Model: at.Model, MaxTokens: at.MaxTokens}, &llm.Options{
		Wire:  r.replay,
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		return err
	}
	if r.address == "" {
		e := c.Endpoint()
		r.address = e.Address()
	}
	*s = assist.Seat{Name: name, Model: c, Window: at.Window}
	if len(at.Price) == 4 {
		l := &config.LLM{Name: name, Model: at.Model, Price: at.Price}
		s.Price = func(u *transcript.Usage) (float64, bool) { return r.app.Settings.Cost(l, u) }
	}
	return nil
}

// mostRecord is the largest record that is read.
const mostRecord = 256 << 20

// openRecord begins the file of SATCHEL_RECORD, which must not exist: a variable outlives
// a command, and the next one would replace the record.
func (r *deskRun) openRecord() error {
	name := r.app.Getenv(recordVariable)
	if name == "" {
		return nil
	}
	how := os.O_EXCL
	if r.app.Records {
		how = os.O_TRUNC // another round of the same command
	}
	r.app.Records = true
	f, err := os.OpenFile(r.app.FromHere(name), os.O_WRONLY|os.O_CREATE|how, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return base.Hint(fmt.Errorf(recordVariable+": %s exists, and a record is never replaced", name), "name a new file, or unset "+recordVariable)
	}
	if err != nil {
		return fmt.Errorf(recordVariable+": %w", err)
	}
	r.file = f
	line, err := json.Marshal(&r.header)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return err
}

// took takes a trip over the wire that has ended.
func (r *deskRun) took(t llm.Trip) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trips = append(r.trips, t)
	if r.file == nil {
		return
	}
	line, err := t.Line()
	if err == nil {
		_, err = r.file.Write(line)
	}
	r.fault = errors.Join(r.fault, err)
}

// answer asks, and closes the desk. do returns the text of the command, and the material
// that models see. A dry run writes the request instead: dry is true, and text is empty.
func (r *deskRun) answer(ctx context.Context, do func() (text string, shown *assist.Material, err error)) (text string, dry bool, err error) {
	if r.Budget, err = r.app.promptBudget(); err == nil {
		var shown *assist.Material
		if text, shown, err = do(); shown != nil {
			r.app.Diagnostics(shown.Diagnostics)
		}
		if dry = errors.Is(err, assist.ErrDry); dry {
			err = r.writeDry(shown)
		}
	}
	return text, dry, r.end(ctx, []byte(text), err)
}

// changeLine says on one line how large a change is, and what of it a model was not
// shown.
func changeLine(which string, m *assist.Material) string {
	t, c := m.Report.Shown, coverageOf(m.Coverage)
	line := fmt.Sprintf("%s %s, +%s -%s, %s", render.Plural(t.Files, "file"), which, render.Thousands(t.Added), render.Thousands(t.Removed), m.Report.Size)
	if n := len(c.Part) + len(c.Unlooked) - len(m.Report.LeftOut); n > 0 {
		line += fmt.Sprintf(" · %d of them not shown in full", n)
	}
	if why := m.NotLooked(); why != "" {
		line += " · " + why
	}
	if n := len(m.Report.LeftOut); n > 0 {
		line += fmt.Sprintf(" · %d more left out by %s", n, clean.Inline(m.Report.LeftOut[0].By))
	}
	if m.Redacted > 0 {
		line += " · " + render.Plural(m.Redacted, "secret") + " redacted"
	}
	return line
}

// end closes the clients, keeps the calls, and returns the error of the command. The
// error of a replay that met another request comes first.
func (r *deskRun) end(ctx context.Context, output []byte, err error) error {
	for _, c := range r.close {
		c()
	}
	if r.file != nil {
		r.fault = errors.Join(r.fault, r.file.Close())
	}
	switch {
	case r.refused != nil:
		return r.refused
	case r.fault != nil && err == nil:
		err = fmt.Errorf(recordVariable+": %w", r.fault)
	}
	if r.replay != nil {
		if wrong := r.replay.Err(); wrong != nil && !errors.Is(err, context.Canceled) {
			return wrong
		}
		return err
	}
	if err != nil {
		r.incomplete = append(r.incomplete, "ended without a result: "+err.Error())
	}
	answered := slices.ContainsFunc(r.trips, func(t llm.Trip) bool { return t.Status != 0 })
	if kept := r.keep(context.WithoutCancel(ctx), output); kept != nil && err == nil {
		r.app.Remark("note: no snapshot of the calls: %v", kept)
	} else if r.snapshot != "" && (answered || errors.Is(err, context.Canceled)) {
		r.app.Remark("snapshot %.12s", r.snapshot)
	}
	return err
}

// command returns the command line without secrets.
func (a *app) command() (list []string) {
	for _, arg := range a.Args {
		t, _ := clean.Turn(arg)
		list = append(list, t.String())
	}
	return list
}

// parallel reads the setting.
func parallel(text string) assist.Parallel {
	if text == "never" {
		return assist.ParallelNever
	}
	n, _ := strconv.Atoi(text) // 0 for auto
	return assist.Parallel(n)
}

// instructions are the user's own, from the command line or a file that it names.
func (a *app) instructions(ctx context.Context, text string) (string, error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text, nil
	}
	b, err := a.ReadAtMost(ctx, name, mostInstructions)
	if err != nil {
		return "", fmt.Errorf("--instructions: %w", err)
	}
	return string(b), nil
}

const mostInstructions = 64 << 10

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[answerDocument]("ask", 2, "A model's answer, with sources for each claim", "ask"),
		schema.Writes[changelogDocument]("changelog", 2, "A section of a changelog", "changelog"),
		schema.Writes[messageDocument]("commit", 2, "A commit message", "commit"),
		schema.Writes[dryDocument]("dry-run", 1, "The first request that a command would send to a model", "ask --dry-run", "commit --dry-run", "review --dry-run", "pr --dry-run", "changelog --dry-run"),
		schema.Writes[runList]("log", 2, "The runs that called a model", "log"),
		schema.Writes[costList]("log-cost", 2, "The cost of runs that called a model", "log cost"),
		schema.Writes[tripList]("log-raw", 1, "The requests and responses of a run, or of one call", "log show", "log show --raw"),
		schema.Writes[loggedRun]("log-show", 2, "A run that called a model", "log show"),
		schema.Writes[prDocument]("pr", 2, "The title and description of a pull request", "pr"),
		{Name: "review", Version: 1, What: "The findings of a review, each verified against the change", Writers: []string{"review"}, Type: render.ReviewDocument()},
		schema.Writes[dismissedFindings]("review-dismissed", 2, "Dismissed findings", "review dismissed"),
		schema.Writes[forgottenDismissal]("review-forgotten", 2, "A withdrawn dismissal", "review dismissed --forget"),
		schema.Writes[knownFindings]("review-said", 2, "Newly dismissed findings", "review dismiss"),
	}
}
