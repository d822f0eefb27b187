// Package search has the command search: files and definitions for a query.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/source/search"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var q engine.SearchRequest
	var only base.FilterFlags
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Rank files and symbols for a query",
		Long: `Rank the files of the repository for a query: words, names, a path or a traceback.
Several arguments are one query. --symbols ranks definitions instead. --explain
shows the strongest reasons for each score; --json lists all of them. The exit code
is 1 if nothing matches.`,
		Example: `  satchel search "retry with backoff"
  satchel search --symbols login --limit 5
  satchel search "proxy timeout" --explain`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Query = strings.ToValidUTF8(strings.Join(args, " "), "\uFFFD")
			return a.search(cmd.Context(), q, &only)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&q.Symbols, "symbols", false, "rank definitions instead of files")
	fs.IntVar(&q.Limit, "limit", engine.DefaultResults, "show at most `n` results")
	fs.BoolVar(&q.Explain, "explain", false, "show the reasons for each score")
	fs.StringVar(&q.Rev, "rev", "", "search this `revision` instead of the work tree")
	only.Add(fs)
	a.JSONFlag(fs)
	a.SettingFlags(fs, base.ReadSettings)
	return cmd
}

func (a *app) search(ctx context.Context, q engine.SearchRequest, f *base.FilterFlags) error {
	switch {
	case strings.TrimSpace(q.Query) == "":
		return base.Usage(errors.New("the query is empty"), "")
	case q.Limit < 1:
		return base.Usagef("--limit %d: want 1 or more", q.Limit)
	}
	if base.IsURL(q.Query) && base.GitHost(q.Query) {
		a.Remark("note: the URL is searched as words; satchel pack URL fetches the repository and prints its -C folder")
	}
	only, err := a.Filter(ctx, f)
	if err != nil {
		return err
	}
	q.Paths, q.Include = only.Paths, only.Include
	e, err := a.OpenProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := e.Search(ctx, q)
	if err != nil {
		return a.ScopeError(err, f)
	}
	r.Diagnostics = append(only.Diags, r.Diagnostics...)
	a.Diagnostics(e.Index().Diagnostics())
	if a.JSON {
		if err := a.WriteJSON(r); err != nil {
			return err
		}
		return foundNothing(r)
	}
	a.Diagnostics(r.Diagnostics)
	if err := foundNothing(r); err != nil {
		return err
	}
	if r.Match == satchel.MatchWeak {
		a.Remark("match %s", render.Match(r.Match, r.MatchWhy))
	}
	l := a.Table()
	for i := range r.Files {
		writeFile(l, &r.Files[i])
	}
	for i := range r.Symbols {
		writeSymbol(l, &r.Symbols[i])
	}
	return a.Page(l.Bytes())
}

// foundNothing is the error of a search without results.
func foundNothing(r *engine.SearchResult) error {
	switch {
	case len(r.Files)+len(r.Symbols) > 0:
		return nil
	case r.Match == satchel.MatchNone:
		return fmt.Errorf("nothing found: %s", clean.Inline(r.MatchWhy))
	}
	return errors.New("nothing found")
}

// writeFile adds a file: its path and score, then its best parts as PATH:FROM-TO
// would name them.
func writeFile(t *base.Report, h *engine.FileHit) {
	fmt.Fprintf(t, "%s  %s\n", t.Paint.Path(clean.Inline(h.Path)), t.Paint.Bold(fmt.Sprintf("%.2f", h.Score)))
	t.Reasons(h.Reasons)
	for _, r := range h.Lines {
		t.Detail(fmt.Sprintf("%-11s %s", r.String(), clean.Inline(titleAt(h.Symbols, r))))
	}
}

// titleAt returns the signature of the symbol that a part is, or "".
func titleAt(symbols []satchel.Symbol, r satchel.Range) string {
	for _, s := range symbols {
		if s.From <= r.To && r.From <= s.To {
			return s.Signature
		}
	}
	return ""
}

func writeSymbol(t *base.Report, h *engine.SymbolHit) {
	fmt.Fprintf(t, "%s:%s  %s\n", t.Paint.Path(clean.Inline(h.Path)), satchel.Range{From: h.Symbol.From, To: h.Symbol.To}.String(), t.Paint.Bold(fmt.Sprintf("%.2f", h.Score)))
	t.Reasons(h.Reasons)
	what := h.Symbol.Signature
	what = cmp.Or(what, h.Symbol.Kind+" "+h.Symbol.Name)
	t.Detail(clean.Inline(what))
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[search.Result]("search", search.SearchVersion, "The best files or definitions for a query", "search"),
	}
}
