package assist

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/assist/ask"
)

// check gives findings a second look, some of one file at a time. What no look came
// of stays as it is.
func (d *Desk) check(ctx context.Context, q *ReviewRequest, v *Review, look *finding.Change) error {
	groups := second(v.Findings, q.Check)
	results := make([]map[string]finding.Look, len(groups))
	reasons := make([]string, len(groups))
	d.sideBySide(len(groups), func(i int, first func()) {
		var list []finding.Finding
		for _, at := range groups[i] {
			list = append(list, v.Findings[at])
		}
		var err error
		if results[i], err = d.secondLook(ctx, v.Report, list, fmt.Sprintf("check %d", i+1), first); err != nil {
			reasons[i] = fmt.Sprintf("check of %s: not all were checked: %s", list[0].Path, short(err.Error()))
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, group := range groups {
		for _, at := range group {
			f := &v.Findings[at]
			if l, ok := results[i][f.ID]; ok {
				look.Weigh(f, l)
			}
		}
		if reasons[i] != "" {
			v.Incomplete = append(v.Incomplete, reasons[i])
		}
	}
	return nil
}

// second groups the findings that get a second look: those of one file together, as
// many as one look is about, as places in the list.
func second(list []finding.Finding, which Check) (groups [][]int) {
	if which == CheckNever {
		return nil
	}
	open := map[string]int{} // path → its group that has room
	for i := range list {
		f := &list[i]
		if f.State == finding.Duplicate || f.Anchor == finding.Unverified || which != CheckAlways && !f.Severity.AtLeast(finding.Medium) {
			continue
		}
		g, ok := open[f.Path]
		if !ok || len(groups[g]) == ask.MostChecked {
			g = len(groups)
			groups, open[f.Path] = append(groups, nil), g
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// secondLook asks the helper about findings of one file.
func (d *Desk) secondLook(ctx context.Context, r *change.Report, list []finding.Finding, label string, first func()) (map[string]finding.Look, error) {
	a, err := ask.Check(r, list, ask.CheckOptions{Budget: min(partBudget, d.budget())})
	if err != nil {
		return nil, err
	}
	run := d.run(d.helper(), label)
	run.Watch, run.Tools, run.Turns, run.MaxTokens = watchFirst(run.Watch, first), d.Tools, checkTurns, partAnswer
	run.Check = func(input json.RawMessage) error {
		_, err := ask.ReadVerdicts(a, input, list)
		return err
	}
	out, err := d.aside(ctx, run, a)
	if err != nil {
		return nil, err
	}
	return ask.ReadVerdicts(a, out.Input, list)
}

// across puts the findings of several parts together, and has the model say what shows
// only across them.
func (d *Desk) across(ctx context.Context, v *Review, look *finding.Change) error {
	told := slices.DeleteFunc(slices.Clone(v.Findings), func(f finding.Finding) bool {
		return f.State == finding.Duplicate || f.Anchor == finding.Unverified
	})
	if v.Parts < 2 || len(told) < 2 {
		return nil
	}
	answer, err := d.merge(ctx, v.Report, told)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		v.Incomplete = append(v.Incomplete, "merge: findings of the parts were not compared: "+short(err.Error()))
	}
	if answer == nil {
		return nil
	}
	v.Findings = ask.ApplyMerge(v.Findings, answer)
	for i := range answer.Findings {
		v.Findings = append(v.Findings, look.Resolve(findingOf(&answer.Findings[i])))
	}
	v.Findings = finding.Merge(v.Findings)
	return nil
}

// merge is the one call about all parts. What is complete of an answer is returned
// beside an error.
func (d *Desk) merge(ctx context.Context, r *change.Report, list []finding.Finding) (*ask.MergeAnswer, error) {
	a, err := ask.Merge(r, list, d.budget())
	if err != nil {
		return nil, err
	}
	run := d.run(&d.Top, "merge")
	run.Check = func(input json.RawMessage) error {
		_, err := ask.ReadMerge(a, input)
		return err
	}
	out, err := run.Do(ctx, a)
	if err != nil {
		return nil, err
	}
	answer, err := ask.ReadMerge(a, out.Input)
	return &answer, err
}
