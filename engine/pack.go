package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/pack"
)

// Pack makes the context for req.
//
// It returns a [*satchel.OverflowError] if the pinned files, or the least that a
// pack must say, do not fit the budget; a *git.UnknownRevisionError if there
// is no such revision. What could not be read becomes a Diagnostic.
func (e *Engine) Pack(ctx context.Context, req satchel.Request) (*satchel.Pack, error) {
	sel, err := e.offers(ctx, req, scene.NewMeaning(e.project))
	if err != nil {
		return nil, err
	}
	return e.choose(ctx, sel)
}

// PackRanked is Pack, and the paths of all candidates, best first.
func (e *Engine) PackRanked(ctx context.Context, req satchel.Request) (*satchel.Pack, []string, error) {
	sel, err := e.offers(ctx, req, scene.NewMeaning(e.project))
	if err != nil {
		return nil, nil, err
	}
	paths := make([]string, len(sel.Order))
	for k, i := range sel.Order {
		paths[k] = sel.View.Files()[i].Path
	}
	p, err := e.choose(ctx, sel)
	return p, paths, err
}

// offers makes the scene of a request, and asks the Sources of its plan what they
// have for it. m, which may be nil, is for all scenes of one pack.
func (e *Engine) offers(ctx context.Context, req satchel.Request, m *scene.Meaning) (*selection, error) {
	if _, err := source.ProvidersOf(e.project.Tree, req.With); err != nil {
		return nil, err
	}
	sc, err := scene.Look(ctx, e.project, req, m)
	if err != nil {
		return nil, err
	}
	sel := &selection{Scene: sc, asking: e.opts.Asking}
	var sources []scene.Source
	sources, sel.Weighing = plan(sc, e.opts.Sources)
	if err := sel.ask(ctx, sources...); err != nil {
		return sel, err
	}
	if req.Seen != "" {
		if err := sel.withhold(ctx, req.Seen, false); err != nil {
			return nil, err
		}
	}
	return sel, nil
}

// plan returns the Sources of a request in order, more among them, and how their offers are
// weighed against each other. What was asked for comes first: no later Source offers a file
// that an earlier one has claimed.
func plan(sc *scene.Scene, more []scene.Source) ([]scene.Source, scene.Weighing) {
	asked := []scene.Source{source.Pins{}, source.Edits{}, source.ContextFiles{}}
	var others []scene.Source
	for _, s := range more {
		others = append(others, source.Given{Source: s})
	}
	others = append(others, source.Notes{}, source.Told{})
	var found []scene.Source
	var w scene.Weighing
	switch {
	case sc.Change != nil:
		asked = []scene.Source{source.Pins{}, source.ContextFiles{}}
		found, w = []scene.Source{source.Changes{}}, scene.Weighing{Length: scene.LengthExponent}
	case source.OnlyLists(sc):
		asked, others = []scene.Source{source.Edits{}}, nil
	case scene.Everything(&sc.Req):
		found = []scene.Source{source.AllFiles{}}
	case sc.OnlyAround(), sc.Ranking != nil && sc.Nothing():
		found = []scene.Source{source.Neighbours{}}
	case sc.Ranking == nil:
		found, w = []scene.Source{source.Neighbours{}, source.WholeFiles{}}, scene.Weighing{Length: 1, Value: source.WholeValue}
	case sc.Req.Detail == satchel.Outline || sc.Req.Detail == satchel.Mention:
		found, w = []scene.Source{source.Outlines{}}, scene.Weighing{Value: source.WholeValue}
	default:
		found, w = []scene.Source{source.Documents{}, source.Code{}}, source.Functions
	}
	return slices.Concat(asked, found, others), w
}

// choose is fit, and if the budget is too small, finds the smallest that is
// not: the error's Need is a budget that was tried and works, and one token
// less was tried and does not. What a pack of nothing takes is no such number:
// an omission that the receipt counts may take more room than what it leaves out.
//
// Each budget is tried from the start, since what is offered depends on it.
func (e *Engine) choose(ctx context.Context, sel *selection) (*satchel.Pack, error) {
	p, err := sel.fitPack()
	var over *satchel.OverflowError
	if !errors.As(err, &over) {
		return p, err
	}
	budget := sel.Req.Budget
	works := func(n int) (bool, error) {
		req := sel.Req
		req.Budget = n
		sel, err := e.offers(ctx, req, sel.Meaning)
		if err != nil {
			return false, err
		}
		p, err := sel.fitPack()
		if errors.As(err, new(*satchel.OverflowError)) {
			return false, nil
		}
		return err == nil && p.Used <= n, err
	}
	need, ok, err := pack.Least(budget, over.Need, works)
	if err != nil {
		return nil, err
	}
	if !ok { // it is not the budget
		return nil, over
	}
	return nil, &satchel.OverflowError{Need: need, Limit: budget}
}
