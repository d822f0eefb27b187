package signal

import (
	"slices"

	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// topSurprises is how many of the most telling words stand for a task.
const topSurprises = 3

// measureKinship adds to the evidence how much likelier the task is about this
// repository than about others, where elsewhere is the rate of a term in those:
// a word that a repository has is no evidence if all have it, and the rarest word
// of a repository may be a common one.
func (m *Measurement) measureKinship(e *rank.Evidence, elsewhere func(term uint64) float64) {
	n := len(m.chunks)
	best := int32(-1) // the chunk that holds the most of the task
	for c, w := range m.ChunkCover {
		if best < 0 || w > m.ChunkCover[best] {
			best = int32(c)
		}
	}
	var rare, together, terms64 float64
	var top []float64
	for i, t := range m.Query.Terms {
		if rank.Smalltalk(t.Hash) {
			continue
		}
		h := &m.held[i]
		rate := elsewhere(t.Hash)
		s := rank.Surprise(len(h.chunks), n, rate)
		w := float64(querySaturation(t.Count) + titleWeight*querySaturation(t.Title))
		terms64 += w
		e.Surprise += w * s
		top = append(top, s)
		r := rank.Rarity(rate)
		rare += r
		if h.in(best) {
			together += r
			e.Together += max(s, 0)
		}
		if len(h.chunks) > 0 {
			e.Naming += max(s, 0) * float64(h.defs()) / float64(len(h.chunks))
		}
		if terms.KindOf(t.Hash) == terms.KindIdent {
			if len(h.chunks) > 0 {
				e.Idents++
			} else {
				e.NoIdents++
			}
		}
	}
	e.MeanSurprise = e.Surprise / (terms64 + priorTerms)
	e.TogetherShare = together / (rare + priorRare)
	slices.Sort(top)
	for _, s := range top[max(0, len(top)-topSurprises):] {
		e.TopSurprise += s
	}
	m.measureDefinitions(e, elsewhere)
	m.measureJoined(e, elsewhere)
}

// What shares are of besides, so that those of short tasks are near nothing.
const (
	priorTerms   = 4
	priorRare    = 0.5
	priorPhrases = 4
)

// measureDefinitions adds how surprising the definitions are that the task names.
func (m *Measurement) measureDefinitions(e *rank.Evidence, elsewhere func(term uint64) float64) {
	seen := make(map[string]bool, evidenceNames)
	add := func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		term := terms.Def(name)
		m.postings = m.View.Postings(m.postings[:0], term)
		e.DefSurprise += rank.SurpriseIdent(len(m.postings), len(m.chunks), elsewhere(term))
	}
	for _, name := range m.Query.Exact {
		add(name)
	}
	for _, n := range m.Query.Names[:min(len(m.Query.Names), evidenceNames)] {
		if terms.Compound(n.Spelling) || n.Weight >= 1 {
			add(n.Spelling)
		}
	}
}

// leastJoined is the surprise from which on two neighbouring words of the task
// count as an identifier of the repository.
const leastJoined = 0.05

// measureJoined adds how surprising the identifiers are that neighbouring words of
// the task make.
func (m *Measurement) measureJoined(e *rank.Evidence, elsewhere func(term uint64) float64) {
	all := 0.0
	for i, p := range m.Query.Phrases {
		n := m.joined[i]
		s := max(
			rank.SurpriseIdent(int(n[0]), len(m.chunks), elsewhere(p.Joined)),
			rank.SurpriseIdent(int(n[1]), len(m.chunks), elsewhere(p.Snake)),
		)
		w := min(float64(p.Weight), 3)
		all += w
		if s > leastJoined {
			e.Joined += w * s
		}
	}
	e.MeanJoined = e.Joined / (all + priorPhrases)
}
