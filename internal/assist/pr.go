package assist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/style"
)

// A PRRequest says what a description is wanted for: what HEAD did since it left Base.
type PRRequest struct {
	Base string // empty means the default branch

	// Template is what descriptions look like; nil means that of the base, if it has
	// one. It is never read from the branch, which may not instruct its own review.
	Template *string

	Hints []string // what the author meant
}

// A PullRequest is the title and the description of one.
type PullRequest struct {
	Account
	Material
	Convention style.Convention

	Base     string // the reference, or as it was asked for
	Template string // the path of the template in the base; empty if there is none
	Choice   []string
	// Choice are the templates that the base offers, if there are several: none of
	// them was taken.

	Title string
	Body  string // ends in a line break

	Exports      []ask.Export // what others can use, and is gone or not as it was: the Body names each
	Checks       []MessageCheck
	UnknownNames []string
	Taken        []hygiene.Taken
}

const prTurns = 8

// PR describes what a branch changes. It is an error if that is nothing, or if the
// model gave no description.
func (d *Desk) PR(ctx context.Context, q PRRequest) (*PullRequest, error) {
	p := &PullRequest{Base: q.Base}
	if p.Base == "" {
		var err error
		if p.Base, err = d.Engine.History().DefaultBranch(ctx); err != nil {
			return nil, err
		}
	}
	req := engine.DiffRequest{Base: p.Base, Binds: true}
	report, err := d.Engine.Change(ctx, req)
	if err != nil {
		return nil, err
	}
	if len(report.Files) == 0 {
		return p, nothing(report)
	}
	p.Report, p.Exports = report, ask.Exports(report)
	o, err := d.prOptions(ctx, &q, p)
	if err != nil {
		return nil, err
	}
	a, why, err := d.withFacts(ctx, req, &p.Material, func(facts []ask.Fact) (*ask.Ask, error) {
		o.Facts = facts
		return ask.PR(report, o)
	})
	p.Incomplete = append(p.Incomplete, why...)
	if err != nil {
		return p, err
	}
	p.Coverage = ask.Join(p.Coverage, unseen(report)...)
	guard, err := d.prGuard(ctx, &q, &o, a)
	if err != nil {
		return nil, err
	}
	v, err := d.describe(ctx, p, a, guard)
	if err != nil {
		return p, err
	}
	p.compose(o.Template, v, guard)
	p.check(ctx, d.Engine, &req, &o)
	p.Account = d.account(p.Incomplete)
	return p, nil
}

// prOptions learns how titles are written in the base, and gathers what stands beside
// the change.
func (d *Desk) prOptions(ctx context.Context, q *PRRequest, p *PullRequest) (ask.PROptions, error) {
	var o ask.PROptions
	o.Budget, o.Hints, o.Instructions, o.Language = d.budget(), q.Hints, d.Instructions, d.Language
	h := d.Engine.History()
	list, err := h.Messages(ctx, p.Base, learnFrom)
	if err != nil {
		return o, err
	}
	p.Convention = style.Learn(list)
	o.Style, o.Subjects = p.Convention.Words(), p.Convention.Subjects
	branch, err := h.Branch(ctx)
	if err != nil {
		return o, err
	}
	o.Branch = branch.String()
	commits, err := h.Log(ctx, git.LogSpec{Rev: "HEAD", Since: p.Base})
	if err != nil {
		return o, err
	}
	for _, c := range slices.Backward(commits) {
		if c.Parents < 2 {
			o.Commits = append(o.Commits, messageOf(c.Subject.String(), c.Body.String()))
		}
	}
	if q.Template != nil {
		o.Template = *q.Template
		return o, nil
	}
	templates, err := h.Templates(ctx, p.Base)
	switch {
	case err != nil:
		return o, err
	case len(templates) > 1:
		p.Choice = templates
	case len(templates) == 1:
		shown, err := d.Engine.Files().Show(ctx, templates[0], 0, 0, p.Base)
		if err != nil {
			p.Incomplete = append(p.Incomplete, "the template "+templates[0]+": not read: "+short(err.Error()))
			break
		}
		p.Template, o.Template = templates[0], shown.Text
		p.Beside = []ask.Shown{{Path: p.Template, How: ask.Full}}
	}
	return o, nil
}

// messageOf is the message of a commit.
func messageOf(subject, body string) string {
	if body == "" {
		return subject
	}
	return subject + "\n\n" + body
}

// prGuard says what may stay of what the model writes.
func (d *Desk) prGuard(ctx context.Context, q *PRRequest, o *ask.PROptions, a *ask.Ask) (*hygiene.Guard, error) {
	hosts, err := d.Engine.History().Hosts(ctx)
	if err != nil {
		return nil, err
	}
	hosts = append(hosts, hygiene.HostsOf(a.Shared+"\n"+o.Template)...)
	return &hygiene.Guard{Given: append(slices.Clone(q.Hints), o.Branch), Hosts: hosts, Limit: mostBody}, nil
}

// mostBody is how many bytes a description may have that a model wrote; forges take
// twice as many.
const mostBody = 32 << 10

// describe has the model write.
func (d *Desk) describe(ctx context.Context, p *PullRequest, a *ask.Ask, guard *hygiene.Guard) (v ask.Description, err error) {
	run := d.run(&d.Top, "pr")
	if p.Report.Size == change.Large || p.Report.Size == change.VeryLarge {
		run.Tools, run.Turns = d.Tools, d.turns(prTurns)
	}
	tries := 0
	run.Check = func(input json.RawMessage) error {
		v, err := ask.ReadPR(a, input)
		if err != nil {
			return err
		}
		title, _ := p.titled(v.Title, guard)
		if faults := p.Convention.Check(title); len(faults) > 0 && tries == 0 {
			tries++ // once: a title that is a little long is still one
			return errors.New("the title does not follow the style of the history: " + faultsText(faults))
		}
		return nil
	}
	out, err := run.Do(ctx, a)
	if err != nil {
		return v, err
	}
	if v, err = ask.ReadPR(a, out.Input); strings.TrimSpace(v.Title) == "" {
		return v, fmt.Errorf("%w: %v", errNothing, err)
	}
	p.Incomplete = append(p.Incomplete, out.Why...)
	return v, nil
}

// titled mends a title.
func (p *PullRequest) titled(title string, guard *hygiene.Guard) (string, []hygiene.Taken) {
	title, taken := p.Convention.Mend(strings.Join(strings.Fields(title), " "), guard)
	title, _, _ = strings.Cut(title, "\n")
	return title, taken
}

// compose puts the description together of what the model gave: below it stands what
// is gone or changed for others, as far as it does not say so.
func (p *PullRequest) compose(template string, v ask.Description, guard *hygiene.Guard) {
	title, taken := p.titled(v.Title, guard)
	body, more := guard.Text(ask.FillTemplate(template, v))
	p.Title, p.Taken = title, append(taken, more...)
	body = ask.Untick(body) // what was hidden in a box is gone now
	body = ask.Append(body, "## Removed or changed for others", guarded(guard, p.Exports))
	p.Body = strings.TrimSpace(body) + "\n"
}

// guarded are exports whose signatures act on no forge; their names stay.
func guarded(guard *hygiene.Guard, list []ask.Export) []ask.Export {
	list = slices.Clone(list)
	for i := range list {
		e := &list[i]
		e.Path, _ = guard.Line(e.Path)
		if what, _ := guard.Line(e.What); strings.Contains(what, e.Name) {
			e.What = what
		}
	}
	return list
}

// check looks at what was put together.
func (p *PullRequest) check(ctx context.Context, e *engine.Engine, req *engine.DiffRequest, o *ask.PROptions) {
	p.Checks = checksOf(&p.Convention, p.Title)
	code := newCode(ctx, e, req, p.Report)
	said := append(slices.Clone(o.Hints), append(slices.Clone(o.Commits), o.Template)...)
	p.UnknownNames = code.unknown(p.Title+"\n"+p.Body, said)
}
