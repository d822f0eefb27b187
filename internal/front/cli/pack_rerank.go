package cli

import (
	"bytes"
	"context"
	"errors"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/render"
)

// A packRerank orders the candidates of a pack by what a model says. Its desk is there
// once the engine is open.
type packRerank struct {
	desk *deskRun
	dry  bool // it was asked, by a dry run
	seen assist.Material
}

// Rerank asks the model.
func (p *packRerank) Rerank(ctx context.Context, task string, list []satchel.Candidate) ([]int, []string, error) {
	order, said, err := p.desk.Rerank(ctx, task, list, &p.seen)
	p.dry = errors.Is(err, assist.ErrDry)
	return order, said, err
}

// mayRerank refuses flags of --rerank without it, and --rerank where nothing is
// ranked.
func (f *packFlags) mayRerank(req *satchel.Request) error {
	switch {
	case f.rerank && req.Task == "":
		return usagef("--rerank orders what a task needs: give a task")
	case f.rerank && req.Changes != "":
		return usagef("--rerank and --diff contradict each other: a change is ordered by itself")
	case !f.rerank && (f.asked.llm != "" || f.asked.spend != spendFlag{tokens: usualSpend} || f.asked.dryRun || f.asked.record != "" || f.asked.replay != ""):
		return usagef("--llm, --max-spend, --dry-run, --record and --replay go with --rerank: nothing else asks a model")
	}
	return nil
}

// packWith makes a pack, with a model's order if that is asked for; nil after a dry
// run, which wrote what would be sent.
func (a *app) packWith(ctx context.Context, e *engine.Engine, f *packFlags, req satchel.Request, format render.Format) (*satchel.Pack, error) {
	if a.rerank == nil {
		return e.Pack(ctx, req)
	}
	r, err := a.desk(ctx, e, &f.asked, engine.DiffRequest{})
	if err != nil {
		return nil, err
	}
	a.rerank.desk = r
	p, err := e.Pack(ctx, req)
	if err == nil && a.rerank.dry {
		return nil, r.end(ctx, nil, r.writeDry(&a.rerank.seen))
	}
	var text bytes.Buffer
	if err == nil {
		err = render.Pack(&text, p, format)
	}
	if err = r.end(ctx, text.Bytes(), err); err != nil {
		return nil, err
	}
	a.remark("%s", r.spent(1).String())
	return p, nil
}
