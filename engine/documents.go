package engine

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/rank"
)

// A DocText is a section of a document as an [Embedder] gets it.
type DocText = ranking.DocText

// An Embedder says how alike in meaning a task and sections of documents are.
// Without one, documents are ranked by words and links alone.
type Embedder interface {
	// Similarities returns a number in -1..1 for each of the sections, in their
	// order. The hash of a section is that of its text, so that what was computed
	// for it can be kept. An error becomes a Diagnostic, and the pack is made without.
	Similarities(ctx context.Context, task string, sections []DocText) ([]float64, error)
}

// An embedCall asks an Embedder once for all that is tried to make one pack: each
// answer may take as long as the endpoint's time limit, and so may each failure.
type embedCall struct {
	of       Embedder
	task     string
	sections []DocText
	alike    []float64
	err      error
}

// newEmbedCall is for one call of Pack; nil without an Embedder.
func (e *world) newEmbedCall() *embedCall {
	if e.embedder == nil {
		return nil
	}
	return &embedCall{of: e.embedder}
}

// similarities is an [Embedder]'s. After an error nothing is asked any more.
func (m *embedCall) similarities(ctx context.Context, task string, sections []DocText) ([]float64, error) {
	if m.err != nil || m.alike != nil && m.task == task && slices.Equal(m.sections, sections) {
		return m.alike, m.err
	}
	m.task, m.sections = task, sections
	m.alike, m.err = m.of.Similarities(ctx, task, sections)
	return m.alike, m.err
}

// documentGives puts the sections that were chosen above all learned scores, as
// their share of the budget was set aside; below notes and pinned files.
const documentGives = 15

// When to stop choosing sections. What the next one adds is its score times the
// share of its words of the task that no chosen section has yet (at least a
// quarter: the same words may say another thing), and less than two fifths of what
// the best one adds is not worth its room.
const (
	leastNovel = 0.25
	leastGain  = 0.4
)

// filledSections is how many of the best sections are made items, to choose from.
const filledSections = 80

// Reasons why a section or document was left out.
const (
	whyMarginal  = "adds little to the documents shown"
	whyDocuments = "not among the documents chosen"
)

// outdated is what an agent is told of a document that is not fresh, in the words
// of the reference design.
const outdated = "this doc may be outdated; prefer the current code as source of truth."

// documents offers sections of documents, as many as their share of
// the budget and the task's complexity allow. The other documents are then no
// candidates: a document is shown by its sections or not at all.
type documents struct{}

func (documents) Offer(ctx context.Context, sc *Scene) (o Offer, err error) {
	q, e := sc.query, sc.world
	want := sc.req.Documents
	if want == nil || want.Most <= 0 {
		return o, nil
	}
	offered := make([]bool, len(sc.view.Files()))
	if sc.req.Budget > 0 { // without a limit all documents of the repository are shown
		for _, i := range sc.order {
			offered[i] = !sc.accounted[i]
		}
	}
	opts := ranking.DocOptions{
		Depth: want.Depth, Linked: want.Linked, NoLinks: want.NoLinks, MaxBytes: want.MaxBytes,
		Within: func(i int32) bool { return offered[i] },
	}
	if opts.Vault, err = e.readVault(ctx, want.MaxBytes); err != nil {
		return o, err
	}
	if sc.meaning != nil {
		opts.Similar, opts.Weights = sc.meaning.similarities, e.docs
	}
	r, err := sc.reader.Documents(ctx, q, sc.req.Task, opts)
	if err != nil {
		return o, err
	}
	if want.IfLinked && named(r) == 0 {
		return o, nil
	}
	o.Diagnostics = append(o.Diagnostics, r.Diagnostics...)
	look := sc.complexity(q)
	k := budget.Documents(look, want.Most)
	k = max(k, min(named(r), want.Most))
	limit := math.MaxInt
	if sc.req.Budget > 0 {
		share := want.Share
		if share <= 0 {
			share = budget.DocumentShare(look)
		}
		limit = int(float64(sc.req.Budget)*share + 0.5)
	}
	sc.chooseSections(&o, r, k, limit)
	sc.leaveDocuments(&o, r, offered)
	return o, nil
}

// vault reads the folder of documents outside the repository, without those
// larger than most bytes, if that is not 0; nil if there is none.
func (e *world) readVault(ctx context.Context, most int64) (*ranking.Vault, error) {
	if e.vault == "" {
		return nil, nil
	}
	limit := e.largest
	if most > 0 {
		limit = min(limit, most)
	}
	return ranking.ReadVault(ctx, e.vault, limit)
}

// Sections returns all sections of documents of the work tree and of the vault,
// each text once, as an [Embedder] will get them: secrets are redacted.
func (e *Engine) Sections(ctx context.Context) ([]DocText, []satchel.Diagnostic, error) {
	view, err := e.index.View(ctx, e.tree, "")
	if err != nil {
		return nil, nil, err
	}
	diags := view.Diagnostics()
	vault, err := e.readVault(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if vault != nil {
		diags = append(diags, vault.Diagnostics...)
	}
	sections, err := ranking.NewReader(view).DocTexts(ctx, vault)
	return sections, diags, err
}

// defaultFileBytes is Options.MaxFileBytes when it is zero.
const defaultFileBytes = 1 << 20

// named is how many documents the task itself names or links to.
func named(r *ranking.DocRanking) int {
	docs := map[string]bool{}
	for i := range r.Sections {
		if r.Sections[i].Row.Linked == 1 {
			docs[r.Sections[i].Doc] = true
		}
	}
	return len(docs)
}

// likelyFiles is how many of the best files tell how large a task is: most tasks
// change fewer.
const likelyFiles = 5

// complexity looks at the task, and at the files that it is probably about.
func (sc *Scene) complexity(q rank.Query) budget.Complexity {
	c := budget.Complexity{Files: len(q.Files), Words: len(strings.Fields(sc.req.Task))}
	if sc.ranking.Weight() == 0 {
		return c
	}
	var likely []int32
	folders := map[string]bool{}
	for _, i := range sc.order {
		f := &sc.view.Files()[i]
		if ranking.IsDocument(f) {
			continue
		}
		likely = append(likely, i)
		folders[path.Dir(f.Path)] = true
		if len(likely) == likelyFiles {
			break
		}
	}
	c.Directories = len(folders)
	c.Imports = sc.ranking.ImportsBetween(likely)
	return c
}

// chooseSections makes candidates of the best sections of at most k documents, of
// at most limit tokens, until the next one would add little.
func (sc *Scene) chooseSections(o *Offer, r *ranking.DocRanking, k, limit int) {
	n := min(len(r.Sections), filledSections)
	if k == 0 {
		n = 0
	}
	r.Fill(sc.reader, n)
	docs := map[string]bool{}
	covered := make([]bool, len(r.Terms))
	taken, full := make([]bool, n), make([]bool, n) // full: there was no room for it
	var first float64
	used := 0
	for {
		best, gain := -1, 0.0
		for i := range n {
			s := &r.Sections[i]
			if taken[i] || !docs[s.Doc] && len(docs) >= k {
				continue
			}
			if g := s.Score.Value() * novelty(r, s, covered, docs[s.Doc]); g > gain {
				best, gain = i, g
			}
		}
		if best < 0 || gain < leastGain*first {
			break
		}
		first = max(first, gain)
		s := &r.Sections[best]
		taken[best] = true
		forms := slices.DeleteFunc(slices.Clone(s.Item.Forms), func(f satchel.Form) bool { return f.Tokens > limit-used })
		if len(forms) == 0 {
			full[best] = true
			continue
		}
		it := s.Item
		it.Forms = forms
		if s.Fresh < rank.Doubtful {
			it.Note = outdated
		}
		used += forms[0].Tokens
		docs[s.Doc] = true
		for _, t := range s.Terms {
			covered[t] = true
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("document", documentGives)
		c.Score = append(c.Score, s.Score...)
		o.Candidates = append(o.Candidates, c)
	}
	for i := range n {
		switch s := &r.Sections[i]; {
		case !docs[s.Doc]:
		case full[i]:
			o.leaveSection(s, satchel.WhyNoRoom)
		case !taken[i]:
			o.leaveSection(s, whyMarginal)
		}
	}
}

// novelty is the share of what a section says about the task that no chosen one
// says, between leastNovel and 1. A document that the task links to says something
// whatever its words are, until it is chosen.
func novelty(r *ranking.DocRanking, s *ranking.DocSection, covered []bool, chosen bool) float64 {
	var all, fresh float64
	for _, t := range s.Terms {
		w := float64(r.Terms[t].Weight)
		all += w
		if !covered[t] {
			fresh += w
		}
	}
	if all == 0 {
		if chosen {
			return leastNovel
		}
		return 1
	}
	n := max(fresh/all, leastNovel)
	if s.Row.Linked == 1 && !chosen {
		n = 1
	}
	return n
}

func (o *Offer) leaveSection(s *ranking.DocSection, why string) {
	tokens := 0
	if len(s.Item.Forms) > 0 {
		tokens = s.Item.Forms[0].Tokens
	}
	o.Omitted = append(o.Omitted, satchel.Omission{Ref: s.Item.Ref, Why: why, Score: round(s.Score.Value()), Tokens: tokens})
}

// leaveDocuments accounts for the documents of the repository, which are no
// candidates any more but for their chosen sections.
func (sc *Scene) leaveDocuments(o *Offer, r *ranking.DocRanking, offered []bool) {
	chosen := map[string]bool{}
	for i := range o.Candidates {
		if c := &o.Candidates[i]; c.Ref.Kind == satchel.KindDoc {
			chosen[c.Ref.Path] = true
		}
	}
	best := map[string]float64{}
	for i := range r.Sections {
		s := &r.Sections[i]
		if _, ok := best[s.Doc]; !ok {
			best[s.Doc] = s.Score.Value()
		}
	}
	files := sc.view.Files()
	for _, i := range sc.order {
		f := &files[i]
		if !offered[i] || sc.accounted[i] || !ranking.IsDocument(f) {
			continue
		}
		sc.accounted[i] = true
		if !chosen[f.Path] {
			o.Omitted = append(o.Omitted, satchel.Omission{
				Ref: satchel.Ref{Kind: satchel.KindDoc, Path: f.Path}, Why: whyDocuments, Score: round(best[f.Path]), Tokens: int(f.Size / bytesPerToken),
			})
		}
	}
}
