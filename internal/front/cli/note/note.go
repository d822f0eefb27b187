// Package note has the command note: facts to remember.
package note

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "note",
		Short: "Remember facts about the project, and show them in packs",
		Long: `Remember facts about the project, and show them in packs. A note starts with weight
1 and loses half of it in 30 days; touch raises the weight and slows the fading. A
pinned note does not fade and is in every pack. Packs show other notes if they fit
the task, within 5% of the budget. Notes stay in the git directory for all branches
and worktrees, with secrets redacted. ID is the number that add prints and list
shows.`,
		Example: `  satchel note add "API uses sqlite"
  satchel note add "releases are cut on Fridays" --pin
  satchel note list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.noteAddCommand(), a.noteListCommand(),
		a.noteChangeCommand("pin", "Keep notes from fading, and show them in every pack", `  satchel note add "API uses sqlite" -q && satchel note pin 1`, "pinned", state.Memory.Pin),
		a.noteChangeCommand("unpin", "Let pinned notes fade again", `  satchel note add "API uses sqlite" --pin -q && satchel note unpin 1`, "unpinned", state.Memory.Unpin),
		a.noteChangeCommand("touch", "Mark notes as useful: they weigh more and fade more slowly", `  satchel note add "API uses sqlite" -q && satchel note touch 1`, "touched", state.Memory.Touch),
		a.noteChangeCommand("remove", "Forget notes", `  satchel note add "API uses sqlite" -q && satchel note remove 1`, "removed",
			func(m state.Memory, ctx context.Context, _ time.Time, ids ...int64) ([]rank.Note, error) {
				return m.Remove(ctx, ids...)
			}))
	for _, c := range cmd.Commands() {
		c.Flags().SortFlags = false
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

// listedNote is the JSON form of a note.
type listedNote struct {
	ID       int64     `json:"id"`
	Text     string    `json:"text"`
	Category string    `json:"category,omitempty"`
	Pinned   bool      `json:"pinned"`
	Weight   float64   `json:"weight"` // now
	Tokens   int       `json:"tokens"`
	Touches  int       `json:"touches"`
	Created  time.Time `json:"created"`
	Touched  time.Time `json:"touched"`
	Redacted int       `json:"redacted,omitempty"` // secrets
}

func (a *app) listed(m *rank.Note) listedNote {
	w := rank.NoteDecay().Weight(m.Trace, a.Now())
	return listedNote{
		ID: m.ID, Text: m.Text, Category: m.Category, Pinned: m.Pinned, Weight: math.Round(w*1e4) / 1e4,
		Tokens: m.Tokens, Touches: m.Touches, Created: m.Created, Touched: m.Touched,
	}
}

// noteList is the JSON form of every result that consists of notes.
type noteList struct {
	Version  int                  `json:"version"`
	Remember []listedNote         `json:"notes"`
	Messages []satchel.Diagnostic `json:"messages"`
}

func (a *app) writeNotes(list []rank.Note, messages []satchel.Diagnostic) error {
	out := noteList{1, make([]listedNote, len(list)), append([]satchel.Diagnostic{}, messages...)}
	for i := range list {
		out.Remember[i] = a.listed(&list[i])
	}
	return a.WriteJSON(out)
}

// withNotes opens the engine for a command about notes.
func (a *app) withNotes(ctx context.Context, do func(e *engine.Engine) error) error {
	return noteError(a.WithEngine(ctx, do))
}

// noteError adds what to do next to errors about notes.
func noteError(err error) error {
	var unknown *state.UnknownError
	var text *state.TextError
	switch {
	case errors.As(err, &unknown):
		return base.Hint(err, "satchel note list shows them with their numbers")
	case errors.As(err, &text):
		return base.Usage(err, "")
	}
	return err
}

func (a *app) noteAddCommand() *cobra.Command {
	var category string
	var pin bool
	cmd := &cobra.Command{
		Use:   "add TEXT...",
		Short: "Remember a fact",
		Long: fmt.Sprintf(`Remember a fact in a few sentences, at most %d bytes. TEXT - reads standard input.
satchel prints the note as it is stored, with secrets redacted; --quiet prints only
its number.`, state.MaxText),
		Example: `  satchel note add "API uses sqlite"
  satchel note add "API uses sqlite" --category decision
  echo "releases are cut on Fridays" | satchel note add - --pin`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args, " ")
			if len(args) == 1 && args[0] == "-" {
				b, err := a.ReadText(cmd.Context(), "-")
				if err != nil {
					return err
				}
				text = string(b)
			}
			return a.withNotes(cmd.Context(), func(e *engine.Engine) error {
				m, redacted, err := e.Memory().Add(cmd.Context(), text, category, pin, a.Now())
				if err != nil {
					return err
				}
				if a.JSON {
					n := a.listed(&m)
					n.Redacted = redacted
					return a.WriteJSON(noteList{1, []listedNote{n}, []satchel.Diagnostic{}})
				}
				if redacted > 0 {
					a.Remark("note: %s redacted", render.Plural(redacted, "secret"))
				}
				if a.Settings.Quiet { // for a script that goes on with it
					fmt.Fprintln(a.Out, m.ID)
					return nil
				}
				return a.listNotes([]rank.Note{m})
			})
		},
	}
	cmd.Flags().StringVar(&category, "category", "", "the kind of fact, in a `word` such as decision")
	cmd.Flags().BoolVar(&pin, "pin", false, "pin the note")
	a.JSONFlag(cmd.Flags())
	return cmd
}

func (a *app) noteListCommand() *cobra.Command {
	var category string
	var pinned bool
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List notes: pinned ones first, then by weight",
		Example: `  satchel note list
  satchel note list --category decision
  satchel note list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return base.Usagef("--limit %d: want 1 or more, or 0 for no limit", limit)
			}
			return a.withNotes(cmd.Context(), func(e *engine.Engine) error {
				all, messages, err := e.Memory().Notes(cmd.Context())
				if err != nil {
					return err
				}
				var list []rank.Note
				for i := range all {
					if (category == "" || all[i].Category == category) && (!pinned || all[i].Pinned) {
						list = append(list, all[i])
					}
				}
				total := len(list)
				limit = cmp.Or(limit, total)
				var shown []rank.Note
				for _, i := range rank.NoteDecay().Heaviest(list, limit, a.Now()) {
					shown = append(shown, list[i])
				}
				if a.JSON {
					return a.writeNotes(shown, messages)
				}
				a.Diagnostics(messages)
				switch {
				case total == 0 && (category != "" || pinned):
					a.Remark("no note matches; omit --category and --pinned to list all")
				case total == 0:
					a.Remark("no notes; satchel note add TEXT remembers one")
				}
				if err := a.listNotes(shown); err != nil {
					return err
				}
				if total > limit {
					a.Remark("%d more; --limit 0 shows all", total-limit)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&category, "category", "", "list only notes of this kind, a `word`")
	cmd.Flags().BoolVar(&pinned, "pinned", false, "list only pinned notes")
	cmd.Flags().IntVar(&limit, "limit", 50, "show at most `n` notes; 0 means no limit")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// listNotes writes a line for each note, and further lines for those of several.
func (a *app) listNotes(list []rank.Note) error {
	l := a.Table()
	width := 2
	for i := range list {
		width = max(width, len(strconv.FormatInt(list[i].ID, 10)))
	}
	weight := len("0.00")
	if l.Titles {
		weight = len("weight")
	}
	if len(list) > 0 {
		l.Header(fmt.Sprintf("%*s  weight  %-6s  note", width, "id", "state"))
	}
	for i := range list {
		m := &list[i]
		n := a.listed(m)
		state := ""
		switch {
		case m.Pinned:
			state = "pinned"
		case rank.NoteDecay().Left(m.Trace, a.Now()) < rank.FadingBelow:
			state = "fading"
		}
		text, _ := clean.Visible(m.Text)
		if m.Category != "" {
			text = l.Paint.Bold(clean.Inline(m.Category)+":") + " " + text
		}
		head := fmt.Sprintf("%*d  %*.2f  %-6s  ", width, m.ID, weight, n.Weight, state)
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(head)))
		l.WriteString(l.Paint.Dim(head) + text + "\n")
	}
	return a.Page(l.Bytes())
}

// noteChangeCommand is a command that takes the numbers of notes.
func (a *app) noteChangeCommand(use, short, example, done string, change func(state.Memory, context.Context, time.Time, ...int64) ([]rank.Note, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:     use + " ID...",
		Short:   short,
		Example: example,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := noteIDs(args)
			if err != nil {
				return err
			}
			return a.withNotes(cmd.Context(), func(e *engine.Engine) error {
				list, err := change(*e.Memory(), cmd.Context(), a.Now(), ids...)
				if err != nil {
					return err
				}
				return a.changedNotes(list, done)
			})
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

// changedNotes says what became of notes.
func (a *app) changedNotes(list []rank.Note, done string) error {
	if a.JSON {
		return a.writeNotes(list, nil)
	}
	a.Remark("%s %s", render.Plural(len(list), "note"), done)
	return nil
}

// noteIDs reads the numbers of notes.
func noteIDs(args []string) ([]int64, error) {
	var ids []int64
	for _, s := range args {
		id, err := strconv.ParseInt(s, 10, 64)
		if err != nil || id < 1 {
			return nil, base.Usagef("%s: want the number of a note", clean.Inline(s))
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[noteList]("note", 1, "Notes", "note add", "note list", "note pin", "note unpin", "note remove", "note touch"),
	}
}
