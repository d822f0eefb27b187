package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/trim"
	"github.com/spf13/cobra"
)

func (a *app) sessionFetchCommand() *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "fetch HANDLE [FILE|latest]",
		Short: "Print a block that a trim left out",
		Long: `Print a block that a trim left out. HANDLE is an @ with five letters or more, as the
trimmed session shows it. satchel reads the original session again, and prints the
text only if its hash matches the handle. Without FILE it searches the sessions of
this project, newest first. Secrets are redacted and control characters escaped,
unless you add --raw.`,
		Example: `  satchel session fetch @ldhhu
  satchel session fetch @ldhhu latest
  satchel session fetch @ldhhu --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.sessionFetch(cmd.Context(), args[0], args[1:], raw)
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "show secrets, control characters and bad UTF-8 as they are")
	a.JSONFlag(cmd.Flags())
	return cmd
}

func (a *app) sessionFetch(ctx context.Context, handle string, args []string, raw bool) error {
	given := handle
	if !strings.HasPrefix(handle, "@") {
		handle = "@" + handle
	}
	if !trim.IsHandle(handle) {
		return base.Usagef("handle %.40q: want an @ and five letters or more, such as @ldhhu", given)
	}
	var names []string
	if len(args) > 0 {
		if args[0] == "-" {
			return base.Usage(errors.New("a block is fetched from a recorded file, not from standard input"), "name the FILE, or none to search the sessions of this project")
		}
		name, err := a.SessionPath(args)
		if err != nil {
			return err
		}
		names = []string{name}
	} else {
		found, _ := sessions.List(sessions.Query{Dir: a.Dir, Getenv: a.Getenv, Side: true})
		for _, s := range found {
			names = append(names, s.Path)
		}
	}
	for i, name := range names {
		a.Bar.Step("searching", i, len(names))
		r, err := base.Wait(ctx, func() (*recordings.Block, error) { return recordings.Find(ctx, name, handle) })
		var ambiguous *recordings.AmbiguousError
		if errors.As(err, &ambiguous) {
			return base.Hint(err, "use one of "+strings.Join(ambiguous.Longer, ", "))
		}
		if r != nil {
			return a.printFetched(r, raw)
		}
		if err != nil && (len(args) > 0 || ctx.Err() != nil) {
			return sessionError(fmt.Errorf("read session %s: %w", name, err))
		}
	}
	where := "the sessions of this project"
	if len(args) > 0 {
		where = names[0]
	}
	return base.Hint(fmt.Errorf("no block of %s has the handle %s", where, handle), "name the FILE that was trimmed; text that its agent has rewritten since is gone")
}

func (a *app) printFetched(r *recordings.Block, raw bool) error {
	if !raw {
		r.Redact()
	}
	if a.JSON {
		return a.WriteJSON(r)
	}
	text := r.Text
	if !raw {
		var changes clean.Counts
		text, changes = clean.Visible(text)
		if r.Redacted > 0 {
			a.Remark("note: %s redacted; --raw shows them", render.Plural(r.Redacted, "secret"))
		}
		if changes != (clean.Counts{}) {
			a.Remark("note: %s; --raw shows them as they are", changes)
		}
	}
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	return a.Page([]byte(text))
}
