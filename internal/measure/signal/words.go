package signal

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel/rank"
)

// Constants of BM25 and BM25F. Those of saturation are the usual ones of the
// literature; the weights of fields are from the ablation on the development tasks.
const (
	k1 = 1.2 // how soon repeating a word in a file stops to count

	k3 = 8   // the same for a word of the task
	kF = 1.5 // and for the frequency that BM25F adds up over fields

	// What a word counts in a field, where in the body it counts 1.
	defWeight     = 3
	commentWeight = 0.7
	pathWeight    = 4
	baseWeight    = 4 // of the name of the file, besides that of the path

	titleWeight = 1.5 // of the task's title, besides what the word counts in the text
)

// querySaturation bounds what repeating a word n times in the task can do.
func querySaturation(n float32) float32 { return n * (k3 + 1) / (n + k3) }

// sat is the saturation of a frequency that was added up over fields, each
// already divided by its length.
func sat(tf float32) float32 { return tf * (kF + 1) / (tf + kF) }

// bm25 is what a term of this weight adds for its frequency; norm holds the length
// of what it stands in.
func bm25(weight, tf, norm float32) float32 { return weight * tf * (k1 + 1) / (tf + norm) }

// A field is one reading of a doc by one term: how often the term is in it, how
// long it is, and what the term weighs there.
type field struct {
	signal           rank.Signal
	tf, norm, weight float32
}

// add is what the field adds to the signal. The order of its operations is that
// of the digits that packs show.
func (f *field) add() float32 {
	switch f.signal {
	case rank.BM25Title, rank.BM25Quoted:
		return f.weight * bm25(1, f.tf, f.norm)
	}
	return bm25(f.weight, f.tf, f.norm)
}

// A weighedTerm is a term of the task that a file or a path holds.
type weighedTerm struct {
	rank.Term
	title, quoted float32 // what it weighs where the task has it so
	mixed         float32 // the text and the title

	docs   []docTerm
	chunks []chunkTerm
}

// fields returns how the term reads a doc.
func (x *weighedTerm) fields(d *docTerm, n *docNorm) [3]field {
	return [...]field{
		{rank.BM25Title, d.body, n.bm25, x.title},
		{rank.BM25Quoted, d.body, n.bm25, x.quoted},
		{rank.BM25Def, d.def, n.def, x.mixed},
	}
}

// wordScores are the sums that [Measurement.measureWords] makes, over all terms.
type wordScores struct {
	bm25f    []float32
	bySignal [3][]float32 // in the order of fields; by doc
	extra    []float32    // what the paths of files add to BM25F
	inPath   []float32    // weight of the terms in the path of a file
	inBoth   []float32    // of those in a chunk that are in the path too

	// Of the current term, by doc.
	tf       []float32 // BM25F's
	inPathOf []bool    // it is in the path of a file of the doc
}

// measureWords fills the lexical columns of files and the scores of chunks.
func (m *Measurement) measureWords() {
	nd, nc := len(m.docs), len(m.chunks)
	m.Chunk, m.ChunkDef, m.ChunkSays, m.ChunkCover = make([]float32, nc), make([]float32, nc), make([]float32, nc), make([]float32, nc)
	s := &wordScores{
		bm25f: make([]float32, nd), extra: make([]float32, len(m.files)),
		inPath: make([]float32, len(m.files)), inBoth: make([]float32, nc),
		tf: make([]float32, nd), inPathOf: make([]bool, nd),
	}
	for k := range s.bySignal {
		s.bySignal[k] = make([]float32, nd)
	}

	norms, paths := m.norms(), m.paths()
	list := m.weighTerms(paths)
	for i := range list {
		x, hits := &list[i], paths.of(list[i].Hash)
		s.addDocs(x, norms.docs)
		s.addPaths(m, x, hits)
		s.addChunks(m, x, norms.chunks)

		for _, d := range x.docs {
			s.tf[d.doc] = 0
		}
		for _, h := range hits {
			s.inPathOf[m.files[h.file].Doc] = false
		}
	}

	s.fill(m)
	m.measureChunks()
	m.measurePaths()
	s.fillPathChunk(m)
}

// weighTerms finds the terms of the task and weighs them. Those that neither a
// file nor a path holds are left out.
func (m *Measurement) weighTerms(paths *pathIndex) []weighedTerm {
	m.weights = map[uint64]float32{}
	m.held = make([]held, len(m.Query.Terms))
	list := make([]weighedTerm, 0, len(m.Query.Terms))
	for k, t := range m.Query.Terms {
		x := weighedTerm{Term: t, docs: slices.Clone(m.docTerms(t.Hash))}
		spread := 0.0 // counted docs that hold it
		for _, d := range x.docs {
			if m.counted[d.doc] {
				spread++
			}
		}
		x.chunks = make([]chunkTerm, len(m.postings))
		for i, p := range m.postings {
			x.chunks[i] = chunkTerm{p.Chunk, float32(p.Body), p.Def > 0, p.Comment > 0}
		}
		m.held[k].chunks = x.chunks

		df := max(spread, float64(len(paths.of(t.Hash))))
		if df == 0 { // documents alone hold it
			df = float64(len(x.docs))
			m.held[k].told = df > 0
		}
		if df == 0 {
			continue
		}
		idf := float32(m.idf(df))
		x.title = idf * querySaturation(t.Title)
		x.quoted = idf * querySaturation(t.Code)
		x.mixed = idf*querySaturation(t.Count) + titleWeight*x.title
		m.weights[t.Hash] = x.mixed
		m.total += x.mixed
		list = append(list, x)
	}
	return list
}

// addDocs adds what a term says of the docs that hold it.
func (s *wordScores) addDocs(x *weighedTerm, norms []docNorm) {
	for i := range x.docs {
		d := &x.docs[i]
		n := &norms[d.doc]
		for k, f := range x.fields(d, n) {
			if f.tf > 0 && f.weight > 0 {
				s.bySignal[k][d.doc] += f.add()
			}
		}

		// BM25F adds the frequencies of all fields up before it saturates them.
		tf := d.body*n.fBody + d.def*n.fDef + d.comment*n.fComment
		s.tf[d.doc] = tf
		s.bm25f[d.doc] += x.mixed * sat(tf)
	}
}

// addPaths adds what a term says of the files whose paths hold it: to BM25F the
// path is one more field.
func (s *wordScores) addPaths(m *Measurement, x *weighedTerm, hits []pathHit) {
	for _, h := range hits {
		doc := m.files[h.file].Doc
		tf := s.tf[doc]
		more := tf + pathWeight
		if h.base > 0 {
			more += baseWeight * float32(h.base)
		}
		s.extra[h.file] += x.mixed * (sat(more) - sat(tf))
		s.inPath[h.file] += x.mixed
		s.inPathOf[doc] = true
	}
}

// addChunks adds what a term says of the chunks that hold it.
func (s *wordScores) addChunks(m *Measurement, x *weighedTerm, norms []float32) {
	for _, c := range x.chunks {
		m.Chunk[c.chunk] += bm25(x.mixed, c.tf, norms[c.chunk])
		m.ChunkCover[c.chunk] += x.mixed
		if c.def {
			m.ChunkDef[c.chunk] += x.title
		}
		if c.comment {
			m.ChunkSays[c.chunk] += x.mixed
		}
		if s.inPathOf[m.chunks[c.chunk].Doc] {
			s.inBoth[c.chunk] += x.mixed
		}
	}
}

// fill fills the columns of files.
func (s *wordScores) fill(m *Measurement) {
	for k, f := range (&weighedTerm{}).fields(&docTerm{}, &docNorm{}) {
		m.toFiles(f.signal, s.bySignal[k])
	}
	m.toFiles(rank.BM25F, s.bm25f)

	for i, col := 0, m.Table.Column(rank.BM25F); i < len(col); i++ {
		col[i] += s.extra[i]
	}
}

// fillPathChunk fills the column of what a file's path and its best chunk cover
// together: what the path covers need not be in the function.
func (s *wordScores) fillPathChunk(m *Measurement) {
	both := m.Table.Column(rank.PathChunk)
	for i, f := range m.files {
		doc := m.docs[f.Doc]
		for c := doc.Chunk0; c < doc.Chunk1; c++ {
			both[i] = max(both[i], m.ChunkCover[c]-s.inBoth[c]+s.inPath[i])
		}
	}
}

// held is where a term of the task is.
type held struct {
	chunks []chunkTerm
	told   bool // documents and data alone hold it
}

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
	chunk        int32
	tf           float32
	def, comment bool // it is in a name defined there, in a comment
}

// measureChunks sums the scores of each doc's best chunks.
func (m *Measurement) measureChunks() {
	best, sum := make([]float32, len(m.docs)), make([]float32, len(m.docs))
	for d, doc := range m.docs {
		var a, b, c float32 // the three best
		for k := doc.Chunk0; k < doc.Chunk1; k++ {
			switch s := m.Chunk[k]; {
			case s > a:
				a, b, c = s, a, b
			case s > b:
				b, c = s, b
			case s > c:
				c = s
			}
		}
		best[d], sum[d] = a, a+b+c
	}
	m.toFiles(rank.ChunkBest, best)
	m.toFiles(rank.ChunkSum, sum)
}
