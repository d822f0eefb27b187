package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A Source offers what may be worth showing of a scene. It knows nothing of
// budgets but what the request says, and it never renders.
//
// Sources are asked one after the other, in the order of a plan. What one offers
// of a file it claims, so that no other offers it again.
type Source interface {
	Offer(ctx context.Context, sc *Scene) (Offer, error)
}

// An Offer is what a Source has for a scene.
type Offer struct {
	Candidates  []satchel.Candidate
	Musts       []Must // what must be shown, besides the candidates
	Omitted     []satchel.Omission
	Diagnostics []satchel.Diagnostic
}

// A Scene is what the Sources of one request look at: a repository at a revision,
// the task taken apart, what is remembered. It is made for one request and is not
// safe for concurrent use.
type Scene struct {
	world  *world
	req    satchel.Request
	format render.Format
	view   *index.View
	scope  *scope                 // nil means all
	never  func(path string) bool // paths that nothing brings back; nil means none
	reader *ranking.Reader
	count  *tokens.Encoding

	query   rank.Query
	ranking *ranking.Ranking // nil without a task
	order   []int32          // files within the request's paths, best first
	verdict                  // of the ranking

	memory    *recalled  // what is remembered
	meaning   *embedCall // nil without an Embedder
	manifest  manifest   // the files to edit, and what they are about
	change    *diffRun   // of a request with Changes
	changed   []string   // paths of its parts, once they are offered
	accounted []bool     // files that are candidates, or whose chunks are

	diags []satchel.Diagnostic // noticed before any Source was asked
	names map[string]int       // see tokensOf
}

// newScene returns the scene of a request that looks at a view.
func newScene(w *world, req satchel.Request, format render.Format, v *index.View) *Scene {
	return &Scene{
		world: w, req: req, format: format, view: v, never: w.index.Never, reader: ranking.NewReader(v),
		count: tokens.O200k(), accounted: make([]bool, len(v.Files())), memory: new(recalled),
	}
}

// look makes the scene of a request: of the repository, or of a change and what
// stands around it. m, which may be nil, is for all scenes of one pack.
func (e *world) look(ctx context.Context, req satchel.Request, m *embedCall) (*Scene, error) {
	format, err := render.ParseFormat(cmp.Or(req.Format, string(render.Markdown)))
	if err != nil {
		return nil, err
	}
	if _, err := e.providers(req.With); err != nil {
		return nil, err
	}
	if req.Changes != "" {
		if len(req.Edit) > 0 {
			return nil, errors.New("a change is reviewed, not edited: paths to edit need a task")
		}
		return e.lookAtChange(ctx, req, format)
	}

	var v *index.View
	if wantsEverything(&req) {
		v, err = e.index.ViewFiles(ctx, e.tree, req.Rev)
	} else {
		v, err = e.index.View(ctx, e.tree, req.Rev, slices.Concat(req.Pinned, req.Edit)...)
	}
	if err != nil {
		return nil, err
	}
	sc := newScene(e, req, format, v)
	sc.meaning = m
	if sc.scope, sc.diags, err = e.limit(v, req.Rev, req.Paths, req.Include); err != nil {
		return nil, err
	}
	if err := sc.editable(ctx); err != nil {
		return nil, err
	}
	sc.memory = e.recall(ctx, req.Now)
	sc.rank(ctx)
	return sc, nil
}

// rank takes the task apart, and orders the files by it. Without a task there is
// no ranking.
func (sc *Scene) rank(ctx context.Context) {
	if strings.TrimSpace(sc.req.Task) == "" {
		return
	}
	sc.query = ranking.Analyze(ctx, sc.view, sc.req.Task)
	sc.query.Now = now(&sc.req)
	sc.query.Used = sc.memory.gains(&sc.req)
	sc.ranking = ranking.Rank(sc.view, sc.query, sc.world.models)
	sc.order = sc.within(sc.ranking.Order)
	sc.verdict = judge(sc.ranking)
}

// now is the request's time in unix seconds, or 0.
func now(req *satchel.Request) int64 {
	if req.Now.IsZero() {
		return 0
	}
	return req.Now.Unix()
}

// whyNot says why a path is not among the view's files.
func (sc *Scene) whyNot(p string) string {
	p = strings.TrimSuffix(p, "/")
	if sc.never != nil && sc.never(p) {
		return "--exclude leaves it out, and wins"
	}
	for _, f := range sc.view.Files() {
		if strings.HasPrefix(f.Path, p+"/") {
			return "a folder; name files"
		}
	}
	for _, o := range sc.view.Excluded() {
		if o.Ref.Path == p || strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(p, o.Ref.Path) {
			return "excluded: " + o.Why
		}
	}
	return noSuchFile
}

const noSuchFile = "no such file"

// within keeps the files within the request's scope.
func (sc *Scene) within(order []int32) []int32 {
	if sc.scope == nil || sc.scope.all() {
		return order
	}
	files := sc.view.Files()
	kept := make([]int32, 0, len(order))
	for _, i := range order {
		if ok, _ := sc.scope.has(files[i].Path); ok {
			kept = append(kept, i)
		}
	}
	return kept
}

// claim reports whether nobody has claimed a file of the view, and claims it.
func (sc *Scene) claim(file int32) bool {
	was := sc.accounted[file]
	sc.accounted[file] = true
	return !was
}

// unclaimed claims what is left of the ordered files, and returns it.
func (sc *Scene) unclaimed() []int32 {
	var files []int32
	for _, i := range sc.order {
		if sc.claim(i) {
			files = append(files, i)
		}
	}
	return files
}
