package engine

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/rank"
)

// A Section is a section of a document as an [Embedder] gets it.
type Section = source.DocText

// An Embedder says how alike in meaning a task and sections of documents are.
// Without one, documents are ranked by words and links alone.
type Embedder interface {
	// Similarities returns a number in -1..1 for each of the sections, in their
	// order. The hash of a section is that of its text, so that what was computed
	// for it can be kept. An error becomes a Note, and the pack is made without.
	Similarities(ctx context.Context, task string, sections []Section) ([]float64, error)
}

// A meaning asks an Embedder once for all that is tried to make one pack: each
// answer may take as long as the endpoint's time limit, and so may each failure.
type meaning struct {
	of       Embedder
	task     string
	sections []Section
	alike    []float64
	err      error
}

// meaning is for one call of Pack; nil without an Embedder.
func (e *Engine) meaning() *meaning {
	if e.opts.Embedder == nil {
		return nil
	}
	return &meaning{of: e.opts.Embedder}
}

// similarities is an [Embedder]'s. After an error nothing is asked any more.
func (m *meaning) similarities(ctx context.Context, task string, sections []Section) ([]float64, error) {
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

// documents makes candidates of sections of documents, as many as their share of
// the budget and the task's complexity allow. The other documents are then no
// candidates: a document is shown by its sections or not at all.
func (e *Engine) documents(ctx context.Context, b *builder, q rank.Query) error {
	want := b.req.Documents
	if want == nil || want.Most <= 0 {
		return nil
	}
	offered := make([]bool, len(b.view.Files()))
	if b.req.Budget > 0 { // without a limit all documents of the repository are shown
		for _, i := range b.order {
			offered[i] = !b.accounted[i]
		}
	}
	o := source.DocOptions{
		Depth: want.Depth, Linked: want.Linked, NoLinks: want.NoLinks, MaxBytes: want.MaxBytes,
		Within: func(i int32) bool { return offered[i] },
	}
	var err error
	if o.Vault, err = e.vault(ctx, want.MaxBytes); err != nil {
		return err
	}
	if b.meaning != nil {
		o.Similar, o.Weights = b.meaning.similarities, e.opts.DocumentWeights
	}
	r, err := b.reader.Documents(ctx, q, b.req.Task, o)
	if err != nil {
		return err
	}
	if want.IfLinked && named(r) == 0 {
		return nil
	}
	b.notes = append(b.notes, r.Notes...)
	look := b.complexity(q)
	k := budget.Documents(look, want.Most)
	k = max(k, min(named(r), want.Most))
	limit := math.MaxInt
	if b.req.Budget > 0 {
		share := want.Share
		if share <= 0 {
			share = budget.DocumentShare(look)
		}
		limit = int(float64(b.req.Budget)*share + 0.5)
	}
	b.chooseSections(r, k, limit)
	b.leaveDocuments(r, offered)
	return nil
}

// vault reads the folder of documents outside the repository, without those
// larger than most bytes, if that is not 0; nil if there is none.
func (e *Engine) vault(ctx context.Context, most int64) (*source.Vault, error) {
	if e.opts.Vault == "" {
		return nil, nil
	}
	limit := e.opts.MaxFileBytes
	if limit <= 0 {
		limit = defaultFileBytes
	}
	if most > 0 {
		limit = min(limit, most)
	}
	return source.ReadVault(ctx, e.opts.Vault, limit, e.parser)
}

// Sections returns all sections of documents of the work tree and of the vault,
// each text once, as an [Embedder] will get them: secrets are redacted.
func (e *Engine) Sections(ctx context.Context) ([]Section, []satchel.Note, error) {
	view, err := e.index.View(ctx, e.tree, "")
	if err != nil {
		return nil, nil, err
	}
	notes := view.Notes()
	vault, err := e.vault(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if vault != nil {
		notes = append(notes, vault.Notes...)
	}
	sections, err := source.NewReader(view).DocTexts(ctx, vault)
	return sections, notes, err
}

// defaultFileBytes is Options.MaxFileBytes when it is zero.
const defaultFileBytes = 1 << 20

// named is how many documents the task itself names or links to.
func named(r *source.DocRanking) int {
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
func (b *builder) complexity(q rank.Query) budget.Complexity {
	c := budget.Complexity{Files: len(q.Files), Words: len(strings.Fields(b.req.Task))}
	if b.ranking.Weight() == 0 {
		return c
	}
	var likely []int32
	folders := map[string]bool{}
	for _, i := range b.order {
		f := &b.view.Files()[i]
		if source.IsDocument(f) {
			continue
		}
		likely = append(likely, i)
		folders[path.Dir(f.Path)] = true
		if len(likely) == likelyFiles {
			break
		}
	}
	c.Directories = len(folders)
	c.Imports = b.ranking.ImportsBetween(likely)
	return c
}

// chooseSections makes candidates of the best sections of at most k documents, of
// at most limit tokens, until the next one would add little.
func (b *builder) chooseSections(r *source.DocRanking, k, limit int) {
	n := min(len(r.Sections), filledSections)
	if k == 0 {
		n = 0
	}
	r.Fill(b.reader, n)
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
		b.candidates = append(b.candidates, c)
	}
	for i := range n {
		switch s := &r.Sections[i]; {
		case !docs[s.Doc]:
		case full[i]:
			b.leaveSection(s, satchel.WhyNoRoom)
		case !taken[i]:
			b.leaveSection(s, whyMarginal)
		}
	}
}

// novelty is the share of what a section says about the task that no chosen one
// says, between leastNovel and 1. A document that the task links to says something
// whatever its words are, until it is chosen.
func novelty(r *source.DocRanking, s *source.DocSection, covered []bool, chosen bool) float64 {
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

func (b *builder) leaveSection(s *source.DocSection, why string) {
	tokens := 0
	if len(s.Item.Forms) > 0 {
		tokens = s.Item.Forms[0].Tokens
	}
	b.left = append(b.left, satchel.Omission{Ref: s.Item.Ref, Why: why, Score: round(s.Score.Value()), Tokens: tokens})
}

// leaveDocuments accounts for the documents of the repository, which are no
// candidates any more but for their chosen sections.
func (b *builder) leaveDocuments(r *source.DocRanking, offered []bool) {
	chosen := map[string]bool{}
	for i := range b.candidates {
		if c := &b.candidates[i]; c.Ref.Kind == satchel.KindDoc {
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
	files := b.view.Files()
	for _, i := range b.order {
		f := &files[i]
		if !offered[i] || b.accounted[i] || !source.IsDocument(f) {
			continue
		}
		b.accounted[i] = true
		if !chosen[f.Path] {
			b.left = append(b.left, satchel.Omission{
				Ref: satchel.Ref{Kind: satchel.KindDoc, Path: f.Path}, Why: whyDocuments, Score: round(best[f.Path]), Tokens: int(f.Size / bytesPerToken),
			})
		}
	}
}
