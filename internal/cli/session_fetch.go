package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/secrets"
	"github.com/satchel-dev/satchel/internal/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// fetchResult is the JSON form of the command's result.
type fetchResult struct {
	Version  int    `json:"version"`
	Handle   string `json:"handle"`
	Path     string `json:"path"`  // of the session that holds it
	Spans    []span `json:"spans"` // of the records that hold it
	Type     string `json:"type"`
	Tool     string `json:"tool,omitempty"`
	Redacted int    `json:"redacted,omitempty"` // secrets that the text does not show
	Text     string `json:"text"`
}

// A span is where a record stands in the file, in bytes.
type span struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

func (a *app) sessionFetchCommand() *cobra.Command {
	var raw, asJSON bool
	cmd := &cobra.Command{
		Use:   "fetch HANDLE [FILE|latest]",
		Short: "Print a block that a trim left out",
		Long: `Print the whole block that a trimmed session names by a handle, an @ and five
letters or more. The recorded session is read again, and the text is printed only
if its hash gives the handle. Without a FILE, the sessions of this project are
searched, newest first.

Secrets are redacted, and what a terminal would obey is shown as \u{…}, unless
--raw is given.`,
		Example: `  satchel session fetch @ldhhu session.jsonl
  satchel session fetch @ldhhu --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.sessionFetch(cmd.Context(), args[0], args[1:], raw, asJSON)
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "leave secrets, control characters and invalid UTF-8 as they are")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document")
	a.settingFlags(cmd.Flags(), pageSettings)
	return cmd
}

func (a *app) sessionFetch(ctx context.Context, handle string, args []string, raw, asJSON bool) error {
	given := handle
	if !strings.HasPrefix(handle, "@") {
		handle = "@" + handle
	}
	if !trim.IsHandle(handle) {
		return usagef("handle %.40q: want an @ and five letters or more, such as @ldhhu", given)
	}
	var names []string
	if len(args) > 0 {
		name, err := a.sessionPath(args)
		if err != nil {
			return err
		}
		names = []string{name}
	} else {
		found, _ := sessions.List(sessions.Query{Dir: a.dir, Getenv: a.getenv, Side: true})
		for _, s := range found {
			names = append(names, s.Path)
		}
	}
	bar := a.progress()
	defer bar.stop()
	r := fetchResult{Version: 1, Handle: handle}
	for i, name := range names {
		bar.step("searching", i, len(names))
		ok, err := wait(ctx, func() (bool, error) { return r.find(ctx, name) })
		if ok && err != nil {
			return err
		}
		if ok {
			break
		}
		if err != nil && (len(args) > 0 || ctx.Err() != nil) {
			return sessionError(fmt.Errorf("read session %s: %w", name, err))
		}
	}
	bar.stop()
	if r.Path == "" {
		where := "the sessions of this project"
		if len(args) > 0 {
			where = names[0]
		}
		return &hintError{fmt.Errorf("no block of %s has the handle %s", where, handle), "name the FILE that was trimmed, if it is another"}
	}
	return a.printFetched(&r, raw, asJSON)
}

// find looks for the block in a session. It reads on when it has found it, since
// another text may have the same short handle.
func (r *fetchResult) find(ctx context.Context, name string) (bool, error) {
	f, err := sessions.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var long []string // handles of the texts that were found
	if _, err = transcript.Scan(f, f.Size, func(m *transcript.Message) error {
		for i := range m.Blocks {
			b := &m.Blocks[i]
			text, longest, ok := trim.Named(b, r.Handle)
			if !ok || slices.Contains(long, longest) {
				continue
			}
			if long = append(long, longest); len(long) > 1 {
				continue
			}
			r.Path, r.Type, r.Tool, r.Text = name, string(b.Type), b.Name, text
			r.Spans = []span{}
			for _, s := range m.Spans {
				r.Spans = append(r.Spans, span{s.Offset, s.Length})
			}
		}
		return ctx.Err()
	}); err != nil {
		return false, err
	}
	if len(long) > 1 {
		return true, &hintError{fmt.Errorf("%s blocks of %s have the handle %s", thousands(len(long)), name, r.Handle),
			"ask for one of " + strings.Join(long[:min(len(long), 8)], ", ")}
	}
	return len(long) > 0, nil
}

func (a *app) printFetched(r *fetchResult, raw, asJSON bool) error {
	if !raw {
		clean, found := secrets.Redact("", []byte(r.Text))
		r.Text, r.Redacted = string(clean), len(found)
	}
	if asJSON {
		return a.writeJSON(r)
	}
	text := r.Text
	if !raw {
		var changes render.Changes
		text, changes = render.CleanText(text)
		if !a.settings.Quiet {
			if r.Redacted > 0 {
				a.say("note: %s redacted; --raw shows them", plural(r.Redacted, "secret"))
			}
			if changes != (render.Changes{}) {
				a.say("note: %s; --raw shows them as they are", changes)
			}
		}
	}
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	return a.page([]byte(text))
}
