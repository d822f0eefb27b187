package source

import (
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/source/provider"
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
