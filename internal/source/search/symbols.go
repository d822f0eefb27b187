package search

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// nameBonus is what bearing all words of the query, or a name that it spells,
// adds to the score of a definition: such a name is what a search for symbols
// means, however long or short the body is. Chunk scores spread over some 10.
const nameBonus = 2

// symbolHits ranks the definitions of the likeliest files: by the chunk they
// are in, and by whether their own name bears the words of the query. A chunk
// may join several short definitions, and a long one may have several chunks.
func symbolHits(r *ranking.Ranking, chunks []ranking.Chunk, limit int, explain bool) []SymbolHit {
	type key struct{ file, symbol int32 }
	best := map[key]int{}
	files := r.View.Files()
	names := newNameScore(r)
	var hits []SymbolHit
	var symbols []satchel.Symbol
	of := int32(-1) // the file that symbols are of: the chunks of a file are in a row
	for i := range chunks {
		c := &chunks[i]
		x := r.View.Chunks()[c.Index]
		spelled := r.Spells(c)
		if r.Chunk[c.Index] == 0 && !spelled {
			continue
		}
		if c.File != of {
			symbols, of = r.View.Symbols(x.Doc), c.File
		}
		for n, s := range symbols {
			line := cmp.Or(s.NameLine, s.From)
			if int32(n) != x.Symbol && (line < int(x.From) || line > int(x.To)) {
				continue
			}
			row := c.Row
			words, shared, named := names.of(s.Name)
			row[rank.ChunkNameShared], row[rank.ChunkNamed] = shared, named
			score := r.Models.Chunks.Explain(&row)
			score.Add("name", nameBonus*float64(words+named))
			for _, e := range r.Exact {
				if spelled && e.File == c.File && e.Lines.From == s.From && e.Lines.To == s.To {
					score.Add(e.Gain.Why, e.Gain.Add)
				}
			}
			h := SymbolHit{Path: files[c.File].Path, Symbol: s, Score: score.Value(), Reasons: score}
			k := key{c.File, int32(n)}
			at, seen := best[k]
			switch {
			case !seen:
				best[k] = len(hits)
				hits = append(hits, h)
			case hits[at].Score < h.Score:
				hits[at] = h
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b SymbolHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Symbol.From, b.Symbol.From), cmp.Compare(a.Symbol.Name, b.Symbol.Name))
	})
	hits = hits[:min(len(hits), limit)]
	for i := range hits {
		hits[i].Score = rank.Round(hits[i].Score)
		hits[i].Symbol = cleaned(hits[i].Path, hits[i].Symbol)
		if !explain {
			hits[i].Reasons = nil
		}
	}
	return hits
}

// A nameScore says how well names answer a query.
type nameScore struct {
	analyzer terms.Analyzer
	weights  map[uint64]float32
	total    float32
	named    map[string]bool
}

func newNameScore(r *ranking.Ranking) *nameScore {
	n := &nameScore{weights: r.TermWeights(), total: max(r.Weight(), 1e-6), named: map[string]bool{}}
	for _, name := range r.Query.Names {
		n.named[name.Spelling] = true
	}
	return n
}

// of returns the share of the query's weight in the words of a name, the share of
// those words that the query has, and 1 if the query spells the name.
func (n *nameScore) of(name string) (words, shared, named float32) {
	var seen []uint64
	n.analyzer.Each([]byte(name), func(t uint64) {
		if !slices.Contains(seen, t) {
			seen = append(seen, t)
			words += n.weights[t]
			if n.weights[t] > 0 {
				shared++
			}
		}
	})
	if n.named[name] {
		named = 1
	}
	return words / n.total, shared / float32(max(len(seen), 1)), named
}

// cleaned returns a symbol with what it says as it may be shown.
func cleaned(path string, s satchel.Symbol) satchel.Symbol {
	for _, text := range []*string{&s.Name, &s.Parent, &s.Signature, &s.Doc} {
		*text = clean.New(path, *text).String()
	}
	return s
}
