package session

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/spf13/cobra"
)

func (a *app) sessionStatsCommand() *cobra.Command {
	var f windowFlags
	cmd := &cobra.Command{
		Use:   "stats [FILE|latest|-]",
		Short: "Show where the tokens of a session go",
		Long: `Show where the tokens of a session go: by role, type, tool and turn, what is
repeated, and what a trim would free. Numbers that the provider reported are used as
they are; the rest is an estimate. The largest items come with their turn; satchel
session show --turn N shows it.`,
		Example: `  satchel session stats
  satchel session stats latest --json
  satchel session stats latest --window 200k`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sessionStats(cmd.Context(), &f, args) },
	}
	a.JSONFlag(cmd.Flags())
	f.add(a, cmd.Flags())
	return cmd
}

func (a *app) sessionStats(ctx context.Context, f *windowFlags, args []string) error {
	name, err := a.SessionPath(args)
	if err != nil {
		return err
	}
	c, err := a.census(ctx, name)
	if err != nil {
		return err
	}
	r := recordings.StatsOf(name, c.session, c.model, c.stats)
	w, err := f.find(a, c.model, c.session.Largest)
	switch {
	case err == nil:
		if err := r.Within(w); err != nil {
			return err
		}
	case f.window != 0 || f.context != "":
		return err
	default:
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: err.Error() + "; set it with --window TOKENS"})
	}
	if a.JSON {
		return a.WriteJSON(r)
	}
	a.Diagnostics(r.Diagnostics)
	for i := range r.Largest {
		r.Largest[i].Name = near(r.Largest[i].Name, c.session.Dir)
	}
	return a.Page(a.statsText(r))
}

func (a *app) statsText(r *recordings.Stats) []byte {
	t := a.sheet()
	t.field("session", strings.Join(nonEmpty(string(r.Format), clean.Inline(r.Model), base.Shown(r.Title)), " · "))
	t.field("file", fmt.Sprintf("%s, %s%s", base.BytesText(r.Bytes), render.Plural(r.Records, "record"), malformed(r.Skipped)))
	t.field("messages", fmt.Sprintf("%s sent in %s, %s by a person%s", render.Thousands(r.Messages), render.Plural(r.Turns, "turn"), render.Thousands(r.Prompts), earlier(r)))
	if p := r.Pressure; p != nil {
		t.field("context", fmt.Sprintf("%s of %s tokens, %d%%  %s", render.Thousands(p.Used.Tokens), render.Thousands(p.Window), p.Percent, render.PressureBar(p.Percent)))
	} else {
		t.field("context", render.Thousands(r.Context.Tokens)+" tokens")
	}
	t.field("", r.Source+": "+render.CountMethod(r.Context))
	if r.Hidden.Tokens > 0 || r.Hidden.Method != "unknown" {
		t.field("hidden", fmt.Sprintf("%s tokens in no message: system prompt, tool schemas", render.Thousands(r.Hidden.Tokens)))
	} else {
		t.field("hidden", "not counted: system prompt and tool schemas (not in the file)")
	}
	t.field("rate", r.Rate)
	all := r.Hidden.Tokens // a client that clears old results sends less than it recorded
	for _, x := range r.ByRole {
		all += x.Tokens
	}
	all = max(all, r.Context.Tokens)
	writeTable(t, "by role", "messages", r.ByRole, all)
	writeTable(t, "by type", "count", r.ByType, all)
	writeTable(t, "by tool", "calls", r.ByTool[:min(len(r.ByTool), mostTools)], all)
	if n := len(r.ByTool); n > mostTools {
		t.WriteString(t.Paint.Dim(fmt.Sprintf("  and %d more tools\n", n-mostTools)))
	}
	writeLargest(t, r.Largest)
	t.WriteString("\n")
	t.field("repeated", fmt.Sprintf("%s, %s tokens · %s, %s tokens", render.Plural(r.Duplicates.Count, "duplicate"), render.Thousands(r.Duplicates.Tokens), render.Plural(r.Stale.Count, "stale read"), render.Thousands(r.Stale.Tokens)))
	if p := r.Pressure; p != nil {
		t.field("a trim", fmt.Sprintf("to %d %% of the window would free about %s tokens", recordings.TrimShare, render.Thousands(r.Frees.Trim)))
		if p.Turns >= 0 {
			t.field("room", fmt.Sprintf("for about %s more turns like the last ones", render.Thousands(p.Turns)))
		}
	}
	return t.Bytes()
}

// mostTools is how many tools a table lists.
const mostTools = 12

func malformed(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s malformed", render.Thousands(n))
}

func earlier(r *recordings.Stats) string {
	s := ""
	if r.Earlier > 0 {
		s = fmt.Sprintf("; %s recorded and not sent", render.Thousands(r.Earlier))
	}
	if r.Compactions > 0 {
		s += ", " + render.Plural(r.Compactions, "compaction")
	}
	return s
}

// writeTable writes shares, with a bar where there is room for one.
func writeTable(t *sheet, name, what string, shares []trim.Share, of int) {
	if len(shares) == 0 {
		return
	}
	const numbers = 2 + 8 + 2 + 10 + 2 + 5
	first := render.Width(name)
	for _, s := range shares {
		first = max(first, render.Width(clean.Inline(s.Name)))
	}
	first = min(first, max(10, t.Width-numbers))
	bars := min(20, t.Width-first-numbers-2)
	fmt.Fprintf(t, "\n%s\n", t.Paint.Dim(fmt.Sprintf("%s  %8s  %10s  %5s", render.Pad(name, first), what, "tokens", "share")))
	for _, s := range shares {
		line := fmt.Sprintf("%s  %8s  %10s  %5s", render.Pad(base.FitWidth(clean.Inline(s.Name), first), first), render.Thousands(s.Count), render.Thousands(s.Tokens), base.ShareText(s.Tokens, of))
		if bars >= 5 && of > 0 {
			line += "  " + strings.Repeat("█", min(bars, (s.Tokens*bars+of/2)/of))
		}
		t.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func writeLargest(t *sheet, shares []trim.Share) {
	if len(shares) == 0 {
		return
	}
	fmt.Fprintf(t, "\n%s\n", t.Paint.Dim("largest     tokens  what"))
	for _, s := range shares {
		head := fmt.Sprintf("turn %-5d %8s  ", s.Turn, render.Thousands(s.Tokens))
		t.WriteString(head + fitFile(clean.Inline(s.Name), base.Rest(t.Width, render.Width(head))) + "\n")
	}
}

// near shortens the paths of files below a folder that a text names.
func near(text, dir string) string {
	if dir = strings.TrimRight(dir, `/\`); dir == "" {
		return text
	}
	for _, slash := range []string{"/", `\`} {
		text = strings.ReplaceAll(text, " "+dir+slash, " ")
	}
	return text
}

// fitFile is fit for a tool and a file; it keeps the end of the path, the name.
func fitFile(text string, width int) string {
	tool, path, ok := strings.Cut(text, " ")
	if of, isInput := strings.CutPrefix(path, "input "); isInput {
		tool, path = tool+" input", of
	}
	room := width - render.Width(tool) - 1
	if !ok || room < 8 || render.Width(text) <= width || strings.HasSuffix(tool, ":") || strings.Contains(path, " ") || !strings.ContainsAny(path, `/\`) {
		return base.FitWidth(text, width)
	}
	path = path[max(0, len(path)-utf8.UTFMax*room):] // more bytes have no room; a path may be as long as a record
	for i := range path {
		if utf8.RuneStart(path[i]) && render.Width(path[i:]) < room {
			return tool + " …" + path[i:]
		}
	}
	return base.FitWidth(text, width)
}

// A census is a session counted.
type census struct {
	session *transcript.Session
	model   tokens.Model
	stats   *trim.Stats
}

// census counts a session without keeping it in memory.
func (a *app) census(ctx context.Context, name string) (*census, error) {
	count := trim.Census{Mask: session.WithoutSecrets}
	s, m, err := a.scan(ctx, name, count.Add)
	if err != nil {
		return nil, err
	}
	return &census{s, m, count.Stats(m, s.System)}, nil
}
