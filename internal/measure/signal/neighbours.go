package signal

import (
	"cmp"
	"math"
	"path"
	"slices"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// Constants of the second pass.
const (
	feedbackDocs  = 5
	feedbackTerms = 30
	backEdge      = 0.7 // being imported says less than importing
	rareSymbol    = 20  // a name defined in more docs connects nothing
	popularUse    = 60  // nor does one used in more
)

// Second measures what depends on files already found likely: seeds are rows
// of the Table, weights sum to 1. scores are the first pass's, for all rows.
func (m *Measurement) Second(seeds []int, weights, scores []float32) {
	for s := rank.Imports; s <= rank.FirstPass; s++ {
		clear(m.Table.Column(s)) // it may be another model's turn
	}
	copy(m.Table.Column(rank.FirstPass), scores)
	side := m.fork()
	inParallel(func() {
		m.measureImports(seeds, weights)
		m.measureSymbols(seeds, weights)
		m.measureCoChange(seeds, weights)
		m.measureFolder(scores)
	}, func() {
		side.measureFeedback(seeds, weights)
	})
}

// likelihood turns scores into values in 0..1, relative to the best.
func likelihood(scores []float32) []float32 {
	best := float32(math.Inf(-1))
	for _, s := range scores {
		best = max(best, s)
	}
	mass := make([]float32, len(scores))
	for i, s := range scores {
		mass[i] = float32(math.Exp(float64(s-best) / 3))
	}
	return mass
}

// measureImports follows imports one step from the seeds, both ways.
func (m *Measurement) measureImports(seeds []int, weights []float32) {
	col := m.Table.Column(rank.Imports)
	r := m.resolver()
	for k, i := range seeds {
		out := r.imports(int32(i))
		for _, e := range out {
			col[e.file] += weights[k] * e.weight / float32(len(out))
		}
		// Importers: docs that import something whose last component is this
		// module's, checked by resolving what they import.
		var in []int32
		name := stemOf(m.lower[i])
		if m.files[i].Lang == "go" {
			name = path.Base(path.Dir(m.lower[i]))
		}
		for _, d := range m.docTerms(terms.Import(name)) {
			for _, j := range m.docFiles[d.doc] {
				if int(j) != i && r.importsFile(j, int32(i)) {
					in = append(in, j)
				}
			}
		}
		for _, j := range in {
			col[j] += backEdge * weights[k] / float32(len(in))
		}
	}
}

// measureSymbols connects files that define what the seeds use, and files that
// use what the seeds define, by compound names: plain words name too much.
func (m *Measurement) measureSymbols(seeds []int, weights []float32) {
	out := make([]float32, len(m.docs))
	var buf []index.TermCount
	for k, i := range seeds {
		doc := m.files[i].Doc
		buf = m.View.DocTerms(buf[:0], doc)
		var defined, used float32
		type edge struct {
			doc int32
			w   float32
			def bool
		}
		var edges []edge
		for _, t := range buf {
			if terms.KindOf(t.Term) != terms.KindIdent {
				continue
			}
			n, ok := m.known.get(t.Term)
			if !ok {
				n = connects(m.someDocs(t.Term, popularUse))
				m.known.put(t.Term, n)
			}
			found, defs, here := n.docs, n.defs, false
			for _, d := range found {
				here = here || d.Def > 0 && d.Doc == doc
			}
			for _, d := range found {
				switch {
				case d.Doc == doc:
				case d.Def > 0:
					w := float32(math.Sqrt(float64(t.N))) / float32(defs)
					edges = append(edges, edge{d.Doc, w, true})
					defined += w
				case here:
					w := float32(1 / math.Sqrt(float64(len(found))))
					edges = append(edges, edge{d.Doc, w, false})
					used += w
				}
			}
		}
		for _, e := range edges {
			if e.def {
				out[e.doc] += weights[k] * e.w / defined
			} else {
				out[e.doc] += backEdge * weights[k] * e.w / used
			}
		}
	}
	m.toFiles(rank.Symbols, out)
}

// A connection is where a name occurs that is rare enough to connect files.
type connection struct {
	docs []index.DocPosting // empty if the name connects nothing
	defs int                // how many of them define it
}

// connects makes the connection of a name in found, which it copies.
func connects(found []index.DocPosting) (n connection) {
	if len(found) > popularUse || len(found) < 2 {
		return n
	}
	for _, d := range found {
		if d.Def > 0 {
			n.defs++
		}
	}
	if n.defs == 0 || n.defs > rareSymbol {
		return connection{}
	}
	n.docs = slices.Clone(found)
	return n
}

// measureCoChange credits files that changed in one commit with seeds.
func (m *Measurement) measureCoChange(seeds []int, weights []float32) {
	h := m.View.History()
	if h == nil || len(h.Commits) == 0 {
		return
	}
	fileOf := m.past().fileOf
	seed := make([]float32, len(m.files))
	for k, i := range seeds {
		seed[i] = weights[k]
	}
	now := m.now(h)
	col := m.Table.Column(rank.CoChange)
	for _, c := range h.Commits {
		if c.Changed > focused || len(c.Files) < 2 {
			continue
		}
		var s float32
		for _, f := range c.Files {
			if i := fileOf[f]; i >= 0 {
				s += seed[i]
			}
		}
		if s == 0 {
			continue
		}
		days := max(0, float64(now-c.Time)/day)
		s *= float32(math.Exp(-days/365)) / float32(len(c.Files))
		for _, f := range c.Files {
			if i := fileOf[f]; i >= 0 {
				col[i] += s - s*seed[i] // a seed does not vouch for itself
			}
		}
	}
}

// measureFolder gives each file the mean likelihood of the three likeliest
// other files of its folder.
func (m *Measurement) measureFolder(scores []float32) {
	mass := likelihood(scores)
	col := m.Table.Column(rank.Folder)
	for _, files := range m.inFolder() {
		var top [4]float32 // largest first
		for _, i := range files {
			v := mass[i]
			for k := range top {
				if v > top[k] {
					v, top[k] = top[k], v
				}
			}
		}
		three := top[0] + top[1] + top[2]
		for _, i := range files {
			s := three
			if mass[i] >= top[2] {
				s = three - mass[i] + top[3]
			}
			col[i] = s / 3
		}
	}
}

// measureFeedback searches again with terms typical of the likeliest files.
func (m *Measurement) measureFeedback(seeds []int, weights []float32) {
	gain := map[uint64]float32{}
	var buf []index.TermCount
	for k := 0; k < len(seeds) && k < feedbackDocs; k++ {
		doc := m.files[seeds[k]].Doc
		buf = m.View.DocTerms(buf[:0], doc)
		for _, t := range buf {
			if kind := terms.KindOf(t.Term); kind == terms.KindWord || kind == terms.KindIdent {
				gain[t.Term] += weights[k] * float32(t.N) / float32(m.docs[doc].Body+1)
			}
		}
	}
	type weighted struct {
		term uint64
		w    float32
	}
	list := make([]weighted, 0, len(gain))
	for t, g := range gain {
		list = append(list, weighted{t, g})
	}
	byWeight := func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.w, a.w), cmp.Compare(a.term, b.term))
	}
	slices.SortFunc(list, byWeight)
	list = list[:min(len(list), 12*feedbackTerms)] // the rest cannot win by rarity alone
	kept := make([]weighted, 0, feedbackTerms+1)   // by weight
	for _, x := range list {
		least := float32(0) // that a term must weigh to be kept
		if len(kept) == feedbackTerms {
			least = kept[feedbackTerms-1].w
		}
		df := m.spreadOf(x.term, x.w, least)
		if df >= 2 && df < 0.1*m.nCounted || df >= 1 && m.nCounted < 20 {
			x.w *= float32(math.Log(m.nCounted/df + 1e-3))
			at, _ := slices.BinarySearchFunc(kept, x, byWeight)
			kept = slices.Insert(kept, at, x)
			kept = kept[:min(len(kept), feedbackTerms)]
		}
	}

	out := make([]float32, len(m.docs))
	for _, x := range kept {
		w := x.w / kept[0].w
		for _, d := range m.docTerms(x.term) {
			norm := k1 * (0.25 + 0.75*float32(m.docs[d.doc].Body)/m.mean.body)
			out[d.doc] += w * d.body * (k1 + 1) / (d.body + norm)
		}
	}
	m.toFiles(rank.Feedback, out)
}

// spreadOf returns in how many docs that count a term is. Counting stops at so many
// that the term is too common, or that with its weight it comes to less than least:
// then the number is too small, and still too large for the term to be kept.
func (m *Measurement) spreadOf(term uint64, weight, least float32) float64 {
	if df, ok := m.spread.get(term); ok {
		return df
	}
	common, most := len(m.docs), len(m.docs)
	if m.nCounted >= 20 && weight > 0 {
		common = int(0.1 * m.nCounted)
		enough := m.nCounted / (math.Exp(float64(least/weight)) - 1e-3)
		most = int(min(float64(common), 1.01*enough+1)) // digits are lost on the way there and back
	}
	df := m.View.CountDocs(term, m.counted, most)
	if df <= most || most == common {
		m.spread.put(term, float64(df))
	}
	return float64(df)
}
