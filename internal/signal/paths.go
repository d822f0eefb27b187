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
	hits map[uint64][]pathHit // by term of the task
	df   map[uint64]float32   // paths that hold a term
	path [][]uint64           // distinct terms of the path without extension
	base [][]uint64           // terms of the file name without extension
}

// pathHit says that a term occurs in the path of a file, and how often in its
// name.
type pathHit struct {
	file int32
	base int32
}

func newPathIndex(m *Measurement) *pathIndex {
	p := &pathIndex{
		hits: make(map[uint64][]pathHit, len(m.Query.Terms)), df: map[uint64]float32{},
		path: make([][]uint64, len(m.files)), base: make([][]uint64, len(m.files)),
	}
	asked := make(map[uint64]bool, len(m.Query.Terms))
	for _, t := range m.Query.Terms {
		asked[t.Hash] = true
	}
	var a terms.Analyzer
	dirs := map[string][]uint64{} // terms of folders, which repeat
	arena := make([]uint64, 0, 16*len(m.files))
	for i, f := range m.files {
		dir, name := path.Split(f.Path)
		stem := strings.TrimSuffix(name, path.Ext(name))
		inDir, ok := dirs[dir]
		if !ok {
			a.Each([]byte(strings.ReplaceAll(dir, "-", "_")), func(t uint64) { inDir = appendNew(inDir, t) })
			dirs[dir] = inDir
		}
		from := len(arena)
		a.Each([]byte(strings.ReplaceAll(stem, "-", "_")), func(t uint64) { arena = append(arena, t) })
		p.base[i] = arena[from:len(arena):len(arena)]
		from = len(arena)
		arena = append(arena, inDir...)
		for _, t := range p.base[i] {
			arena = append(arena[:from], appendNew(arena[from:], t)...)
		}
		p.path[i] = arena[from:len(arena):len(arena)]
		for _, t := range p.path[i] {
			p.df[t]++
			if asked[t] {
				h := pathHit{file: int32(i)}
				for _, b := range p.base[i] {
					if b == t {
						h.base++
					}
				}
				p.hits[t] = append(p.hits[t], h)
			}
		}
	}
	return p
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
	n := float64(len(m.files))
	weigh := func(ts []uint64) (hit, all float32) {
		for _, t := range ts {
			x := float32(math.Log(1 + n/float64(m.paths.df[t]+0.5)))
			all += x
			if q, ok := counts[t]; ok {
				s := x * min(1, 0.5+0.25*q.Count)
				if q.Title > 0 {
					s *= 1.6
				}
				hit += s
			}
		}
		return hit, all
	}
	pathWords, pathCover := m.Table.Column(rank.PathWords), m.Table.Column(rank.PathCover)
	baseWords, baseCover := m.Table.Column(rank.BaseWords), m.Table.Column(rank.BaseCover)
	stemHit := m.Table.Column(rank.TitleStem)
	inTitle := map[string]bool{}
	title := []byte(strings.ToLower(m.Query.Title))
	terms.Words(title, func(from, to int) { inTitle[string(title[from:to])] = true })
	for i := range m.files {
		hit, all := weigh(m.paths.path[i])
		pathWords[i] = hit
		if all > 0 {
			pathCover[i] = hit / all
		}
		hit, all = weigh(m.paths.base[i])
		baseWords[i] = hit
		if all > 0 {
			baseCover[i] = hit / all
		}
		stem := path.Base(strings.TrimSuffix(m.lower[i], path.Ext(m.lower[i])))
		if len(stem) > 2 && !indexFile(stem) && stem != "main" && inTitle[stem] {
			stemHit[i] = 1
		}
	}
}
