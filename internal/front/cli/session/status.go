package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/spf13/cobra"
)

type statusFlags struct {
	windowFlags
	session string
	limit   int
	given   func(flag string) bool
	watch   bool
}

func NewStatus(b *base.App) *cobra.Command {
	a := &app{b}
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "status [FILE|latest]",
		Short: "Show what fills the context window of a session",
		Long: `Show what fills the context window of a session, and how full it is. You see its
sections, its growth from turn to turn, compactions, and the largest items with what
you can do about each. The default is the newest session of this project. A number
with ~ is an estimate, and the last line says how it was made; the others come from
the provider.`,
		Example: `  satchel status
  satchel status latest --window 200k
  satchel status latest --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			return a.status(cmd.Context(), &f, args)
		},
	}
	cmd.ValidArgsFunction = a.completeSession(0)
	fs := cmd.Flags()
	fs.StringVar(&f.session, "session", "", "show this session `file`, like the argument")
	fs.IntVar(&f.limit, "limit", shownItems, "show at most `n` items")
	a.JSONFlag(fs)
	fs.BoolVar(&f.watch, "watch", false, "show it again whenever the session grows")
	f.add(a, fs)
	return cmd
}

func (a *app) status(ctx context.Context, f *statusFlags, args []string) error {
	if f.limit < 0 {
		return base.Usagef("--limit %d: want 0 or more", f.limit)
	}
	if f.given("session") {
		if len(args) > 0 && args[0] != f.session {
			return base.Usagef("the session is named twice: %s and --session %s", args[0], f.session)
		}
		args = []string{f.session}
	}
	if f.watch {
		return a.watchStatus(ctx, f, args)
	}
	name, err := a.SessionPath(args)
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
	if a.JSON {
		return a.WriteJSON(r)
	}
	text := a.statusText(r, base.Brush(a.Color(a.Env.StdoutTTY)))
	if draw != nil {
		return draw(text)
	}
	a.Diagnostics(r.Diagnostics)
	_, err = a.Out.Write(text)
	return err
}

// StatusForAgent returns the status of a session as text, for an agent.
func StatusForAgent(ctx context.Context, b *base.App, name string) (string, error) {
	a := &app{b}
	status, err := a.statusOf(ctx, &statusFlags{limit: shownItems}, name)
	if err != nil {
		return "", err
	}
	text, _ := clean.Visible(string(a.statusText(status, false)))
	return text, nil
}

// shownItems is how many of the largest items of a session are listed by default.
const shownItems = 10

// statusOf finds out what fills a session's window.
func (a *app) statusOf(ctx context.Context, f *statusFlags, name string) (*recordings.Status, error) {
	v := trim.Inventory{Mask: session.WithoutSecrets}
	s, model, err := a.scan(ctx, name, v.Add)
	if err != nil {
		return nil, err
	}
	w, err := f.find(a, model, s.Largest)
	var unknown *unknownWindowError
	if errors.As(err, &unknown) {
		return recordings.StatusOf(name, s, model, &v, f.limit).WithoutWindow(unknown.Error()+": add --window TOKENS or --model NAME for percentages", "unknown: set it with --window TOKENS"), nil
	}
	if err != nil {
		return nil, err
	}
	return recordings.StatusOf(name, s, model, &v, f.limit).Within(w)
}

// scan reads a session message by message.
func (a *app) scan(ctx context.Context, name string, add func(*transcript.Message)) (s *transcript.Session, m tokens.Model, err error) {
	a.Bar.Again()
	s, err = base.Wait(ctx, func() (*transcript.Session, error) {
		f, err := a.openSession(ctx, name)
		if err != nil {
			return nil, sessionError(err)
		}
		defer f.Close()
		if f.Size > largeSession && !a.Serves && a.Getenv("GOMEMLIMIT")+a.Getenv("GOGC") == "" {
			debug.SetGCPercent(largeGCPercent) // until the end: what was counted is yet to be added up
		}
		s, err := transcript.Scan(f, f.Size, func(m *transcript.Message) error {
			if n := len(m.Spans); n > 0 {
				a.Bar.Step("reading", int(m.Spans[n-1].Offset>>10), int(f.Size>>10))
			}
			add(m)
			return ctx.Err()
		})
		if err != nil {
			return nil, sessionError(fmt.Errorf("read session %s: %w", name, err))
		}
		session.RedactHead(s)
		s.Diagnostics = append(s.Diagnostics, f.Diagnostics...)
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
	name, err := a.SessionPath(args)
	if err != nil {
		return err
	}
	if name == base.StdinSession {
		return base.Usagef("--watch needs a file: standard input does not grow")
	}
	var draw func([]byte) error
	if a.Env.StdoutTTY && a.Getenv("TERM") != "dumb" {
		draw = a.redraw
		_, _ = io.WriteString(a.Out, "\x1b[2J")
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
			if err := a.Flush(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if n%latestEvery == 0 && (len(args) == 0 || args[0] == base.Latest) {
			if newer, ok, _ := sessions.Latest(sessions.Query{Dir: a.Dir, Getenv: a.Getenv}); ok {
				name = newer.Path
			}
		}
	}
}

// A seenFile identifies a version of a session, to see that it has grown.
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
	out = append(out, base.Brush(a.Color(true)).Dim(cmp.Or(a.Now().Format(time.TimeOnly), "")+"  Ctrl-C ends it")...)
	_, err := a.Out.Write(out)
	return err
}
