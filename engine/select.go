package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// A selection is what the Sources of a scene offer, and what is chosen of it.
type selection struct {
	*Scene
	Offer
	weighing

	again  bool // it is not the first page
	offers int  // candidates of the last layout
	all    bool // which shows all of them
}

// A weighing says how candidates are weighed against each other; see pack.Options.
type weighing struct {
	length          float64
	perFile, perGap int
	value           func(*satchel.Candidate, *satchel.Form) float64
}

// ask adds what Sources offer, in their order.
func (sel *selection) ask(ctx context.Context, sources ...Source) error {
	sel.Diagnostics = sel.diags
	for _, s := range sources {
		o, err := s.Offer(ctx, sel.Scene)
		if err != nil {
			return err
		}
		sel.Candidates = append(sel.Candidates, o.Candidates...)
		sel.Musts = append(sel.Musts, o.Musts...)
		sel.Omitted = append(sel.Omitted, o.Omitted...)
		sel.Diagnostics = append(sel.Diagnostics, o.Diagnostics...)
	}
	return nil
}

// fitPack chooses, renders and counts until the rendered text fits the budget and
// fills it.
func (sel *selection) fitPack() (*satchel.Pack, error) {
	if sel.req.Budget <= 0 {
		return sel.layout(pack.Options{Detail: sel.req.Detail})
	}
	// What is said in any case: headings, the path list, the receipt.
	least, err := sel.least(sel.frame())
	if err != nil {
		return nil, err
	}

	over := render.Overhead(sel.format, sel.count.Count)
	layouts := 0
	p, ok, err := pack.Within(sel.req.Budget, pack.Range{First: sel.req.Budget - least, Each: 1}, func(limit int) (pack.Layout[*satchel.Pack], error) {
		p, err := sel.layout(pack.Options{
			Limit: limit, Detail: sel.req.Detail, Overhead: over,
			Length: sel.length, Value: sel.value, File: sel.perFile, Gap: sel.perGap,
		})
		if err != nil {
			return pack.Layout[*satchel.Pack]{}, sel.overflow(err, sel.req.Budget-limit)
		}
		layouts++
		done := filled(p.Used, sel.req.Budget) || layouts >= mostLayouts || sel.all
		return pack.Layout[*satchel.Pack]{Shown: p, Size: p.Used, Done: done}, nil
	})
	if err == nil && !ok {
		err = &satchel.OverflowError{Need: least + 1, Limit: sel.req.Budget}
	}
	return p, err
}

// layout chooses within a limit, if there is one, and lays out what was chosen.
func (sel *selection) layout(o pack.Options) (*satchel.Pack, error) {
	list, err := sel.offered(o)
	if err != nil {
		return nil, err
	}
	r, err := pack.Fit(list, o)
	if err != nil {
		return nil, err
	}
	sel.offers, sel.all = len(list), len(r.Omitted) == 0

	p := sel.frame()
	sel.fill(p, r)
	return p, render.Settle(p, sel.format, sel.count.Count)
}

// mostLayouts is how many layouts of one pack or diff are tried once one fits: the
// second is usually within a percent of the budget.
const mostLayouts = 8

// filled reports whether a layout fills its budget well enough: what is left is
// less than most of what could be added takes.
func filled(used, budget int) bool { return used <= budget && float64(used) >= 0.985*float64(budget) }

// overflow adds the tokens that are needed besides the entries to an overflow.
func (sel *selection) overflow(err error, besides int) error {
	var over *satchel.OverflowError
	if errors.As(err, &over) {
		return &satchel.OverflowError{Need: over.Need + besides, Limit: sel.req.Budget}
	}
	return err
}

// least returns the tokens of the pack that shows nothing.
func (sel *selection) least(p *satchel.Pack) (int, error) {
	// With the overhead, as names alone have no tokens.
	r, err := pack.Fit(sel.Candidates, pack.Options{Limit: 1, Detail: sel.req.Detail, Overhead: render.Overhead(sel.format, sel.count.Count)})
	if err != nil || len(sel.Musts) > 0 {
		// Pinned files: take what shows nothing of the others.
		r = &pack.Result{}
	}
	sel.fill(p, r)
	if err := render.Settle(p, sel.format, sel.count.Count); err != nil {
		return 0, err
	}
	if p.Used > sel.req.Budget {
		return 0, &satchel.OverflowError{Need: p.Used + 1, Limit: sel.req.Budget}
	}
	return p.Used, nil
}

// frame returns a pack with all but its entries.
func (sel *selection) frame() *satchel.Pack {
	p := &satchel.Pack{
		Version: satchel.PackVersion, Task: sel.req.Task, Rev: sel.view.Commit(),
		Budget: sel.req.Budget, Method: sel.count.Name() + " exact", Match: sel.match, MatchWhy: sel.why,
		Entries: []satchel.Entry{}, Omitted: []satchel.Omission{}, Sections: []satchel.Section{},
	}
	if sel.ranking == nil && sel.change == nil && !sel.again {
		p.Tree = sel.tree()
	}
	if sel.ranking != nil {
		files := sel.view.Files()
		for _, i := range sel.order[:min(len(sel.order), sel.named())] {
			p.Paths = append(p.Paths, satchel.PathLine{Path: files[i].Path, Score: round(float64(sel.ranking.Scores[i]))})
		}
	}
	return p
}

// named is how many paths the list of the likeliest files holds: 20 hold all
// files that a task needs in 94 % of tasks and take some 300 tokens, so fewer
// in a small budget.
func (sel *selection) named() int {
	if sel.again || sel.nothing() {
		return 0 // the first page has it; or there is none to tell
	}
	if sel.req.Budget <= 0 {
		return 20
	}
	return min(20, max(3, sel.req.Budget/400))
}

// fill puts the result of a fit into a pack.
func (sel *selection) fill(p *satchel.Pack, r *pack.Result) {
	p.Entries = append(p.Entries[:0], r.Entries...)
	shown := map[string]bool{}
	for _, e := range r.Entries {
		if e.Ref.Kind.OfFile() {
			shown[e.Ref.Path] = true
		}
	}
	if sel.ranking == nil {
		p.Named = sel.rest(shown)
	}
	named := map[string]bool{}
	for _, l := range p.Paths {
		named[l.Path] = true
	}
	for _, path := range p.Named {
		named[path] = true
	}
	p.Omitted = append(p.Omitted[:0], mergeOmitted(append(r.Omitted, sel.Omitted...))...)
	files := sel.view.Files()
	for _, i := range sel.order {
		if sel.accounted[i] {
			continue
		}
		o := satchel.Omission{
			Ref: satchel.Ref{Kind: sel.kind(i), Path: files[i].Path}, Why: sel.whyLeft(),
			Tokens: int(files[i].Size / bytesPerToken),
		}
		if sel.ranking != nil {
			o.Score = round(float64(sel.ranking.Scores[i]))
		}
		p.Omitted = append(p.Omitted, o)
	}
	for i := range p.Omitted {
		if o := &p.Omitted[i]; named[o.Ref.Path] && !shown[o.Ref.Path] && o.Ref.Kind.OfFile() {
			o.Why = satchel.WhyNamed
		}
	}
	if sel.change == nil {
		p.Omitted = append(p.Omitted, leftOutOf(sel.view, &sel.req)...)
	}
	p.Diagnostics = append(append(slices.Clone(sel.view.Diagnostics()), sel.reader.Diagnostics...), sel.Diagnostics...)
	p.Diagnostics = append(p.Diagnostics, sel.reader.Redactions(shown)...)
}

// bytesPerToken is the rough length of a token of code.
const bytesPerToken = 4

// nextBest is how many of the best omissions stay apart, so that a reader can
// fetch what is worth it without what is around it.
const nextBest = 10

// mergeOmitted joins omissions of neighbouring line ranges of one file, but for
// the best.
func mergeOmitted(list []satchel.Omission) []satchel.Omission {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b satchel.Omission) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.Ref.Compare(b.Ref))
	})
	best := make(map[satchel.Ref]bool, nextBest)
	for i := range list {
		if o := &list[i]; o.Ref.From > 0 && o.Why == satchel.WhyNoRoom && len(best) < nextBest {
			best[o.Ref] = true
		}
	}
	slices.SortStableFunc(list, func(a, b satchel.Omission) int { return a.Ref.Compare(b.Ref) })
	out := list[:0]
	apart := false // the last one is among the best
	for _, o := range list {
		was := apart
		apart = best[o.Ref]
		if n := len(out); n > 0 && !was && !apart {
			last := &out[n-1]
			if last.Ref.Kind == o.Ref.Kind && last.Ref.Path == o.Ref.Path && last.Why == o.Why &&
				o.Ref.From > 0 && o.Ref.From == last.Ref.To+1 {
				last.Ref.To = o.Ref.To
				last.Tokens += o.Tokens
				last.Score = max(last.Score, o.Score)
				continue
			}
		}
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b satchel.Omission) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.Ref.Compare(b.Ref))
	})
	for i := range out {
		out[i].Score = round(out[i].Score)
	}
	return out
}

// round keeps four decimals: enough to order by, and the same on every machine.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
