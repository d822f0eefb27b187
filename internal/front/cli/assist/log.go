package assist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/spf13/cobra"
)

// A mainFunc runs the program again, to replay a run.
type mainFunc = func(context.Context, base.Env, []string) int

func NewLog(b *base.App, main mainFunc) *cobra.Command {
	a := &app{b}
	var limit int
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show the calls that satchel made to models",
		Long: `Show each run of a command that asked a model, newest first: the command, its calls,
their tokens and cost. Runs are kept as snapshots in the git directory, unless
snapshot = false turns that off.`,
		Example: `  satchel log
  satchel log show latest
  satchel log cost --since 30d`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.logList(cmd.Context(), e, limit) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", logShown, "show at most `n` runs")
	a.JSONFlag(cmd.Flags())
	cmd.AddCommand(a.logShowCommand(), a.logReplayCommand(main), a.logCostCommand())
	return cmd
}

// logShown is how many runs fit one screen.
const logShown = 20

// A loggedRun is one run of the log.
type loggedRun struct {
	ID    string    `json:"id"`
	Taken time.Time `json:"taken"`
	assistRecord
	Edited string `json:"edited,omitempty"` // the commit message that somebody made of the generated one
}

// runs returns the runs that snapshots keep, newest first: the newest most of them,
// or all for 0.
func (a *app) runs(ctx context.Context, e *engine.Engine, most int) (list []loggedRun, err error) {
	entries, diags, err := e.Snapshots().List(ctx)
	if err != nil {
		return nil, err
	}
	a.Diagnostics(diags)
	for i := range entries {
		if !strings.HasPrefix(entries[i].Summary, runSummary) {
			continue
		}
		run, err := readRun(ctx, e, entries[i].ID)
		if err != nil {
			continue // a snapshot of somebody's whose summary begins so
		}
		list = append(list, *run)
		if len(list) == most {
			break
		}
	}
	return list, nil
}

// readRun reads a run by its id, or the newest for "latest".
func (a *app) readRun(ctx context.Context, e *engine.Engine, id string) (*loggedRun, error) {
	if id != "latest" {
		return readRun(ctx, e, id)
	}
	list, err := a.runs(ctx, e, 1)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("no model was asked here yet")
	}
	return &list[0], nil
}

func readRun(ctx context.Context, e *engine.Engine, id string) (*loggedRun, error) {
	s, err := e.Snapshots().Find(ctx, id)
	if none := new(archive.UnknownError); errors.As(err, &none) {
		return nil, base.Hint(fmt.Errorf("no run %q", none.ID), "satchel log lists the runs; the first four digits of an id are enough")
	} else if err != nil {
		return nil, err
	}
	text, err := itemOf(ctx, e, s, runItem)
	if err != nil {
		return nil, err
	}
	run := &loggedRun{ID: s.ID, Taken: s.Taken}
	err = json.Unmarshal(text, &run.assistRecord)
	if err == nil && run.Version == 1 {
		var old struct {
			Spent struct{ Usage transcript.Usage }
		}
		err = json.Unmarshal(text, &old)
		run.Version, run.Spent.Usage = recordVersion, assist.TokensOf(&old.Spent.Usage)
	}
	if err != nil || run.Version != recordVersion {
		return nil, fmt.Errorf("snapshot %.12s is not a run of a model", s.ID)
	}
	return run, nil
}

// itemOf returns what a snapshot holds by a name.
func itemOf(ctx context.Context, e *engine.Engine, s *engine.StoredSnapshot, name string) ([]byte, error) {
	for i := range s.Record.Items {
		if it := &s.Record.Items[i]; it.Path == name {
			return e.Snapshots().Blob(ctx, s, it)
		}
	}
	return nil, base.Hint(fmt.Errorf("snapshot %.12s is not a run of a model", s.ID), "satchel log lists them")
}

// A runList is the JSON form of the runs that snapshots keep.
type runList struct {
	Version int         `json:"version"`
	Runs    []loggedRun `json:"runs"`
}

func (a *app) logList(ctx context.Context, e *engine.Engine, limit int) error {
	if limit < 1 {
		return base.Usagef("--limit %d: want 1 or more", limit)
	}
	list, err := a.runs(ctx, e, limit)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.WriteJSON(runList{2, append([]loggedRun{}, list...)})
	}
	if len(list) == 0 {
		a.Remark("no model was asked here yet")
		return nil
	}
	t := a.Table()
	for i := range list {
		r := &list[i]
		fmt.Fprintf(t, "%.12s  %s  %s  %s\n", r.ID, r.Taken.Local().Format("2006-01-02 15:04"), clean.Inline(strings.Join(r.Command, " ")), t.Paint.Dim(r.spent()))
	}
	return a.Page(t.Bytes())
}

// spent says what a run took.
func (r *loggedRun) spent() string {
	s := &r.Spent
	text := fmt.Sprintf("%s, %s in, %s out, %s · %s", render.Plural(s.Calls, "call"), render.Thousands(s.Usage.Input), render.Thousands(s.Usage.Output), costText(*s), clean.Inline(r.Model))
	if len(r.Incomplete) > 0 {
		text += " · incomplete"
	}
	return text
}

// costText returns the cost, or "cost unknown".
func costText(s assist.Spent) string {
	switch {
	case !s.Known:
		return "cost unknown"
	case s.USD < 0.1:
		return fmt.Sprintf("$%.4f", s.USD)
	}
	return fmt.Sprintf("$%.2f", s.USD)
}

func (a *app) logShowCommand() *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "show ID|latest",
		Short: "Show one run with its calls, or their exact bytes",
		Long: `Show one run with each of its calls and, if its result is incomplete, what is
missing. --raw writes each request and answer in full, with secrets redacted. With
the id of a call instead of a run, the command writes that call in full.`,
		Example: `  satchel log show latest
  satchel log show latest --json
  satchel log show latest --raw`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.logShow(cmd.Context(), e, args[0], raw) })
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "write each request and answer in full, secrets redacted")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// A tripList is the JSON form of what went to and fro.
type tripList struct {
	Version int        `json:"version"`
	Trips   []llm.Trip `json:"trips"`
}

func (a *app) logShow(ctx context.Context, e *engine.Engine, id string, raw bool) error {
	run, err := a.readRun(ctx, e, id)
	var one *engine.StoredSnapshot
	if err != nil && id != "latest" {
		if s, found := e.Snapshots().Find(ctx, id); found == nil && strings.HasPrefix(s.Summary, callSummary) {
			one, raw, err = s, true, nil
		}
	}
	switch {
	case err != nil:
		return err
	case !raw:
		run.Edited = editOf(ctx, e, run.ID)
	}
	switch {
	case !raw && a.JSON:
		return a.WriteJSON(run)
	case !raw:
		t := a.Table()
		fmt.Fprintf(t, "%s\n%s  %s\n", t.Paint.Bold(clean.Inline("satchel "+strings.Join(run.Command, " "))), run.Taken.Local().Format("2006-01-02 15:04"), run.spent())
		for _, why := range run.Incomplete {
			fmt.Fprintf(t, "incomplete: %s\n", clean.Inline(why))
		}
		for _, c := range run.Calls {
			fmt.Fprintf(t, "  %.12s  %s  %s, %s bytes sent, %s received, %.1f s\n", c.Snapshot, clean.Inline(c.Label), render.Plural(c.Tries, "try"), render.Thousands(c.Sent), render.Thousands(c.Received), float64(c.Took)/1000)
		}
		if run.Edited != "" {
			text, _ := clean.Visible(run.Edited)
			fmt.Fprintf(t, "edited:\n%s", text)
		}
		return a.Page(t.Bytes())
	}
	var trips []llm.Trip
	if one != nil {
		trips, err = tripsOf(ctx, e, one)
	} else {
		trips, err = run.trips(ctx, e)
	}
	if err != nil {
		return err
	}
	if a.JSON {
		return a.WriteJSON(tripList{1, trips})
	}
	var b bytes.Buffer
	for i := range trips {
		t := &trips[i]
		if t.Try == 0 {
			continue
		}
		fmt.Fprintf(&b, "── %s, try %d: request of %d bytes, sha256 %s\n%s\n── answer: status %d, %s\n%s\n", clean.Inline(t.Label), t.Try, len(t.Request), t.SHA256, t.Request, t.Status, clean.Inline(t.Type), t.Answer())
	}
	text, _ := clean.Visible(b.String())
	return a.Page([]byte(text))
}

// editOf returns the newest edit of the message that a run generated, or "".
func editOf(ctx context.Context, e *engine.Engine, run string) string {
	entries, _, _ := e.Snapshots().List(ctx)
	for i := range entries {
		if entries[i].Summary != editSummary+run {
			continue
		}
		if s, err := e.Snapshots().Find(ctx, entries[i].ID); err == nil {
			text, _ := itemOf(ctx, e, s, outputItem)
			return string(text)
		}
	}
	return ""
}

// trips returns the trips of all calls of a run, in order.
func (r *loggedRun) trips(ctx context.Context, e *engine.Engine) (all []llm.Trip, err error) {
	for _, c := range r.Calls {
		s, err := e.Snapshots().Find(ctx, c.Snapshot)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Label, err)
		}
		trips, err := tripsOf(ctx, e, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Label, err)
		}
		all = append(all, trips...)
	}
	return all, nil
}

// tripsOf returns the trips in the snapshot of one call.
func tripsOf(ctx context.Context, e *engine.Engine, s *engine.StoredSnapshot) (list []llm.Trip, err error) {
	record, err := itemOf(ctx, e, s, recordItem)
	if err != nil {
		return nil, err
	}
	p, err := llm.ReadRecord(bytes.NewReader(record))
	if err != nil {
		return nil, err
	}
	return p.Trips(), nil
}

func (a *app) logReplayCommand(main mainFunc) *cobra.Command {
	return &cobra.Command{
		Use:   "replay ID|latest",
		Short: "Run a command again with its recorded answers",
		Long: `Run a command again with its recorded answers, and compare the two results. Nothing
is sent, and nothing is committed. If the repository has changed since, the requests
differ, and satchel names the first difference.`,
		Example: "  satchel log replay latest",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.logReplay(cmd.Context(), e, args[0], main) })
		},
	}
}

func (a *app) logReplay(ctx context.Context, e *engine.Engine, id string, main mainFunc) error {
	run, err := a.readRun(ctx, e, id)
	if err != nil {
		return err
	}
	trips, err := run.trips(ctx, e)
	if err != nil {
		return err
	}
	s, err := e.Snapshots().Find(ctx, run.ID)
	if err != nil {
		return err
	}
	want, err := itemOf(ctx, e, s, outputItem)
	if err != nil {
		return err
	}
	if len(want) == 0 {
		return fmt.Errorf("run %.12s has no result to compare a replay with", run.ID)
	}
	record, err := writeRecord(&run.Header, trips)
	if err != nil {
		return err
	}
	defer os.Remove(record)
	var got bytes.Buffer
	env := a.Env
	env.Stdin, env.StdinTTY, env.StdoutTTY, env.Stdout = strings.NewReader(""), false, false, &got
	env.Environ = slices.Concat(env.Environ, []string{recordVariable + "=", replayVariable + "=" + record})
	code := main(ctx, env, replayed(run.Command))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !bytes.Equal(got.Bytes(), want):
		if got.Len() > 0 {
			_, _ = a.Out.Write(got.Bytes()) // for comparison
		}
		return fmt.Errorf("the replay of %.12s differs from the recorded result (exit code %d)", run.ID, code)
	}
	_, err = a.Out.Write(got.Bytes())
	a.Remark("the same %s as recorded, from %s", render.Plural(len(want), "byte"), render.Plural(len(run.Calls), "recorded call"))
	return err
}

// replayed returns the command line that repeats another one: it writes its result to
// standard output, and does nothing else.
func replayed(command []string) (list []string) {
	for i := 0; i < len(command); i++ {
		arg := command[i]
		if arg == "--" { // what git would get
			break
		}
		name, _, valued := strings.Cut(arg, "=")
		switch {
		case slices.Contains([]string{"-y", "--yes", "-e"}, arg):
		case slices.Contains([]string{"-o", "--output", "--hook"}, name):
			if !valued {
				i++
			}
		default:
			list = append(list, arg)
		}
	}
	if len(list) > 0 && list[0] == "commit" {
		list = append(list, "--print")
	}
	return list
}

// writeRecord writes a record to a file, which the caller removes.
func writeRecord(head *llm.RecordHeader, trips []llm.Trip) (string, error) {
	f, err := os.CreateTemp("", "satchel-record-*.jsonl")
	if err != nil {
		return "", err
	}
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	err = enc.Encode(head)
	for i := range trips {
		line, failed := trips[i].Line()
		if failed == nil {
			_, failed = f.Write(line)
		}
		err = errors.Join(err, failed)
	}
	return f.Name(), errors.Join(err, f.Close())
}

func (a *app) logCostCommand() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Add up the cost of calls, by command and model",
		Long: `Add up the tokens and the cost of all recorded calls, by command and model. Without
a known price, satchel counts the tokens and calls the cost unknown.`,
		Example: `  satchel log cost
  satchel log cost --since 30d
  satchel log cost --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error { return a.logCost(cmd.Context(), e, since) })
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "count only the last `time`, such as 30d or 12h")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// A costLine is what one command cost with one model.
type costLine struct {
	Command string       `json:"command"`
	Model   string       `json:"model"`
	Runs    int          `json:"runs"`
	Spent   assist.Spent `json:"spent"`
}

// A costList is the JSON form of what runs took.
type costList struct {
	Version int         `json:"version"`
	Since   *time.Time  `json:"since,omitempty"`
	Lines   []*costLine `json:"lines"`
	Total   costLine    `json:"total"`
}

func (a *app) logCost(ctx context.Context, e *engine.Engine, since string) error {
	var from time.Time
	if since != "" {
		var err error
		if from, err = base.ParseAge(since, a.Now()); err != nil {
			return base.Usagef("--since: %w", err)
		}
	}
	list, err := a.runs(ctx, e, 0)
	if err != nil {
		return err
	}
	var lines []*costLine
	total := costLine{Command: "all", Spent: assist.Spent{Known: true}}
	for i := range list {
		r := &list[i]
		if r.Taken.Before(from) {
			continue
		}
		name := ""
		if len(r.Command) > 0 {
			name = r.Command[0]
		}
		at := slices.IndexFunc(lines, func(l *costLine) bool { return l.Command == name && l.Model == r.Model })
		if at < 0 {
			at = len(lines)
			lines = append(lines, &costLine{Command: name, Model: r.Model, Spent: assist.Spent{Known: true}})
		}
		lines[at].add(r)
		total.add(r)
	}
	slices.SortFunc(lines, func(x, y *costLine) int {
		return strings.Compare(x.Command+"\x00"+x.Model, y.Command+"\x00"+y.Model)
	})
	if a.JSON {
		return a.WriteJSON(costList{2, nonZero(from), append([]*costLine{}, lines...), total})
	}
	if len(lines) == 0 {
		a.Remark("no model was asked here in that time")
		return nil
	}
	t := a.Table()
	for _, l := range append(lines, &total) {
		fmt.Fprintf(t, "%-14s  %-28s  %s, %s, %s in (%s cached), %s out, %s\n", clean.Inline(l.Command), clean.Inline(l.Model), render.Plural(l.Runs, "run"), render.Plural(l.Spent.Calls, "call"),
			render.Thousands(l.Spent.Usage.Input), render.Thousands(l.Spent.Usage.Cached), render.Thousands(l.Spent.Usage.Output), costText(l.Spent))
	}
	return a.Page(t.Bytes())
}

func nonZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (l *costLine) add(r *loggedRun) {
	l.Runs++
	l.Spent.Add(&r.Spent)
}
