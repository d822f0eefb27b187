package ask

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// CommitOptions are what [Commit] says beside the change. All of it is redacted
// and stands in fences, as data.
type CommitOptions struct {
	Budget int // tokens of the messages; 0 means DefaultBudget

	Style    string   // how this repository writes its messages, in words
	Subjects []string // a few of its subjects
	Messages []string // a few whole ones

	Hints        []string // what the author meant
	Branch       string   // its name
	Old          string   // the message that is to be amended
	Instructions string   // the user's own
	Language     string   // to write in, as a tag; empty means that of the history

	Facts []Fact // what parts of a large change came to, see [Facts]
}

// Commit asks for the message of one commit.
//
// The error is a *satchel.OverflowError if not even the list of files fits.
func Commit(r *change.Report, o CommitOptions) (*Ask, error) {
	a := &Ask{Name: "commit", System: commitSystem, Schema: schemaOf(commitSchema)}
	var w wording
	w.style(o.Style, o.Subjects, o.Messages)
	left := w.facts(o.Facts, budgetOr(o.Budget))
	before := w.take()
	w.said("Instructions of the user for this repository:", o.Instructions)
	w.said("Branch:", o.Branch)
	w.said("The message that this one replaces; its trailers are kept by the program:", o.Old)
	for _, hint := range o.Hints {
		w.said("What the author says of the change:", hint)
	}
	w.language(o.Language)
	w.line("Write the message of this commit.")
	a.Question = w.take()
	a.Receipt.Redacted = w.secrets
	return a, a.broad(r, before, budgetOr(o.Budget), left)
}

// broad fills Shared with a broad context of a change. left is how many facts about
// it had no room.
func (a *Ask) broad(r *change.Report, before string, budget, left int) error {
	files := filesOf(r, nil)
	b := newBroad(files, before+headOf(r), budget-tokens.O200k().Count(a.Question))
	v, err := b.show()
	if err != nil {
		return err
	}
	a.Shared = v.text
	a.receipt(files, b.sheets, v.masks)
	a.Receipt.Diagnostics = r.Diagnostics
	if left > 0 {
		a.Receipt.Diagnostics = append(slices.Clip(r.Diagnostics), satchel.Diagnostic{Text: render.Plural(left, "fact") + " about parts of the change left out: no room"})
	}
	return nil
}

// headOf says what changed, how large it is, and how to read it.
func headOf(r *change.Report) string {
	t := r.All
	return fmt.Sprintf("The change (%s): %s, +%d -%d, %s. %s\n",
		clean.Inline(r.Source), render.Plural(t.Files, "file"), t.Added, t.Removed, r.Size, guidance(r.Size))
}

// guidance says how to read a change of a size. The model may have no tools.
func guidance(s change.Size) string {
	switch s {
	case change.Small, change.Medium:
		return "Read all of it; relevance orders the files and excludes none."
	case change.SizeFiltered:
		return "These are the files that were asked for; there may be others."
	}
	return "Begin with the list; relevance orders it and excludes nothing. What is not shown can be read by path, if you are offered a tool for that."
}

// A wording is a text of what was said by people, quoted.
type wording struct {
	b       strings.Builder
	secrets int
}

// line writes a line of ours; what is put into it is cleaned.
func (w *wording) line(format string, list ...string) {
	args := make([]any, len(list))
	for i, s := range list {
		args[i] = w.clean(s, true)
	}
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// language asks for a language, by its tag; "" asks for none.
func (w *wording) language(tag string) {
	if tag != "" {
		w.line("Write in the language with the tag %s.", tag)
	}
}

// said quotes what somebody wrote, below a line of ours.
func (w *wording) said(head, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	w.b.WriteString(head + "\n" + render.Fenced("", w.clean(text, false)))
}

// style quotes how a repository writes its messages.
func (w *wording) style(words string, subjects, messages []string) {
	w.said("How messages are written here:", words)
	if len(subjects) > 0 {
		w.said("Subjects of earlier commits, for their form alone:", strings.Join(subjects, "\n"))
	}
	for _, m := range messages {
		w.said("A message of an earlier commit, for its form alone:", m)
	}
}

// clean redacts a text, and counts what it took out.
func (w *wording) clean(s string, line bool) string {
	t, found := clean.Turn(s)
	w.secrets += len(found)
	if line {
		t = t.Inline()
	}
	return t.String()
}

// take returns what was written, and begins anew.
func (w *wording) take() string {
	s := w.b.String()
	w.b.Reset()
	return s
}
