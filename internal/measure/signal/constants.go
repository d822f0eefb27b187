package signal

import (
	"math"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// constants are what all measurements of a view have in common, whatever the
// task is. They are made when they are first needed, kept with the view, and
// never changed: measurements of one view may run at the same time.
type constants struct {
	view   *index.View
	files  []index.File
	docs   []index.Doc
	chunks []index.Chunk

	docFiles [][]int32 // files of a doc
	counted  []bool    // docs whose terms count for document frequencies: code
	nCounted float64
	mean     lengths
	lower    []string // paths in normal form and lower case

	known    memory[connection]       // what names connect; see measureSymbols
	spread   memory[float64]          // counted docs that hold a term; see measureFeedback
	imported []atomic.Pointer[[]edge] // what each file imports; nil if nobody asked

	bases, modules func() map[string][]int32 // files by base name, and by stem
	titles         func() map[string][]int32 // files by the stems that a title may hold
	kinds          func() *kinds
	paths          func() *pathIndex
	norms          func() *norms
	folders        func() *folders
	inFolder       func() [][]int32 // files of one folder
	past           func() *past
	central        func() []float64 // see pageRank
}

// A constantsKey is the key of a view's constants.
type constantsKey struct{}

// constantsOf returns the constants of a view.
func constantsOf(v *index.View) *constants {
	return v.Derived(constantsKey{}, func() any { return newConstants(v) }).(*constants)
}

func newConstants(v *index.View) *constants {
	c := &constants{view: v, files: v.Files(), docs: v.Docs(), chunks: v.Chunks()}
	n := len(c.files)
	c.docFiles = make([][]int32, len(c.docs))
	backing := make([]int32, n)
	c.counted = make([]bool, len(c.docs))
	c.lower = make([]string, n)
	c.imported = make([]atomic.Pointer[[]edge], n)
	for i := range c.files {
		f := &c.files[i]
		c.lower[i] = strings.ToLower(terms.Normal(f.Path))
		if c.docFiles[f.Doc] == nil {
			backing[i] = int32(i)
			c.docFiles[f.Doc] = backing[i : i+1 : i+1]
		} else {
			c.docFiles[f.Doc] = append(c.docFiles[f.Doc], int32(i))
		}
		if f.Class == outline.Source || f.Class == outline.Test {
			c.counted[f.Doc] = true
		}
	}
	c.count()
	c.bases = sync.OnceValue(func() map[string][]int32 { return group(c.lower, path.Base) })
	c.modules = sync.OnceValue(func() map[string][]int32 { return group(c.lower, stemOf) })
	c.titles = sync.OnceValue(c.makeTitles)
	c.kinds = sync.OnceValue(c.makeKinds)
	c.paths = sync.OnceValue(c.makePaths)
	c.norms = sync.OnceValue(c.makeNorms)
	c.folders = sync.OnceValue(c.makeFolders)
	c.inFolder = sync.OnceValue(c.makeInFolder)
	c.past = sync.OnceValue(c.makePast)
	c.central = sync.OnceValue(func() []float64 { return newMeasurement(v, rank.Query{}).pageRank() })
	return c
}

// A memory is what was found out about terms. Queries of one task ask about the
// same names, since they find the same files likely.
type memory[T any] struct {
	mu sync.Mutex
	of map[uint64]T
}

// maxMemory is how many terms are remembered, about 3 MB of those that connect
// most. It starts over when that is full.
const maxMemory = 1 << 15

func (m *memory[T]) get(term uint64) (x T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, ok = m.of[term]
	return x, ok
}

func (m *memory[T]) put(term uint64, x T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= maxMemory {
		m.of = map[uint64]T{}
	}
	m.of[term] = x
}

// count finds out which docs count, and how long they are.
func (c *constants) count() {
	any := false
	for _, x := range c.counted {
		any = any || x
	}
	var sum lengths
	var chunks float32
	for d, doc := range c.docs {
		if !any {
			c.counted[d] = true // a repository of documents
		}
		if !c.counted[d] {
			continue
		}
		c.nCounted++
		sum.body += float32(doc.Body)
		sum.def += float32(doc.Def)
		sum.comment += float32(doc.Comment)
		for _, x := range c.chunks[doc.Chunk0:doc.Chunk1] {
			sum.chunk += float32(x.Terms)
			chunks++
		}
	}
	k := float32(max(c.nCounted, 1))
	c.mean = lengths{sum.body/k + 1, sum.def/k + 1, sum.comment/k + 1, sum.chunk/max(chunks, 1) + 1}
}

// group returns the files whose paths have the same name.
func group(lower []string, name func(string) string) map[string][]int32 {
	out := make(map[string][]int32, len(lower))
	for i, p := range lower {
		n := name(p)
		out[n] = append(out[n], int32(i))
	}
	return out
}

// makeTitles returns the files by their stems, but for those that mean nothing in
// a title.
func (c *constants) makeTitles() map[string][]int32 {
	out := make(map[string][]int32, len(c.lower))
	for i, p := range c.lower {
		stem := path.Base(strings.TrimSuffix(p, path.Ext(p)))
		if len(stem) > 2 && !indexFile(stem) && stem != "main" {
			out[stem] = append(out[stem], int32(i))
		}
	}
	return out
}

// kinds are columns that say what kind of file each is.
type kinds struct{ secondary, index []float32 }

func (c *constants) makeKinds() *kinds {
	n := len(c.files)
	k := &kinds{make([]float32, n), make([]float32, n)}
	for i := range c.files {
		f := &c.files[i]
		if outline.Secondary(f.Path) {
			k.secondary[i] = 1
		}
		b := path.Base(c.lower[i])
		if indexFile(strings.TrimSuffix(b, path.Ext(b))) || b == "doc.go" {
			k.index[i] = 1
		}
	}
	return k
}

// norms are length normalisations of docs and chunks.
type norms struct {
	docs   []docNorm
	chunks []float32
}

type docNorm struct{ bm25, def, fBody, fDef, fComment float32 }

func (c *constants) makeNorms() *norms {
	x := &norms{make([]docNorm, len(c.docs)), make([]float32, len(c.chunks))}
	for d, doc := range c.docs {
		n := &x.docs[d]
		body, def, com := float32(doc.Body)/c.mean.body, float32(doc.Def)/c.mean.def, float32(doc.Comment)/c.mean.comment
		n.bm25 = k1 * (0.25 + 0.75*body)
		n.def = k1 * (0.5 + 0.5*def)
		n.fBody = 1 / (0.25 + 0.75*body)
		n.fDef = defWeight / (0.5 + 0.5*def)
		n.fComment = commentWeight / (0.4 + 0.6*com)
		for k := doc.Chunk0; k < doc.Chunk1; k++ {
			x.chunks[k] = k1 * (0.5 + 0.5*float32(c.chunks[k].Terms)/c.mean.chunk)
		}
	}
	return x
}

// folders are the folders that hold files, in lower case.
type folders struct {
	byName map[string][]string // last component → folders
	files  map[string][]int32  // folder → files directly in it
}

func (c *constants) makeFolders() *folders {
	f := &folders{map[string][]string{}, map[string][]int32{}}
	for i, p := range c.lower {
		dir := path.Dir(p)
		if f.files[dir] == nil {
			f.byName[path.Base(dir)] = append(f.byName[path.Base(dir)], dir)
		}
		f.files[dir] = append(f.files[dir], int32(i))
	}
	return f
}

// makeInFolder returns the files of each folder.
func (c *constants) makeInFolder() [][]int32 {
	return values(c.files, func(i int) string { return path.Dir(c.files[i].Path) })
}

// values returns the files that have the same value, which is not empty, in the
// order of the first of each.
func values(files []index.File, of func(i int) string) [][]int32 {
	at := map[string]int{}
	var out [][]int32
	for i := range files {
		v := of(i)
		if v == "" {
			continue
		}
		k, ok := at[v]
		if !ok {
			k = len(out)
			at[v] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], int32(i))
	}
	return out
}

// past is what the history says of the files, whatever the task is.
type past struct {
	fileOf []int32 // of History.Paths: files of the view, or -1

	commits float64 // with a message
	mean    float64 // length of a message in terms

	field []float32 // length of the messages of each file's commits
	avg   float32   // mean of field

	mu     sync.Mutex
	recent *changed // of the time that was asked for last
}

func (c *constants) makePast() *past {
	h := c.view.History()
	p := &past{fileOf: make([]int32, len(h.Paths)), field: make([]float32, len(c.files))}
	at := make(map[string]int32, len(c.files))
	for i := range c.files {
		at[c.files[i].Path] = int32(i)
	}
	for k, name := range h.Paths {
		i, ok := at[name]
		if !ok {
			i = -1
		}
		p.fileOf[k] = i
	}
	var length float64
	var total float32
	for ci := range h.Commits {
		x := &h.Commits[ci]
		if len(x.Terms) == 0 {
			continue
		}
		p.commits++
		length += float64(x.Len)
		if x.Changed > focused {
			continue
		}
		k := share(x.Changed)
		for _, f := range x.Files {
			if i := p.fileOf[f]; i >= 0 {
				p.field[i] += float32(x.Len) * k
				total += float32(x.Len) * k
			}
		}
	}
	p.mean = length / max(p.commits, 1)
	p.avg = total/float32(len(c.files)) + 1
	return p
}

// changed are columns about when and how often files changed.
type changed struct {
	now              int64
	r180, churn, age []float32
}

// changedBy returns the columns as they are at a time. Those of the last time
// that was asked for are kept: it is that of the newest commit, as a rule.
func (c *constants) changedBy(now int64) *changed {
	p := c.past()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.recent == nil || p.recent.now != now {
		p.recent = c.makeChanged(p, now)
	}
	return p.recent
}

func (c *constants) makeChanged(p *past, now int64) *changed {
	n := len(c.files)
	x := &changed{now, make([]float32, n), make([]float32, n), make([]float32, n)}
	commits := c.view.History().Commits
	for ci := range commits {
		k := &commits[ci]
		days := max(0, float64(now-k.Time)/day)
		d180, d365 := float32(math.Exp(-days/180)), float32(math.Exp(-days/365))
		w := 1 / float32(math.Sqrt(float64(max(k.Changed, 1))))
		for _, f := range k.Files {
			i := p.fileOf[f]
			if i < 0 {
				continue
			}
			x.r180[i] += d180 * w
			x.churn[i]++
			x.age[i] = max(x.age[i], d365)
		}
	}
	for i, n := range x.churn {
		x.churn[i] = float32(math.Log1p(float64(n)))
	}
	return x
}
