package source

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/source/provider"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// What providers get of a pack: judgement. They are asked for, so they come before
// what was guessed; but a pack is about code.
const (
	gatherShare = 6  // the part of the budget that their answers may take
	gatherGives = 18 // above every learned score, below notes
)

// Told offers what providers tell about the project.
type Told struct{}

func (Told) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	if len(sc.Req.With) == 0 {
		return o, nil
	}
	limit := 0
	if sc.Req.Budget > 0 {
		limit = max(1, sc.Req.Budget/gatherShare)
	}
	// What is told is told in the order of the output, whatever order is asked for.
	names := slices.DeleteFunc(slices.Clone(provider.Names), func(n string) bool { return !slices.Contains(sc.Req.With, n) })
	items, diags, err := Gather(ctx, sc.Project.Tree, GatherRequest{Query: sc.Req.Task, Providers: names, Budget: limit, Now: sc.Req.Now})
	o.Diagnostics = append(o.Diagnostics, diags...)
	if err != nil {
		o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Text: err.Error()})
		return o, nil
	}
	var paths []string
	for i := range items {
		paths = append(paths, items[i].Ref.Path)
	}
	rules, err := sc.Project.Rules(ctx, "", paths...)
	if err != nil {
		return o, err
	}
	for i := range items {
		it := items[i]
		if by := rules.LeavesOut(it.Ref.Path); by != "" && it.Ref.Kind != satchel.KindGit {
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: it.Ref.Path, Text: string(it.Ref.Kind) + ": left out, as " + by + " says"})
			continue
		}
		if sc.Req.Detail != 0 {
			for k := range it.Forms {
				it.Forms[k].Detail = min(it.Forms[k].Detail, sc.Req.Detail)
			}
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("asked for", gatherGives)
		c.Score.Add("relevance", provider.RelevanceOf(&it))
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// Providers are the names that Request.With and GatherRequest.Providers may hold,
// in the order of the output.
func Providers() []string { return slices.Clone(provider.Names) }

// A GatherRequest asks what else there is to know about a project.
type GatherRequest struct {
	Query     string        // the task in words; may be empty
	Providers []string      // which to ask; none means all
	Budget    int           // tokens of all items together; zero means what each provider takes by itself
	Now       time.Time     // zero if it does not matter
	Timeout   time.Duration // of each; zero means five seconds
}

// Gather asks providers about the project, all at the same time. The items are in
// the order of the providers asked, and of one provider most relevant first, the
// signal provider.Relevance says how relevant; they take no more than the budget,
// and where that is short no provider drowns the others. A provider that fails or
// is slow costs a Diagnostic. The error is that of a name that is none.
func Gather(ctx context.Context, t project.Tree, req GatherRequest) ([]satchel.Item, []satchel.Diagnostic, error) {
	names := req.Providers
	if len(names) == 0 {
		names = provider.Names
	}
	list, err := ProvidersOf(t, names)
	if err != nil {
		return nil, nil, err
	}
	var items []satchel.Item
	var offers []provider.Offer
	var diags []satchel.Diagnostic
	for _, a := range provider.Gather(ctx, list, provider.Request{Query: req.Query, Budget: req.Budget, Now: req.Now}, req.Timeout) {
		diags = append(diags, a.Diagnostics...)
		for i := range a.Items {
			it := &a.Items[i]
			items = append(items, *it)
			offers = append(offers, provider.Offer{Source: a.Provider, Relevance: provider.RelevanceOf(it), Tokens: it.Forms[0].Tokens})
		}
	}
	if req.Budget > 0 {
		chosen := provider.Choose(offers, req.Budget)
		slices.Sort(chosen)
		kept := make([]satchel.Item, 0, len(chosen))
		for _, i := range chosen {
			kept = append(kept, items[i])
		}
		items = kept
	}
	return items, diags, ctx.Err()
}

// ProvidersOf returns providers by name, each once.
func ProvidersOf(t project.Tree, names []string) ([]provider.Provider, error) {
	var place *provider.Place
	switch t := t.(type) {
	case *git.Repo:
		place = provider.At(t, nil)
	case *git.Folder:
		place = provider.At(nil, t)
	}
	var list []provider.Provider
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		p, err := provider.ByName(name, place)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
