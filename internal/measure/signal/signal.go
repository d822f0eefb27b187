// Package signal measures every file of a view against a task: it fills the
// columns of a rank.Table.
//
// [First] measures what the task alone decides: words, paths, names, past
// commits. [Measurement.Second] measures what depends on files already found
// likely: imports, shared symbols, co-change, folder, feedback. Neither judges;
// weights are package rank's.
//
// The numbers depend on the files of the view and its history only. A
// Measurement is used by one goroutine.
package signal

import (
	"math"
	"path"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
)

// A Measurement is what was measured for one task in one view.
type Measurement struct {
	View  *index.View
	Query rank.Query
	Table *rank.Table

	// Of each chunk of the view, by the index of View.Chunks.
	Chunk      []float32 // BM25 of the task's terms
	ChunkDef   []float32 // weight of the terms of the title in the names defined there
	ChunkCover []float32 // weight of the distinct terms of the task that occur
	ChunkSays  []float32 // weight of the distinct terms of the task that occur in comments
	ChunkName  []float32 // identifiers named by the task that are defined there

	*constants
	postings []index.Posting
	byDoc    []docTerm
	some     []index.DocPosting
	imports  *resolver // see resolver

	held    []held             // of each term of the task
	joined  [][2]int32         // in how many chunks each phrase of the task is one identifier: joined, and with an underscore
	weights map[uint64]float32 // weight of each term of the task
	total   float32            // their sum
}

// lengths are field lengths in terms.
type lengths struct{ body, def, comment, chunk float32 }

// newMeasurement prepares to measure the files of v for the task q.
func newMeasurement(v *index.View, q rank.Query) *Measurement {
	m := &Measurement{View: v, Query: q, constants: constantsOf(v)}
	n := len(m.files)
	m.Table = &rank.Table{Rows: n, Primary: make([]bool, n), Demotion: make([]rank.Demotion, n)}
	return m
}

// First measures what the task alone decides.
func First(v *index.View, q rank.Query) *Measurement {
	m := newMeasurement(v, q)
	side := m.fork()
	inParallel(func() {
		m.measureWords()
		m.measureMentions()
	}, func() {
		// In a new process the constants are half of the work: they are made here
		// before the other side, which reads postings meanwhile, asks for them.
		side.paths()
		side.modules()
		side.measureKinds()
		side.measureNames()
		side.countPhrases()
		side.measureHistory()
	})
	m.ChunkName, m.joined = side.ChunkName, side.joined
	return m
}

// fork returns a Measurement that fills other columns of the same Table at the
// same time.
func (m *Measurement) fork() *Measurement {
	side := *m
	side.postings, side.byDoc, side.some = nil, nil, nil
	return &side
}

// inParallel runs two functions at the same time.
func inParallel(a, b func()) {
	var wg sync.WaitGroup
	wg.Go(b)
	a()
	wg.Wait()
}

// docTerm is one term's frequencies in one doc.
type docTerm struct {
	doc                int32
	body, def, comment float32
}

// docTerms sums the postings of a term by doc. The result is valid until the
// next call.
func (m *Measurement) docTerms(term uint64) []docTerm {
	m.postings = m.View.Postings(m.postings[:0], term)
	out := m.byDoc[:0]
	for _, p := range m.postings {
		d := m.chunks[p.Chunk].Doc
		if len(out) == 0 || out[len(out)-1].doc != d {
			out = append(out, docTerm{doc: d})
		}
		t := &out[len(out)-1]
		t.body += float32(p.Body)
		t.def += float32(p.Def)
		t.comment += float32(p.Comment)
	}
	m.byDoc = out
	return out
}

// someDocs is docTerms for callers that want terms of at most most docs. If more
// have it, the result is incomplete and has more than most.
func (m *Measurement) someDocs(term uint64, most int) []index.DocPosting {
	m.some = m.View.DocPostings(m.some[:0], term, most)
	return m.some
}

// toFiles spreads a value per doc over the files that share the doc.
func (m *Measurement) toFiles(s rank.Signal, byDoc []float32) {
	col := m.Table.Column(s)
	for i, f := range m.files {
		col[i] = byDoc[f.Doc]
	}
}

// idf is the BM25 weight of a term that df of the counted docs hold.
func (m *Measurement) idf(df float64) float64 {
	df = min(df, m.nCounted)
	return math.Log(1 + (m.nCounted-df+0.5)/(df+0.5))
}

// stemOf returns the file name without its extension; for the index file of a
// folder, the folder's name.
func stemOf(lower string) string {
	s := modulePath(lower)
	return path.Base(s)
}

// modulePath strips the extension, and the file name where it only stands for
// its folder, as in pkg/__init__.py.
func modulePath(lower string) string {
	s := strings.TrimSuffix(lower, path.Ext(lower))
	if dir, base := path.Split(s); dir != "" && indexFile(base) {
		return strings.TrimSuffix(dir, "/")
	}
	return s
}

// indexFile reports whether a file of this name, without extension, stands for
// its folder.
func indexFile(stem string) bool {
	switch stem {
	case "__init__", "mod", "index", "lib":
		return true
	}
	return false
}

// Weight is the sum of the weights of the task's terms.
func (m *Measurement) Weight() float32 { return m.total }

// NamesFile reports whether a path as a task wrote it can mean file i.
func (m *Measurement) NamesFile(file string, i int32) bool {
	parts := strings.Split(strings.ToLower(strings.Trim(file, "./")), "/")
	n := commonTail(parts, m.lower[i])
	return n >= 2 || n == len(parts)
}

// TermWeights are the weights of the task's terms: idf times how often, more
// for the title.
func (m *Measurement) TermWeights() map[uint64]float32 { return m.weights }

// Demotions, in the units of the score (log-odds). Tests hold 5 to 11 points of
// Acc@5 if they compete with source on equal terms.
const (
	demoteTests     = 5
	demoteOther     = 5 // documents, configuration, data
	demoteGenerated = 2
	demoteVendored  = 2 // as a README above says
)

// measureKinds fills the columns that say what kind of file each is.
func (m *Measurement) measureKinds() {
	k := m.kinds()
	copy(m.Table.Column(rank.Secondary), k.secondary)
	copy(m.Table.Column(rank.IndexFile), k.index)
	generated := m.Table.Column(rank.Generated)
	wants := m.Query.Wants
	for i, f := range m.files {
		m.Table.Primary[i] = primary(f.Class)
		switch f.Class {
		case outline.Source:
			if f.Vendored {
				m.Table.Demotion[i] = rank.Demotion{Why: "vendored according to a README", By: demoteVendored}
			}
		case outline.Generated:
			generated[i] = 1
			m.Table.Demotion[i] = rank.Demotion{Why: "generated", By: demoteGenerated}
		case outline.Test:
			if !wants[rank.AskTests] {
				m.Table.Demotion[i] = rank.Demotion{Why: "test, not asked for", By: demoteTests}
			}
		case outline.Docs:
			if !wants[rank.AskDocs] {
				m.Table.Demotion[i] = rank.Demotion{Why: "document, not asked for", By: demoteOther}
			}
		default:
			if !wants[rank.AskConfig] {
				m.Table.Demotion[i] = rank.Demotion{Why: "not code, not asked for", By: demoteOther}
			}
		}
	}
}

// primary reports whether files of a class are what is looked for.
func primary(c outline.Class) bool { return c == outline.Source || c == outline.Generated }
