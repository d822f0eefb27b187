package contextfiles

import (
	"context"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

func (a *app) contextListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List context files and their patterns",
		Example: `  satchel context list
  satchel context list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withContext(cmd.Context(), func(e *engine.Engine) error { return a.contextList(cmd.Context(), e) })
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

func (a *app) contextList(ctx context.Context, e *engine.Engine) error {
	c, err := e.Context().List(ctx)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.WriteJSON(c)
	}
	a.Diagnostics(c.Diagnostics)
	if len(c.Files)+len(c.Rules) == 0 {
		a.Remark("no context files; satchel context suggest lists candidates, satchel context add PATH adds one")
		return nil
	}
	l := a.Table()
	l.Header(" tokens  file")
	for i := range c.Files {
		f := &c.Files[i]
		var words []string
		for _, w := range []struct {
			is   bool
			word string
		}{{f.ReadOnly, "read-only"}, {f.Pinned, "pinned"}, {f.AutoRefresh, "auto-refresh"}, {f.Evicted, "evicted"}, {f.Stale && !f.AutoRefresh, "changed on disk"}} {
			if w.is {
				words = append(words, w.word)
			}
		}
		line := fmt.Sprintf("%7s  %s", render.Thousands(f.Tokens), l.Paint.Path(clean.Inline(f.Path)))
		if len(words) > 0 {
			line += "  " + l.Paint.Dim(strings.Join(words, ", "))
		}
		l.WriteString(line + "\n")
	}
	for _, r := range c.Rules {
		if r.Glob {
			l.WriteString("pattern  " + clean.Inline(r.Pattern) + "\n")
		}
	}
	if err := a.Page(l.Bytes()); err != nil {
		return err
	}
	a.Remark("%s, %s of %s tokens", render.Plural(len(c.Files), "file"), render.Thousands(c.Tokens), render.Thousands(c.Limit))
	return nil
}

// contextSuggestions is the JSON form of the files that are proposed.
type contextSuggestions struct {
	Version     int                  `json:"version"`
	Suggestions []engine.Suggestion  `json:"suggestions"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

func (a *app) contextSuggestCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Suggest files to keep in every pack",
		Long: `Suggest files to keep in every pack, best first, with the reasons. satchel looks for
instructions, architecture, specifications, schemas, manifests, and files that much
of the code leads to.`,
		Example: `  satchel context suggest
  satchel context suggest --limit 3
  satchel context suggest --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return base.Usagef("--limit %d: want 1 or more, or 0 for no limit", limit)
			}
			return a.withContext(cmd.Context(), func(e *engine.Engine) error {
				list, diags, err := e.Context().Suggest(cmd.Context(), limit, a.Now())
				if err != nil {
					return err
				}
				if a.JSON {
					return a.WriteJSON(contextSuggestions{2, list, append([]satchel.Diagnostic{}, diags...)})
				}
				a.Diagnostics(diags)
				l := a.Table()
				if len(list) > 0 {
					l.Header("score tokens  file  why")
				}
				for _, s := range list {
					fmt.Fprintf(l, "%.2f %s  %s  %s\n", s.Score, l.Paint.Dim(fmt.Sprintf("%7s", render.Thousands(s.Tokens))), l.Paint.Path(clean.Inline(s.Path)), clean.Inline(strings.Join(s.Reasons, "; ")))
				}
				return a.Page(l.Bytes())
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 15, "suggest at most `n` files; 0 means no limit")
	a.JSONFlag(cmd.Flags())
	return cmd
}
