package signal

import (
	"math"
	"path"
	"strings"

	"github.com/satchel-dev/satchel/internal/terms"
	"github.com/satchel-dev/satchel/rank"
)

// A pathIndex knows the terms of every path.
type pathIndex struct {
	hits map[uint64][]pathHit // by term: the paths that hold it
	path []pathTerms          // distinct terms of the path without extension
	base []pathTerms          // terms of the file name without extension
}

// pathTerms are terms of one path.
type pathTerms struct {
	terms   []uint64
	weights []float32 // of the terms
	all     float32   // sum of the weights
}

// pathHit says that a term occurs in the path of a file, and how often in its
// name.
type pathHit struct {
	file int32
	base int32
}

func (c *constants) makePaths() *pathIndex {
	n := len(c.files)
	p := &pathIndex{hits: map[uint64][]pathHit{}, path: make([]pathTerms, n), base: make([]pathTerms, n)}
	var a terms.Analyzer
	dirs := map[string][]uint64{} // terms of folders, which repeat
	arena := make([]uint64, 0, 16*n)
	for i := range c.files {
		dir, name := path.Split(c.files[i].Path)
		stem := strings.TrimSuffix(name, path.Ext(name))
		inDir, ok := dirs[dir]
		if !ok {
			a.Each([]byte(strings.ReplaceAll(dir, "-", "_")), func(t uint64) { inDir = appendNew(inDir, t) })
			dirs[dir] = inDir
		}
		from := len(arena)
		a.Each([]byte(strings.ReplaceAll(stem, "-", "_")), func(t uint64) { arena = append(arena, t) })
		base := arena[from:len(arena):len(arena)]
		from = len(arena)
		arena = append(arena, inDir...)
		for _, t := range base {
			arena = append(arena[:from], appendNew(arena[from:], t)...)
		}
		p.base[i].terms, p.path[i].terms = base, arena[from:len(arena):len(arena)]
		for _, t := range p.path[i].terms {
			h := pathHit{file: int32(i)}
			for _, b := range base {
				if b == t {
					h.base++
				}
			}
			p.hits[t] = append(p.hits[t], h)
		}
	}
	weights := make(map[uint64]float32, len(p.hits))
	for t, h := range p.hits {
		weights[t] = float32(math.Log(1 + float64(n)/float64(float32(len(h))+0.5)))
	}
	for i := range n {
		p.path[i].weigh(weights)
		p.base[i].weigh(weights)
	}
	return p
}

func (p *pathTerms) weigh(weights map[uint64]float32) {
	p.weights = make([]float32, len(p.terms))
	for k, t := range p.terms {
		p.weights[k] = weights[t]
		p.all += weights[t]
	}
}

func appendNew(list []uint64, t uint64) []uint64 {
	for _, x := range list {
		if x == t {
			return list
		}
	}
	return append(list, t)
}

// measurePaths fills the columns about words in paths.
func (m *Measurement) measurePaths() {
	counts := make(map[uint64]rank.Term, len(m.Query.Terms))
	for _, t := range m.Query.Terms {
		counts[t.Hash] = t
	}
	weigh := func(p *pathTerms) (hit float32) {
		for k, t := range p.terms {
			if q, ok := counts[t]; ok {
				s := p.weights[k] * min(1, 0.5+0.25*q.Count)
				if q.Title > 0 {
					s *= 1.6
				}
				hit += s
			}
		}
		return hit
	}
	pathWords, pathCover := m.Table.Column(rank.PathWords), m.Table.Column(rank.PathCover)
	baseWords, baseCover := m.Table.Column(rank.BaseWords), m.Table.Column(rank.BaseCover)
	stemHit := m.Table.Column(rank.TitleStem)
	paths := m.paths()
	done := make([]bool, len(m.files))
	for _, t := range m.Query.Terms {
		for _, h := range paths.hits[t.Hash] {
			i := h.file
			if done[i] {
				continue
			}
			done[i] = true
			in, name := &paths.path[i], &paths.base[i]
			if pathWords[i] = weigh(in); in.all > 0 {
				pathCover[i] = pathWords[i] / in.all
			}
			if baseWords[i] = weigh(name); name.all > 0 {
				baseCover[i] = baseWords[i] / name.all
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
