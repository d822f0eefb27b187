package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
)

// A ReviewRequest says what to review, and what of it to show.
type ReviewRequest struct {
	Change engine.DiffRequest

	Focus  []string // what to look for above all
	Passes []string // specialists that read the same change side by side; none means one reader

	Check Check // whether findings get a second look
	Rules finding.Rules
}

// A Check says which findings get a second look.
type Check string

// Auto looks again at what is of medium severity or worse.
const (
	CheckAuto   Check = "auto"
	CheckAlways Check = "always"
	CheckNever  Check = "never"
)

// A Review is what came of one.
type Review struct {
	Account
	Material
	Findings []finding.Finding // all of them, also those that are not shown
	Summary  string
	Open     []ask.Open
	Parts    int // in how many it was read; one for all
}

// ErrNothing means that nothing changed.
var ErrNothing = errors.New("nothing changed")

const (
	reviewTurns = 12
	partTurns   = 8
	checkTurns  = 4
	partAnswer  = 4096 // tokens
	partBudget  = 24_000
	mostParts   = 10
)

// A reading is one reader's conversation about a change, or a part of it.
type reading struct {
	label string
	title string
	part  int
	ask   *ask.Ask
	files []string // that only this reader looks at; nil for all

	further *consulted // what the reader looked up by itself; nil if it could not
	answer  ask.ReviewAnswer
	why     []string
	failed  error
}

// Review reads a change for defects. Where it is very large and does not fit the
// first prompt, several readers read parts of it side by side. It is an error if the
// change is empty, or if not one reader answered.
func (d *Desk) Review(ctx context.Context, q ReviewRequest) (*Review, error) {
	q.Change.Binds = true
	report, err := d.Engine.Change(ctx, q.Change)
	if err != nil {
		return nil, err
	}
	v := &Review{Material: Material{Report: report, Coverage: unseen(report), Diagnostics: slices.Clone(report.Diagnostics)}, Parts: 1}
	if len(report.LeftOut) > 0 {
		v.Incomplete = append(v.Incomplete, "the change: "+unseenText(report))
	}
	switch {
	case slices.ContainsFunc(report.Files, func(f change.Scored) bool { return f.Unseen() == "" || len(f.Hunks) > 0 }):
	case len(v.Coverage) > 0: // there is nothing to ask about
		v.gather(nil, nil)
		v.Account = d.account(v.Incomplete)
		return v, nil
	default:
		return nil, ErrNothing
	}
	readings, err := d.readings(ctx, &q, report)
	if err != nil {
		return nil, err
	}
	asks := make([]*ask.Ask, len(readings))
	for i, r := range readings {
		asks[i] = r.ask
	}
	if len(q.Passes) > 0 { // all are shown the same
		asks = asks[:1]
	}
	v.add(asks...)
	if err := d.read(ctx, readings); err != nil {
		return v, err
	}
	code := newCode(ctx, d.Engine, &q.Change, report)
	files := make([]change.File, len(report.Files))
	for i := range report.Files {
		files[i] = report.Files[i].File
	}
	hosts, err := d.Engine.History().Hosts(ctx)
	if err != nil {
		return v, err
	}
	guard := &hygiene.Guard{Hosts: hosts}
	for _, r := range readings {
		guard.Hosts = append(guard.Hosts, hygiene.HostsOf(r.ask.Shared)...)
	}
	look := finding.NewChange(files, code.forFindings(), guard)
	v.gather(readings, look)
	if len(q.Passes) == 0 {
		v.Parts = len(readings)
	}
	v.Findings = finding.Merge(v.Findings)
	if err := d.check(ctx, &q, v, look); err != nil {
		return v, err
	}
	if err := d.across(ctx, v, look); err != nil {
		return v, err
	}
	v.clean(guard)
	finding.Judge(v.Findings, &q.Rules)
	finding.Sort(v.Findings)
	v.Account = d.account(v.Incomplete)
	return v, nil
}

// readings divides the work: one reader for a change that fits, one for each pass, or
// one for each part of a very large change.
func (d *Desk) readings(ctx context.Context, q *ReviewRequest, r *change.Report) ([]*reading, error) {
	o := ask.ReviewOptions{Budget: d.budget(), Focus: q.Focus, Instructions: d.Instructions, Language: d.Language, Rules: d.rules(ctx, r.Base)}
	if len(q.Passes) > 0 {
		var list []*reading
		for _, pass := range q.Passes {
			o.Focus = []string{pass}
			a, err := ask.ReviewAround(ctx, d.Engine, r, changesOf(r, &q.Change), o)
			if err != nil {
				return nil, err
			}
			list = append(list, &reading{label: "pass " + pass, title: pass, ask: a})
		}
		return list, nil
	}
	whole, err := ask.ReviewAround(ctx, d.Engine, r, changesOf(r, &q.Change), o)
	if err != nil {
		return nil, err
	}
	n := d.parts(r, whole)
	if n < 2 {
		return []*reading{{label: "review", ask: whole}}, nil
	}
	split, err := d.Engine.Split(ctx, q.Change, n)
	if err != nil {
		return nil, err
	}
	o.Budget = min(partBudget, d.budget())
	var titles []string
	for i := range split.Tasks {
		titles = append(titles, split.Tasks[i].Title)
	}
	var list []*reading
	for i := range split.Tasks {
		o.Part = ask.Slice{Number: i + 1, Titles: titles, Files: split.Tasks[i].Files}
		a, err := ask.Review(r, o)
		if err != nil {
			return nil, err
		}
		list = append(list, &reading{label: fmt.Sprintf("part %d", i+1), title: titles[i], part: i + 1, ask: a, files: split.Tasks[i].Files})
	}
	return list, nil
}

// ruleFiles are the files that say what a project expects of a change.
var ruleFiles = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "CONTRIBUTING.md", ".github/copilot-instructions.md"}

// rules returns the rules of the project in the revision that a change begins with: those
// of the change itself would let it judge itself. A text that is there twice counts once.
func (d *Desk) rules(ctx context.Context, base string) (list []ask.Rule) {
	if base == "" {
		return nil
	}
	for _, name := range ruleFiles {
		text, ok := textOf(ctx, d.Engine, base, name)
		if ok && strings.TrimSpace(text) != "" && !slices.ContainsFunc(list, func(r ask.Rule) bool { return r.Text == text }) {
			list = append(list, ask.Rule{Path: name, Text: text})
		}
	}
	return list
}

// parts says in how many parts a change is read.
func (d *Desk) parts(r *change.Report, whole *ask.Ask) int {
	switch {
	case d.Parallel == ParallelNever, len(r.Files) < 2:
		return 1
	case d.Parallel > 0:
		return min(int(d.Parallel), mostParts, len(r.Files))
	case r.Size != change.VeryLarge || fits(whole):
		return 1
	}
	size := 0
	for i := range r.Files {
		for j := range r.Files[i].Hunks {
			size += len(r.Files[i].Hunks[j].Body)
		}
	}
	const bytesPerToken = 3 // of a diff, about
	return min(max((size/bytesPerToken+partBudget-1)/partBudget, 2), mostParts, len(r.Files))
}

// fits reports whether every changed line that people read is shown.
func fits(a *ask.Ask) bool {
	return !slices.ContainsFunc(a.Receipt.Files, func(s ask.Shown) bool { return s.How == ask.Part || s.How == ask.Listed })
}

// read lets the readers read: the first until it has said something, so that what all
// begin with is in the provider's cache, then the others beside it.
func (d *Desk) read(ctx context.Context, list []*reading) error {
	d.sideBySide(len(list), func(i int, first func()) {
		r := list[i]
		r.failed = d.reader(ctx, r, len(list) > 1, first)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed []error
	for _, r := range list {
		if r.failed != nil {
			failed = append(failed, r.failed)
		}
	}
	if len(failed) == len(list) {
		return failed[0]
	}
	return nil
}

// reader is one conversation.
func (d *Desk) reader(ctx context.Context, r *reading, one bool, first func()) error {
	seat, do := &d.Top, (*Run).Do
	if one {
		seat = d.helper()
		do = func(run *Run, ctx context.Context, a *ask.Ask) (*Outcome, error) { return d.aside(ctx, run, a) }
	}
	run := d.run(seat, r.label)
	run.Watch = watchFirst(run.Watch, first)
	run.Turns = d.turns(reviewTurns)
	if d.Tools != nil {
		r.further = &consulted{Toolbox: d.Tools}
		run.Tools = r.further
	}
	if one {
		run.Turns, run.MaxTokens = min(run.Turns, partTurns), partAnswer
	} else if d.Parallel != ParallelNever && d.Tools != nil {
		run.Parallel = d.parallel(r.label)
	}
	run.Check = func(input json.RawMessage) error { return r.ask.Read(input, new(ask.ReviewAnswer)) }
	out, err := do(run, ctx, r.ask)
	if err != nil {
		return err
	}
	r.why = out.Why
	if err := r.ask.Read(out.Input, &r.answer); err != nil && len(out.Why) == 0 {
		r.why = append(r.why, err.Error())
	}
	return nil
}

// gather takes over what the readers found, each finding looked up in the change, and
// says what was not looked at.
func (v *Review) gather(list []*reading, look *finding.Change) {
	var summaries []string
	for _, r := range list {
		name := ""
		if len(list) > 1 {
			name = r.label + " (" + r.title + "): "
		}
		if r.failed != nil {
			v.Incomplete = append(v.Incomplete, name+"not looked at: "+short(r.failed.Error()))
			v.unread(r.files)
			continue
		}
		for _, why := range r.why {
			v.Incomplete = append(v.Incomplete, name+why)
		}
		if s := strings.TrimSpace(r.answer.Summary); s != "" {
			summaries = append(summaries, s)
		}
		v.Open = append(v.Open, r.answer.Open...)
		v.unasked(r)
		for i := range r.answer.Findings {
			f := findingOf(&r.answer.Findings[i])
			f.Part = r.part
			v.Findings = append(v.Findings, look.Resolve(f))
		}
	}
	v.Summary = strings.Join(summaries, "\n")
	if n := v.unlooked(); n > 0 {
		v.Incomplete = append(v.Incomplete, fmt.Sprintf("the change: %d of %d files were not looked at: they did not fit the prompt, and the model did not ask for them", n, len(v.Coverage)-len(v.Report.LeftOut)))
	}
	if why := v.NotLooked(); why != "" {
		v.Incomplete = append(v.Incomplete, "the change: "+why)
	}
}

// unlooked counts the files that no reader looked at. It omits the files of a failed
// reader and files that no reader can see, since they have reasons of their own.
func (v *Review) unlooked() (n int) {
	if slices.ContainsFunc(v.Incomplete, func(why string) bool { return strings.Contains(why, "not looked at") }) {
		return 0
	}
	dark := unseen(v.Report)
	for _, c := range v.Coverage {
		if c.How == ask.Unread && !slices.ContainsFunc(dark, func(s ask.Shown) bool { return s.Path == c.Path }) {
			n++
		}
	}
	return n
}

// clean takes out of the reviewers' own words what would act.
func (v *Review) clean(guard *hygiene.Guard) {
	v.Summary, _ = guard.Text(v.Summary)
	for i := range v.Open {
		v.Open[i].Question, _ = guard.Line(v.Open[i].Question)
		v.Open[i].Path, _ = guard.Line(v.Open[i].Path)
	}
}

// unasked marks the files that a reader was told of, was shown nothing of, and did
// not ask for.
func (v *Review) unasked(r *reading) {
	for i := range v.Coverage {
		c := &v.Coverage[i]
		if c.How == ask.Listed && (r.files == nil || slices.Contains(r.files, c.Path)) && !r.further.has(c.Path) {
			c.How = ask.Unread
		} else if c.How == ask.Unread && r.further.has(c.Path) {
			c.How = ask.Part
		}
	}
}

// unread marks files that no reader has looked at.
func (v *Review) unread(files []string) {
	for i := range v.Coverage {
		if slices.Contains(files, v.Coverage[i].Path) {
			v.Coverage[i].How = ask.Unread
		}
	}
}

func findingOf(a *ask.FindingAnswer) finding.Finding {
	f := finding.Finding{
		Path: a.Path, Side: finding.Side(a.Side), From: a.Line, To: max(a.EndLine, a.Line), Quote: a.Quote,
		Severity: finding.Severity(a.Severity), Confidence: a.Confidence, Category: a.Category,
		Title: a.Title, Trigger: a.Trigger, Consequence: a.Consequence, Body: a.Body, Fix: a.Fix, Check: finding.None,
	}
	for _, e := range a.Evidence {
		f.Evidence = append(f.Evidence, finding.Evidence{Path: e.Path, Line: e.Line, Quote: e.Quote})
	}
	return f
}

func (d *Desk) turns(usual int) int { return cmp.Or(max(d.Turns, 0), usual) }

// changesOf is a change as a satchel.Request names it.
func changesOf(r *change.Report, q *engine.DiffRequest) string {
	switch {
	case q.Range != "":
		return q.Range
	case q.Commit != "":
		return q.Commit + "^!"
	case q.Base != "":
		return q.Base + "...HEAD"
	case q.From != "" && q.To != "":
		return q.From + ".." + q.To
	case q.From != "":
		return q.From + "..HEAD"
	case q.Source != "":
		return q.Source
	}
	return r.Source
}
