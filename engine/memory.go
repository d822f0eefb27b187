package engine

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// notesPath stands for all notes in Refs, with the numbers of the notes as lines.
const notesPath = "notes"

// recalled is what is remembered, as a pack needs it.
type recalled struct {
	notes []rank.Note
	uses  []rank.Use
	diags []satchel.Diagnostic

	context []ContextFile          // to be shown
	never   func(path string) bool // of those, nil means none
}

// recall reads what is remembered. That it cannot be read is a Diagnostic: the pack is
// made without.
func (e *world) recall(ctx context.Context, now time.Time) *recalled {
	return e.recallWith(ctx, now, 0, nil)
}

// recallWith is recall, with another patience and more to read; besides may be
// nil.
func (e *world) recallWith(ctx context.Context, now time.Time, patience time.Duration, besides func(s *state.Store) error) *recalled {
	r := &recalled{never: e.index.Never}
	s, err := e.memory.Patient(patience).Open(ctx)
	if s == nil && err == nil {
		return r
	}
	if err == nil {
		defer s.Close()
		var files state.ContextSet
		var more []satchel.Diagnostic
		if r.notes, r.diags, err = s.Notes(ctx); err == nil {
			r.uses, err = s.Uses(ctx)
		}
		if err == nil {
			files, more, err = s.Context(ctx)
			r.diags = append(r.diags, more...)
		}
		if err == nil {
			r.context, more = e.contextFiles().Shown(ctx, files, now)
			r.diags = append(r.diags, more...)
		}
		if err == nil && besides != nil {
			err = besides(s)
		}
	}
	if err != nil {
		r.diags = append(r.diags, satchel.Diagnostic{Text: "notes are left out: " + err.Error()})
	}
	if err != nil && err == e.memory.Lost {
		r.diags[0].Text = "notes and context files are left out: .git is " + git.ErrNotRepository.Error()
	}
	for i := range r.diags {
		n := &r.diags[i]
		n.Path, n.Text = e.memory.Unplaced(n.Path), e.memory.Unplaced(n.Text)
	}
	return r
}

// gains returns what files gain because they were used lately. Without a time in
// the request, that of the newest use is taken.
func (r *recalled) gains(req *satchel.Request) map[string]float32 {
	if len(r.uses) == 0 {
		return nil
	}
	return rank.Gains(r.uses, newest(req.Now, len(r.uses), func(i int) time.Time { return r.uses[i].Touched }))
}

// newest returns now, or if it is zero the newest of n times.
func newest(now time.Time, n int, at func(i int) time.Time) time.Time {
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

// What notes get of a pack. The share is judgement: notes are short, and if they
// need more room they are documents.
const (
	noteShare = 20 // the part of the budget that notes may take which are not pinned
	noteGives = 20 // above every learned score, as their share is small; below pinned files
)

// whyOther is the reason of an Omission of notes that say nothing about the task.
const whyOther = "not about the task"

// notes offers what is remembered of the project: all pinned notes, and the others by their
// weight times what they have to do with the task, as far as their share of the
// budget goes. Without a task, the weight decides alone. Without a time in the
// request, that of the newest touch is taken.
type notes struct{}

func (notes) Offer(_ context.Context, sc *Scene) (o Offer, err error) {
	r := sc.memory
	o.Diagnostics = append(o.Diagnostics, r.diags...)
	if len(r.notes) == 0 {
		return o, nil
	}
	d := rank.NoteDecay()
	weights := d.Weights(r.notes, newest(sc.req.Now, len(r.notes), func(i int) time.Time { return r.notes[i].Touched }))
	overlaps := sc.overlaps(r.notes)
	value := make([]float64, len(weights))
	for i, w := range weights {
		value[i] = w * overlaps[i]
	}
	limit := math.MaxInt
	if sc.req.Budget > 0 {
		limit = sc.req.Budget / noteShare
	}
	// Pinned notes are chosen even if they take more than the share.
	chosen, _ := rank.Choose(r.notes, value, limit)
	in := make([]bool, len(r.notes))
	for _, i := range chosen {
		in[i] = true
	}
	for i := range r.notes {
		m := &r.notes[i]
		// Without a limit nothing need be left out.
		if !in[i] && sc.req.Budget > 0 {
			why := satchel.WhyNoRoom
			if value[i] == 0 {
				why = whyOther
			}
			o.Omitted = append(o.Omitted, satchel.Omission{Ref: noteRef(m), Why: why, Score: round(value[i]), Tokens: m.Tokens})
			continue
		}
		c := satchel.Candidate{Item: sc.noteItem(m)}
		if m.Pinned {
			c.Score.Add("pinned", pinnedScore)
		} else {
			c.Score.Add("note", noteGives)
			c.Score.Add("how lately it was of use", round(math.Log(max(weights[i], leastWeight))))
			c.Score.Add("what it has to do with the task", round(math.Log(max(overlaps[i], leastWeight))))
		}
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// leastWeight keeps logarithms finite.
const leastWeight = 1e-3

// overlaps returns how much of the task each note is about: 1 if there is none.
// The task of a review includes the paths of what changed.
func (sc *Scene) overlaps(list []rank.Note) []float64 {
	if sc.ranking != nil {
		return rank.Overlaps(&sc.ranking.Query, sc.ranking.TermWeights(), list)
	}
	var task strings.Builder
	task.WriteString(sc.req.Task)
	for _, path := range sc.changed {
		task.WriteString("\n" + path)
	}
	if strings.TrimSpace(task.String()) != "" {
		q := rank.Analyze(task.String())
		return rank.Overlaps(&q, nil, list)
	}
	out := make([]float64, len(list))
	for i := range out {
		out[i] = 1
	}
	return out
}

func noteRef(m *rank.Note) satchel.Ref {
	n := int(min(m.ID, math.MaxInt))
	return satchel.Ref{Kind: satchel.KindNote, Path: notesPath, From: n, To: n}
}

// noteItem makes the item of a note. All of its text is shown, whatever detail
// is asked for: it is no longer than a signature with its comment.
func (sc *Scene) noteItem(m *rank.Note) satchel.Item {
	text := noteText(m)
	detail := satchel.Full
	if sc.req.Detail != 0 {
		detail = min(detail, sc.req.Detail)
	}
	return satchel.Item{
		Ref: noteRef(m), Pinned: m.Pinned,
		Forms: []satchel.Form{{Detail: detail, Text: text, Tokens: sc.count.Count(text)}},
	}
}

// noteText is a note as it is shown: its category first, its lines indented so
// that none reads as another note.
func noteText(m *rank.Note) string {
	text := m.Text
	if m.Category != "" {
		text = m.Category + ": " + text
	}
	return strings.ReplaceAll(text, "\n", "\n  ")
}

// showNotes shows notes for Show, if path stands for them and there are any.
func (e *Engine) showNotes(ctx context.Context, path string, from, to int) (*Shown, bool) {
	if path != notesPath {
		return nil, false
	}
	list, _, err := e.memory.Notes(ctx)
	if err != nil || len(list) == 0 {
		return nil, false
	}
	last := int(list[len(list)-1].ID)
	if from == 0 {
		from = 1
	}
	if to == 0 {
		to = last
	}
	var text strings.Builder
	for i := range list {
		if id := int(list[i].ID); id >= from && id <= to {
			text.WriteString(strconv.Itoa(id) + " " + noteText(&list[i]) + "\n")
		}
	}
	return &Shown{Path: path, From: from, To: to, Lines: last, Text: text.String()}, text.Len() > 0
}
