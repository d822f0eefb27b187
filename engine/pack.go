package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// Pack makes the context for req.
//
// It returns a [*pack.OverflowError] if the pinned files, or the least that a
// pack must say, do not fit the budget; a *git.UnknownRevisionError if there
// is no such revision. What could not be read becomes a Note.
func (e *Engine) Pack(ctx context.Context, req satchel.Request) (*satchel.Pack, error) {
	if wantsEverything(&req) {
		return e.packEverything(ctx, req)
	}
	b, err := e.build(ctx, req, e.meaning())
	if err != nil {
		return nil, err
	}
	return e.choose(ctx, b)
}

// PackRanked is Pack, and the paths of all candidates, best first.
func (e *Engine) PackRanked(ctx context.Context, req satchel.Request) (*satchel.Pack, []string, error) {
	b, err := e.build(ctx, req, e.meaning())
	if err != nil {
		return nil, nil, err
	}
	paths := make([]string, len(b.order))
	for k, i := range b.order {
		paths[k] = b.view.Files()[i].Path
	}
	p, err := e.choose(ctx, b)
	return p, paths, err
}

// build finds the candidates of a request. m, which may be nil, is for all that
// are built for one pack.
func (e *Engine) build(ctx context.Context, req satchel.Request, m *meaning) (*builder, error) {
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
		return e.review(ctx, req, format)
	}
	v, err := e.index.View(ctx, e.tree, req.Rev, slices.Concat(req.Pinned, req.Edit)...)
	if err != nil {
		return nil, err
	}
	b := newBuilder(req, format, v)
	b.meaning, b.never = m, e.index.Never
	if b.scope, b.notes, err = e.limit(v, req.Rev, req.Paths, req.Include); err != nil {
		return nil, err
	}
	if err := b.editable(ctx, e); err != nil {
		return nil, err
	}
	if err := b.pin(ctx); err != nil {
		return nil, err
	}
	if err := b.edit(ctx); err != nil {
		return nil, err
	}
	kept := e.recall(ctx, req.Now)
	if err := b.keep(ctx, kept); err != nil {
		return nil, err
	}
	q := query(ctx, v, &req)
	q.Used = kept.gains(&req)
	asked := strings.TrimSpace(req.Task) != ""
	if asked {
		b.ranking = source.Rank(v, q, e.models)
		b.order = b.within(b.ranking.Order)
		b.verdict = judge(b.ranking)
	}
	switch {
	case !asked:
		if err = b.surroundings(ctx); err == nil {
			err = b.whole(ctx)
		}
	case b.nothing():
		err = b.surroundings(ctx)
	case req.Detail == satchel.Outline || req.Detail == satchel.Mention:
		err = b.outlines(ctx)
	default:
		b.around()
		if err = e.documents(ctx, b, q); err == nil {
			err = b.chunks(ctx)
		}
	}
	b.remember(kept)
	b.gather(ctx, e)
	return b, err
}

// query takes the task of a request apart.
func query(ctx context.Context, v *index.View, req *satchel.Request) rank.Query {
	q := source.Analyze(ctx, v, req.Task)
	q.Now = now(req)
	return q
}

// now is the request's time in unix seconds, or 0.
func now(req *satchel.Request) int64 {
	if req.Now.IsZero() {
		return 0
	}
	return req.Now.Unix()
}

// A builder is the state of one Pack.
type builder struct {
	req     satchel.Request
	format  render.Format
	view    *index.View
	scope   *scope                 // nil means all
	never   func(path string) bool // nil means none
	reader  *source.Reader
	count   *tokens.Encoding
	ranking *source.Ranking // nil without a task
	verdict                 // of the ranking
	meaning *meaning        // nil without an Embedder

	manifest   manifest
	order      []int32 // files within the request's paths, best first
	candidates []satchel.Candidate
	wanted     []wanted // besides the candidates
	offers     int      // candidates of the last fit
	accounted  []bool   // files that are candidates, or whose chunks are
	length     float64
	scatter    bool                                            // scraps of many files are not worth their headings
	value      func(*satchel.Candidate, *satchel.Form) float64 // of pack.Options
	names      map[string]int                                  // see tokensOf
	notes      []satchel.Note                                  // besides those of the view and the reader
	left       []satchel.Omission                              // notes that are no candidates
	besides    bool                                            // it is about a change: the other files are not left out
	again      bool                                            // it is not the first page
}

func newBuilder(req satchel.Request, format render.Format, v *index.View) *builder {
	return &builder{
		req: req, format: format, view: v, reader: source.NewReader(v),
		count: tokens.O200k(), accounted: make([]bool, len(v.Files())),
	}
}

// pin makes candidates of the pinned files.
func (b *builder) pin(ctx context.Context) error {
	var files []int32
	for _, p := range b.req.Pinned {
		i, ok := b.view.File(p)
		if !ok {
			return fmt.Errorf("pinned path %s: %s", p, b.whyNot(p))
		}
		if !b.accounted[i] {
			b.accounted[i] = true
			files = append(files, int32(i))
		}
	}
	if err := b.reader.Load(ctx, files); err != nil {
		return err
	}
	for _, i := range files {
		it := b.reader.File(i)
		it.Pinned = true
		// A name alone is not what was asked for: the least is an outline, or
		// the beginning where there is none.
		if n := len(it.Forms); n > 1 {
			it.Forms = it.Forms[:n-1]
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("pinned", pinnedScore)
		b.want(c, i)
	}
	return nil
}

// pinnedScore is above every learned score, so that pinned files grow first.
const pinnedScore = 50

// whyNot says why a path is not among the view's files.
func (b *builder) whyNot(p string) string {
	p = strings.TrimSuffix(p, "/")
	if b.never != nil && b.never(p) {
		return "--exclude leaves it out, and wins"
	}
	for _, f := range b.view.Files() {
		if strings.HasPrefix(f.Path, p+"/") {
			return "a folder; name files"
		}
	}
	for _, o := range b.view.Excluded() {
		if o.Ref.Path == p || strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(p, o.Ref.Path) {
			return "excluded: " + o.Why
		}
	}
	return noSuchFile
}

const noSuchFile = "no such file"

// within keeps the files within the request's scope.
func (b *builder) within(order []int32) []int32 {
	if b.scope == nil || b.scope.all() {
		return order
	}
	files := b.view.Files()
	kept := make([]int32, 0, len(order))
	for _, i := range order {
		if ok, _ := b.scope.has(files[i].Path); ok {
			kept = append(kept, i)
		}
	}
	return kept
}

// chunks makes candidates of the functions of the likeliest files.
func (b *builder) chunks(ctx context.Context) error {
	r := b.ranking
	likely := b.order[:min(len(b.order), source.CandidateFiles)]
	list := r.ChunksOf(b.offer(likely))
	list = slices.DeleteFunc(list, func(c source.Chunk) bool { return !b.offered(&c, slices.Contains(likely, c.File)) })
	var files []int32
	for _, c := range list {
		if len(files) == 0 || files[len(files)-1] != c.File {
			files = append(files, c.File)
		}
	}
	if err := b.reader.Load(ctx, files); err != nil {
		return err
	}
	items := b.reader.Items(list, b.lineWeights())
	b.candidates = slices.Grow(b.candidates, len(list))
	worthIt := b.worthIt(list)
	for i := range list {
		c := &list[i]
		b.accounted[c.File] = true
		if !worthIt(c) {
			b.left = append(b.left, satchel.Omission{Ref: items[i].Ref, Why: satchel.WhyFar, Score: c.Score})
			continue
		}
		b.document(&items[i], c)
		score := append(r.Models.Chunks.Explain(&c.Row), b.manifest.gains[c.Index]...)
		b.candidates = append(b.candidates, satchel.Candidate{Item: items[i], Score: score})
	}
	b.length, b.scatter = lengthExponent, true
	if b.req.Budget <= 0 {
		return b.others(ctx)
	}
	return nil
}

// others makes candidates of all other files, whole: without a budget nothing
// need be left out.
func (b *builder) others(ctx context.Context) error {
	var files []int32
	for _, i := range b.order {
		if !b.accounted[i] {
			b.accounted[i] = true
			files = append(files, i)
		}
	}
	if err := b.reader.Load(ctx, files); err != nil {
		return err
	}
	for _, i := range files {
		c := satchel.Candidate{Item: b.reader.File(i)}
		c.Score.Add("rank of the file", float64(b.ranking.Scores[i]))
		b.candidates = append(b.candidates, c)
	}
	return nil
}

// lengthExponent is pack.Options.Length for chunks. In packs of 8,000 tokens,
// cross-validated, 0.01, 0.3, 0.6 and 1 showed 66.8, 67.6, 68.6 and 66.9 % of
// the lines that tasks changed.
const lengthExponent = 0.6

// perFile and perGap are those of pack.Options for chunks. Without them, packs of
// 8,000 tokens for tasks of flask, ripgrep, diffusers and k9s were 4.4 % headings
// and receipt, with them 3.9 %, and showed as many of the lines that tasks changed.
const (
	perFile = 90
	perGap  = 35
)

// outlines makes candidates of the outlines of all files, in order.
func (b *builder) outlines(context.Context) error {
	b.value = wholeValue
	for k, i := range b.order {
		if b.accounted[i] {
			continue
		}
		b.accounted[i] = true
		c := satchel.Candidate{Item: b.reader.Outline(i, b.ranking.Chunk)}
		// By rank: a map that skips likely files for small unlikely ones
		// misleads.
		c.Score.Add("rank", -float64(k)/8)
		b.candidates = append(b.candidates, c)
	}
	return nil
}

// fit chooses, renders and counts until the rendered text fits the budget and
// fills it.
func (b *builder) fit() (*satchel.Pack, error) {
	budget := b.req.Budget
	p := b.frame()
	if budget <= 0 {
		list, err := b.chosen(pack.Options{})
		if err != nil {
			return nil, err
		}
		r, err := pack.Fit(list, pack.Options{Detail: b.req.Detail})
		if err != nil {
			return nil, err
		}
		b.offers = len(list)
		b.fill(p, r)
		return p, render.Settle(p, b.format, b.count.Count)
	}
	// What is said in any case: headings, the path list, the receipt.
	least, err := b.least(p)
	if err != nil {
		return nil, err
	}
	var best *satchel.Pack
	limit := budget - least
	low, high := 0, math.MaxInt // limits known to fit, and not to
	for round := 0; round < fitRounds || best == nil && round < mostRounds; round++ {
		if limit <= 0 {
			break
		}
		o := pack.Options{Limit: limit, Detail: b.req.Detail, Length: b.length, Value: b.value, Overhead: render.Overhead(b.format, b.count.Count)}
		if b.scatter {
			o.File, o.Gap = perFile, perGap
		}
		list, err := b.chosen(o)
		var r *pack.Result
		if err == nil {
			r, err = pack.Fit(list, o)
		}
		if err != nil && best != nil {
			break
		}
		if err != nil {
			return nil, b.overflow(err, budget-limit)
		}
		b.offers = len(list)
		try := b.frame()
		b.fill(try, r)
		if err := render.Settle(try, b.format, b.count.Count); err != nil {
			return nil, err
		}
		used := try.Used
		if used <= budget {
			if best == nil || used > best.Used {
				best = try
			}
			low = max(low, limit)
			if float64(used) >= fullEnough*float64(budget) || len(r.Omitted) == 0 {
				break
			}
			limit += (budget - used) * 9 / 10
		} else {
			high = min(high, limit)
			limit -= used - budget + 8
			if round >= fitRounds/2 && best == nil {
				limit = limit * 3 / 4 // what is shown takes more than was thought
			}
		}
		if limit <= low || limit >= high {
			if limit = low + (high-low)/2; high == math.MaxInt || limit <= low {
				break
			}
		}
	}
	if best == nil {
		return nil, &pack.OverflowError{Need: least + 1, Limit: budget}
	}
	return best, nil
}

const (
	fitRounds  = 8
	mostRounds = 24 // until something fits
	fullEnough = 0.985
)

// overflow adds the tokens that are needed besides the entries to an overflow.
func (b *builder) overflow(err error, besides int) error {
	var over *pack.OverflowError
	if errors.As(err, &over) {
		return &pack.OverflowError{Need: over.Need + besides, Limit: b.req.Budget}
	}
	return err
}

// least returns the tokens of the pack that shows nothing.
func (b *builder) least(p *satchel.Pack) (int, error) {
	// With the overhead, as names alone have no tokens.
	r, err := pack.Fit(b.candidates, pack.Options{Limit: 1, Detail: b.req.Detail, Overhead: render.Overhead(b.format, b.count.Count)})
	if err != nil || len(b.wanted) > 0 {
		// Pinned files: take what shows nothing of the others.
		r = &pack.Result{}
	}
	b.fill(p, r)
	if err := render.Settle(p, b.format, b.count.Count); err != nil {
		return 0, err
	}
	if p.Used > b.req.Budget {
		return 0, &pack.OverflowError{Need: p.Used + 1, Limit: b.req.Budget}
	}
	return p.Used, nil
}

// frame returns a pack with all but its entries.
func (b *builder) frame() *satchel.Pack {
	p := &satchel.Pack{
		Version: satchel.PackVersion, Task: b.req.Task, Rev: b.view.Commit(),
		Budget: b.req.Budget, Method: b.count.Name() + " exact", Match: b.match, MatchWhy: b.why,
		Entries: []satchel.Entry{}, Omitted: []satchel.Omission{}, Sections: []satchel.Section{},
	}
	if b.ranking == nil && !b.besides && !b.again {
		p.Tree = b.tree()
	}
	if b.ranking != nil {
		files := b.view.Files()
		for _, i := range b.order[:min(len(b.order), b.named())] {
			p.Paths = append(p.Paths, satchel.PathLine{Path: files[i].Path, Score: round(float64(b.ranking.Scores[i]))})
		}
	}
	return p
}

// named is how many paths the list of the likeliest files holds: 20 hold all
// files that a task needs in 94 % of tasks and take some 300 tokens, so fewer
// in a small budget.
func (b *builder) named() int {
	if b.again || b.nothing() {
		return 0 // the first page has it; or there is none to tell
	}
	if b.req.Budget <= 0 {
		return 20
	}
	return min(20, max(3, b.req.Budget/400))
}

// fill puts the result of a fit into a pack.
func (b *builder) fill(p *satchel.Pack, r *pack.Result) {
	p.Entries = append(p.Entries[:0], r.Entries...)
	shown := map[string]bool{}
	for _, e := range r.Entries {
		if ofFile(e.Ref.Kind) {
			shown[e.Ref.Path] = true
		}
	}
	if b.ranking == nil {
		p.Named = b.rest(shown)
	}
	named := map[string]bool{}
	for _, l := range p.Paths {
		named[l.Path] = true
	}
	for _, path := range p.Named {
		named[path] = true
	}
	p.Omitted = append(p.Omitted[:0], mergeOmitted(append(r.Omitted, b.left...))...)
	files := b.view.Files()
	for _, i := range b.order {
		if b.accounted[i] {
			continue
		}
		o := satchel.Omission{
			Ref: satchel.Ref{Kind: b.kind(i), Path: files[i].Path}, Why: b.whyLeft(),
			Tokens: int(files[i].Size / bytesPerToken),
		}
		if b.ranking != nil {
			o.Score = round(float64(b.ranking.Scores[i]))
		}
		p.Omitted = append(p.Omitted, o)
	}
	for i := range p.Omitted {
		if o := &p.Omitted[i]; named[o.Ref.Path] && !shown[o.Ref.Path] && ofFile(o.Ref.Kind) {
			o.Why = satchel.WhyNamed
		}
	}
	if !b.besides {
		p.Omitted = append(p.Omitted, leftOutOf(b.view, &b.req)...)
	}
	p.Notes = append(append(slices.Clone(b.view.Notes()), b.reader.Notes...), b.notes...)
	p.Notes = append(p.Notes, b.reader.Redactions(shown)...)
}

// ofFile reports whether an entry of this kind shows the file whose path it has.
func ofFile(k satchel.Kind) bool {
	switch k {
	case satchel.KindNote, satchel.KindGit, satchel.KindRecent, satchel.KindErrors, satchel.KindDependencies, satchel.KindEnvironment:
		return false
	}
	return true
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
