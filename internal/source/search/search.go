// Package search ranks files, and the definitions in them, for a question. Start with
// [Search].
package search

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
)

// A Request is a question in words or identifiers.
type Request struct {
	Query   string
	Names   []string // as in satchel.Request
	Rev     string   // empty means the work tree
	Paths   []string // as in satchel.Request
	Include []string // as in satchel.Request
	Symbols bool     // find definitions rather than files
	Limit   int      // results; below 1 means DefaultResults
	Explain bool     // give the reasons of each score
}

// DefaultResults is the number of results of a search that sets no limit.
const DefaultResults = 20

// SearchVersion is the version of Result's JSON form.
const SearchVersion = 2

// A Result holds the best files, or the best symbols, best first.
type Result struct {
	Version     int                  `json:"version"`
	Match       satchel.Match        `json:"match"`               // whether the question is about the repository
	MatchWhy    string               `json:"match_why,omitempty"` // in words
	Files       []FileHit            `json:"files"`               // none if symbols are ranked
	Symbols     []SymbolHit          `json:"symbols"`             // the definitions, best first; none if files are
	Omitted     []satchel.Omission   `json:"omitted,omitempty"`   // excluded paths
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
}

// A FileHit is a file that answers a search.
type FileHit struct {
	Path    string           `json:"path"`
	Lang    string           `json:"lang,omitempty"`
	Class   string           `json:"class,omitempty"`
	Score   float64          `json:"score"`
	Reasons satchel.Score    `json:"reasons,omitempty"`
	Symbols []satchel.Symbol `json:"symbols,omitempty"` // the best definitions in it
	Lines   []satchel.Range  `json:"lines,omitempty"`   // the best parts of it
}

// A SymbolHit is a definition that answers a search.
type SymbolHit struct {
	Path    string         `json:"path"`
	Symbol  satchel.Symbol `json:"symbol"`
	Score   float64        `json:"score"`
	Reasons satchel.Score  `json:"reasons,omitempty"`
}

// Search ranks files, or the definitions in the likeliest files.
func Search(ctx context.Context, p *project.Project, q Request) (*Result, error) {
	// What is remembered is read while the files are listed.
	var kept *project.Recalled
	var reading sync.WaitGroup
	reading.Go(func() { kept = p.Recall(ctx, time.Time{}) })
	v, err := p.Index.View(ctx, p.Tree, q.Rev)
	reading.Wait()
	if err != nil {
		return nil, err
	}
	scope, diags, err := p.Limit(v, q.Rev, q.Paths, q.Include)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(max(q.Limit, 0), DefaultResults)
	asked, notes := ranking.AnalyzeWith(ctx, v, q.Query, q.Names)
	diags = append(diags, notes...)
	asked.Used = kept.Gains(&satchel.Request{})
	r := ranking.Rank(v, asked, p.Models)
	found := scene.Judge(r)
	if len(q.Names) == 0 { // a note has these
		diags = append(diags, found.Nowhere...)
	}
	out := &Result{Version: SearchVersion, Files: []FileHit{}, Symbols: []SymbolHit{}, Match: found.Match, MatchWhy: found.Why, Omitted: v.Excluded(), Diagnostics: slices.Concat(v.Diagnostics(), diags, scene.Excluded(r))}
	if found.Match == satchel.MatchNone {
		return out, nil
	}
	sc := &scene.Scene{Scope: scope, View: v}
	order := sc.Within(r.Order)
	chunks := r.ChunksOf(order[:min(len(order), max(limit, ranking.CandidateFiles))])
	if q.Symbols {
		out.Symbols = append(out.Symbols, symbolHits(r, chunks, limit, q.Explain)...)
		return out, nil
	}
	byFile := map[int32][]ranking.Chunk{}
	for _, c := range chunks {
		byFile[c.File] = append(byFile[c.File], c)
	}
	for _, i := range order[:min(len(order), limit)] {
		f := v.Files()[i]
		hit := FileHit{Path: f.Path, Lang: f.Lang, Class: string(f.Class), Score: r.Score(i)}
		if q.Explain {
			hit.Reasons = r.Explain(i)
		}
		hit.Symbols, hit.Lines = bestParts(r, byFile[i])
		out.Files = append(out.Files, hit)
	}
	return out, nil
}

// partsShown is how many parts of a file a search result points to.
const partsShown = 3

func bestParts(r *ranking.Ranking, chunks []ranking.Chunk) (symbols []satchel.Symbol, lines []satchel.Range) {
	slices.SortStableFunc(chunks, func(a, b ranking.Chunk) int { return cmp.Compare(b.Score, a.Score) })
	for _, c := range chunks {
		if len(lines) == partsShown || r.Chunk[c.Index] == 0 {
			break
		}
		x := r.View.Chunks()[c.Index]
		lines = append(lines, satchel.Range{From: int(x.From), To: int(x.To)})
		if x.Symbol >= 0 {
			s := cleaned(r.View.Files()[c.File].Path, r.View.Symbols(x.Doc)[x.Symbol])
			if !slices.Contains(symbols, s) {
				symbols = append(symbols, s)
			}
		}
	}
	return symbols, lines
}
