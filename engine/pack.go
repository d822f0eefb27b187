package engine

import (
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
)

// Pack makes the context for req.
//
// It returns a [*satchel.OverflowError] if the pinned files, or the least that a
// pack must say, do not fit the budget; a *git.UnknownRevisionError if there
// is no such revision. What could not be read becomes a Diagnostic.
func (e *Engine) Pack(ctx context.Context, req satchel.Request) (*satchel.Pack, error) {
	sel, err := e.offers(ctx, req, e.newEmbedCall())
	if err != nil {
		return nil, err
	}
	return e.choose(ctx, sel)
}

// PackRanked is Pack, and the paths of all candidates, best first.
func (e *Engine) PackRanked(ctx context.Context, req satchel.Request) (*satchel.Pack, []string, error) {
	sel, err := e.offers(ctx, req, e.newEmbedCall())
	if err != nil {
		return nil, nil, err
	}
	paths := make([]string, len(sel.order))
	for k, i := range sel.order {
		paths[k] = sel.view.Files()[i].Path
	}
	p, err := e.choose(ctx, sel)
	return p, paths, err
}

// gather makes the scene of a request, and asks the Sources of its plan what they
// have for it. m, which may be nil, is for all scenes of one pack.
func (e *Engine) offers(ctx context.Context, req satchel.Request, m *embedCall) (*selection, error) {
	sc, err := e.look(ctx, req, m)
	if err != nil {
		return nil, err
	}
	sel := &selection{Scene: sc}
	var sources []Source
	sources, sel.weighing = plan(sc, e.opts.Sources)
	return sel, sel.ask(ctx, sources...)
}

// plan returns the Sources that a request asks, in order, the more that are given among them, and how what they offer
// is weighed against each other. What was asked for comes first: a file that one
// Source has claimed no later one offers.
func plan(sc *Scene, more []Source) ([]Source, weighing) {
	asked := []Source{pins{}, edits{}, contextFiles{}}
	var besides []Source
	for _, s := range more {
		besides = append(besides, given{s})
	}
	besides = append(besides, notes{}, project{})
	var found []Source
	var w weighing
	switch {
	case sc.change != nil:
		asked = []Source{pins{}, contextFiles{}}
		found, w = []Source{changes{}}, weighing{length: lengthExponent}
	case wantsEverything(&sc.req):
		found = []Source{allFiles{}}
	case sc.ranking == nil:
		found, w = []Source{neighbours{}, wholeFiles{}}, weighing{length: 1, value: wholeValue}
	case sc.nothing():
		found = []Source{neighbours{}}
	case sc.req.Detail == satchel.Outline || sc.req.Detail == satchel.Mention:
		found, w = []Source{outlines{}}, weighing{value: wholeValue}
	default:
		found, w = []Source{documents{}, code{}}, functions
	}
	return slices.Concat(asked, found, besides), w
}
