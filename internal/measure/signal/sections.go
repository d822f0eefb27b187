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
	at := make(map[uint64]int32, len(list))
	for i, t := range list {
		at[t.Hash] = int32(i)
	}
	type counted struct {
		terms  []int32
		fields [][4]float32 // title, trail, prose and code of each
		length float32      // weighed by field
		plain  float32
	}
	weights := [4]float32{float32(w.Title), float32(w.Trail), 1, float32(w.Code)}
	counts := make([]counted, len(texts))
	parallel(len(texts), func(next func() int) {
		var a terms.Analyzer
		slot := make([]int32, len(list))
		for i := next(); i >= 0; i = next() {
			c, t := &counts[i], &texts[i]
			field := func(f int, text []byte) {
				a.Each(text, func(h uint64) {
					c.plain++
					c.length += weights[f]
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
	var mean, meanPlain float32
	for i := range counts {
		mean += counts[i].length / float32(len(counts))
		meanPlain += counts[i].plain / float32(len(counts))
	}
	out := make([]SectionMatch, len(texts))
	b := float32(w.Length)
	var total float32
	for _, t := range list {
		total += t.Weight
	}
	for i := range counts {
		c, m := &counts[i], &out[i]
		norm := k1 * (1 - b + b*c.length/max(mean, 1))
		plain := k1 * (0.25 + 0.75*c.plain/max(meanPlain, 1))
		for j, k := range c.terms {
			var tf, all float32
			for f, n := range c.fields[j] {
				tf += weights[f] * n
				all += n
			}
			m.BM25F += list[k].Weight * tf * (k1 + 1) / (tf + norm)
			m.BM25 += list[k].Weight * all * (k1 + 1) / (all + plain)
			m.Cover += list[k].Weight / max(total, 1e-6)
		}
		m.Terms = c.terms
	}
	// Whole documents, from the same counts.
	docs := 0
	for i := range texts {
		if i == 0 || texts[i].Doc != texts[i-1].Doc {
			docs++
		}
	}
	var length float32
	for i := range counts {
		length += counts[i].length / float32(max(docs, 1))
	}
	tf := make([]float32, len(list))
	for from := 0; from < len(texts); {
		to, own := from, float32(0)
		for to < len(texts) && texts[to].Doc == texts[from].Doc {
			own += counts[to].length
			for j, k := range counts[to].terms {
				for f, n := range counts[to].fields[j] {
					tf[k] += weights[f] * n
				}
			}
			to++
		}
		var whole float32
		norm := k1 * (0.25 + 0.75*own/max(length, 1))
		for k, n := range tf {
			whole += list[k].Weight * n * (k1 + 1) / (n + norm)
			tf[k] = 0
		}
		for i := from; i < to; i++ {
			out[i].Whole = whole
		}
		from = to
	}
	return out
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
