package signal

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel/internal/terms"
	"github.com/satchel-dev/satchel/rank"
)

// What Evidence looks at, so that a long prompt costs no more than a short one.
const (
	evidenceTerms = 40 // the rarest of the prompt
	evidenceNames = 40
	evidenceFiles = 60 // the files whose functions may be shown
	leadFiles     = 20 // the files that a task at most needs
)

// Evidence measures what speaks for the query being about the repository, in the
// functions of the first files of an order with its scores.
func (m *Measurement) Evidence(order []int32, scores []float32) rank.Evidence {
	var e rank.Evidence
	type known struct {
		term uint64
		idf  float64
	}
	var list []known
	for _, t := range m.Query.Terms {
		if rank.Smalltalk(t.Hash) {
			continue
		}
		w, ok := m.weights[t.Hash]
		if !ok {
			e.Unknown++
		} else if n := querySaturation(t.Count) + titleWeight*querySaturation(t.Title); n > 0 {
			list = append(list, known{t.Hash, float64(w / n)})
		}
	}
	slices.SortFunc(list, func(a, b known) int { return cmp.Or(cmp.Compare(b.idf, a.idf), cmp.Compare(a.term, b.term)) })
	list = list[:min(len(list), evidenceTerms)]
	unique := m.idf(1)
	likely := make(map[int32]bool, evidenceFiles)
	for _, i := range order[:min(len(order), evidenceFiles)] {
		likely[m.files[i].Doc] = true
		if col := m.Table.Columns[rank.FileNamed]; col != nil {
			e.Files = max(e.Files, float64(col[i]))
		}
	}
	cover := make(map[int32]float64)
	for _, k := range list {
		w := k.idf / unique
		e.Known += w
		m.postings = m.View.Postings(m.postings[:0], k.term)
		e.Terms++
		named := 0
		for _, p := range m.postings {
			if p.Def > 0 {
				named++
			}
			if likely[m.chunks[p.Chunk].Doc] {
				cover[p.Chunk] += w
				e.Cover = max(e.Cover, cover[p.Chunk])
			}
		}
		if n := len(m.postings); n > 0 {
			e.Defs += float64(named) / float64(n)
		}
	}
	for _, n := range m.Query.Names[:min(len(m.Query.Names), evidenceNames)] {
		if !terms.Compound(n.Spelling) && n.Weight < 1 {
			continue // a plain word
		}
		if m.postings = m.View.Postings(m.postings[:0], terms.Def(n.Spelling)); len(m.postings) > 0 {
			e.Named += 1 / float64(len(m.postings))
		}
	}
	for _, name := range m.Query.Exact {
		if m.postings = m.View.Postings(m.postings[:0], terms.Def(name)); len(m.postings) > 0 {
			e.Exact = max(e.Exact, 1/float64(len(m.postings)))
		}
	}
	if len(order) > 0 {
		e.Lead = float64(scores[order[0]] - scores[order[min(leadFiles, len(order))-1]])
	}
	return e
}
