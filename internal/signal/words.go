package signal

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel/rank"
)

// Weights of BM25F's fields and the constants of its saturation, from the
// ablation on the development tasks.
const (
	defWeight     = 3
	commentWeight = 0.7
	pathWeight    = 4
	baseWeight    = 4
	titleWeight   = 1.5
	k1            = 1.2
	topTerms      = 20
)

// querySaturation bounds what repeating a word in the task can do (BM25's k3).
func querySaturation(n float32) float32 { return n * 9 / (n + 8) }

// sat is BM25's term frequency saturation for field-weighted frequencies.
func sat(tf float32) float32 { return tf * 2.5 / (tf + 1.5) }

// measureWords fills the lexical columns of files and the scores of chunks.
func (m *Measurement) measureWords() {
	nd, nf := len(m.docs), len(m.files)
	m.Chunk = make([]float32, len(m.chunks))
	m.ChunkDef = make([]float32, len(m.chunks))
	m.ChunkCover = make([]float32, len(m.chunks))
	m.ChunkTitle = make([]float32, len(m.chunks))
	m.weights = map[uint64]float32{}

	norm, chunkNorm := m.norms().docs, m.norms().chunks
	type column struct {
		signal rank.Signal
		byDoc  []float32
	}
	cols := [...]column{
		{rank.Distinct, make([]float32, nd)},
		{rank.BM25, make([]float32, nd)},
		{rank.BM25Title, make([]float32, nd)},
		{rank.BM25Quoted, make([]float32, nd)},
		{rank.BM25Def, make([]float32, nd)},
		{rank.BM25Comment, make([]float32, nd)},
		{rank.BM25F, make([]float32, nd)},
		{rank.BM25FTop, make([]float32, nd)},
		{rank.BM25Lead, make([]float32, nd)},
	}
	distinct, bm25, title, quoted := cols[0].byDoc, cols[1].byDoc, cols[2].byDoc, cols[3].byDoc
	defs, comments, bm25f, bm25fTop := cols[4].byDoc, cols[5].byDoc, cols[6].byDoc, cols[7].byDoc
	lead := cols[8].byDoc
	extra, extraTop := make([]float32, nf), make([]float32, nf) // what paths add to BM25F

	// The terms' weights first: the most telling ones need them all.
	type weighted struct {
		term           rank.Term
		idf            float32
		plain, t, q, l float32 // body, title, quoted, lead
		w              float32 // body and title mixed
		top            bool
	}
	list := make([]weighted, 0, len(m.Query.Terms))
	cache := make([][]docTerm, 0, len(m.Query.Terms))
	chunkCache := make([][]chunkTerm, 0, len(m.Query.Terms))
	spread := make([]float64, len(m.Query.Terms)) // counted docs that hold each term
	for k, t := range m.Query.Terms {
		found := m.docTerms(t.Hash)
		for _, x := range found {
			if m.counted[x.doc] {
				spread[k]++
			}
		}
		cache = append(cache, slices.Clone(found))
		ct := make([]chunkTerm, len(m.postings))
		for i, p := range m.postings {
			ct[i] = chunkTerm{p.Chunk, float32(p.Body), p.Def > 0}
		}
		chunkCache = append(chunkCache, ct)
	}
	paths := m.paths()
	kept := 0
	m.held = make([]held, len(m.Query.Terms))
	for k, t := range m.Query.Terms {
		df := max(spread[k], float64(len(paths.of(t.Hash))))
		m.held[k].chunks = chunkCache[k]
		if df == 0 {
			continue
		}
		cache[kept], chunkCache[kept] = cache[k], chunkCache[k]
		kept++
		x := weighted{term: t, idf: float32(m.idf(df))}
		x.plain = x.idf * querySaturation(t.Count)
		x.t = x.idf * querySaturation(t.Title)
		x.q = x.idf * querySaturation(t.Code)
		x.l = x.idf * querySaturation(t.Lead)
		x.w = x.plain + titleWeight*x.t
		m.weights[t.Hash] = x.w
		m.total += x.w
		list = append(list, x)
	}
	byWeight := make([]int, len(list))
	for i := range byWeight {
		byWeight[i] = i
	}
	slices.SortFunc(byWeight, func(a, b int) int {
		return cmp.Or(cmp.Compare(list[b].w, list[a].w), cmp.Compare(list[a].term.Hash, list[b].term.Hash))
	})
	for k, i := range byWeight {
		list[i].top = k < topTerms
	}

	tfOf := make([]float32, nd)
	inPath := make([]float32, nf)            // weight of the terms in the path
	inBoth := make([]float32, len(m.chunks)) // weight of those that are in the chunk too
	inPathOf := make([]bool, nd)
	for i, x := range list {
		for _, d := range cache[i] {
			n := &norm[d.doc]
			if d.body > 0 {
				distinct[d.doc]++
				s := d.body * (k1 + 1) / (d.body + n.bm25)
				bm25[d.doc] += x.plain * s
				title[d.doc] += x.t * s
				quoted[d.doc] += x.q * s
			}
			if d.def > 0 {
				defs[d.doc] += x.w * d.def * (k1 + 1) / (d.def + n.def)
			}
			if d.comment > 0 {
				comments[d.doc] += x.w * d.comment * (k1 + 1) / (d.comment + n.comment)
			}
			if x.l > 0 {
				// Definitions count more here: the first lines name what is wrong.
				tf := d.body + 2*d.def
				lead[d.doc] += x.l * tf * (k1 + 1) / (tf + n.bm25)
			}
			tf := d.body*n.fBody + d.def*n.fDef + d.comment*n.fComment
			tfOf[d.doc] = tf
			s := x.w * sat(tf)
			bm25f[d.doc] += s
			if x.top {
				bm25fTop[d.doc] += s
			}
		}
		for _, h := range paths.of(x.term.Hash) {
			tf := tfOf[m.files[h.file].Doc]
			more := tf + pathWeight
			if h.base > 0 {
				more += baseWeight * float32(h.base)
			}
			s := x.w * (sat(more) - sat(tf))
			inPath[h.file] += x.w
			inPathOf[m.files[h.file].Doc] = true
			extra[h.file] += s
			if x.top {
				extraTop[h.file] += s
			}
		}
		for _, d := range cache[i] {
			tfOf[d.doc] = 0
		}
		for _, c := range chunkCache[i] {
			m.Chunk[c.chunk] += x.w * c.tf * (k1 + 1) / (c.tf + chunkNorm[c.chunk])
			m.ChunkCover[c.chunk] += x.w
			m.ChunkTitle[c.chunk] += x.t
			if c.def {
				m.ChunkDef[c.chunk] += x.w
			}
			if inPathOf[m.chunks[c.chunk].Doc] {
				inBoth[c.chunk] += x.w
			}
		}
		for _, h := range paths.of(x.term.Hash) {
			inPathOf[m.files[h.file].Doc] = false
		}
	}
	for _, c := range cols {
		m.toFiles(c.signal, c.byDoc)
	}
	f, fTop := m.Table.Column(rank.BM25F), m.Table.Column(rank.BM25FTop)
	for i := range m.files {
		f[i] += extra[i]
		fTop[i] += extraTop[i]
	}
	m.measureChunks()
	m.measurePaths()

	// What the path covers need not be in the function.
	both := m.Table.Column(rank.PathChunk)
	for i, f := range m.files {
		doc := m.docs[f.Doc]
		for c := doc.Chunk0; c < doc.Chunk1; c++ {
			both[i] = max(both[i], m.ChunkCover[c]-inBoth[c]+inPath[i])
		}
	}
}

// held is where a term of the task is.
type held struct{ chunks []chunkTerm }

// defs is in how many chunks it is part of a name that they define.
func (h *held) defs() (n int) {
	for _, c := range h.chunks {
		if c.def {
			n++
		}
	}
	return n
}

// in reports whether a chunk holds it.
func (h *held) in(chunk int32) bool {
	_, ok := slices.BinarySearchFunc(h.chunks, chunk, func(c chunkTerm, chunk int32) int { return cmp.Compare(c.chunk, chunk) })
	return ok
}

type chunkTerm struct {
	chunk int32
	tf    float32
	def   bool
}

// measureChunks sums the scores of each doc's best chunks.
func (m *Measurement) measureChunks() {
	best, sum, cover, title := make([]float32, len(m.docs)), make([]float32, len(m.docs)), make([]float32, len(m.docs)), make([]float32, len(m.docs))
	for d, doc := range m.docs {
		var a, b, c, cov float32 // the three best
		for k := doc.Chunk0; k < doc.Chunk1; k++ {
			switch s := m.Chunk[k]; {
			case s > a:
				a, b, c = s, a, b
			case s > b:
				b, c = s, b
			case s > c:
				c = s
			}
			cov = max(cov, m.ChunkCover[k])
			title[d] = max(title[d], m.ChunkTitle[k])
		}
		best[d], sum[d], cover[d] = a, a+b+c, cov
	}
	m.toFiles(rank.ChunkBest, best)
	m.toFiles(rank.ChunkSum, sum)
	m.toFiles(rank.ChunkCover, cover)
	m.toFiles(rank.TitleCover, title)
}
