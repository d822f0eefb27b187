// Package show has the command show: lines of files.
package show

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var rev string
	var raw, toClipboard bool
	cmd := &cobra.Command{
		Use:   "show PATH[:FROM-TO]...",
		Short: "Show a file, or some of its lines, as a pack would",
		Long: `Show a file, or some of its lines, as a pack would: secrets are redacted and
control characters escaped. PATH:7 is one line, PATH:7- the rest of the file, and
PATH:1-5,9-12 two parts. Add a colon to a PATH that itself ends like that. With
several arguments, a line that repeats the argument precedes each text. Paths are
relative to the root of the repository, or to the current folder if they begin
with ./ or ../.`,
		Example: `  satchel show README.md
  satchel show README.md:1-5
  satchel show README.md --rev HEAD --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.show(cmd.Context(), args, rev, raw, toClipboard)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&rev, "rev", "", "read this `revision` instead of the work tree")
	fs.BoolVar(&raw, "raw", false, "keep control characters and invalid UTF-8")
	fs.BoolVar(&toClipboard, "copy", false, base.CopyUse)
	a.JSONFlag(fs)
	a.SettingFlags(fs, base.ReadSettings)
	return cmd
}

// showResult is the JSON form of the command's result.
type showResult struct {
	Version int `json:"version"`
	*files.Shown
	Parts []showPart `json:"parts,omitempty"` // if there are several
}

type showPart struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

func (a *app) show(ctx context.Context, args []string, rev string, raw, toClipboard bool) error {
	if a.JSON && toClipboard {
		return base.Usagef("--json and --copy contradict each other")
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	var all strings.Builder
	lang := ""
	for _, arg := range args {
		r, err := a.shown(ctx, e, arg, rev)
		if err != nil {
			return err
		}
		if !raw && strings.IndexByte(r.Shown.Text, 0) >= 0 {
			return base.Hint(fmt.Errorf("%s: binary file", r.Path), "--raw writes it unchanged")
		}
		if a.JSON {
			if err := a.WriteJSON(r); err != nil {
				return err
			}
			continue
		}
		if r.Sparse {
			a.Remark("note: %s: %s", clean.Inline(r.Path), git.NotCheckedOut)
		}
		if r.Redacted > 0 {
			a.Remark("note: %s: %s redacted", clean.Inline(r.Path), render.Plural(r.Redacted, "secret"))
		}
		text := r.Shown.Text
		if !raw {
			var changes clean.Counts
			if text, changes = clean.Visible(text); changes != (clean.Counts{}) {
				a.Remark("note: %s: %s; --raw shows them unchanged", clean.Inline(r.Path), changes)
			}
		}
		if len(args) > 1 {
			fmt.Fprintf(&all, "%s:\n", clean.Inline(arg))
		}
		all.WriteString(text)
		if len(args) > 1 && text != "" && !strings.HasSuffix(text, "\n") {
			all.WriteByte('\n')
		}
		lang = r.Shown.Lang
	}
	text := all.String()
	switch {
	case a.JSON:
		return nil
	case toClipboard:
		return a.Copy(ctx, []byte(text), render.Plural(strings.Count(text, "\n"), "line"))
	case a.Env.StdoutTTY && !raw && len(args) == 1:
		text = base.Brush(a.Color(true)).Code(text, lang)
	}
	return a.Page([]byte(text))
}

// shown reads what one argument names.
func (a *app) shown(ctx context.Context, e *engine.Engine, arg, rev string) (*showResult, error) {
	if _, _, err := files.ParsePosition(arg); err != nil {
		return nil, base.Usage(err, "")
	}
	parts, err := e.Files().ShowRanges(ctx, arg, rev, a.RootPath, func(string) error { return nil })
	if lines, ok := errors.AsType[*files.RangeError](err); ok {
		return nil, base.Hint(err, "satchel show "+lines.Path+" shows all of it")
	}
	if i := strings.LastIndexByte(arg, ':'); i > 0 && errors.Is(err, fs.ErrNotExist) && a.ExistingHere(arg[:i]) != "" {
		return nil, base.Hint(err, "to find the lines of a definition, run satchel search --symbols "+base.ShellWord(arg[i+1:]))
	}
	if err != nil {
		return nil, err
	}
	r := &showResult{Version: 1, Shown: files.Join(parts)}
	if parts[len(parts)-1].Clamped {
		a.Remark("note: %s has %s", clean.Inline(r.Path), render.Plural(r.Lines, "line"))
	}
	for i := 0; len(parts) > 1 && i < len(parts); i++ {
		r.Parts = append(r.Parts, showPart{parts[i].From, parts[i].To, parts[i].Text})
	}
	return r, nil
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[showResult]("show", 1, "Lines of a file", "show"),
	}
}
