package ask

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// FactsOptions are what [Facts] says beside the change.
type FactsOptions struct {
	Budget int // tokens of the messages; 0 means DefaultBudget
	Part   Slice
}

// Facts asks what a part of a large change does, as material for a message about all
// of it. All parts of a change have the same Shared.
//
// The error is a *satchel.OverflowError if not even the list of files fits.
func Facts(r *change.Report, o FactsOptions) (*Ask, error) {
	a := &Ask{Name: "facts", System: factsSystem, Schema: schemaOf(factsSchema)}
	budget := budgetOr(o.Budget)
	a.Shared = headOf(r) + ledgerHead + "\n" + render.Fenced("", ledger(filesOf(r, nil), int(deepLedger*float64(budget)), all))
	var w wording
	before := o.Part.head(&w)
	w.line("Say what this part does.")
	files := filesOf(r, o.Part.Files)
	d := newDeep(files, budget)
	d.plain, d.before, d.after, d.elsewhere = true, before, w.take(), countOf(a.Shared)
	v, err := d.show()
	if err != nil {
		return nil, err
	}
	a.Question = v.text
	a.close(r, d, v, &w)
	return a, nil
}

// What submit takes for the facts of a part.
var factsSchema = object(
	"facts", list(object("paths", list(text), "what", text, "why?", text, "names", list(text), "user_visible", truth, "breaking", truth)),
)

// A Fact is one thing that a part of a change does.
type Fact struct {
	Paths       []string `json:"paths"`
	What        string   `json:"what"`
	Why         string   `json:"why,omitempty"`
	Names       []string `json:"names"`
	UserVisible bool     `json:"user_visible"`
	Breaking    bool     `json:"breaking"`
}

// ReadFacts reads what a model submitted to a [Facts]; see [Ask.Read]. Paths that are
// not of the part go, and so do facts about no path of it.
func ReadFacts(a *Ask, input json.RawMessage, paths []string) (list []Fact, err error) {
	var v struct {
		Facts []Fact `json:"facts"`
	}
	err = a.Read(input, &v)
	for _, f := range v.Facts {
		f.Paths = slices.DeleteFunc(f.Paths, func(p string) bool { return !slices.Contains(paths, p) })
		if len(f.Paths) == 0 || strings.TrimSpace(f.What) == "" {
			err = fault(err, "the fact %.60q names no file of this part, or is empty", f.What)
			continue
		}
		list = append(list, f)
	}
	return list, err
}

// factsShare is what the facts of parts may take of the budget of a message.
const factsShare = 0.5

// facts quotes what parts of a change came to, within a part of a budget: what
// breaks others and what users see first, if it is too much. It returns how many
// are left out.
func (w *wording) facts(list []Fact, budget int) (left int) {
	if len(list) == 0 {
		return 0
	}
	lines := make([]string, len(list))
	for i := range list {
		lines[i] = list[i].line()
	}
	room := int(factsShare * float64(budget))
	if countOf(strings.Join(lines, "")) > room {
		order := slices.Clone(list)
		slices.SortStableFunc(order, func(a, b Fact) int { return a.turn() - b.turn() })
		for i := range order {
			lines[i] = order[i].line()
		}
	}
	text, _ := fit(room, pack.Range{First: len(lines), Most: len(lines)}, func(limit int) string { return strings.Join(lines[:limit], "") })
	left = len(lines) - strings.Count(text, "\n")
	w.said("What readers of the parts of this change say that they do:", text)
	return left
}

// turn is 0 for what breaks others, 1 for what users see, 2 for the rest.
func (f *Fact) turn() int {
	switch {
	case f.Breaking:
		return 0
	case f.UserVisible:
		return 1
	}
	return 2
}

// line writes a fact in a line.
func (f *Fact) line() string {
	said := "- " + clean.Line(f.What).String()
	if f.Why != "" {
		said += " Why: " + clean.Line(f.Why).String()
	}
	var marks []string
	if f.UserVisible {
		marks = append(marks, "users see it")
	}
	if f.Breaking {
		marks = append(marks, "it breaks others")
	}
	paths := make([]string, len(f.Paths))
	for k, p := range f.Paths {
		paths[k] = clean.Inline(p)
	}
	return fmt.Sprintf("%s (%s)\n", said, strings.Join(append(marks, SomeOf(paths, 4)), "; "))
}
