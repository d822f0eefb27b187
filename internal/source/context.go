package source

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/rank"
)

// contextTitle stands beside a context file that may not be changed.
const contextTitle = "read-only context file: do not change"

// What a context file gains that is not pinned: above every learned score, as what
// the user asked for comes before what was guessed; below notes, which are short.
const contextGives = 15

// ContextFiles offers the files that the user keeps at hand. Those that are pinned must be shown;
// the others may be left out, those that say least about the task first, and those
// that have nothing to do with it are offered as outlines. They are not offered a
// second time as files of the repository.
type ContextFiles struct{}

func (ContextFiles) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	r := sc.Memory
	overlaps := contextOverlaps(sc, r.Context)
	kept := paths(r.Context)
	real := readonly.Behind(sc.Project.Tree, kept)
	rules, err := sc.Project.Rules(ctx, sc.Req.Rev, append(kept, real...)...)
	if err != nil {
		return o, err
	}
	for k := range r.Context {
		f := &r.Context[k]
		i, ok := sc.View.File(f.Path)
		if ok && sc.Accounted[i] {
			continue // pinned by the request: that one shows it
		}
		if by := cmp.Or(rules.LeavesOut(f.Path), rules.LeavesOut(real[k])); by != "" {
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: f.Path, Text: "this context file is left out, as " + by + " says"})
			continue
		}
		c := satchel.Candidate{Item: contextItem(sc, f)}
		if f.Redacted > 0 {
			o.Diagnostics = append(o.Diagnostics, ranking.RedactedDiagnostic(f.Path, f.Redacted))
		}
		if ok {
			sc.Take(int32(i))
		}
		if f.Pinned {
			c.Score.Add("pinned", scene.PinnedScore)
			at := sc.Viewed(f)
			if at >= 0 {
				if err := sc.Reader.Load(ctx, []int32{at}); err != nil {
					return o, err
				}
			}
			m := sc.Must(c, at)
			m.Shares = true
			o.Musts = append(o.Musts, m)
			continue
		}
		c.Score.Add("context file", contextGives)
		c.Score.Add("relevance to the task", rank.Round(overlaps[k]))
		if overlaps[k] < leastOverlap && sc.Req.Budget > 0 {
			shorten(sc, &c.Item)
		}
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

func paths(list []state.ContextFile) (names []string) {
	for i := range list {
		names = append(names, list[i].Path)
	}
	return names
}

// leastOverlap is the share of the task's words that a context file has that is
// more than its outline: less is said by any text.
const leastOverlap = 0.1

// shorten leaves the outline of a context file that has nothing to do with the
// task, or where it has none, its beginning.
func shorten(sc *scene.Scene, it *satchel.Item) {
	full := it.Forms[0]
	it.Forms = it.Forms[1:]
	if heads := sc.Heads(&full); it.Forms[0].Detail < satchel.Outline && len(heads) > 0 {
		it.Forms = slices.Insert(it.Forms, 0, heads[len(heads)-1])
	}
}

// contextItem makes the item of a context file.
func contextItem(sc *scene.Scene, f *state.ContextFile) satchel.Item {
	it := satchel.Item{
		Ref:  satchel.Ref{Kind: satchel.KindContext, Path: f.Path},
		Lang: outline.Language(f.Path, []byte(f.Text[:min(len(f.Text), 256)])), Blob: f.Blob,
		Pinned: f.Pinned,
	}
	if f.ReadOnly {
		it.Title = clean.Const(contextTitle)
	}
	if i, ok := sc.View.File(f.Path); ok && sc.View.Files()[i].Blob == f.Blob {
		it.Dirty = sc.View.Files()[i].Dirty
	}
	text, tokens := clean.New(f.Path, f.Text), f.Tokens
	if s := text.String(); s != f.Text {
		tokens = sc.Encoding.Count(s) // an older release kept it
	}
	it.Forms = []satchel.Form{{Detail: satchel.Full, Text: text, Tokens: tokens, Lines: []satchel.Range{{From: 1, To: clip.Lines(f.Text)}}}}
	if i := sc.Viewed(f); i >= 0 {
		it.Forms = append(it.Forms, sc.Reader.Outlines(i, nil)...)
	}
	it.Forms = append(it.Forms, satchel.Form{Detail: satchel.Mention})
	return it
}

// contextOverlaps returns how much of the task each context file is about.
func contextOverlaps(sc *scene.Scene, list []state.ContextFile) []float64 {
	notes := make([]rank.Note, len(list))
	for i := range list {
		notes[i].Text = list[i].Path + "\n" + list[i].Text
	}
	if len(notes) == 0 {
		return nil
	}
	return overlaps(sc, notes)
}
