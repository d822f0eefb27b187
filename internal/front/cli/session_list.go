package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

type listFlags struct {
	all, side bool
	limit     int
}

// sessionList is the JSON form of the command's result.
type sessionList struct {
	Version     int                  `json:"version"`
	Sessions    []listedSession      `json:"sessions"`
	Diagnostics []satchel.Diagnostic `json:"notes"`
}

type listedSession struct {
	sessions.Session
	Model   string       `json:"model,omitempty"`
	Used    tokens.Count `json:"used"`    // 0 tokens if the file was not counted
	Source  string       `json:"source"`  // of Used: provider or estimated
	Window  int          `json:"window"`  // 0 if it is not known
	Percent int          `json:"percent"` // of the window; 0 if it is not known
	Error   string       `json:"error,omitempty"`
}

func (a *app) sessionListCommand() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions of this project, newest first",
		Long: `List the sessions that agents have recorded of this project on this machine,
newest first: when each was last written, by which agent, how large it is, how
full its window, and how it began; below, its id, as far as other commands need
it, and its file. --all lists those of all projects.

A number with ~ is estimated without tokenising the session, within 10 % of what
satchel session stats says; the others are the provider's own.`,
		Example: `  satchel session list
  satchel session list --all --limit 5
  satchel session list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sessionList(cmd.Context(), &f) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&f.all, "all", false, "list the sessions of all projects")
	fs.BoolVar(&f.side, "side", false, "list the sessions of subagents, too")
	fs.IntVar(&f.limit, "limit", 20, "show at most this `many`")
	a.jsonFlag(fs)
	a.settingFlags(fs, pageSettings)
	return cmd
}

func (a *app) sessionList(ctx context.Context, f *listFlags) error {
	if f.limit < 1 {
		return usagef("--limit %d: want 1 or more", f.limit)
	}
	q := sessions.Query{Dir: a.dir, Getenv: a.getenv, Limit: f.limit, Side: f.side}
	if f.all {
		q.Dir = ""
	}
	out := sessionList{Version: 1, Sessions: []listedSession{}, Diagnostics: []satchel.Diagnostic{}}
	_, err := wait(ctx, func() (int, error) {
		found, diags := sessions.List(q)
		out.Diagnostics = append(out.Diagnostics, diags...)
		for _, s := range found {
			s.Title = redact(s.Title)
			out.Sessions = append(out.Sessions, listedSession{Session: s})
		}
		a.quickSizes(ctx, out.Sessions)
		return 0, ctx.Err()
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(&out)
	}
	a.diagnostics(out.Diagnostics)
	if len(out.Sessions) == 0 {
		if f.all {
			a.remark("no agent has recorded a session here")
			return nil
		}
		a.remark("no agent has recorded a session of %s", render.Clean(a.dir))
		a.remark("hint: --all lists those of other projects")
		return nil
	}
	return a.page(a.listing(out.Sessions, f.all))
}

func errText(err error) string {
	if errors.Is(err, transcript.ErrFormat) {
		return transcript.ErrFormat.Error()
	}
	return err.Error()
}

// listing is the list as people read it: a line or two for each session.
func (a *app) listing(list []listedSession, all bool) []byte {
	b := a.table()
	paint, width := b.paint, b.width
	ids := shortIDs(list)
	titles := fmt.Sprintf("%-16s  %-11s  %7s %4s", "last used (UTC)", "agent", "tokens", "full")
	if width > 0 && width < narrow {
		b.header(titles + "\n  about\n  id  file")
	} else {
		b.header(titles + "  about\n  id  file")
	}
	for i, l := range list {
		size := "       –    "
		switch {
		case l.Used.Tokens > 0 && l.Window > 0:
			size = fmt.Sprintf("%7s %3d%%", count(l.Used.Tokens, l.Used.Error), l.Percent)
		case l.Used.Tokens > 0:
			size = fmt.Sprintf("%7s    ?", count(l.Used.Tokens, l.Used.Error))
		}
		head := fmt.Sprintf("%s  %-11s  %s", l.Time.UTC().Format("2006-01-02 15:04"), l.Format, size)
		title := shown(l.Title)
		if l.Error != "" {
			title = "(" + render.Clean(l.Error) + ")"
		}
		if all && l.Dir != "" {
			title = filepath.Base(render.Clean(l.Dir)) + ": " + title
		}
		if l.Side {
			title = "(subagent) " + title
		}
		if width > 0 && width < narrow {
			fmt.Fprintf(b, "%s\n  %s\n", paint.bold(head), fitWidth(title, rest(width, 2)))
		} else {
			fmt.Fprintf(b, "%s  %s\n", paint.bold(head), fitWidth(title, rest(width, render.Width(head)+2)))
		}
		id := ""
		if ids[i] != "" {
			id = ids[i] + "  "
		}
		fmt.Fprintf(b, "  %s%s\n", id, paint.path(tail(render.Clean(a.tilde(l.Path)), rest(width, 2+len(id)))))
	}
	return b.Bytes()
}
