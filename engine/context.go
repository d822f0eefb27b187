package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/source/readonly"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// What context files are; see their packages.
type (
	ContextFiles   = readonly.Kept
	ContextRule    = state.ContextRule
	ContextFile    = state.ContextFile
	ContextReport  = readonly.Report
	ContextListing = readonly.Listing
	ContextOptions = readonly.Options
	Protection     = readonly.Protection
	Suggestion     = readonly.Suggestion // of a file that may be worth keeping at hand
)

// A ProtectedError is a file to edit that is a read-only context file.
type ProtectedError struct{ Protection }

func (e *ProtectedError) Error() string {
	return "path to edit " + e.Path + ": it is protected, " + e.Why + ": " + e.File
}

// editable reports with a *[ProtectedError] that one of the files to edit may not be
// changed. That it cannot be told is a Diagnostic: what is remembered may be lost, and
// packs are made without.
func (sc *Scene) editable(ctx context.Context) error {
	if len(sc.req.Edit) == 0 {
		return nil
	}
	list, _, err := sc.world.contextFiles().Protections(ctx, sc.req.Edit) // recall tells the notes
	if err != nil && !errors.Is(err, git.ErrNoWorkTree) {
		sc.diags = append(sc.diags, satchel.Diagnostic{Text: "files to edit: " + sc.world.memory.Unplaced(err.Error())})
	}
	for _, p := range list {
		if p.Protected {
			return &ProtectedError{p}
		}
	}
	return ctx.Err()
}

// contextTitle stands beside a context file that may not be changed.
const contextTitle = "read-only context file: do not change"

// What a context file gains that is not pinned: above every learned score, as what
// the user asked for comes before what was guessed; below notes, which are short.
const contextGives = 15

// contextFiles offers the files that the user keeps at hand. Those that are pinned must be shown;
// the others may be left out, those that say least about the task first, and those
// that have nothing to do with it are offered as outlines. They are not offered a
// second time as files of the repository.
type contextFiles struct{}

func (contextFiles) Offer(ctx context.Context, sc *Scene) (o Offer, err error) {
	r := sc.memory
	overlaps := sc.contextOverlaps(r.context)
	for k := range r.context {
		f := &r.context[k]
		i, ok := sc.view.File(f.Path)
		if ok && sc.accounted[i] {
			continue // pinned by the request: that one shows it
		}
		if r.never != nil && r.never(f.Path) {
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: f.Path, Text: "this context file is left out, as --exclude says"})
			continue
		}
		c := satchel.Candidate{Item: sc.contextItem(f)}
		if f.Redacted > 0 {
			o.Diagnostics = append(o.Diagnostics, ranking.RedactedDiagnostic(f.Path, f.Redacted))
		}
		if ok {
			sc.claim(int32(i))
		}
		if f.Pinned {
			c.Score.Add("pinned", pinnedScore)
			at := sc.viewed(f)
			if at >= 0 {
				if err := sc.reader.Load(ctx, []int32{at}); err != nil {
					return o, err
				}
			}
			o.Musts = append(o.Musts, sc.must(c, at))
			continue
		}
		c.Score.Add("context file", contextGives)
		c.Score.Add("what it has to do with the task", round(overlaps[k]))
		if overlaps[k] < leastOverlap && sc.req.Budget > 0 {
			sc.shorten(&c.Item)
		}
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// leastOverlap is the share of the task's words that a context file has that is
// more than its outline: less is said by any text.
const leastOverlap = 0.1

// shorten leaves the outline of a context file that has nothing to do with the
// task, or where it has none, its beginning.
func (sc *Scene) shorten(it *satchel.Item) {
	full := it.Forms[0]
	it.Forms = it.Forms[1:]
	if heads := sc.heads(&full); it.Forms[0].Detail < satchel.Outline && len(heads) > 0 {
		it.Forms = slices.Insert(it.Forms, 0, heads[len(heads)-1])
	}
}

// contextItem makes the item of a context file.
func (sc *Scene) contextItem(f *ContextFile) satchel.Item {
	it := satchel.Item{
		Ref:  satchel.Ref{Kind: satchel.KindContext, Path: f.Path},
		Lang: outline.Language(f.Path, []byte(f.Text[:min(len(f.Text), 256)])), Blob: f.Blob,
		Pinned: f.Pinned,
	}
	if f.ReadOnly {
		it.Title = contextTitle
	}
	if i, ok := sc.view.File(f.Path); ok && sc.view.Files()[i].Blob == f.Blob {
		it.Dirty = sc.view.Files()[i].Dirty
	}
	it.Forms = []satchel.Form{{Detail: satchel.Full, Text: f.Text, Tokens: f.Tokens, Lines: []satchel.Range{{From: 1, To: lineCount(f.Text)}}}}
	if i := sc.viewed(f); i >= 0 {
		it.Forms = append(it.Forms, sc.reader.Outlines(i, nil)...)
	}
	it.Forms = append(it.Forms, satchel.Form{Detail: satchel.Mention})
	return it
}

func lineCount(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] == '\n' {
			n++
		}
	}
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// contextOverlaps returns how much of the task each context file is about.
func (sc *Scene) contextOverlaps(list []ContextFile) []float64 {
	notes := make([]rank.Note, len(list))
	for i := range list {
		notes[i].Text = list[i].Path + "\n" + list[i].Text
	}
	if len(notes) == 0 {
		return nil
	}
	return sc.overlaps(notes)
}
