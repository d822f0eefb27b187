package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

type sessionShowFlags struct {
	turn int
	raw  bool
}

func (a *app) sessionShowCommand() *cobra.Command {
	f := sessionShowFlags{turn: -1}
	cmd := &cobra.Command{
		Use:   "show [FILE|latest|-]",
		Short: "Show the turns of a session",
		Long: `Show the turns of a session that the model would get next: number, tokens, type and
topic. --turn N shows all of one turn. satchel session trim --dry-run --explain
shows what a trim would do with each.`,
		Example: `  satchel session show
  satchel session show latest --turn 1
  satchel session show latest --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.turn < 0 && cmd.Flags().Changed("turn") {
				return base.Usagef("--turn %d: want 0 or more", f.turn)
			}
			return a.sessionShow(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.turn, "turn", -1, "show all of turn `N`, counted from 0")
	fs.Lookup("turn").DefValue = "0" // all turns are shown without the flag: help names no default
	fs.BoolVar(&f.raw, "raw", false, "with --turn, show secrets and control characters too")
	a.JSONFlag(fs)
	a.SettingFlags(fs, []string{"model"})
	return cmd
}

func (a *app) sessionShow(ctx context.Context, f *sessionShowFlags, args []string) error {
	name, err := a.SessionPath(args)
	if err != nil {
		return err
	}
	s, err := a.readSession(ctx, name)
	if err != nil {
		return err
	}
	session.RedactHead(s)
	model, err := a.sessionModel(s)
	if err != nil {
		return err
	}
	out, err := recordings.TurnsOf(name, s, recordings.TurnsRequest{Model: model, Turn: f.turn, Raw: f.raw})
	if _, ok := errors.AsType[*recordings.NoTurnError](err); ok {
		return base.Hint(err, "the first is turn 0")
	}
	if err != nil {
		return err
	}
	if a.JSON {
		return a.WriteJSON(out)
	}
	a.Diagnostics(out.Diagnostics)
	if len(out.Turns) == 0 {
		a.Remark("the session has no messages to send")
		return nil
	}
	for i := range out.Turns {
		out.Turns[i].Title = near(" "+out.Turns[i].Title, s.Dir)[1:]
	}
	return a.Page(a.turnsText(out, f))
}

func (a *app) turnsText(out *recordings.Turns, f *sessionShowFlags) []byte {
	t := a.Table()
	if f.turn < 0 {
		t.WriteString(t.Paint.Dim("turn   tokens  type         about") + "\n")
	}
	for _, v := range out.Turns {
		head := fmt.Sprintf("%4d  %7s  %-11s  ", v.Turn, render.Thousands(v.Tokens), v.Type)
		t.WriteString(head + base.FitWidth(clean.Inline(v.Title), base.Rest(t.Width, render.Width(head))) + "\n")
		if f.turn >= 0 {
			text := v.Text
			if !f.raw {
				text, _ = clean.Visible(text)
			}
			fmt.Fprintf(t, "      %s\n\n%s", t.Paint.Dim(fmt.Sprintf("%s tokens: %s", render.Thousands(v.Tokens), render.CountMethod(v.Count))), text)
		}
	}
	return t.Bytes()
}
