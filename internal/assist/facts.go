package assist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// unseen lists the changed files that the user leaves out, as files that nobody saw.
func unseen(r *change.Report) (list []ask.Shown) {
	for i := range r.LeftOut {
		list = append(list, ask.Shown{Path: r.LeftOut[i].Path, How: ask.Unread})
	}
	return list
}

// unseenText says which changed files nobody saw, and what leaves them out.
func unseenText(r *change.Report) string {
	var names []string
	for i := range r.LeftOut {
		names = append(names, fmt.Sprintf("%s (%s)", clean.Inline(r.LeftOut[i].Path), clean.Inline(r.LeftOut[i].By)))
	}
	files := "files are"
	if len(names) == 1 {
		files = "file is"
	}
	return fmt.Sprintf("%d changed %s left out: %s", len(names), files, strings.Join(names, ", "))
}

// nothing is the error of a change of which there is nothing to ask about.
func nothing(r *change.Report) error {
	if len(r.LeftOut) > 0 {
		return errors.New(unseenText(r))
	}
	return ErrNothing
}

// withFacts is what is asked about a change: if it is too large to be shown, what
// several readers say that its parts do comes first. why says what they lack.
func (d *Desk) withFacts(ctx context.Context, req engine.DiffRequest, r *change.Report, put func([]ask.Fact) (*ask.Ask, error)) (a *ask.Ask, why []string, err error) {
	if a, err = put(nil); err != nil {
		return nil, nil, err
	}
	facts, why, err := d.facts(ctx, req, r, a)
	if err != nil || facts == nil {
		return a, nil, err
	}
	a, err = put(facts)
	return a, why, err
}

// facts has several readers say what the parts of a change do, side by side, if it is
// too large for one prompt; nil if it is not. why says which part nobody answered for.
func (d *Desk) facts(ctx context.Context, req engine.DiffRequest, r *change.Report, whole *ask.Ask) (facts []ask.Fact, why []string, err error) {
	n := d.parts(r, whole)
	if n < 2 {
		return nil, nil, nil
	}
	split, err := d.Engine.Split(ctx, req, n)
	if err != nil {
		return nil, nil, err
	}
	var titles []string
	for i := range split.Tasks {
		titles = append(titles, split.Tasks[i].Title)
	}
	parts := make([][]ask.Fact, len(titles))
	reasons := make([]string, len(titles))
	budget := min(partBudget, d.budget())
	d.sideBySide(len(titles), func(i int, first func()) {
		files := split.Tasks[i].Files
		a, err := ask.Facts(r, ask.FactsOptions{Budget: budget, Part: ask.Slice{Number: i + 1, Titles: titles, Files: files}})
		if err == nil {
			parts[i], err = d.factsOf(ctx, fmt.Sprintf("part %d", i+1), a, files, first)
		}
		if err != nil {
			what := "not looked at"
			if len(parts[i]) > 0 {
				what = "read in part"
			}
			reasons[i] = fmt.Sprintf("part %d (%s): %s: %s", i+1, titles[i], what, short(err.Error()))
		}
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	facts = []ask.Fact{}
	for i := range parts {
		facts = append(facts, parts[i]...)
		if reasons[i] != "" {
			why = append(why, reasons[i])
		}
	}
	return facts, why, nil
}

// factsOf asks about one part. What is complete of an answer is returned beside an error.
func (d *Desk) factsOf(ctx context.Context, label string, a *ask.Ask, files []string, first func()) ([]ask.Fact, error) {
	run := d.run(d.helper(), label)
	run.Watch, run.MaxTokens = watchFirst(run.Watch, first), partAnswer
	run.Check = func(input json.RawMessage) error {
		_, err := ask.ReadFacts(a, input, files)
		return err
	}
	out, err := d.aside(ctx, run, a)
	if err != nil {
		return nil, err
	}
	return ask.ReadFacts(a, out.Input, files)
}
