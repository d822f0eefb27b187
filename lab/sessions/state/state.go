// Package state says what of a session whoever goes on with it has to know, and
// whether a trimmed session shows it.
//
// The state of a session is a handful of facts of six kinds, found by rules in
// what was recorded: [Of]. A fact is recalled if the trimmed session shows it
// together, in one place: [Facts.Recall], which also counts what is shown as
// true and no longer is. [Coherence] says whether the rest reads as text.
//
// The package only measures. It is written apart from package trim on purpose:
// a rule that the two had in common would score itself.
package state

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// A Kind is what a fact is about.
type Kind string

// The kinds of facts.
const (
	// Edit is what the last edit of a file put into it, of each of the ten files
	// that were edited last.
	Edit Kind = "edit"

	// File is that a file was changed.
	File Kind = "files"

	// Check is how a test, build or lint command ended when it last ran.
	Check Kind = "check"

	// Error is the newest failure of a command or an edit that the same command
	// or edit did not mend since.
	Error Kind = "error"

	// Plan is the newest plan: its items and how far each is, or the text that
	// was agreed on.
	Plan Kind = "plan"

	// Rule is a sentence of the user that forbids or demands something.
	Rule Kind = "rule"
)

// Kinds lists the kinds, in the order in which they are shown.
var Kinds = []Kind{Edit, File, Check, Error, Plan, Rule}

// How much of a long session counts.
const (
	maxFiles    = 10 // whose last edit is a fact
	maxRules    = 20 // the newest
	maxResolved = 10 // failures that were mended
)

// Facts are the state of a session.
type Facts struct {
	edits    []change
	files    []string // the last two elements of the path of each
	checks   []outcome
	open     []string // the lines that tell of the open failure
	steps    []step
	agreed   []string // lines of the plan that was agreed on
	rules    []string
	gone     []goneText
	resolved []resolvedFailure
}

// A change is what an edit put into a file.
type change struct {
	path    string
	added   []string // lines that the edit brought
	context map[string]bool
	most    int // lines that are asked for at most
}

// The most lines of a change that have to be shown, of an edit and of a file
// that was written whole.
const (
	mostOfEdit  = 36
	mostOfWhole = 12
)

// Of finds the facts of a conversation.
func Of(ms []transcript.Message) *Facts {
	es := events(ms)
	f := &Facts{rules: rulesOf(ms)}
	f.changes(es)
	f.outcomes(es)
	if e := openFailure(es); e != nil {
		f.open = normalAll(failingLines(e.result))
	}
	f.plans(es)
	f.goneTexts(ms, es)
	f.resolvedFailures(es)
	return f
}

// changes notes the files that were changed, and the last edit of the last ten.
func (f *Facts) changes(es []event) {
	last := map[string]*fileEdit{}
	var order []string // of the paths, by their last edit
	for i := range es {
		e := &es[i]
		if e.action != editing || !e.answered || e.failed {
			continue
		}
		for k := range e.edits {
			p := e.edits[k].path
			if p == "" {
				continue
			}
			if last[p] != nil {
				order = slices.DeleteFunc(order, func(q string) bool { return q == p })
			}
			last[p] = &e.edits[k]
			order = append(order, p)
		}
	}

	for _, p := range order[max(0, len(order)-maxFiles):] {
		if c, ok := changeOf(last[p]); ok {
			f.edits = append(f.edits, c)
		}
	}
	for _, p := range order {
		f.files = append(f.files, tail(p))
	}
}

// changeOf returns what the last hunk of an edit that brought any text brought.
func changeOf(e *fileEdit) (change, bool) {
	for _, h := range slices.Backward(e.hunks) {
		if strings.TrimSpace(h.after) == "" {
			continue
		}
		added, _ := changedLines(h.before, h.after)
		c := change{path: e.path, added: normalAll(added), context: map[string]bool{}, most: mostOfEdit}
		if e.whole {
			c.most = mostOfWhole
		}
		for _, l := range normalAll(strings.Split(h.after, "\n")) {
			c.context[l] = true
		}
		return c, len(c.added) > 0
	}
	return change{}, false
}

// tail returns the last two elements of a path.
func tail(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
