package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/hook"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/runner"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/spf13/cobra"
)

func NewStatusline(b *base.App) *cobra.Command {
	a := &app{b}
	var then string
	cmd := &cobra.Command{
		Use:   "statusline",
		Short: "Show how full the window is in Claude Code's status line",
		Long: `Show how full the context window is, in Claude Code's status line. The line has a
bar, the percentage, the tokens, the turns left, recent compactions (⟂) and the
cached tokens. It also has the cost, if your config.toml has prices for the model.
Standard input is the JSON that Claude Code gives to a statusLine command.
--then runs your own status line first and prints its output above. The exit code
is always 0.`,
		Example: `  satchel statusline < status.json
  satchel statusline --json < status.json
  satchel statusline --then "echo mine" < status.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.statusline(cmd.Context(), then)
			return nil
		},
	}
	cmd.Flags().StringVar(&then, "then", "", "run this `command` first, and print its output above")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// A statuslineDocument is the JSON form of the line. What cannot be known is null,
// and Turns -1.
type statuslineDocument struct {
	Version     int           `json:"version"`
	Used        *int          `json:"used"`
	Window      *int          `json:"window"`
	Percent     *int          `json:"percent"`
	Level       *budget.Level `json:"level"`
	Turns       int           `json:"turns"`       // that fit still
	Compactions int           `json:"compactions"` // in the end of the transcript that is looked at
	Cached      *int          `json:"cached"`      // tokens that the last request read from the cache
	Cost        *float64      `json:"cost"`        // of the last request
	Currency    string        `json:"currency,omitempty"`
}

// Claude Code runs a status line up to three times a second, and kills it if the
// next one is due.
const (
	statusDeadline = time.Second
	thenDeadline   = 2 * time.Second
	maxStatusInput = 4 << 20
	maxThenOutput  = 64 << 10
)

// statusline never fails: what cannot be known is not shown.
func (a *app) statusline(ctx context.Context, then string) {
	in, err := base.WaitFor(ctx, statusDeadline, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.Env.Stdin, maxStatusInput)) })
	if err != nil {
		in = nil
	}
	if a.JSON {
		d, err := base.WaitFor(ctx, statusDeadline, func() (statuslineDocument, error) { return a.statusDocument(hook.ReadStatus(in)), nil })
		if err != nil {
			d = statuslineDocument{Turns: -1}
		}
		d.Version = 2
		_ = a.WriteJSON(d) // written at the end; a failure cannot be reported
		return
	}
	var out bytes.Buffer
	if then != "" {
		out.Write(runThen(ctx, then, in, a.Env.Dir, a.Env.Environ))
		if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	line, err := base.WaitFor(ctx, statusDeadline, func() (string, error) { return a.statusLine(hook.ReadStatus(in)), nil })
	if err == nil && line != "" {
		out.WriteString(line + "\n")
	}
	_, _ = a.Env.Stdout.Write(out.Bytes())
}

// runThen runs the status line that the user had, and returns what it prints, as
// it is: who wrote it may paint. It is the user's own command line.
func runThen(ctx context.Context, command string, in []byte, dir string, environ []string) []byte {
	ctx, cancel := context.WithTimeout(ctx, thenDeadline)
	defer cancel()
	cmd := runner.Shell(ctx, command, environ)
	cmd.Stdin, cmd.Dir = bytes.NewReader(in), dir
	out := &firstBytes{most: maxThenOutput}
	cmd.Stdout = out
	cmd.WaitDelay = 100 * time.Millisecond // for what it has started itself
	if cmd.Run() != nil {
		return nil
	}
	return out.Bytes()
}

// barCells is the length of the bar.
const barCells = 10

// pressureOf returns how full the window is, and how many more turns fit; -1 if
// unknown.
func (a *app) pressureOf(s hook.Status) (p budget.Pressure, turns int, err error) {
	a.Settings, _ = config.Salvage(config.Sources{Dir: a.Dir, Environ: a.Env.Environ, Flags: a.Given})
	if p, err = budget.PressureOf(tokens.Count{Tokens: s.Used, Method: "provider"}, s.Window, gitclaw.Thresholds); err != nil {
		return p, -1, err
	}
	sizes := s.Sizes
	if n := len(sizes); n == 0 || sizes[n-1] != s.Used {
		sizes = append(sizes[:n:n], s.Used)
	}
	if s.Used == 0 {
		return p, -1, nil
	}
	return p, budget.TurnsLeft(sizes, s.Window), nil
}

// costOf is what the last request cost by the user's prices. pressureOf has read
// the settings.
func (a *app) costOf(s hook.Status) (cost float64, currency string, ok bool) {
	p := a.Settings.PriceOf(s.Model)
	if p == nil || s.Last == (hook.Usage{}) {
		return 0, "", false
	}
	cost, ok = p.Cost(s.Last.Input, s.Last.Output, s.Last.CacheRead, s.Last.CacheWrite)
	return cost, p.Currency, ok
}

func (a *app) statusDocument(s hook.Status) statuslineDocument {
	d := statuslineDocument{Turns: -1, Compactions: s.Compactions}
	if p, turns, err := a.pressureOf(s); err == nil {
		d.Used, d.Window, d.Percent, d.Level, d.Turns = &s.Used, &s.Window, &p.Percent, &p.Level, turns
		if s.Last != (hook.Usage{}) {
			d.Cached = &s.Last.CacheRead
		}
		if cost, currency, ok := a.costOf(s); ok {
			d.Cost, d.Currency = &cost, currency
		}
	}
	return d
}

// statusLine is the line, without its newline; empty if nothing is known.
func (a *app) statusLine(s hook.Status) string {
	p, left, err := a.pressureOf(s)
	if err != nil {
		return ""
	}
	paint := base.Brush(a.Color(true)) // Claude Code shows colours
	code := "32"
	switch p.Level {
	case budget.Noted:
		code = "33"
	case budget.Warned:
		code = "31"
	}
	turns := turnsLeft(left)
	parts := []string{
		paint.Paint(code, render.FillBar(s.Used, s.Window, barCells)+" "+render.PercentFull(p.Percent)),
		render.Compact(s.Used) + "/" + render.Compact(s.Window),
		turns,
	}
	if s.Compactions > 0 {
		parts = append(parts, fmt.Sprintf("⟂%d", s.Compactions))
	}
	if n := s.Last.CacheRead; n > 0 {
		parts = append(parts, render.Compact(n)+" cached")
	}
	if cost, currency, ok := a.costOf(s); ok {
		digits := 2
		if cost < 1 {
			digits = 4
		}
		parts = append(parts, fmt.Sprintf("last %s%.*f", clean.Inline(currency), digits, cost))
	}
	line := ""
	for i, part := range parts {
		if part == "" {
			continue
		}
		next := part
		if i > 0 {
			next = line + paint.Dim(" · ") + part
		}
		if visible(next) > a.columns() && line != "" {
			break
		}
		line = next
	}
	return line
}

// columns returns the width of the terminal from the environment; a status line has
// no terminal.
func (a *app) columns() int {
	if n, err := strconv.Atoi(a.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}
