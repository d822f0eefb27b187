package signal

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// A TaskTerm is a term of a task with what it weighs among documents.
type TaskTerm struct {
	Hash   uint64
	Weight float32 // idf times how often the task says it, more in its title
}

// DocumentWords are the words of a task as the documents of a view know them.
type DocumentWords struct {
	Terms []TaskTerm
	Best  []float32 // by View.Docs: BM25 of the best chunk; 0 where is did not hold
}

// Documents weighs the task's terms by the chunks of documents, which are the
// Docs that is holds for, and scores each by its best chunk and the words of its
// paths.
func Documents(v *index.View, q rank.Query, is []bool) *DocumentWords {
	chunks, docs := v.Chunks(), v.Docs()
	w := &DocumentWords{Best: make([]float32, len(docs))}
	var n, length float64
	for d, doc := range docs {
		if is[d] {
			for _, c := range chunks[doc.Chunk0:doc.Chunk1] {
				n++
				length += float64(c.Terms)
			}
		}
	}
	mean := float32(length/max(n, 1)) + 1
	byChunk := make([]float32, len(chunks))
	var postings []index.Posting
	for _, t := range q.Terms {
		postings = v.Postings(postings[:0], t.Hash)
		df := 0.0
		for _, p := range postings {
			if is[chunks[p.Chunk].Doc] {
				df++
			}
		}
		idf := float32(math.Log(1 + (n-df+0.5)/(df+0.5)))
		x := TaskTerm{t.Hash, idf * (querySaturation(t.Count) + titleWeight*querySaturation(t.Title))}
		if x.Weight == 0 {
			continue
		}
		w.Terms = append(w.Terms, x)
		for _, p := range postings {
			c := &chunks[p.Chunk]
			if !is[c.Doc] {
				continue
			}
			tf := float32(p.Body) + defWeight*float32(p.Def)
			byChunk[p.Chunk] += x.Weight * tf * (k1 + 1) / (tf + k1*(0.5+0.5*float32(c.Terms)/mean))
		}
	}
	weight := map[uint64]float32{}
	for _, t := range w.Terms {
		weight[t.Hash] = t.Weight
	}
	for d, doc := range docs {
		for c := doc.Chunk0; c < doc.Chunk1 && is[d]; c++ {
			w.Best[d] = max(w.Best[d], byChunk[c])
		}
	}
	var a terms.Analyzer
	for _, f := range v.Files() {
		if !is[f.Doc] {
			continue
		}
		a.Each([]byte(f.Path), func(h uint64) { w.Best[f.Doc] += weight[h] / 2 })
	}
	return w
}

// A SectionText is the text of one section, by field.
type SectionText struct {
	Doc   int    // which document it is of; those of one are in a row
	Title string // its own heading
	Trail string // the headings above it and the path
	Prose [][]byte
	Code  [][]byte // lines in blocks of code
}

// A SectionMatch is how well a section matches a task.
type SectionMatch struct {
	BM25  float32 // all of its text alike
	BM25F float32 // by field
	Whole float32 // BM25F of its whole document
	Cover float32 // share of the task's weight that occurs, in 0..1
	Terms []int32 // those of the task that occur, ascending
}

// Sections measures sections against the terms of a task, with the fields weighed
// as w says, on all cores.
func Sections(list []TaskTerm, texts []SectionText, w rank.DocumentWeights) []SectionMatch {
	x := &sectionCounts{list: list, texts: texts, weights: [4]float32{float32(w.Title), float32(w.Trail), 1, float32(w.Code)}}
	x.count()
	out := make([]SectionMatch, len(texts))
	x.match(out, float32(w.Length))
	x.matchWhole(out)
	return out
}

// sectionCounts are how often the terms of a task occur in sections.
type sectionCounts struct {
	list    []TaskTerm
	texts   []SectionText
	weights [4]float32 // of the fields: title, trail, prose and code
	counts  []sectionCount
}

type sectionCount struct {
	terms  []int32      // of the list, those that occur
	fields [][4]float32 // how often each occurs, by field
	length float32      // terms in all, weighed by field
	plain  float32      // terms in all
}

func (x *sectionCounts) count() {
	at := make(map[uint64]int32, len(x.list))
	for i, t := range x.list {
		at[t.Hash] = int32(i)
	}
	x.counts = make([]sectionCount, len(x.texts))
	parallel(len(x.texts), func(next func() int) {
		var a terms.Analyzer
		slot := make([]int32, len(x.list)) // of each term, its place in c.terms and one more
		for i := next(); i >= 0; i = next() {
			c, t := &x.counts[i], &x.texts[i]
			field := func(f int, text []byte) {
				a.Each(text, func(h uint64) {
					c.plain++
					c.length += x.weights[f]
					k, ok := at[h]
					if !ok {
						return
					}
					if slot[k] == 0 {
						c.terms, c.fields = append(c.terms, k), append(c.fields, [4]float32{})
						slot[k] = int32(len(c.terms))
					}
					c.fields[slot[k]-1][f]++
				})
			}
			field(0, []byte(t.Title))
			field(1, []byte(t.Trail))
			for _, line := range t.Prose {
				field(2, line)
			}
			for _, line := range t.Code {
				field(3, line)
			}
			for _, k := range c.terms {
				slot[k] = 0
			}
		}
	})
}

// match sets how well each section matches by itself. b is how much its length
// counts, as in BM25.
func (x *sectionCounts) match(out []SectionMatch, b float32) {
	var mean, meanPlain, total float32
	for i := range x.counts {
		mean += x.counts[i].length / float32(len(x.counts))
		meanPlain += x.counts[i].plain / float32(len(x.counts))
	}
	for _, t := range x.list {
		total += t.Weight
	}
	for i := range x.counts {
		c, m := &x.counts[i], &out[i]
		norm := k1 * (1 - b + b*c.length/max(mean, 1))
		plain := k1 * (0.25 + 0.75*c.plain/max(meanPlain, 1))
		for j, k := range c.terms {
			var tf, all float32
			for f, n := range c.fields[j] {
				tf += x.weights[f] * n
				all += n
			}
			weight := x.list[k].Weight
			m.BM25F += weight * tf * (k1 + 1) / (tf + norm)
			m.BM25 += weight * all * (k1 + 1) / (all + plain)
			m.Cover += weight / max(total, 1e-6)
		}
		m.Terms = c.terms
	}
}

// matchWhole sets how well the whole document of each section matches.
func (x *sectionCounts) matchWhole(out []SectionMatch) {
	docs := 0
	for i := range x.texts {
		if i == 0 || x.texts[i].Doc != x.texts[i-1].Doc {
			docs++
		}
	}
	var length float32
	for i := range x.counts {
		length += x.counts[i].length / float32(max(docs, 1))
	}

	tf := make([]float32, len(x.list))
	for from := 0; from < len(x.texts); {
		to, own := from, float32(0)
		for to < len(x.texts) && x.texts[to].Doc == x.texts[from].Doc {
			own += x.counts[to].length
			for j, k := range x.counts[to].terms {
				for f, n := range x.counts[to].fields[j] {
					tf[k] += x.weights[f] * n
				}
			}
			to++
		}
		var whole float32
		norm := k1 * (0.25 + 0.75*own/max(length, 1))
		for k, n := range tf {
			whole += x.list[k].Weight * n * (k1 + 1) / (n + norm)
			tf[k] = 0
		}
		for i := from; i < to; i++ {
			out[i].Whole = whole
		}
		from = to
	}
}

// parallel runs work on all cores; next gives out the numbers below n, then -1.
func parallel(n int, work func(next func() int)) {
	var at atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			work(func() int {
				if i := int(at.Add(1)) - 1; i < n {
					return i
				}
				return -1
			})
		})
	}
	wg.Wait()
}
