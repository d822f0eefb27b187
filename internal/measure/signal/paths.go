package signal

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// A pathIndex knows the terms of every path. It numbers them.
type pathIndex struct {
	ids     map[uint64]int32 // number of a term
	weights []float32        // by number
	hits    [][]pathHit      // by number: the paths that hold it
	path    []pathTerms      // distinct terms of the path without extension
	base    [][]int32        // terms of the file name without extension
}

// pathTerms are terms of one path.
type pathTerms struct {
	ids []int32
	all float32 // sum of their weights
}

// pathHit says that a term occurs in the path of a file, and how often in its
// name.
type pathHit struct {
	file int32
	base int32
}

// of returns the paths that hold a term.
func (p *pathIndex) of(term uint64) []pathHit {
	if id, ok := p.ids[term]; ok {
		return p.hits[id]
	}
	return nil
}

func (p *pathIndex) id(term uint64) int32 {
	id, ok := p.ids[term]
	if !ok {
		id = int32(len(p.ids))
		p.ids[term] = id
	}
	return id
}

func (c *constants) makePaths() *pathIndex {
	n := len(c.files)
	p := &pathIndex{ids: map[uint64]int32{}, path: make([]pathTerms, n), base: make([][]int32, n)}
	var a terms.Analyzer
	dirs := map[string][]int32{} // terms of folders, which repeat
	arena := make([]int32, 0, 16*n)
	for i := range c.files {
		dir, name := path.Split(c.files[i].Path)
		stem := strings.TrimSuffix(name, path.Ext(name))
		inDir, ok := dirs[dir]
		if !ok {
			a.Each([]byte(strings.ReplaceAll(dir, "-", "_")), func(t uint64) { inDir = appendNew(inDir, p.id(t)) })
			dirs[dir] = inDir
		}
		from := len(arena)
		a.Each([]byte(strings.ReplaceAll(stem, "-", "_")), func(t uint64) { arena = append(arena, p.id(t)) })
		base := arena[from:len(arena):len(arena)]
		from = len(arena)
		arena = append(arena, inDir...)
		for _, t := range base {
			arena = append(arena[:from], appendNew(arena[from:], t)...)
		}
		p.base[i], p.path[i].ids = base, arena[from:len(arena):len(arena)]
	}
	count, total := make([]int32, len(p.ids)), 0
	for i := range p.path {
		for _, t := range p.path[i].ids {
			count[t]++
			total++
		}
	}
	p.weights, p.hits = make([]float32, len(count)), make([][]pathHit, len(count))
	backing := make([]pathHit, total)
	for t, df := range count {
		p.weights[t] = float32(math.Log(1 + float64(n)/float64(float32(df)+0.5)))
		p.hits[t], backing = backing[:0:df], backing[df:]
	}
	for i := range p.path {
		base := p.base[i]
		for _, t := range p.path[i].ids {
			h := pathHit{file: int32(i)}
			for _, b := range base {
				if b == t {
					h.base++
				}
			}
			p.hits[t] = append(p.hits[t], h)
		}
		p.path[i].weigh(p.weights)
	}
	return p
}

func (p *pathTerms) weigh(weights []float32) {
	for _, t := range p.ids {
		p.all += weights[t]
	}
}

func appendNew(list []int32, t int32) []int32 {
	if slices.Contains(list, t) {
		return list
	}
	return append(list, t)
}

// measurePaths fills the columns about words in paths.
func (m *Measurement) measurePaths() {
	paths := m.paths()
	counts := make(map[int32]rank.Term, len(m.Query.Terms))
	for _, t := range m.Query.Terms {
		if id, ok := paths.ids[t.Hash]; ok {
			counts[id] = t
		}
	}
	weigh := func(p *pathTerms) (hit float32) {
		for _, t := range p.ids {
			if q, ok := counts[t]; ok {
				s := paths.weights[t] * min(1, 0.5+0.25*q.Count)
				if q.Title > 0 {
					s *= 1.6
				}
				hit += s
			}
		}
		return hit
	}
	pathWords, pathCover := m.Table.Column(rank.PathWords), m.Table.Column(rank.PathCover)
	stemHit := m.Table.Column(rank.TitleStem)
	done := make([]bool, len(m.files))
	for _, t := range m.Query.Terms {
		for _, h := range paths.of(t.Hash) {
			i := h.file
			if done[i] {
				continue
			}
			done[i] = true
			in := &paths.path[i]
			if pathWords[i] = weigh(in); in.all > 0 {
				pathCover[i] = pathWords[i] / in.all
			}
		}
	}
	title := []byte(strings.ToLower(m.Query.Title))
	terms.Words(title, func(from, to int) {
		for _, i := range m.titles()[string(title[from:to])] {
			stemHit[i] = 1
		}
	})
}
