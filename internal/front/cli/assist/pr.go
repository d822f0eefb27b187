package assist

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/source/history"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/style"
	"github.com/spf13/cobra"
)

// prFlags are the flags of pr.
type prFlags struct {
	assistFlags
	base     string
	template string
	hints    []string
}

func NewPR(b *base.App) *cobra.Command {
	a := &app{b}
	var f prFlags
	cmd := &cobra.Command{
		Use:   "pr",
		Short: "Write the title and description of a pull request",
		Long: `Write the title and the description of a pull request with the help of a
model. They describe what HEAD changed since it branched off --base. The title
follows the style of your history. The template comes from the base branch; its
sections stay, and no box is ticked. Removed or changed exports that the model does
not name are listed at the end. Nothing is pushed or created. The first line of the
output is the title, the rest the description.`,
		Example: `  satchel pr
  satchel pr --base main --hint "retries were never counted"
  satchel pr --template none --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pr(cmd.Context(), &f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.base, "base", "", "the `branch` to merge into (default origin/HEAD or main)")
	fs.StringVar(&f.template, "template", templateAuto, "`template` of the description: auto, none or a file")
	fs.StringArrayVar(&f.hints, "hint", nil, "say what the change is for, in a `text` (repeatable)")
	a.JSONFlag(fs)
	a.askFlags(fs, &f.assistFlags)
	return cmd
}

// What --template says beside a file.
const (
	templateAuto = "auto"
	templateNone = "none"
	mostTemplate = 64 << 10
)

func (a *app) prRequest(ctx context.Context, f *prFlags) (assist.PRRequest, error) {
	q := assist.PRRequest{Base: f.base, Hints: f.hints}
	switch f.template {
	case templateAuto:
	case templateNone:
		q.Template = new(string)
	case "":
		return q, base.Usagef("--template: want auto, none or a file")
	default:
		text, err := a.ReadAtMost(ctx, f.template, mostTemplate)
		if err != nil {
			return q, fmt.Errorf("--template: %w", err)
		}
		shown := string(text)
		q.Template = &shown
	}
	return q, nil
}

func (a *app) pr(ctx context.Context, f *prFlags) error {
	q, err := a.prRequest(ctx, f)
	if err != nil {
		return err
	}
	e, err := a.OpenAsking(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if q.Base, err = prBase(ctx, e, q.Base); err != nil {
		return err
	}
	r, err := a.desk(ctx, e, &f.assistFlags, engine.DiffRequest{Base: q.Base})
	if err != nil {
		return err
	}
	var p *assist.PullRequest
	text, dry, err := r.answer(ctx, func() (text string, shown *assist.Material, err error) {
		p, err = r.PR(ctx, q)
		switch {
		case errors.Is(err, assist.ErrNothing):
			return "", nil, base.Hint(fmt.Errorf("nothing changed since %s", clean.Inline(shortRef(q.Base))), "commit first, or name the branch to merge into: --base BRANCH")
		case err != nil && p == nil:
			return "", nil, err
		case err != nil:
			return "", &p.Material, err
		}
		r.incomplete, text = p.Incomplete, p.Title+"\n\n"+p.Body
		if a.JSON {
			text, err = r.prJSON(p)
		}
		return text, &p.Material, err
	})
	if err != nil || dry {
		return err
	}
	if err := r.writePR(p, text); err != nil {
		return err
	}
	if len(p.Incomplete) > 0 {
		return &base.IncompleteError{Why: p.Incomplete}
	}
	return nil
}

// prBase is the branch that a pull request is to be merged into.
func prBase(ctx context.Context, e *engine.Engine, branch string) (string, error) {
	_, err := e.History().Resolve(ctx, "HEAD")
	switch {
	case errors.Is(err, git.ErrUnborn):
		return "", base.Hint(err, "commit first: a pull request consists of commits")
	case err != nil || branch != "":
		return branch, err
	}
	branch, err = e.History().DefaultBranch(ctx)
	if errors.Is(err, history.ErrNoDefault) {
		err = base.Hint(err, "name it: --base BRANCH")
	}
	return branch, err
}

// shortRef is a reference as people write it.
func shortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		if s, ok := strings.CutPrefix(ref, prefix); ok {
			return s
		}
	}
	return ref
}

// writePR writes a description to standard output, and what is to be known about it
// to standard error.
func (r *deskRun) writePR(p *assist.PullRequest, text string) error {
	a := r.app
	a.Remark("%s", changeLine("since "+clean.Inline(shortRef(p.Base)), &p.Material))
	switch {
	case p.Template != "":
		a.Remark("template: %s of %s", clean.Inline(p.Template), clean.Inline(shortRef(p.Base)))
	case len(p.Choice) > 0:
		a.Remark("note: %s has several templates; choose one with --template: %s", clean.Inline(shortRef(p.Base)), clean.Inline(strings.Join(p.Choice, ", ")))
	}
	if _, err := a.Out.WriteString(text); err != nil {
		return err
	}
	if err := a.Flush(); err != nil {
		return err
	}
	a.remarkChecks("check: title: ", p.Checks, p.UnknownNames, p.Taken)
	a.Remark("%s", r.spent(1).String())
	if !a.JSON {
		a.Remark("nothing was sent; to open it: gh pr create --title TITLE -F FILE")
	}
	return nil
}

// prDocument is the JSON form of a description.
type prDocument struct {
	Version      int                   `json:"version"`
	Title        string                `json:"title"`
	Body         string                `json:"body"`
	Base         string                `json:"base"`
	From         string                `json:"from"`
	To           string                `json:"to"`
	Template     string                `json:"template,omitempty"`
	Style        style.Kind            `json:"style"`
	Exports      []ask.Export          `json:"exports"`
	Checks       []assist.MessageCheck `json:"checks"`
	UnknownNames []string              `json:"unknown_names"`
	Taken        []hygiene.Taken       `json:"taken"`
	Coverage     []ask.Shown           `json:"coverage"`
	Redacted     int                   `json:"redacted"`
	Spent        assist.Spent          `json:"spent"`
	Incomplete   []string              `json:"incomplete"`
}

func (r *deskRun) prJSON(p *assist.PullRequest) (string, error) {
	return base.JSONText(&prDocument{
		Version: 2, Title: p.Title, Body: p.Body, Base: shortRef(p.Base), From: p.Report.From, To: p.Report.To, Template: p.Template, Style: p.Convention.Kind,
		Exports: orEmpty(p.Exports), Checks: orEmpty(p.Checks), UnknownNames: orEmpty(p.UnknownNames), Taken: orEmpty(p.Taken),
		Coverage: orEmpty(p.Coverage), Redacted: p.Redacted, Spent: p.Spent, Incomplete: orEmpty(p.Incomplete),
	})
}
