package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	ContextRule    = state.ContextRule
	ContextFile    = state.ContextFile
	ContextReport  = readonly.Report
	ContextOptions = readonly.Options
	Protection     = readonly.Protection
)

// disk is where context files are.
func (e *Engine) disk() readonly.Disk {
	switch t := e.tree.(type) {
	case *git.Repo:
		return readonly.Repository(t)
	case *git.Folder:
		return readonly.Folder(t)
	}
	return nil
}

// changeContext changes the context files in one transaction.
func (e *Engine) changeContext(ctx context.Context, change func(*readonly.Set) (*ContextReport, error)) (rep *ContextReport, err error) {
	if r, ok := e.tree.(*git.Repo); ok && r.Dir() == "" {
		return nil, git.ErrNoWorkTree
	}
	err = e.remembering(ctx, func(s *state.Store) error {
		return s.ChangeContext(ctx, func(kept *state.ContextSet) error {
			set := readonly.New(e.disk(), *kept)
			if rep, err = change(set); err != nil {
				return err
			}
			*kept = set.ContextSet
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return rep, nil
}

// AddContext keeps files at hand: it adds rules, and reads what they bring in.
// A budget above zero is from now on the number of tokens that all context files
// may have together. All of it is done or nothing.
//
// The errors are *readonly.PathError, *readonly.TooManyError, *satchel.OverflowError,
// and those of AddNote about the database.
func (e *Engine) AddContext(ctx context.Context, rules []ContextRule, budget int, o ContextOptions) (*ContextReport, error) {
	return e.changeContext(ctx, func(s *readonly.Set) (*ContextReport, error) {
		if budget > 0 {
			s.Budget = budget
		}
		return s.Add(ctx, rules, o)
	})
}

// RefreshContext reads context files again, and finds anew what patterns match.
// The errors are those of AddContext, and *readonly.UnknownError for a path in
// o.Only that is none of a context file.
func (e *Engine) RefreshContext(ctx context.Context, o ContextOptions) (*ContextReport, error) {
	return e.changeContext(ctx, func(s *readonly.Set) (*ContextReport, error) { return s.Refresh(ctx, o) })
}

// RemoveContext takes paths and patterns away that were added. The error is
// *readonly.UnknownError if one of them was not.
func (e *Engine) RemoveContext(ctx context.Context, patterns ...string) (*ContextReport, error) {
	return e.changeContext(ctx, func(s *readonly.Set) (*ContextReport, error) { return s.Remove(patterns...) })
}

// A ContextListing is all that is known of the context files.
type ContextListing struct {
	Rules       []ContextRule
	Files       []ContextFile   // by path
	Stale       map[string]bool // files that are other ones on the disk, or gone
	Tokens      int
	Limit       int
	Diagnostics []satchel.Diagnostic
}

// ContextFiles lists the context files.
func (e *Engine) ContextFiles(ctx context.Context) (*ContextListing, error) {
	set, diags, err := e.contextSet(ctx)
	if err != nil {
		return nil, err
	}
	l := &ContextListing{Rules: set.Rules, Files: set.Files, Stale: map[string]bool{}, Tokens: set.Tokens(), Limit: set.Limit(), Diagnostics: diags}
	stale, err := set.Stale(ctx)
	for _, p := range stale {
		l.Stale[p] = true
	}
	return l, err
}

// contextSet reads the context files.
func (e *Engine) contextSet(ctx context.Context) (*readonly.Set, []satchel.Diagnostic, error) {
	s, err := e.recollect(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if s == nil {
		return readonly.New(e.disk(), state.ContextSet{}), nil, nil
	}
	defer s.Close()
	kept, diags, err := s.Context(ctx)
	return readonly.New(e.disk(), kept), diags, err
}

// Protections says of each path whether an agent may change it: any spelling of it,
// from the root or from one of the folders in from. That it cannot be told of one is
// an error, and the answer is then no. The Diagnostics are about context files that cannot
// be read, which protect nothing.
func (e *Engine) Protections(ctx context.Context, paths []string, from ...string) ([]Protection, []satchel.Diagnostic, error) {
	if r, ok := e.tree.(*git.Repo); ok && r.Dir() == "" {
		return nil, nil, git.ErrNoWorkTree
	}
	set, diags, err := e.contextSet(ctx)
	if err != nil {
		return nil, diags, fmt.Errorf("whether paths may be changed cannot be told: %w", err)
	}
	out := make([]Protection, 0, len(paths))
	for _, path := range paths {
		p, err := set.Protects(ctx, path, from...)
		if err != nil {
			return nil, diags, fmt.Errorf("whether %s may be changed cannot be told: %w", path, err)
		}
		out = append(out, p)
	}
	return out, diags, nil
}

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
	list, _, err := sc.engine.Protections(ctx, sc.req.Edit) // recall tells the notes
	if err != nil && !errors.Is(err, git.ErrNoWorkTree) {
		sc.diags = append(sc.diags, satchel.Diagnostic{Text: "files to edit: " + sc.engine.unplaced(err.Error())})
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

// current returns the context files as packs show them.
func (e *Engine) current(ctx context.Context, kept state.ContextSet, now time.Time) ([]ContextFile, []satchel.Diagnostic) {
	if len(kept.Files)+len(kept.Rules) == 0 || e.disk() == nil {
		return nil, nil
	}
	if r, ok := e.tree.(*git.Repo); ok && r.Dir() == "" {
		return kept.Files, nil
	}
	set := readonly.New(e.disk(), kept)
	files, diags := set.Current(ctx, now)
	// What is shown may be older than what the agent finds.
	stale, err := set.Stale(ctx)
	if err != nil {
		diags = append(diags, satchel.Diagnostic{Text: "context files: " + err.Error()})
	}
	for _, p := range stale {
		if f, ok := set.File(p); ok && !f.AutoRefresh {
			diags = append(diags, satchel.Diagnostic{Path: p, Text: "shown as it was on " + f.Refreshed.Format(time.DateOnly) + "; the disk has another text, or none"})
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f ContextFile) bool { return f.Evicted || f.Text == "" }), diags
}

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

// A Suggestion is a file that may be worth keeping at hand; see its package.
type Suggestion = readonly.Suggestion

// SuggestContext returns the files of the repository that may be worth adding as
// context files, best first, at most limit of them (0 is no limit), and what was
// noticed on the way. Files that are context files already are not among them.
func (e *Engine) SuggestContext(ctx context.Context, limit int, now time.Time) ([]Suggestion, []satchel.Diagnostic, error) {
	v, err := e.index.View(ctx, e.tree, "")
	if err != nil {
		return nil, nil, err
	}
	diags := slices.Clone(v.Diagnostics())
	set, more, err := e.contextSet(ctx)
	if err != nil {
		return nil, nil, err
	}
	have := func(path string) bool { _, ok := set.File(path); return ok }
	var at int64
	if !now.IsZero() {
		at = now.Unix()
	}
	return readonly.Suggest(v, at, have, limit), append(diags, more...), nil
}
