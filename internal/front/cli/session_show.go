package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/trim"
)

type sessionShowFlags struct {
	profile string
	turn    int
	explain bool
	raw     bool
}

func (a *app) sessionShowCommand() *cobra.Command {
	f := sessionShowFlags{turn: -1}
	cmd := &cobra.Command{
		Use:   "show [FILE|latest|-]",
		Short: "Show the turns of a session and how much each matters",
		Long: `Show the turns of a session that the model would be sent next: priority (0 to
100), tokens, type, and what each is about. --explain adds the reasons; the
priority is their sum. --turn N shows the whole of one turn.

The profile gitclaw scores every message by the rules of GITCLAW's design; the
default one looks at what a turn holds and what became of it.`,
		Example: `  satchel session show session.jsonl --explain
  satchel session show session.jsonl --turn 1
  satchel session show session.jsonl --profile gitclaw --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.turn < 0 && cmd.Flags().Changed("turn") {
				return usagef("--turn %d: want 0 or more", f.turn)
			}
			return a.sessionShow(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.turn, "turn", -1, "show the whole of turn `N`, the first being 0")
	fs.Lookup("turn").DefValue = "0" // all turns are shown without the flag: help names no default
	fs.StringVar(&f.profile, "profile", string(profileDefault), "score by the rules of `NAME`: default or gitclaw")
	fs.BoolVar(&f.explain, "explain", false, "show the reasons of each priority")
	fs.BoolVar(&f.raw, "raw", false, "with --turn, leave secrets and control characters as they are")
	a.jsonFlag(fs)
	a.settingFlags(fs, []string{"model"})
	a.settingFlags(fs, pageSettings)
	return cmd
}

func (a *app) sessionShow(ctx context.Context, f *sessionShowFlags, args []string) error {
	profile, err := parseProfile(f.profile)
	if err != nil {
		return err
	}
	name, err := a.sessionPath(args)
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
	out, err := recordings.TurnsOf(name, s, recordings.TurnsRequest{Model: model, Profile: string(profile), Score: profile.turns, Turn: f.turn, Raw: f.raw})
	if _, ok := errors.AsType[*recordings.NoTurnError](err); ok {
		return &hintError{err, "the first is turn 0"}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(out)
	}
	a.diagnostics(out.Diagnostics)
	if len(out.Turns) == 0 {
		a.remark("the session holds no message that would be sent")
		return nil
	}
	for i := range out.Turns {
		out.Turns[i].Title = near(" "+out.Turns[i].Title, s.Dir)[1:]
	}
	return a.page(a.turnsText(out, f))
}

func (a *app) turnsText(out *recordings.Turns, f *sessionShowFlags) []byte {
	t := a.table()
	columns, cells := "turn  priority   tokens  type           about", fiveCells
	if t.width > 0 && t.width < narrow { // the words need the room
		columns, cells = "turn  prio   tokens  type           about", func(int) string { return "" }
	}
	if f.turn < 0 {
		t.WriteString(t.paint.dim(columns) + "\n")
	}
	for _, v := range out.Turns {
		head := fmt.Sprintf("%4d  %3d %s  %7s  %-13s  ", v.Turn, v.Priority, cells(v.Priority), thousands(v.Tokens), v.Type)
		t.WriteString(head + fitWidth(clean.Inline(v.Title), rest(t.width, render.Width(head))) + "\n")
		if f.explain || f.turn >= 0 {
			for _, r := range strongest(v.Reasons, f.turn < 0) {
				fmt.Fprintf(t, "      %s\n", t.paint.dim(fitWidth(fmt.Sprintf("%+4d  %s", r.Add, shown(r.Why)), rest(t.width, 6))))
			}
		}
		if f.turn >= 0 {
			text := v.Text
			if !f.raw {
				text, _ = clean.Visible(text)
			}
			fmt.Fprintf(t, "      %s\n\n%s", t.paint.dim(fmt.Sprintf("%s tokens: %s", thousands(v.Tokens), render.CountMethod(v.Count))), text)
		}
	}
	return t.Bytes()
}

// strongest returns the reasons of a priority, of more than a person wants to read
// in a list the strongest and one for the rest.
func strongest(reasons []trim.Reason, few bool) []trim.Reason {
	if !few || len(reasons) <= shownReasons+1 {
		return reasons
	}
	out := slices.Clone(reasons)
	slices.SortStableFunc(out, func(a, b trim.Reason) int { return cmp.Compare(max(b.Add, -b.Add), max(a.Add, -a.Add)) })
	rest := trim.Reason{Why: render.Plural(len(out)-shownReasons, "other reason")}
	for _, r := range out[shownReasons:] {
		rest.Add += r.Add
	}
	return append(out[:shownReasons], rest)
}

// fiveCells draws a priority.
func fiveCells(priority int) string {
	full := (priority + 10) / 20
	return strings.Repeat("▮", full) + strings.Repeat("▯", 5-full)
}
