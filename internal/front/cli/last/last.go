// Package last has the command last: what hooks added to the last prompts.
package last

import (
	"context"
	"fmt"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var limit int
	cmd := &cobra.Command{
		Use:   "last",
		Short: "Show the context that hooks gave to the last prompts",
		Long: `Show the context that hooks gave to the last prompts of this repository, newest
first. For each prompt you see how well it matched, and which lines it got, or
why none. The record stays in the git directory, readable only by you,
with secrets redacted. Set last-prompts = 0 in your config.toml to keep none.`,
		Example: `  satchel last
  satchel last --limit 1
  satchel last --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.last(cmd.Context(), limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", lastShown, "show at most `n` prompts")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// lastShown is how many prompts fit one screen.
const lastShown = 5

// lastDocument is the JSON form of the last prompts.
type lastDocument struct {
	Version int             `json:"version"`
	Prompts []session.Given `json:"prompts"`
	Damaged int             `json:"damaged,omitempty"` // records that could not be read
}

func (a *app) last(ctx context.Context, limit int) error {
	if limit < 1 {
		return base.Usagef("--limit %d: want 1 or more", limit)
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	list, damaged, err := e.Sessions().LastPrompts(limit)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.WriteJSON(lastDocument{1, append([]session.Given{}, list...), damaged})
	}
	if damaged > 0 {
		a.Remark("%s could not be read", render.Plural(damaged, "record"))
	}
	if len(list) == 0 {
		a.Remark("no hook has given context here yet; satchel install AGENT sets hooks up")
		return nil
	}
	l := a.Table()
	for i := range list {
		if i > 0 {
			l.WriteString("\n")
		}
		writeGiven(l, &list[i])
	}
	return a.Page(l.Bytes())
}

// writeGiven adds what one prompt was given.
func writeGiven(t *base.Report, g *session.Given) {
	fmt.Fprintf(t, "%s  %s  %s\n", g.Time.Local().Format("2006-01-02 15:04"), clean.Inline(g.Client), t.Paint.Bold(clean.Inline(g.Prompt)))
	if g.Match != "" {
		t.Detail("match " + render.Match(g.Match, g.MatchWhy))
	}
	if len(g.Files) == 0 {
		t.Detail("nothing given: " + clean.Inline(g.Why))
		return
	}
	for i := range g.Files {
		f := &g.Files[i]
		t.Detail(fmt.Sprintf("%7s  %s%s", render.Thousands(f.Tokens), clean.Inline(f.Path), rangesOf(f)))
	}
	total := render.Plural(len(g.Files)+g.More, "file") + " in all"
	if g.More > 0 {
		total += fmt.Sprintf(", %d of them not listed", g.More)
	}
	t.Detail(fmt.Sprintf("%7s  %s", render.Thousands(g.Tokens), "tokens, "+total))
}

// rangesOf is ":10-42,60-80".
func rangesOf(f *session.GivenFile) string {
	s := ""
	for i, r := range f.Lines {
		if i == 0 {
			s += ":"
		} else {
			s += ","
		}
		s += r.String()
	}
	return s
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[lastDocument]("last", 1, "The context that hooks added to the last prompts", "last"),
	}
}
