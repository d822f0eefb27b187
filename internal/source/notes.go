package source

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
)

// NotesPath stands for all notes in Refs, with the numbers of the notes as lines.
const NotesPath = "notes"

// What notes get of a pack. The share is judgement: notes are short, and if they
// need more room they are documents.
const (
	noteShare = 20 // the part of the budget that notes may take which are not pinned
	noteGives = 20 // above every learned score, as their share is small; below pinned files
)

// whyOther is the reason of an Omission of notes that say nothing about the task.
const whyOther = "not about the task"

// Notes offers what is remembered of the project: all pinned notes, and the others by their
// weight times what they have to do with the task, as far as their share of the
// budget goes. Without a task, the weight decides alone. Without a time in the
// request, that of the newest touch is taken.
type Notes struct{}

func (Notes) Offer(_ context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	r := sc.Memory
	o.Diagnostics = append(o.Diagnostics, r.Diags...)
	if len(r.Notes) == 0 {
		return o, nil
	}
	d := rank.NoteDecay()
	weights := d.Weights(r.Notes, project.Newest(sc.Req.Now, len(r.Notes), func(i int) time.Time { return r.Notes[i].Touched }))
	overlaps := overlaps(sc, r.Notes)
	value := make([]float64, len(weights))
	for i, w := range weights {
		value[i] = w * overlaps[i]
	}
	limit := math.MaxInt
	if sc.Req.Budget > 0 {
		limit = sc.Req.Budget / noteShare
	}
	// Pinned notes are chosen even if they take more than the share.
	chosen, _ := rank.Choose(r.Notes, value, limit)
	in := make([]bool, len(r.Notes))
	for _, i := range chosen {
		in[i] = true
	}
	for i := range r.Notes {
		m := &r.Notes[i]
		// Without a limit nothing need be left out.
		if !in[i] && sc.Req.Budget > 0 {
			why := satchel.WhyNoRoom
			if value[i] == 0 {
				why = whyOther
			}
			o.Omitted = append(o.Omitted, satchel.Omission{Ref: NoteRef(m), Why: why, Score: rank.Round(value[i]), Tokens: m.Tokens})
			continue
		}
		for _, name := range rank.Analyze(m.Text).Paths {
			if hidden := "." + name; strings.Contains(m.Text, hidden) { // as in .github/ci.yml
				name = hidden
			}
			if strings.Contains(name, "/") && !ranking.HasPath(sc.View, name) {
				o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("note %d names %s, which is not in the repository", m.ID, name)})
			}
		}
		c := satchel.Candidate{Item: noteItem(sc, m)}
		if m.Pinned {
			c.Score.Add("pinned", scene.PinnedScore)
		} else {
			c.Score.Add("note", noteGives)
			c.Score.Add("how recently it was useful", rank.Round(math.Log(max(weights[i], leastWeight))))
			c.Score.Add("relevance to the task", rank.Round(math.Log(max(overlaps[i], leastWeight))))
		}
		o.Candidates = append(o.Candidates, c)
	}
	return o, nil
}

// leastWeight keeps logarithms finite.
const leastWeight = 1e-3

// overlaps returns how much of the task each note is about: 1 if there is none.
// The task of a review includes the paths of what changed.
func overlaps(sc *scene.Scene, list []rank.Note) []float64 {
	if sc.Ranking != nil {
		return rank.Overlaps(&sc.Ranking.Query, sc.Ranking.TermWeights(), list)
	}
	var task strings.Builder
	task.WriteString(sc.Req.Task)
	for _, path := range sc.Changed {
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

func NoteRef(m *rank.Note) satchel.Ref {
	n := int(min(m.ID, math.MaxInt))
	return satchel.Ref{Kind: satchel.KindNote, Path: NotesPath, From: n, To: n}
}

// noteItem makes the item of a note. All of its text is shown, whatever detail
// is asked for: it is no longer than a signature with its comment.
func noteItem(sc *scene.Scene, m *rank.Note) satchel.Item {
	text := NoteText(m)
	detail := satchel.Full
	if sc.Req.Detail != 0 {
		detail = min(detail, sc.Req.Detail)
	}
	return satchel.Item{
		Ref: NoteRef(m), Pinned: m.Pinned,
		Forms: []satchel.Form{{Detail: detail, Text: text, Tokens: sc.Encoding.Count(text.String())}},
	}
}

// NoteText is a note as it is shown: its category first, its lines indented so
// that none reads as another note.
func NoteText(m *rank.Note) clean.Text {
	text := m.Text
	if m.Category != "" {
		text = m.Category + ": " + text
	}
	return clean.New("", text).Indent("  ")
}
