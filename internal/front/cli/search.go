package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

func (a *app) searchCommand() *cobra.Command {
	var q engine.SearchRequest
	var only filterFlags
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
	only.add(fs)
	a.jsonFlag(fs)
	a.settingFlags(fs, readSettings)
	return cmd
}

func (a *app) search(ctx context.Context, q engine.SearchRequest, f *filterFlags) error {
	switch {
	case strings.TrimSpace(q.Query) == "":
		return &usageError{err: errors.New("the query is empty")}
	case q.Limit < 1:
		return usagef("--limit %d: want 1 or more", q.Limit)
	}
	if isURL(q.Query) && gitHost(q.Query) {
		a.remark("note: the URL is searched as words; satchel pack URL fetches the repository and prints its -C folder")
	}
	only, err := a.filter(ctx, f)
	if err != nil {
		return err
	}
	q.Paths, q.Include = only.paths, only.include
	e, err := a.openProject(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := e.Search(ctx, q)
	if err != nil {
		return a.scopeError(err, f)
	}
	r.Diagnostics = append(only.diags, r.Diagnostics...)
	a.diagnostics(e.Index().Diagnostics())
	if a.json {
		if err := a.writeJSON(r); err != nil {
			return err
		}
		return foundNothing(r)
	}
	a.diagnostics(r.Diagnostics)
	if err := foundNothing(r); err != nil {
		return err
	}
	if r.Match == satchel.MatchWeak {
		a.remark("match %s", render.Match(r.Match, r.MatchWhy))
	}
	l := a.table()
	for i := range r.Files {
		l.file(&r.Files[i])
	}
	for i := range r.Symbols {
		l.symbol(&r.Symbols[i])
	}
	return a.page(l.Bytes())
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

// file adds a file: its path and score, then its best parts as PATH:FROM-TO
// would name them.
func (t *report) file(h *engine.FileHit) {
	fmt.Fprintf(t, "%s  %s\n", t.paint.path(clean.Inline(h.Path)), t.paint.bold(fmt.Sprintf("%.2f", h.Score)))
	t.reasons(h.Reasons)
	for _, r := range h.Lines {
		t.detail(fmt.Sprintf("%-11s %s", r.String(), clean.Inline(titleAt(h.Symbols, r))))
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

func (t *report) symbol(h *engine.SymbolHit) {
	fmt.Fprintf(t, "%s:%s  %s\n", t.paint.path(clean.Inline(h.Path)), satchel.Range{From: h.Symbol.From, To: h.Symbol.To}.String(), t.paint.bold(fmt.Sprintf("%.2f", h.Score)))
	t.reasons(h.Reasons)
	what := h.Symbol.Signature
	what = cmp.Or(what, h.Symbol.Kind+" "+h.Symbol.Name)
	t.detail(clean.Inline(what))
}

// shownReasons is the number of reasons of a score that are shown; the others are
// summed in one line.
const shownReasons = 5

// reasons adds the strongest reasons of a score in plain words, and the rest as
// one line, so that the sum stays the score.
func (t *report) reasons(score satchel.Score) {
	reasons := rank.Plainly(score)
	rest := 0.0
	for _, r := range reasons[min(shownReasons, len(reasons)):] {
		rest += r.Add
	}
	for _, r := range reasons[:min(shownReasons, len(reasons))] {
		fmt.Fprintf(t, "    %s\n", t.paint.dim(fmt.Sprintf("%+6.2f  %s", r.Add, clean.Inline(r.Why))))
	}
	if n := len(reasons) - shownReasons; n > 0 {
		fmt.Fprintf(t, "    %s\n", t.paint.dim(fmt.Sprintf("%+6.2f  %s", rest, render.Plural(n, "other reason"))))
	}
}
