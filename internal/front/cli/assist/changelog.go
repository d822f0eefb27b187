package assist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// changelogFlags are the flags of changelog.
type changelogFlags struct {
	assistFlags
	release string
	style   string
	ids     bool
}

const (
	withoutModel = "none" // --llm, if no model is to be asked
	styleLog     = "changelog"
	styleNotes   = "notes"
)

func NewChangelog(b *base.App) *cobra.Command {
	a := &app{b}
	var f changelogFlags
	cmd := &cobra.Command{
		Use:     "changelog FROM[..TO]",
		Aliases: []string{"release-notes"},
		Short:   "Write change log entries from the commits of a range",
		Long: `Write change log entries with help of a model, in the form of keepachangelog.com.
The range is the commits of TO (default HEAD) that are not in FROM. Each commit has
an entry, or is omitted with a reason that --json shows. Removed or changed exports
that no entry names are added. With --llm none, satchel sorts the subjects of the
commits into sections without a model. If the model fails, you get that list, with
exit code 6.`,
		Example: `  satchel changelog HEAD~2
  satchel changelog HEAD~2 --style notes
  satchel changelog HEAD~2..HEAD --llm none --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.style == "" && cmd.CalledAs() == "release-notes" {
				f.style = styleNotes
			}
			q, err := f.request(args[0])
			if err != nil {
				return err
			}
			return a.changelog(cmd.Context(), q, &f)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.release, "release", "", "name the `version` of the entries (default TO or Unreleased)")
	fs.StringVar(&f.style, "style", "", "write `STYLE`: changelog, or notes in plain sentences")
	fs.BoolVar(&f.ids, "ids", false, "name the commits of each entry")
	a.JSONFlag(fs)
	a.askFlags(fs, &f.assistFlags)
	fs.Lookup("llm").Usage = "use the model `NAME` of your config.toml, or none"
	return cmd
}

var versionName = lazy.Regexp(`^[vV]?\d+(\.\d+)+([-+.][\w.+-]+)?$`)

// request reads FROM[..TO].
func (f *changelogFlags) request(text string) (assist.ChangelogRequest, error) {
	q := assist.ChangelogRequest{Version: f.release, Release: f.style == styleNotes, Plain: f.llm == withoutModel}
	var ranged bool
	q.From, q.To, ranged = strings.Cut(text, "..")
	switch {
	case f.style != "" && f.style != styleLog && f.style != styleNotes:
		return q, base.Usagef("--style %s: want changelog or notes", f.style)
	case strings.HasPrefix(q.To, "."):
		return q, base.Usage(fmt.Errorf("%s: want two dots, not three", clean.Inline(text)), "FROM..TO means the commits of TO that are not in FROM")
	case q.From == "" || ranged && q.To == "":
		return q, base.Usage(fmt.Errorf("%q: want FROM or FROM..TO", text), "without ..TO, TO is HEAD")
	case strings.ContainsAny(f.release, "\r\n") || f.release != strings.TrimSpace(f.release):
		return q, base.Usagef("--release %q: want a version, such as 1.3.0", f.release)
	}
	if q.Version == "" && versionName().MatchString(q.To) {
		q.Version = q.To
	}
	return q, nil
}

func (a *app) changelog(ctx context.Context, q assist.ChangelogRequest, f *changelogFlags) error {
	e, err := a.OpenAsking(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if q.Plain {
		c, err := (&assist.Desk{Engine: e}).Changelog(ctx, q)
		if err != nil {
			return a.noLog(e, q, err)
		}
		text, err := a.logText(c, q, f)
		if err != nil {
			return err
		}
		return a.writeLog(c, text)
	}
	r, err := a.desk(ctx, e, &f.assistFlags, engine.DiffRequest{Range: q.From + ".." + cmp.Or(q.To, "HEAD")})
	if err != nil {
		return err
	}
	var c *assist.Changelog
	text, dry, err := r.answer(ctx, func() (text string, shown *assist.Material, err error) {
		if c, err = r.Changelog(ctx, q); errors.Is(err, assist.ErrDry) {
			return "", &c.Material, err
		} else if err != nil {
			return "", nil, a.noLog(e, q, err)
		}
		r.incomplete = c.Incomplete
		text, err = a.logText(c, q, f)
		return text, &c.Material, err
	})
	if err != nil {
		return err
	}
	if dry {
		return nil
	}
	if err = a.writeLog(c, text); err == nil || isIncomplete(err) {
		a.Remark("%s", r.spent(1).String())
	}
	return err
}

func isIncomplete(err error) bool { return errors.As(err, new(*base.IncompleteError)) }

// noLog adds a hint to the error of a range without commits.
func (a *app) noLog(e *engine.Engine, q assist.ChangelogRequest, err error) error {
	span := clean.Inline(q.From) + ".." + clean.Inline(cmp.Or(q.To, "HEAD"))
	switch {
	case errors.Is(err, git.ErrUnborn):
		return base.Hint(err, "commit first: the entries describe commits")
	case errors.Is(err, assist.ErrBackwards):
		return base.Hint(fmt.Errorf("%s has no commits", span), fmt.Sprintf("reverse the range: %s..%s", clean.Inline(cmp.Or(q.To, "HEAD")), clean.Inline(q.From)))
	case errors.Is(err, assist.ErrNothing):
		return base.Hint(fmt.Errorf("%s has no commits", span), "FROM is the previous release, TO the next one")
	}
	return err
}

// logText is what is written to standard output.
func (a *app) logText(c *assist.Changelog, q assist.ChangelogRequest, f *changelogFlags) (string, error) {
	text := sectionText(c, q, f)
	if !a.JSON {
		return text, nil
	}
	by := "model"
	if c.Plain {
		by = "subjects"
	}
	d := changelogDocument{
		Version: 2, From: c.From, To: c.To, Release: q.Version, Commits: c.Commits, By: by, Entries: []ask.LogEntry{}, Omitted: orEmpty(c.Log.Omitted), Text: text,
		Exports: orEmpty(c.Exports), Taken: orEmpty(c.Taken), Redacted: c.Redacted, Spent: c.Spent, Incomplete: orEmpty(c.Incomplete),
	}
	for _, e := range c.Log.Entries {
		e.Commits = orEmpty(e.Commits)
		d.Entries = append(d.Entries, e)
	}
	return base.JSONText(&d)
}

// changelogDocument is the JSON form of a change log.
type changelogDocument struct {
	Version    int             `json:"version"`
	From       string          `json:"from"`
	To         string          `json:"to"`
	Release    string          `json:"release,omitempty"`
	Commits    int             `json:"commits"`
	By         string          `json:"by"` // model, or subjects if no model had a part in it
	Entries    []ask.LogEntry  `json:"entries"`
	Omitted    []ask.LogSilent `json:"omitted"`
	Text       string          `json:"text"`
	Exports    []ask.Export    `json:"exports"`
	Taken      []hygiene.Taken `json:"taken"`
	Redacted   int             `json:"redacted"`
	Spent      assist.Spent    `json:"spent"`
	Incomplete []string        `json:"incomplete"`
}

// sectionText is a section as Keep a Changelog has it.
func sectionText(c *assist.Changelog, q assist.ChangelogRequest, f *changelogFlags) string {
	heading := "[Unreleased]"
	if q.Version != "" {
		heading = "[" + strings.TrimLeft(q.Version, "vV") + "]"
		if c.Date != "" {
			heading += " - " + c.Date
		}
	}
	return ask.WriteLog(c.Log, heading, f.ids)
}

// writeLog writes a change log to standard output.
func (a *app) writeLog(c *assist.Changelog, text string) error {
	if _, err := a.Out.WriteString(text); err != nil {
		return err
	}
	if err := a.Flush(); err != nil {
		return err
	}
	omitted := ""
	if n := len(c.Log.Omitted); n > 0 {
		omitted = fmt.Sprintf(", %d of them omitted (--json says why)", n)
	}
	a.Remark("%s%s", render.Plural(c.Commits, "commit"), omitted)
	if len(c.Taken) > 0 {
		a.Remark("removed: %s", clean.Inline(hygiene.Sum(c.Taken)))
	}
	if len(c.Incomplete) > 0 {
		return &base.IncompleteError{Why: c.Incomplete}
	}
	return nil
}
