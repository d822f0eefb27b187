package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// ReviewOptions are what [Review] says beside the change.
type ReviewOptions struct {
	Budget int // tokens of the messages; 0 means DefaultBudget

	Focus        []string // what to look for above all
	Instructions string   // the user's own
	Language     string   // to write in, as a tag; empty means English

	// Rules are the files that say what the project expects of a change, as
	// they were before it.
	Rules []Rule

	// Around is what stands beside the change, best first, for the room that the
	// change leaves; see [Around].
	Around []satchel.Entry

	Part Slice // which part of a change to look at; the zero value means all of it
}

// A Rule is a file of the project's own rules.
type Rule struct{ Path, Text string }

// What the rules of a project may take, and as a share of a small budget.
const (
	mostRules  = 1500 // tokens
	rulesShare = 1. / 8
)

// rules quotes the rules of the project. Each file may take an equal share of the room
// that those before it leave.
func (a *Ask) rules(list []Rule, budget int, w *wording) string {
	if len(list) == 0 {
		return ""
	}
	room := min(mostRules, int(rulesShare*float64(budget)))
	quoted := "The rules of the project, as they were before this change:\n"
	for i := range list {
		whole := w.clean(list[i].Text, false)
		quote := func(bytes int) string {
			name, text := clean.Inline(list[i].Path), whole
			if bytes < len(whole) {
				name, text = name+" (its beginning)", clip.Cut(whole, bytes)
			}
			return name + ":\n" + render.Fenced("", text)
		}
		left := room - countOf(quoted)
		n, ok, _ := pack.Within(left/(len(list)-i), pack.Range{First: len(whole), Most: len(whole)}, func(n int) (pack.Layout[int], error) {
			return pack.Layout[int]{Shown: n, Size: countOf(quote(n))}, nil
		})
		if !ok {
			a.Receipt.Diagnostics = append(a.Receipt.Diagnostics, satchel.Diagnostic{Path: list[i].Path, Text: "no room for these project rules"})
			continue
		}
		quoted += quote(n)
		how := Full
		if n < len(whole) {
			how = Part
		}
		a.beside(list[i].Path, how)
	}
	return quoted
}

// A Slice is a part of a change that is too large to be read at once. All parts of
// one change have the same Shared.
type Slice struct {
	Number int      // from 1; 0 means that the change is read in one
	Titles []string // of all parts
	Files  []string // paths of this part
}

// Review asks for the defects of a change.
//
// The error is a *satchel.OverflowError if not even the list of files fits.
func Review(r *change.Report, o ReviewOptions) (*Ask, error) {
	a := &Ask{Name: "review", System: reviewSystem, Schema: schemaOf(reviewSchema)}
	var w wording
	if len(o.Focus) > 0 {
		w.line("Look above all for: %s.", strings.Join(o.Focus, ", "))
	}
	w.said("Instructions of the user:", o.Instructions)
	w.language(o.Language)
	w.line("Review this change.")
	if o.Part.Number > 0 {
		a.Name = "part"
	}
	for _, l := range render.RelatedLists(r.Tests, r.Related) {
		for _, path := range l.Paths {
			a.beside(path, Listed)
		}
	}
	asks := w.take()
	rules := a.rules(o.Rules, budgetOr(o.Budget), &w)
	return a, a.deep(r, &o, rules, asks, &w)
}

// deep fills the messages with a deep context, below it what is asked.
func (a *Ask) deep(r *change.Report, o *ReviewOptions, rules, asks string, w *wording) error {
	files, budget := filesOf(r, nil), budgetOr(o.Budget)
	room := int(deepLedger * float64(budget))
	top := func(room int, named func(i int) bool) string {
		return headOf(r) + ledgerHead + "\n" + render.Fenced("", ledger(files, room, named)) + related(r) + rules
	}
	if o.Part.Number > 0 {
		a.Shared = top(room, all)
		return a.deepPart(r, o.Part, o.Around, budget, asks, w)
	}
	d := newDeep(files, budget)
	d.around, d.before, d.elsewhere = o.Around, top(room, none), tokens.O200k().Count(asks)
	v, err := d.show()
	if err != nil {
		return err
	}
	if hidden := d.hidden(v); len(hidden) > 0 {
		// What is shown tells by itself what it defines.
		bare := tokens.O200k().Count(d.before)
		d.before = top(min(room, bare+int(deepNames*float64(budget))), func(i int) bool { return hidden[files[i]] })
		if v, err = d.show(); err != nil {
			return err
		}
	}
	a.Shared, a.Question = v.text, asks
	a.close(r, d, v, w)
	return nil
}

// deepPart fills the messages of a part, whose first one is there.
func (a *Ask) deepPart(r *change.Report, part Slice, around []satchel.Entry, budget int, asks string, w *wording) error {
	files := filesOf(r, part.Files)
	d := newDeep(files, budget)
	d.around, d.before, d.after, d.elsewhere = around, part.head(w), asks, tokens.O200k().Count(a.Shared)
	v, err := d.show()
	if err != nil {
		return err
	}
	a.Question = v.text
	a.close(r, d, v, w)
	return nil
}

// close fills the receipt with what a view shows.
func (a *Ask) close(r *change.Report, d *deep, v *view, w *wording) {
	a.Receipt.Redacted = w.secrets
	a.Receipt.Diagnostics = append(a.Receipt.Diagnostics, r.Diagnostics...)
	a.receipt(d.files, d.sheets, v.masks)
	for i := range d.around[:v.beside] {
		a.beside(d.around[i].Ref.Path, Part)
	}
}

// head says which part of how many this is, and what the others are about.
func (p *Slice) head(w *wording) string {
	w.line("You look at part %s of %s of this change. Others look at the rest at the same time.", strconv.Itoa(p.Number), strconv.Itoa(len(p.Titles)))
	var list strings.Builder
	for i, title := range p.Titles {
		mark := ""
		if i == p.Number-1 {
			mark = " (this part)"
		}
		fmt.Fprintf(&list, "%d. %s%s\n", i+1, clean.Line(title), mark)
	}
	w.said("The parts:", list.String())
	return w.take()
}

// related names the tests of a change, and what probably changes too.
func related(r *change.Report) (s string) {
	for _, l := range render.RelatedLists(r.Tests, r.Related) {
		s += l.Title + " (not in this change):\n" + render.Fenced("", strings.Join(l.Lines, "\n"))
	}
	return s
}

// leastAround is the room that a change must leave for what stands beside it to be
// looked for, in tokens.
const leastAround = 400

// ReviewAround is [Review] with what stands beside the change, if the change leaves
// room: callers, tests, documents, files that usually change with it. changes names
// it as in a satchel.Request.
func ReviewAround(ctx context.Context, e *engine.Engine, r *change.Report, changes string, o ReviewOptions) (*Ask, error) {
	a, err := Review(r, o)
	if err != nil || budgetOr(o.Budget)-a.Receipt.Tokens < leastAround {
		return a, err
	}
	for i := range a.Receipt.Files {
		if len(a.Receipt.Files[i].Cut) > 0 {
			return a, nil
		}
	}
	if o.Around, err = Around(ctx, e, changes, budgetOr(o.Budget)); err != nil {
		return nil, err
	}
	if len(o.Around) == 0 {
		return a, nil
	}
	return Review(r, o)
}

// Around returns what stands beside a change in a pack of it, most useful first.
// changes names it as in a satchel.Request.
func Around(ctx context.Context, e *engine.Engine, changes string, budget int) ([]satchel.Entry, error) {
	p, err := e.Pack(ctx, satchel.Request{Changes: changes, Budget: budget})
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(p.Entries, func(e satchel.Entry) bool { return e.Ref.Kind == satchel.KindDiff || e.Text.IsZero() })
	sortEntries(list)
	return list, nil
}

// sortEntries orders entries by their use: pinned ones, then those with the best
// score.
func sortEntries(list []satchel.Entry) {
	slices.SortFunc(list, func(a, b satchel.Entry) int {
		switch {
		case a.Pinned && !b.Pinned:
			return -1
		case b.Pinned && !a.Pinned:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Score.Value(), a.Score.Value()), a.Ref.Compare(b.Ref))
	})
}
