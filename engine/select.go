package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A selection is what the Sources of a scene offer, and what is chosen of it.
type selection struct {
	*scene.Scene
	scene.Offer
	scene.Weighing

	asking bool // it is for a model: see Options.Asking
	again  bool // it is not the first page
	offers int  // candidates of the last layout
	all    bool // which shows all of them

	seen map[satchel.Ref][]satchel.Omission // what of candidates is not sent again
}

// sendable reports whether a model may be sent an item: it may not be sent a note, or
// anything of a file that holds secrets by its nature.
func sendable(r satchel.Ref) bool { return r.Kind != satchel.KindNote && !secrets.Sealed(r.Path) }

// ask adds what Sources offer, in their order. For a model it drops what is not
// sendable.
func (sel *selection) ask(ctx context.Context, sources ...scene.Source) error {
	sel.Diagnostics = append(slices.Clone(sel.Diags), slices.Concat(sel.Nowhere, scene.Excluded(sel.Ranking))...)
	for _, s := range sources {
		o, err := s.Offer(ctx, sel.Scene)
		if err != nil {
			return err
		}
		if sel.asking {
			withheld := func(r satchel.Ref) bool {
				if sendable(r) {
					return false
				}
				if r.Kind == satchel.KindContext {
					o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: r.Path, Text: "this context file holds secrets: no model gets it"})
				}
				return true
			}
			o.Candidates = slices.DeleteFunc(o.Candidates, func(c satchel.Candidate) bool { return withheld(c.Ref) })
			o.Musts = slices.DeleteFunc(o.Musts, func(m scene.Must) bool { return withheld(m.Ref) })
			o.Omitted = slices.DeleteFunc(o.Omitted, func(m satchel.Omission) bool { return !sendable(m.Ref) })
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
	if sel.Req.Budget <= 0 {
		return sel.layout(pack.Options{Detail: sel.Req.Detail})
	}
	// What is said in any case: headings, the path list, the receipt.
	least, err := sel.least(sel.frame())
	if err != nil {
		return nil, err
	}

	over := render.Overhead(sel.Format, sel.Encoding.Count)
	layouts := 0
	p, ok, err := pack.Within(sel.Req.Budget, pack.Range{First: sel.Req.Budget - least, Each: 1}, func(limit int) (pack.Layout[*satchel.Pack], error) {
		p, err := sel.layout(pack.Options{
			Limit: limit, Detail: sel.Req.Detail, Overhead: over,
			Length: sel.Length, Value: sel.Value, File: sel.PerFile, Gap: sel.PerGap,
		})
		if err != nil {
			return pack.Layout[*satchel.Pack]{}, sel.overflow(err, sel.Req.Budget-limit)
		}
		layouts++
		done := pack.Filled(p.Used, sel.Req.Budget) || layouts >= pack.MostLayouts || sel.all
		return pack.Layout[*satchel.Pack]{Shown: p, Size: p.Used, Done: done}, nil
	})
	if err == nil && !ok {
		err = &satchel.OverflowError{Need: least + 1, Limit: sel.Req.Budget}
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
	return p, render.Settle(p, sel.Format, sel.Encoding.Count)
}

// overflow adds the tokens that are needed besides the entries to an overflow.
func (sel *selection) overflow(err error, besides int) error {
	var over *satchel.OverflowError
	if errors.As(err, &over) {
		return &satchel.OverflowError{Need: over.Need + besides, Limit: sel.Req.Budget}
	}
	return err
}

// least returns the tokens of the pack that shows nothing.
func (sel *selection) least(p *satchel.Pack) (int, error) {
	// With the overhead, as names alone have no tokens.
	r, err := pack.Fit(sel.Candidates, pack.Options{Limit: 1, Detail: sel.Req.Detail, Overhead: render.Overhead(sel.Format, sel.Encoding.Count)})
	if err != nil || len(sel.Musts) > 0 {
		// Pinned files: take what shows nothing of the others.
		r = &pack.Result{}
	}
	sel.fill(p, r)
	if err := render.Settle(p, sel.Format, sel.Encoding.Count); err != nil {
		return 0, err
	}
	if p.Used > sel.Req.Budget {
		return 0, &satchel.OverflowError{Need: p.Used + 1, Limit: sel.Req.Budget}
	}
	return p.Used, nil
}

// frame returns a pack with all but its entries.
func (sel *selection) frame() *satchel.Pack {
	p := &satchel.Pack{
		Version: satchel.PackVersion, Task: sel.Req.Task, Rev: sel.View.Commit(),
		Budget: sel.Req.Budget, Method: sel.Encoding.Name() + " exact", Match: sel.Match, MatchWhy: sel.Why,
		Entries: []satchel.Entry{}, Omitted: []satchel.Omission{}, Sections: []satchel.Section{},
	}
	if sel.Ranking == nil && sel.Change == nil && !sel.again && !sel.OnlyAround() {
		p.Tree = source.Tree(sel.Scene)
	}
	if !sel.again {
		budget := sel.Req.Budget
		if source.OnlyLists(sel.Scene) {
			budget *= 10 // nothing else needs it
		}
		p.Tests, p.Related = render.RelatedWithin(sel.Belongs.Tests, budget), render.RelatedWithin(sel.Belongs.Others, budget)
	}
	if sel.Ranking != nil {
		files := sel.View.Files()
		for _, i := range sel.Order[:min(len(sel.Order), sel.named())] {
			p.Paths = append(p.Paths, satchel.PathLine{Path: files[i].Path, Score: sel.Ranking.Score(i)})
		}
	}
	return p
}

// named is how many paths the list of the likeliest files holds: 20 hold all
// files that a task needs in 94 % of tasks and take some 300 tokens, so fewer
// in a small budget.
func (sel *selection) named() int {
	if sel.again || sel.Nothing() {
		return 0 // the first page has it; or there is none to tell
	}
	if sel.Req.Budget <= 0 {
		return 20
	}
	return min(20, max(3, sel.Req.Budget/400))
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
	if sel.Ranking == nil && !sel.OnlyAround() {
		p.Named = sel.rest(shown)
	}
	named := map[string]bool{}
	for _, l := range p.Paths {
		named[l.Path] = true
	}
	for _, path := range p.Named {
		named[path] = true
	}
	for _, r := range slices.Concat(p.Tests, p.Related) {
		named[r.Path] = true
	}
	p.Omitted = append(p.Omitted[:0], mergeOmitted(sel.leftOut(r))...)
	all := sel.View.Files()
	for _, i := range sel.Order {
		if sel.Accounted[i] {
			continue
		}
		o := satchel.Omission{
			Ref: satchel.Ref{Kind: source.Kind(sel.Scene, i), Path: all[i].Path}, Why: sel.WhyLeft(),
			Tokens: int(all[i].Size / tokens.CodeBytes),
		}
		if all[i].Size == 0 {
			o.Why = satchel.WhyEmpty
		} else if sel.Ranking != nil {
			o.Score = sel.Ranking.Score(i)
		}
		p.Omitted = append(p.Omitted, o)
	}
	for i := range p.Omitted {
		if o := &p.Omitted[i]; o.Why != satchel.WhyCopy && o.Why != satchel.WhySeen && o.Why != satchel.WhyEmpty && named[o.Ref.Path] && !shown[o.Ref.Path] && o.Ref.Kind.OfFile() {
			o.Why = satchel.WhyNamed
		}
	}
	if sel.Change == nil {
		p.Omitted = append(p.Omitted, files.LeftOutOf(sel.View, &sel.Req)...)
	}
	p.Diagnostics = append(append(slices.Clone(sel.View.Diagnostics()), sel.Reader.Diagnostics...), sel.Diagnostics...)
	p.Diagnostics = append(p.Diagnostics, sel.Reader.Redactions(shown)...)
}

// leftOut is what of the candidates is not shown, that of what is shown in part
// included.
func (sel *selection) leftOut(r *pack.Result) []satchel.Omission {
	list := slices.Concat(r.Omitted, sel.Omitted)
	for i := range r.Entries {
		list = append(list, sel.seen[r.Entries[i].Ref]...)
	}
	return list
}

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
			if last.Ref.Kind == o.Ref.Kind && last.Ref.Path == o.Ref.Path && last.Ref.Old == o.Ref.Old && last.Why == o.Why && o.Why != satchel.WhyCopy &&
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
		out[i].Score = rank.Round(out[i].Score)
	}
	return out
}
