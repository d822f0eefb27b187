package assist

import (
	"context"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// askedFlags are the flags of ask.
type askedFlags struct {
	assistFlags
	rev    string
	paths  []string
	output string
}

func NewAsk(b *base.App) *cobra.Command {
	a := &app{b}
	var f askedFlags
	cmd := &cobra.Command{
		Use:   "ask QUESTION...",
		Short: "Answer a question about the code, with checked sources",
		Long: `Answer a question with help of a model. Each claim cites lines of the repository,
and satchel looks the quotes up. A claim without a confirmed quote is marked (no
source). The answer also lists what the model could not find. The model starts from
what satchel pack shows for the question; it can search and read more. The exit code
is 6 if no claim has a source.`,
		Example: `  satchel ask "how are errors shown to the user?"
  satchel ask "what does this project do?" --dry-run
  satchel ask "what changed in the build?" --rev HEAD~1 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), strings.Join(args, " "), &f)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.rev, "rev", "", "read this `revision` instead of the work tree")
	fs.StringArrayVar(&f.paths, "path", nil, "use only files below this `path` or pattern (repeatable)")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	a.JSONFlag(fs)
	a.askFlags(fs, &f.assistFlags)
	return cmd
}

func (a *app) ask(ctx context.Context, question string, f *askedFlags) error {
	if strings.TrimSpace(question) == "" {
		return base.Usagef("the question is empty")
	}
	if len(question) > base.MaxTask {
		return base.Usagef("the question is longer than %d bytes", base.MaxTask)
	}
	paths, err := a.ScopePaths(f.paths)
	if err != nil {
		return err
	}
	e, err := a.OpenAsking(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	change := engine.DiffRequest{}
	if f.rev != "" {
		change.Commit = f.rev // what is read is its new side
	}
	r, err := a.desk(ctx, e, &f.assistFlags, change)
	if err != nil {
		return err
	}
	var done *assist.Answered
	text, dry, err := r.answer(ctx, func() (text string, shown *assist.Material, err error) {
		if done, err = r.Ask(ctx, assist.QuestionRequest{Question: question, Rev: f.rev, Paths: paths}); done == nil {
			return "", nil, err
		} else if err == nil {
			r.incomplete = done.Incomplete
			text, err = a.answerText(done)
		}
		return text, &done.Material, err
	})
	if err != nil || dry {
		return err
	}
	if err := a.WriteBytes(f.output, []byte(text)); err != nil {
		return err
	}
	if err := a.Flush(); err != nil {
		return err
	}
	if len(done.Taken) > 0 {
		a.Remark("removed: %s", clean.Inline(hygiene.Sum(done.Taken)))
	}
	a.Remark("%s", r.spent(1).String())
	if len(done.Incomplete) > 0 {
		return &base.IncompleteError{Why: done.Incomplete}
	}
	return nil
}

// An answerDocument is the JSON form of an answer.
type answerDocument struct {
	Version    int             `json:"version"`
	Claims     []ask.Claim     `json:"claims"`
	NotFound   []string        `json:"not_found"`
	Unsourced  int             `json:"unsourced"` // claims
	Taken      []hygiene.Taken `json:"taken"`
	Redacted   int             `json:"redacted"`
	Spent      assist.Spent    `json:"spent"`
	Incomplete []string        `json:"incomplete"`
}

// answerText is an answer as it is written.
func (a *app) answerText(v *assist.Answered) (string, error) {
	if a.JSON {
		return base.JSONText(answerDocument{2, orEmpty(v.Claims), orEmpty(v.NotFound), v.Unsourced, orEmpty(v.Taken), v.Redacted, v.Spent, orEmpty(v.Incomplete)})
	}
	var b strings.Builder
	for i := range v.Claims {
		c := &v.Claims[i]
		text, _ := clean.Visible(strings.TrimSpace(c.Text))
		b.WriteString(text)
		for _, cite := range c.Cites {
			if cite.OK {
				fmt.Fprintf(&b, " [%s]", place(cite))
			}
		}
		if !c.Sourced() {
			b.WriteString(" (no source)")
		}
		b.WriteString("\n\n")
	}
	if len(v.NotFound) > 0 {
		b.WriteString("Not found:\n")
		for _, s := range v.NotFound {
			b.WriteString("- " + clean.Inline(s) + "\n")
		}
		b.WriteString("\n")
	}
	if v.Unsourced > 0 {
		fmt.Fprintf(&b, "%s of %d without a confirmed source.\n", render.Plural(v.Unsourced, "claim"), len(v.Claims))
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// place names the lines of a citation.
func place(c ask.Cite) string {
	if c.To > c.From {
		return fmt.Sprintf("%s:%d-%d", clean.Inline(c.Path), c.From, c.To)
	}
	return fmt.Sprintf("%s:%d", clean.Inline(c.Path), c.From)
}
