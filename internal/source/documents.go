package source

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

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

// Documents offers sections of documents, as many as their share of
// the budget and the task's complexity allow. The other documents are then no
// candidates: a document is shown by its sections or not at all.
type Documents struct{}

func (Documents) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	q, e := sc.Query, sc.Project
	want := sc.Req.Documents
	if want == nil || want.Most <= 0 {
		return o, nil
	}
	offered := make([]bool, len(sc.View.Files()))
	if sc.Req.Budget > 0 { // without a limit all documents of the repository are shown
		for _, i := range sc.Order {
			offered[i] = !sc.Accounted[i]
		}
	}
	opts := ranking.DocOptions{
		Depth: want.Depth, Linked: want.Linked, NoLinks: want.NoLinks, MaxBytes: want.MaxBytes,
		Within: func(i int32) bool { return offered[i] },
	}
	if opts.Vault, err = e.ReadVault(ctx, want.MaxBytes); err != nil {
		return o, err
	}
	if sc.Meaning != nil {
		opts.Similar, opts.Weights = sc.Meaning.Similarities, e.Docs
	}
	r, err := sc.Reader.Documents(ctx, q, sc.Req.Task, opts)
	if err != nil {
		return o, err
	}
	if want.IfLinked && named(r) == 0 {
		return o, nil
	}
	o.Diagnostics = append(o.Diagnostics, r.Diagnostics...)
	look := sc.Complexity()
	k := budget.Documents(look, want.Most)
	k = max(k, min(named(r), want.Most))
	limit := math.MaxInt
	if sc.Req.Budget > 0 {
		share := cmp.Or(max(want.Share, 0), budget.DocumentShare(look))
		limit = int(float64(sc.Req.Budget)*share + 0.5)
		if !hasCode(sc, offered) { // documents are all that is asked for
			k, limit = want.Most, sc.Req.Budget
		}
	}
	chooseSections(sc, &o, r, k, limit)
	leaveDocuments(sc, &o, r, offered)
	return o, nil
}

// hasCode reports whether any code is on offer.
func hasCode(sc *scene.Scene, offered []bool) bool {
	return slices.ContainsFunc(sc.Order, func(i int32) bool {
		c := sc.View.Files()[i].Class
		return offered[i] && (c == outline.Source || c == outline.Test)
	})
}

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

// chooseSections makes candidates of the best sections of at most k documents, of
// at most limit tokens, until the next one would add little.
func chooseSections(sc *scene.Scene, o *scene.Offer, r *ranking.DocRanking, k, limit int) {
	n := min(len(r.Sections), filledSections)
	if k == 0 {
		n = 0
	}
	r.Fill(sc.Reader, n)
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
			it.Note = clean.Const(outdated)
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
			leaveSection(o, s, satchel.WhyNoRoom)
		case !taken[i]:
			leaveSection(o, s, whyMarginal)
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

func leaveSection(o *scene.Offer, s *ranking.DocSection, why string) {
	tokens := 0
	if len(s.Item.Forms) > 0 {
		tokens = s.Item.Forms[0].Tokens
	}
	o.Omitted = append(o.Omitted, satchel.Omission{Ref: s.Item.Ref, Why: why, Score: rank.Round(s.Score.Value()), Tokens: tokens})
}

// leaveDocuments accounts for the documents of the repository, which are no
// candidates any more but for their chosen sections.
func leaveDocuments(sc *scene.Scene, o *scene.Offer, r *ranking.DocRanking, offered []bool) {
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
	files := sc.View.Files()
	for _, i := range sc.Order {
		f := &files[i]
		if !offered[i] || sc.Accounted[i] || !ranking.IsDocument(f) {
			continue
		}
		sc.Accounted[i] = true
		if !chosen[f.Path] {
			o.Omitted = append(o.Omitted, satchel.Omission{
				Ref: satchel.Ref{Kind: satchel.KindDoc, Path: f.Path}, Why: whyDocuments, Score: rank.Round(best[f.Path]), Tokens: int(f.Size / tokens.CodeBytes),
			})
		}
	}
}
