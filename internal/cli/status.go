package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

type statusFlags struct {
	windowFlags
	session     string
	limit       int
	json, watch bool
}

// statusResult is the JSON form of the command's result.
type statusResult struct {
	Version     int               `json:"version"`
	Path        string            `json:"path"`
	Format      transcript.Format `json:"format"`
	ID          string            `json:"id,omitempty"`
	Title       string            `json:"title,omitempty"`
	Model       string            `json:"model"`
	Used        tokens.Count      `json:"used"`
	Window      int               `json:"window"` // 0 if it is not known; Percent and Free are null then
	Source      string            `json:"window_source"`
	Percent     *int              `json:"percent"`
	Level       budget.Level      `json:"level"`
	Turns       int               `json:"turns"` // that fit still; -1 if that is unknown
	Sections    []trim.Fill       `json:"sections"`
	Free        *int              `json:"free"`
	History     []trim.Growth     `json:"history"`
	Reported    bool              `json:"history_reported"` // by the provider; else it is an estimate
	Items       []statusItem      `json:"items"`
	Omitted     omittedItems      `json:"omitted"` // by --limit
	Frees       statusFrees       `json:"frees"`
	Compactions int               `json:"compactions"`
	Warning     string            `json:"warning,omitempty"`
	Advice      []string          `json:"advice"`
	Notes       []satchel.Note    `json:"notes"`
}

type statusItem struct {
	trim.Item
	Action string `json:"action,omitempty"`
}

type omittedItems struct {
	Items  int `json:"items"`
	Tokens int `json:"tokens"`
}

type statusFrees struct {
	Items int `json:"items"` // what the states of all items say
	Trim  int `json:"trim"`  // a trim to the default share of the window
}

func (a *app) statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "status [FILE|latest]",
		Short: "Show what fills the window of a session",
		Long: `Show what fills the context window of a session: how full it is, by which
sections, how it grew from turn to turn and where it was compacted, and the
largest things in it with what could be done about each. The newest session of
this project is shown if none is named.

A number with ~ is estimated; the last line says how well. The others come from
the provider's own counts.`,
		Example: `  satchel status session.jsonl
  satchel status --session session.jsonl --window 20k
  satchel status session.jsonl --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), &f, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.session, "session", "", "show this session `file`; the same as the argument")
	fs.IntVar(&f.limit, "limit", 10, "show at most this `many` items")
	fs.BoolVar(&f.json, "json", false, "write one JSON document")
	fs.BoolVar(&f.watch, "watch", false, "show it again whenever the session grows, until interrupted")
	f.add(a, fs)
	f.addThresholds(fs)
	a.settingFlags(fs, []string{"pressure-show", "pressure-note", "pressure-warn"})
	return cmd
}

func (a *app) status(ctx context.Context, f *statusFlags, args []string) error {
	if f.limit < 0 {
		return usagef("--limit %d: want 0 or more", f.limit)
	}
	if f.session != "" {
		if len(args) > 0 && args[0] != f.session {
			return usagef("the session is named twice: %s and --session %s", args[0], f.session)
		}
		args = []string{f.session}
	}
	if f.watch {
		return a.watchStatus(ctx, f, args)
	}
	name, err := a.sessionPath(args)
	if err != nil {
		return err
	}
	return a.showStatus(ctx, f, name, nil)
}

// showStatus writes the status of a session; draw, if not nil, takes the text in
// place of standard output.
func (a *app) showStatus(ctx context.Context, f *statusFlags, name string, draw func([]byte) error) error {
	r, err := a.statusOf(ctx, f, name)
	if err != nil {
		return err
	}
	if f.json {
		return a.writeJSON(r)
	}
	if draw != nil {
		return draw(a.statusText(r))
	}
	a.notes(r.Notes)
	_, err = a.out.Write(a.statusText(r))
	return err
}

// statusOf finds out what fills a session's window.
func (a *app) statusOf(ctx context.Context, f *statusFlags, name string) (*statusResult, error) {
	var v trim.Inventory
	s, model, err := a.scan(ctx, name, v.Add)
	if err != nil {
		return nil, err
	}
	c := v.Contents(model, s)
	r := &statusResult{Version: 1, Path: name, Format: s.Format, ID: s.ID, Title: redact(s.Title), Model: model.Name, Used: c.Stats.Context,
		Turns: -1, Sections: c.Sections, History: c.Growth, Reported: c.Reported,
		Items: []statusItem{}, Compactions: s.Compactions, Advice: []string{}, Notes: append([]satchel.Note{}, s.Notes...)}
	if err := r.measure(a, f, &census{path: name, session: s, model: model, stats: c.Stats}); err != nil {
		return nil, err
	}
	for i, it := range c.Items {
		r.Frees.Items += it.Frees
		if i >= f.limit {
			r.Omitted.Items++
			r.Omitted.Tokens += it.Tokens.Tokens
			continue
		}
		it.Name = redact(it.Name)
		r.Items = append(r.Items, statusItem{it, action(&it)})
	}
	if c.Cleared > 0 {
		r.Notes = append(r.Notes, satchel.Note{Text: fmt.Sprintf("the messages come to %s tokens more than the provider counted: the agent sends less of them than it records, or they are overestimated; all sections are shown as so much smaller", thousands(c.Cleared))})
	}
	r.Advice = append(r.Advice, render.WindowAdvice(r.window())...)
	return r, nil
}

// measure says how full the window is. Of a window that is not known there is a
// Note, and the numbers stand without percentages.
func (r *statusResult) measure(a *app, f *statusFlags, c *census) error {
	w, err := f.find(a, c.model, c.session.Largest)
	var unknown *unknownWindowError
	if errors.As(err, &unknown) {
		r.Source = "not known, --window TOKENS says"
		r.Frees.Trim = c.stats.Frees()
		r.Notes = append(r.Notes, satchel.Note{Text: unknown.Error() + ": there are no percentages without --window TOKENS or --model NAME"})
		return nil
	}
	if err != nil {
		return err
	}
	p, err := c.pressure(w)
	if err != nil {
		return err
	}
	free := max(0, w.tokens-p.Used.Tokens)
	r.Window, r.Source, r.Percent, r.Free = w.tokens, w.source, &p.Percent, &free
	r.Level, r.Turns, r.Frees.Trim = p.Level, p.Turns, p.Frees
	r.Warning = render.WindowWarning(p.Percent, w.thresholds)
	return nil
}

// action says what could be done about an item.
func action(it *trim.Item) string {
	left := render.Compact(it.Tokens.Tokens - it.Frees)
	switch it.State {
	case trim.Duplicate:
		return "keep the last → " + left
	case trim.Outdated:
		return "drop what was edited"
	case trim.Compressible:
		return "similar lines → " + left
	case trim.Pinned:
		return "newest prompt: kept"
	}
	return ""
}

// window is the session as render draws it.
func (r *statusResult) window() *render.Window {
	w := &render.Window{Tokens: r.Window}
	for _, s := range r.Sections {
		w.Sections = append(w.Sections, render.Section{Name: s.Name, Short: shortSections[s.Name], Tokens: s.Tokens.Tokens})
	}
	return w
}

// shortSections name sections in the bar.
var shortSections = map[string]string{"system": "sys", "tools": "tools", "injected": "inj", "files": "files", "tool output": "output", "chat": "chat", "thinking": "think"}

// scan reads a session message by message.
func (a *app) scan(ctx context.Context, name string, add func(*transcript.Message)) (s *transcript.Session, m tokens.Model, err error) {
	bar := a.progress()
	defer bar.stop()
	s, err = wait(ctx, func() (*transcript.Session, error) {
		f, err := a.openSession(ctx, name)
		if err != nil {
			return nil, sessionError(err)
		}
		defer f.Close()
		if f.Size > largeSession {
			debug.SetGCPercent(largeGCPercent) // until the end: what was counted is yet to be added up
		}
		s, err := transcript.Scan(f, f.Size, func(m *transcript.Message) error {
			if n := len(m.Spans); n > 0 {
				bar.step("reading", int(m.Spans[n-1].Offset>>10), int(f.Size>>10))
			}
			add(m)
			return ctx.Err()
		})
		if err != nil {
			return nil, sessionError(fmt.Errorf("read session %s: %w", name, err))
		}
		s.Notes = append(s.Notes, f.Notes...)
		return s, nil
	})
	if err != nil {
		return nil, m, err
	}
	m, err = a.sessionModel(s)
	return s, m, err
}

// What is remembered of a session's messages is all that counts in memory when a
// file is large, and it only grows: garbage of a quarter of that is let lie, where
// as much again would be.
const (
	largeSession   = 64 << 20
	largeGCPercent = 25
)

// How often a watched session is looked at, and how often the newest one of the
// project is looked for.
const (
	watchEvery  = 500 * time.Millisecond
	latestEvery = 10
)

// watchStatus shows the status of a session whenever that changes: in place on a
// terminal, else one text or document after the other. It ends when interrupted.
func (a *app) watchStatus(ctx context.Context, f *statusFlags, args []string) error {
	name, err := a.sessionPath(args)
	if err != nil {
		return err
	}
	if name == stdinSession {
		return usagef("--watch: standard input does not grow once it is read; name a file")
	}
	var draw func([]byte) error
	if a.env.StdoutTTY && a.getenv("TERM") != "dumb" {
		draw = a.redraw
		_, _ = io.WriteString(a.out, "\x1b[2J")
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var seen seenFile
	for n := 1; ; n++ {
		now, err := look(name)
		switch {
		case err != nil && n == 1:
			return sessionError(err)
		case err == nil && now != seen: // a file that is gone may come back
			seen = now
			if err := a.showStatus(ctx, f, name, draw); err != nil {
				return err
			}
			if err := a.flush(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if n%latestEvery == 0 && (len(args) == 0 || args[0] == latest) {
			if newer, err := a.sessionPath(nil); err == nil {
				name = newer
			}
		}
	}
}

// A seenFile is what tells that a session has grown.
type seenFile struct {
	name string
	size int64
	time time.Time
}

func look(name string) (seenFile, error) {
	f, err := sessions.Open(name)
	if err != nil {
		return seenFile{}, err
	}
	defer f.Close()
	return seenFile{name, f.Size, f.Time}, nil
}

// redraw writes a text over the one before, without a flicker.
func (a *app) redraw(text []byte) error {
	out := []byte("\x1b[H")
	for _, c := range text {
		if c == '\n' {
			out = append(out, "\x1b[K"...)
		}
		out = append(out, c)
	}
	out = append(out, "\x1b[J"...)
	out = append(out, style(a.color(true)).dim(cmp.Or(a.env.now().Format(time.TimeOnly), "")+"  interrupt ends it")...)
	_, err := a.out.Write(out)
	return err
}
