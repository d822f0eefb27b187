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

// unseen lists the changed files that no reader can see.
func unseen(r *change.Report) (list []ask.Shown) {
	for i := range r.LeftOut {
		list = append(list, ask.Shown{Path: r.LeftOut[i].Path, How: ask.Unread})
	}
	for i := range r.Files {
		if r.Files[i].Unseen() != "" {
			list = append(list, ask.Shown{Path: r.Files[i].Path, How: ask.Unread})
		}
	}
	return list
}

// NotLooked says which changed files were not compared, and why, or "".
func (m *Material) NotLooked() string {
	var names []string
	for i := range m.Report.Files {
		if f := &m.Report.Files[i]; f.Unseen() != "" {
			names = append(names, fmt.Sprintf("%s (%s)", clean.Inline(f.Path), f.Unseen()))
		}
	}
	if len(names) == 0 {
		return m.Report.Beyond
	}
	return strings.TrimSuffix(fmt.Sprintf("%d not looked at: %s; %s", len(names), ask.SomeOf(names, 10), m.Report.Beyond), "; ")
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

// withFacts returns what is asked about a change, and notes what models are shown. If
// the change is too large to be shown, several readers say first what its parts do. What
// the message itself may cost is set aside meanwhile. why says what the readers lack:
// the list of all files has to do for these parts.
func (d *Desk) withFacts(ctx context.Context, req engine.DiffRequest, m *Material, put func([]ask.Fact) (*ask.Ask, error)) (a *ask.Ask, why []string, err error) {
	if a, err = put(nil); err != nil {
		return nil, nil, err
	}
	n := d.parts(m.Report, a)
	if n < 2 {
		m.add(a)
		return a, nil, nil
	}
	held, ok := d.holdLast(a)
	if !ok {
		m.add(a)
		return a, []string{"parts of the change: not looked at: " + d.Spend.limit(held)}, nil
	}
	facts, read, why, err := d.facts(ctx, req, m.Report, n)
	d.Spend.release(held)
	if err != nil {
		return nil, nil, err
	}
	if a, err = put(facts); err != nil {
		return nil, nil, err
	}
	m.add(a)
	m.add(read...)
	return a, why, nil
}

// holdLast reserves what the call that words the message may cost, whatever facts stand
// in it; false if that is more than may be spent.
func (d *Desk) holdLast(a *ask.Ask) (reservation, bool) {
	t := (&Run{Model: d.Top.Model, Tools: d.Tools}).begin(a)
	sent := t.meter.fixed(t.system, t.tools) + int(t.meter.factor*float64(d.budget())) + 2*(messageTokens+1)
	return d.Spend.reserve(sent, t.Model.Endpoint().MaxTokens, d.Top.Price)
}

// facts has several readers say what n parts of a change do, side by side. It returns
// what they were asked, and why not all is known of a part.
func (d *Desk) facts(ctx context.Context, req engine.DiffRequest, r *change.Report, n int) (facts []ask.Fact, read []*ask.Ask, why []string, err error) {
	split, err := d.Engine.Split(ctx, req, n)
	if err != nil {
		return nil, nil, nil, err
	}
	var titles []string
	for i := range split.Tasks {
		titles = append(titles, split.Tasks[i].Title)
	}
	parts := make([][]ask.Fact, len(titles))
	asks := make([]*ask.Ask, len(titles))
	reasons := make([]string, len(titles))
	budget := min(partBudget, d.budget())
	d.sideBySide(len(titles), func(i int, first func()) {
		files := split.Tasks[i].Files
		a, err := ask.Facts(r, ask.FactsOptions{Budget: budget, Part: ask.Slice{Number: i + 1, Titles: titles, Files: files}})
		if err == nil {
			parts[i], err = d.factsOf(ctx, fmt.Sprintf("part %d", i+1), a, files, first)
		}
		if err == nil || len(parts[i]) > 0 || errors.Is(err, ErrDry) {
			asks[i] = a
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
		return nil, nil, nil, ctx.Err()
	}
	for i := range parts {
		if asks[i] != nil {
			read = append(read, asks[i])
		}
		facts = append(facts, parts[i]...)
		if reasons[i] != "" {
			why = append(why, reasons[i])
		}
	}
	return facts, read, why, nil
}

// factsOf asks about one part, once: what is complete of a bad answer is returned with
// the error, and no other answer is paid for.
func (d *Desk) factsOf(ctx context.Context, label string, a *ask.Ask, files []string, first func()) ([]ask.Fact, error) {
	run := d.run(d.helper(), label)
	run.Watch, run.MaxTokens, run.Turns = watchFirst(run.Watch, first), partAnswer, 1
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
