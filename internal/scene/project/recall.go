package project

import (
	"context"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// Recalled is what is remembered, as a pack needs it.
type Recalled struct {
	Notes []rank.Note
	uses  []rank.Use
	Diags []satchel.Diagnostic

	Context []state.ContextFile // to be shown
}

// Recall reads what is remembered. That it cannot be read is a Diagnostic: the pack is
// made without.
func (w *Project) Recall(ctx context.Context, now time.Time) *Recalled {
	return w.RecallWith(ctx, now, 0, nil)
}

// RecallWith is [Project.Recall] with another patience. also, if not nil, reads from the
// store too.
func (w *Project) RecallWith(ctx context.Context, now time.Time, patience time.Duration, also func(s *state.Store) error) *Recalled {
	r := new(Recalled)
	s, err := w.Memory.Patient(patience).Open(ctx)
	if s == nil && err == nil {
		return r
	}
	if err == nil {
		defer s.Close()
		var files state.ContextSet
		var more []satchel.Diagnostic
		if r.Notes, r.Diags, err = s.Notes(ctx); err == nil {
			r.uses, err = s.Uses(ctx)
		}
		if err == nil {
			files, more, err = s.Context(ctx)
			r.Diags = append(r.Diags, more...)
		}
		if err == nil {
			r.Context, more = w.ContextFiles().Shown(ctx, files, now)
			r.Diags = append(r.Diags, more...)
		}
		if err == nil && also != nil {
			err = also(s)
		}
	}
	if err != nil {
		r.Diags = append(r.Diags, satchel.Diagnostic{Text: "notes and context files are left out: " + err.Error()})
	}
	if err != nil && err == w.Memory.Lost {
		r.Diags[0].Text = "notes and context files are left out: .git is " + git.ErrNotRepository.Error()
	}
	for i := range r.Diags {
		n := &r.Diags[i]
		n.Path, n.Text = w.Memory.Unplaced(n.Path), w.Memory.Unplaced(n.Text)
	}
	return r
}

// Gains returns the gains of files that were used lately. Without a time in the
// request, it takes the time of the newest use.
func (r *Recalled) Gains(req *satchel.Request) map[string]float32 {
	if len(r.uses) == 0 {
		return nil
	}
	return rank.Gains(r.uses, Newest(req.Now, len(r.uses), func(i int) time.Time { return r.uses[i].Touched }))
}

// Newest returns now, or if it is zero the newest of n times.
func Newest(now time.Time, n int, at func(i int) time.Time) time.Time {
	if !now.IsZero() {
		return now
	}
	for i := range n {
		if t := at(i); i == 0 || t.After(now) {
			now = t
		}
	}
	return now
}
