package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

type searchArgs struct {
	shared
	Query   string   `json:"query"`
	Explain bool     `json:"explain"`
	Limit   int      `json:"limit"`
	Names   []string `json:"names"`
	Paths   []string `json:"paths"`
	Rev     string   `json:"rev"`
	Symbols bool     `json:"symbols"`
}

// mostResults is the largest limit of a search, and how far its cursors go.
const mostResults = 500

func searchTool(ctx context.Context, h *Host, e *engine.Engine, a *searchArgs) (string, error) {
	switch {
	case strings.TrimSpace(a.Query) == "":
		return "", errors.New("query: empty")
	case a.Limit == 0:
		a.Limit = engine.DefaultResults
	case a.Limit < 1 || a.Limit > mostResults:
		return "", fmt.Errorf("limit %d: want 1 to %d", a.Limit, mostResults)
	}
	if err := Revision("rev", a.Rev); err != nil {
		return "", err
	}
	if a.Rev == "" {
		a.Rev = h.Change.NewSide()
	} else if err := h.within(ctx, e, a.Rev); err != nil {
		return "", err
	}
	paths, err := h.patterns("paths", a.Paths)
	if err != nil {
		return "", err
	}
	from := 0
	if a.Cursor != "" {
		c, err := pack.ParseCursor(a.Cursor)
		if err != nil {
			return "", err
		}
		from = c.At
	}
	if from >= mostResults {
		return "", &pack.CursorError{Cursor: a.Cursor, Why: fmt.Sprintf("only %d results are ranked: use a more precise query", mostResults)}
	}
	limit := min(from+a.Limit, mostResults)
	// One more shows whether there are more.
	r, err := e.Search(ctx, engine.SearchRequest{Query: a.Query, Names: a.Names, Rev: a.Rev, Paths: paths, Symbols: a.Symbols, Limit: limit + 1, Explain: a.Explain})
	if err != nil {
		return "", err
	}
	hits := newHits(a, r)
	if from > 0 && (from > hits.len() || hits.cursor(from) != a.Cursor) {
		return "", &pack.CursorError{Cursor: a.Cursor, Why: "the cursor is from another search, or the ranking has changed"}
	}
	return hits.answer(from, min(limit, hits.len()))
}

// hits are the results of a search.
type hits struct {
	a     *searchArgs
	r     *engine.SearchResult
	names []string
}

func newHits(a *searchArgs, r *engine.SearchResult) *hits {
	h := &hits{a: a, r: r}
	for i := range r.Files {
		h.names = append(h.names, r.Files[i].Path)
	}
	for i := range r.Symbols {
		h.names = append(h.names, r.Symbols[i].Path+":"+satchel.Range{From: r.Symbols[i].Symbol.From, To: r.Symbols[i].Symbol.To}.String())
	}
	return h
}

func (h *hits) len() int { return len(h.names) }

// cursor continues after the first n results. Its digest covers the query and the
// names of the results.
func (h *hits) cursor(n int) string {
	question := fmt.Sprintf("%q %q %q %q %t %t", h.a.Query, h.a.Names, h.a.Rev, h.a.Paths, h.a.Symbols, h.a.Explain)
	return pack.Cursor{At: n, Digest: pack.Sum(append([]string{question}, h.names[:n]...)...)}.String()
}

// answer shows as many of the results from..to as fit.
func (h *hits) answer(from, to int) (string, error) {
	if from == to {
		text, err := h.text(from, to)
		if used := Count(text); err == nil && used > h.a.Budget {
			err = &satchel.OverflowError{Need: used, Limit: h.a.Budget}
		}
		return text, err
	}
	least := 0
	text, ok, err := pack.Within(h.a.Budget, pack.Range{First: to - from, Most: to - from}, func(n int) (pack.Layout[string], error) {
		text, err := h.text(from, from+n)
		least = Count(text)
		return pack.Layout[string]{Shown: text, Size: least}, err
	})
	if err == nil && !ok {
		err = &satchel.OverflowError{Need: least, Limit: h.a.Budget}
	}
	return text, err
}

func (h *hits) text(from, to int) (string, error) {
	var b strings.Builder
	if h.len() == 0 {
		b.WriteString("Nothing found.\n")
	}
	if h.r.Match != satchel.MatchStrong {
		fmt.Fprintf(&b, "match %s\n", render.Match(h.r.Match, h.r.MatchWhy))
	}
	if h.len() > 0 {
		fmt.Fprintf(&b, "Results %d-%d, best first; paths and names are %s:\n", from+1, to, asData)
	}
	for i := from; i < to; i++ {
		if h.a.Symbols {
			h.symbol(&b, &h.r.Symbols[i])
		} else {
			h.file(&b, &h.r.Files[i])
		}
	}
	for _, n := range h.r.Diagnostics[:min(len(h.r.Diagnostics), mostNotes)] {
		fmt.Fprintf(&b, "note: %s\n", diagnosticText(n))
	}
	if to < h.len() {
		b.WriteString(goesOn(h.cursor(to)))
	}
	return b.String(), nil
}

// mostNotes is how many notes an answer has room for.
const mostNotes = 5

func diagnosticText(n satchel.Diagnostic) string {
	if n.Path == "" {
		return clean.Inline(n.Text)
	}
	return clean.Inline(n.Path) + ": " + clean.Inline(n.Text)
}

func (h *hits) file(b *strings.Builder, f *engine.FileHit) {
	fmt.Fprintf(b, "%s  %.2f\n", clean.Inline(f.Path), f.Score)
	reasons(b, f.Reasons)
	for _, r := range f.Lines {
		title := ""
		for _, s := range f.Symbols {
			if s.From <= r.To && r.From <= s.To {
				title = "  " + clean.Inline(s.Signature)
				break
			}
		}
		fmt.Fprintf(b, "  %s%s\n", r.String(), title)
	}
}

func (h *hits) symbol(b *strings.Builder, f *engine.SymbolHit) {
	what := f.Symbol.Signature
	what = cmp.Or(what, f.Symbol.Kind+" "+f.Symbol.Name)
	fmt.Fprintf(b, "%s:%s  %.2f  %s\n", clean.Inline(f.Path), satchel.Range{From: f.Symbol.From, To: f.Symbol.To}.String(), f.Score, clean.Inline(what))
	reasons(b, f.Reasons)
}

func reasons(b *strings.Builder, list satchel.Score) {
	for _, r := range list {
		if math.Abs(r.Add) >= 0.005 {
			fmt.Fprintf(b, "  %+.2f %s\n", r.Add, clean.Inline(r.Why))
		}
	}
}
