// Package contextfiles has the command context: the files that packs always contain or that an agent must not change.
package contextfiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Keep files in every pack, and protect them from changes",
		Long: `Keep files in every pack, and protect them from changes. Packs show them before the
files that satchel chooses, and leave out the least relevant first. A pinned file is
always shown whole. Together they take at most the --budget that you gave when you
added files. context check lets an agent's edit tool ask whether it may change a
file. The copies stay in the git directory, with secrets redacted.`,
		Example: `  satchel context add README.md
  satchel context add README.md --read-only --pin
  satchel context list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.contextAddCommand(), a.contextListCommand(), a.contextRemoveCommand(), a.contextRefreshCommand(),
		a.contextSuggestCommand(), a.contextCheckCommand())
	for _, c := range cmd.Commands() {
		c.Flags().SortFlags = false
	}
	return cmd
}

// withContext opens the engine for a command about context files, and adds what to
// do next to its errors.
func (a *app) withContext(ctx context.Context, do func(e *engine.Engine) error) error {
	err := a.WithEngine(ctx, do)
	var small *satchel.OverflowError
	var unknown *readonly.UnknownError
	switch {
	case errors.As(err, &small):
		return contextTooSmall(small)
	case errors.As(err, &unknown):
		return base.Hint(err, "satchel context list shows them")
	}
	return err
}

// contextTooSmall is the error of a budget that the context files do not fit.
func contextTooSmall(over *satchel.OverflowError) error {
	hint := fmt.Sprintf("nothing was changed; --budget %d is enough", over.Need)
	if over.AtLeast {
		hint = "nothing was changed; add fewer files"
	}
	if over.Fixed <= over.Limit && !over.AtLeast {
		hint += "; --evict makes room"
	}
	return &base.BudgetError{Text: over.Error(), Hint: hint, Over: over}
}

func (a *app) contextAddCommand() *cobra.Command {
	var rule engine.ContextRule
	var budget int
	var evict bool
	cmd := &cobra.Command{
		Use:   "add PATH|GLOB...",
		Short: "Add files, folders, or patterns of files",
		Long: fmt.Sprintf(`Add files, folders, or patterns as in a .gitignore; quote patterns. A pattern adds
tracked files, and untracked files that are not ignored; context refresh matches it
again. Everything is added, or nothing if it does not fit. All context files share
%s tokens, or the --budget that you gave last. Adding a file again can set more flags,
but clears none.`, render.Thousands(readonly.DefaultBudget)),
		Example: `  satchel context add README.md
  satchel context add README.md --read-only --pin
  satchel context add '**/*.md' --budget 20k --auto-refresh`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("budget") && budget <= 0 {
				return base.Usagef("--budget %d: want a number of tokens above 0", budget)
			}
			var rules []engine.ContextRule
			for _, arg := range args {
				r, err := a.contextRule(arg)
				if err != nil {
					return err
				}
				r.ReadOnly, r.AutoRefresh, r.Pinned = rule.ReadOnly, rule.AutoRefresh, rule.Pinned
				rules = append(rules, r)
			}
			return a.withContext(cmd.Context(), func(e *engine.Engine) error {
				rep, err := e.Context().Add(cmd.Context(), rules, budget, engine.ContextOptions{Now: a.Now(), Evict: evict})
				if err != nil {
					return err
				}
				return a.contextReport(rep)
			})
		},
	}
	cmd.Flags().BoolVar(&rule.ReadOnly, "read-only", false, "protect the files: context check refuses to change them")
	cmd.Flags().BoolVar(&rule.Pinned, "pin", false, "show the files whole in every pack, and never evict them")
	cmd.Flags().BoolVar(&rule.AutoRefresh, "auto-refresh", false, "show the current text on disk, not the text when added")
	cmd.Flags().VarP(base.TokensFlag{N: &budget}, "budget", "b", "limit all context files to these `tokens`, from now on")
	cmd.Flags().BoolVar(&evict, "evict", false, "make room by evicting the least recently used files")
	a.JSONFlag(cmd.Flags())
	return cmd
}

// contextRule reads a path or a pattern as it was written. A file or folder of that
// very name is meant before a pattern.
func (a *app) contextRule(arg string) (engine.ContextRule, error) {
	rel, err := a.RootPath(arg)
	if err != nil {
		return engine.ContextRule{}, err
	}
	clean := strings.TrimSuffix(rel, "/")
	fi, err := os.Stat(filepath.Join(config.Root(a.Dir), filepath.FromSlash(clean)))
	switch {
	case err == nil && fi.IsDir():
		if clean == "." {
			return engine.ContextRule{Pattern: "**", Glob: true}, nil
		}
		return engine.ContextRule{Pattern: "/" + escapePattern(clean) + "/", Glob: true}, nil
	case err == nil || !readonly.IsPattern(arg):
		return engine.ContextRule{Pattern: clean}, nil
	}
	pattern := rel
	if slashed := filepath.ToSlash(arg); filepath.IsAbs(arg) || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") {
		pattern = "/" + rel // from where the user stands, not at any depth
	}
	return engine.ContextRule{Pattern: pattern, Glob: true}, nil
}

// escapePattern returns the pattern that matches a path and nothing else.
func escapePattern(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// contextChange is the JSON form of what a change did.
type contextChange struct {
	Version int `json:"version"`
	*engine.ContextReport
}

// contextReport says what a change of the context files did.
func (a *app) contextReport(rep *engine.ContextReport) error {
	if a.JSON {
		return a.WriteJSON(contextChange{2, rep})
	}
	a.Diagnostics(rep.Diagnostics)
	l := a.Table()
	for _, part := range []struct {
		what  string
		paths []string
	}{{"added", rep.Added}, {"changed", rep.Changed}, {"removed", rep.Removed}, {"evicted", rep.Evicted}} {
		for _, p := range part.paths {
			fmt.Fprintf(l, "%-8s %s\n", part.what, l.Paint.Path(clean.Inline(p)))
		}
	}
	if _, err := a.Out.Write(l.Bytes()); err != nil {
		return err
	}
	a.Remark("context files take %s of %s tokens", render.Thousands(rep.Tokens), render.Thousands(rep.Limit))
	return nil
}

func (a *app) contextRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove PATH|GLOB...",
		Short:   "Remove context files and their protection",
		Example: `  satchel context add README.md -q && satchel context remove README.md`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withContext(cmd.Context(), func(e *engine.Engine) error {
				have, err := e.Context().List(cmd.Context())
				if err != nil {
					return err
				}
				var patterns []string
				for _, arg := range args {
					patterns = append(patterns, a.contextPattern(arg, have.Rules))
				}
				rep, err := e.Context().Remove(cmd.Context(), patterns...)
				if err != nil {
					return err
				}
				return a.contextReport(rep)
			})
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

// contextPattern returns the pattern of the rule that is meant by an argument. The
// file or folder need not exist any more.
func (a *app) contextPattern(arg string, rules []engine.ContextRule) string {
	names := []string{arg}
	if r, err := a.contextRule(arg); err == nil {
		names = append(names, r.Pattern)
	}
	if rel, err := a.RootPath(arg); err == nil {
		rel = strings.TrimSuffix(rel, "/")
		names = append(names, rel, "/"+rel, "/"+escapePattern(rel)+"/")
	}
	for _, n := range names {
		if slices.ContainsFunc(rules, func(r engine.ContextRule) bool { return r.Pattern == n }) {
			return n
		}
	}
	if len(names) > 2 {
		return names[2] // a path, perhaps of a file that a pattern brought in
	}
	return arg
}

func (a *app) contextRefreshCommand() *cobra.Command {
	var evict bool
	cmd := &cobra.Command{
		Use:   "refresh [PATH...]",
		Short: "Read context files again, and match patterns again",
		Long: `Read context files again, and match their patterns again. With PATH, only these
files are read. satchel compares bytes, not times. If the files no longer fit the
budget, nothing changes unless you add --evict.`,
		Example: `  satchel context refresh
  satchel context refresh --evict
  satchel context refresh --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			only, err := a.RootPaths(args)
			if err != nil {
				return err
			}
			return a.withContext(cmd.Context(), func(e *engine.Engine) error {
				rep, err := e.Context().Refresh(cmd.Context(), engine.ContextOptions{Now: a.Now(), Evict: evict, Only: only})
				if err != nil {
					return err
				}
				return a.contextReport(rep)
			})
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().BoolVar(&evict, "evict", false, "make room by evicting the least recently used files")
	a.JSONFlag(cmd.Flags())
	return cmd
}

func (a *app) contextCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check PATH...",
		Short: "Say whether an agent may change paths",
		Long: `Say whether an agent may change paths. An edit tool can run this before it writes.
The exit code is 0 if the agent may change all of them, 1 if one is protected, and 5
if the protection cannot be read. A path may be relative or absolute, contain .., go
through links, or differ in upper and lower case. The file need not exist.`,
		Example: `  satchel context check README.md
  satchel context check README.md src/main.go
  satchel context check README.md --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withContext(cmd.Context(), func(e *engine.Engine) error { return a.contextCheck(cmd.Context(), e, args) })
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

// checked is the JSON form of the answer about paths.
type checked struct {
	Version     int                  `json:"version"`
	Paths       []engine.Protection  `json:"paths"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

func (a *app) contextCheck(ctx context.Context, e *engine.Engine, args []string) error {
	list, diags, err := e.Context().Protections(ctx, args, a.Dir, a.Env.Dir)
	if err != nil {
		a.Diagnostics(diags)
		return err
	}
	out := checked{2, list, append([]satchel.Diagnostic{}, diags...)}
	var first *engine.Protection
	if i := slices.IndexFunc(list, func(p engine.Protection) bool { return p.Protected }); i >= 0 {
		first = &list[i]
	}
	if a.JSON {
		if err := a.WriteJSON(out); err != nil {
			return err
		}
	} else {
		a.Diagnostics(diags)
		for _, p := range out.Paths {
			verdict := "may be changed"
			if p.Protected {
				verdict = "protected, " + p.Why + ": " + clean.Inline(p.File)
			}
			fmt.Fprintf(a.Out, "%s: %s\n", clean.Inline(p.Path), verdict)
		}
	}
	if first != nil {
		return base.Hint(fmt.Errorf("%s must not be changed", first.Path), "it is protected by "+first.Rule+"; "+base.LiftsProtection)
	}
	return nil
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[contextChange]("context-change", 2, "A change of the context files", "context add", "context remove", "context refresh"),
		schema.Writes[checked]("context-check", 2, "The protection of paths", "context check"),
		schema.Writes[readonly.Listing]("context-list", 2, "The context files", "context list"),
		schema.Writes[contextSuggestions]("context-suggest", 2, "Suggested context files", "context suggest"),
	}
}
