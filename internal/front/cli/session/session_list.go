package session

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/spf13/cobra"
)

type listFlags struct {
	all, side bool
	limit     int
}

func (a *app) sessionListCommand() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions of this project, newest first",
		Long: `List the sessions that agents recorded for this project on this machine, newest
first. Each line has the time, the agent, the size, how full the window is, and how
the session began. The line below has the file, and the id that other commands
accept. A number with ~ is an estimate within 10% of satchel session stats; the
others come from the provider.`,
		Example: `  satchel session list
  satchel session list --all --limit 5
  satchel session list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sessionList(cmd.Context(), &f) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&f.all, "all", false, "list the sessions of all projects")
	fs.BoolVar(&f.side, "side", false, "also list the sessions of subagents")
	fs.IntVar(&f.limit, "limit", 20, "show at most `n` sessions")
	a.JSONFlag(fs)
	return cmd
}

func (a *app) sessionList(ctx context.Context, f *listFlags) error {
	if f.limit < 1 {
		return base.Usagef("--limit %d: want 1 or more", f.limit)
	}
	q := sessions.Query{Dir: a.Dir, Getenv: a.Getenv, Limit: f.limit, Side: f.side}
	if f.all {
		q.Dir = ""
	}
	var window windowFlags
	_, planErr := window.readPlan(a) // once for all
	out, err := base.Wait(ctx, func() (*recordings.List, error) {
		return recordings.ListOf(ctx, q, a.Settings.Models, func(m tokens.Model, largest int) (int, error) {
			if planErr != nil {
				return 0, planErr
			}
			w, err := window.find(a, m, largest)
			if err != nil {
				return 0, nil //nolint:nilerr // it is not known, which the list says
			}
			return w.Tokens, nil
		}, a.Bar.Step)
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.WriteJSON(out)
	}
	a.Diagnostics(out.Diagnostics)
	if len(out.Sessions) == 0 {
		if f.all {
			a.Remark("no agent has recorded a session here")
			return nil
		}
		a.Remark("no agent has recorded a session of %s", clean.Inline(a.Dir))
		a.Remark("hint: --all lists the sessions of other projects")
		return nil
	}
	return a.Page(a.listing(out.Sessions, f.all))
}

// listing is the list as people read it: a line or two for each session.
func (a *app) listing(list []recordings.Listed, all bool) []byte {
	b := a.Table()
	paint, width := b.Paint, b.Width
	ids := base.ShortIDs(list)
	titles := fmt.Sprintf("%-16s  %-11s  %7s %4s", "last used (UTC)", "agent", "tokens", "full")
	if width > 0 && width < base.Narrow {
		b.Header(titles + "\n  about\n  id  file")
	} else {
		b.Header(titles + "  about\n  id  file")
	}
	for i, l := range list {
		size := "       –    "
		switch {
		case l.Used.Tokens > 0 && l.Window > 0:
			size = fmt.Sprintf("%7s %3d%%", countText(l.Used.Tokens, l.Used.Error), l.Percent)
		case l.Used.Tokens > 0:
			size = fmt.Sprintf("%7s    ?", countText(l.Used.Tokens, l.Used.Error))
		}
		head := fmt.Sprintf("%s  %-11s  %s", l.Time.UTC().Format("2006-01-02 15:04"), l.Format, size)
		title := base.Shown(l.Title)
		if l.Error != "" {
			title = "(" + clean.Inline(l.Error) + ")"
		}
		if l.TrimOf != "" {
			title = "trim of " + clean.Inline(clip.First(l.TrimOf, 8)) + ": " + title
		}
		if all && l.Dir != "" {
			title = filepath.Base(clean.Inline(l.Dir)) + ": " + title
		}
		if l.Side {
			title = "(subagent) " + title
		}
		if width > 0 && width < base.Narrow {
			fmt.Fprintf(b, "%s\n  %s\n", paint.Bold(head), base.FitWidth(title, base.Rest(width, 2)))
		} else {
			fmt.Fprintf(b, "%s  %s\n", paint.Bold(head), base.FitWidth(title, base.Rest(width, render.Width(head)+2)))
		}
		id := ""
		if ids[i] != "" {
			id = ids[i] + "  "
		}
		fmt.Fprintf(b, "  %s%s\n", id, paint.Path(base.Tail(clean.Inline(a.Tilde(l.Path)), base.Rest(width, 2+len(id)))))
	}
	return b.Bytes()
}
