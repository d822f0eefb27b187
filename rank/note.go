package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A Note is a fact that somebody wanted remembered.
//
// Functions over notes take a list and return indices of it. They copy nothing
// out of the list and keep nothing.
type Note struct {
	ID       int64 // of its store; 1 or more
	Text     string
	Category string // such as decision; may be empty
	Tokens   int    // of Text
	Created  time.Time
	Trace
}

// A PinError reports that the pinned notes alone take more than the limit.
type PinError struct{ Need, Limit int } // tokens

func (e *PinError) Error() string {
	return fmt.Sprintf("pinned notes need %d tokens, limit is %d", e.Need, e.Limit)
}

// Weights returns the weight of every note.
func (d Decay) Weights(list []Note, now time.Time) []float64 {
	out := make([]float64, len(list))
	for i := range list {
		out[i] = d.Weight(list[i].Trace, now)
	}
	return out
}

// Heaviest returns the n notes that weigh most, heaviest first; see [Order].
// An n below 1 is none.
func (d Decay) Heaviest(list []Note, n int, now time.Time) []int {
	order := Order(list, d.Weights(list, now))
	return order[:max(0, min(n, len(order)))]
}

// Within returns the notes that fit a limit of tokens, by weight; see [Choose].
func (d Decay) Within(list []Note, limit int, now time.Time) ([]int, error) {
	return Choose(list, d.Weights(list, now), limit)
}

// Faded returns the notes of which less than a share is left, in the order of
// the list: the floor does not save them, a pin does.
func (d Decay) Faded(list []Note, below float64, now time.Time) []int {
	var out []int
	for i := range list {
		if !list[i].Pinned && d.Left(list[i].Trace, now) < below {
			out = append(out, i)
		}
	}
	return out
}

// Order returns all notes, pinned ones first, then those of most value, then the
// newer, then the higher id. The result does not depend on the order of the list.
func Order(list []Note, value []float64) []int {
	rows := make([]row, len(list))
	for i := range list {
		rows[i] = newRow(&list[i], value[i], i)
	}
	slices.SortFunc(rows, func(a, b row) int { return compareRows(list, &a, &b) })
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = int(r.at)
	}
	return out
}

// Choose returns the notes to show within a limit of tokens, in the order of
// [Order]: all pinned ones, then by value whatever still fits. What is worth
// nothing is not chosen unless it is pinned.
//
// If the pinned notes alone take more, it returns just them and a [*PinError].
func Choose(list []Note, value []float64, limit int) ([]int, error) {
	room := limit
	var pins, rows []row
	for i := range list {
		switch {
		case list[i].Pinned:
			room -= max(list[i].Tokens, 0)
			pins = append(pins, newRow(&list[i], value[i], i))
		case value[i] > 0:
			rows = append(rows, newRow(&list[i], value[i], i))
		}
	}
	by := func(a, b row) int { return compareRows(list, &a, &b) }
	slices.SortFunc(pins, by)
	chosen := make([]int, 0, len(pins))
	for _, r := range pins {
		chosen = append(chosen, int(r.at))
	}
	if room < 0 {
		return chosen, &PinError{Need: limit - room, Limit: limit}
	}
	// A limit holds few notes of many. So the best are sorted first, and then,
	// of the rest, those that are short enough for what room is left.
	for n := sortedFirst; len(rows) > 0; n = len(rows) {
		n = min(n, len(rows))
		moveFirst(rows, n, by)
		slices.SortFunc(rows[:n], by)
		for _, r := range rows[:n] {
			if size := max(list[r.at].Tokens, 0); size <= room {
				room -= size
				chosen = append(chosen, int(r.at))
			}
		}
		rows = slices.DeleteFunc(rows[n:], func(r row) bool { return list[r.at].Tokens > room })
	}
	return chosen, nil
}

// sortedFirst is how many notes are sorted before the others are looked at again.
const sortedFirst = 4096

// A row is a note of a list that is being ordered, with what nearly always
// decides.
type row struct {
	value   float64 // above 1 if it is pinned
	created int64   // seconds
	at      int32
}

func newRow(m *Note, value float64, at int) row {
	if !(value > 0) { // NaN too
		value = 0
	}
	if m.Pinned {
		value = math.Inf(1)
	}
	return row{value: value, created: m.Created.Unix(), at: int32(at)}
}

func compareRows(list []Note, a, b *row) int {
	switch {
	case a.value > b.value:
		return -1
	case a.value < b.value:
		return 1
	case a.created != b.created:
		return cmp.Compare(b.created, a.created)
	}
	x, y := &list[a.at], &list[b.at]
	if c := y.Created.Compare(x.Created); c != 0 {
		return c
	}
	if x.ID != y.ID {
		return cmp.Compare(y.ID, x.ID)
	}
	return cmp.Or(cmp.Compare(x.Text, y.Text), cmp.Compare(x.Category, y.Category), cmp.Compare(x.Tokens, y.Tokens))
}

// moveFirst moves the n first of a list to the front, in any order (Hoare's selection
// with a median of three as pivot).
func moveFirst[T any](list []T, n int, by func(a, b T) int) {
	lo, hi := 0, len(list)-1
	for lo < hi && n < len(list) {
		three := [...]T{list[lo], list[(lo+hi)/2], list[hi]}
		slices.SortFunc(three[:], by)
		pivot := three[1]
		i, j := lo, hi
		for i <= j {
			for by(list[i], pivot) < 0 {
				i++
			}
			for by(list[j], pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			return
		}
	}
}

// NoteStats sum up a list of notes.
type NoteStats struct {
	Notes  int       `json:"notes"`
	Pinned int       `json:"pinned"`
	Tokens int       `json:"tokens"`
	Mean   float64   `json:"mean_weight"` // 0 if there are none
	Fading int       `json:"fading"`      // of which less than FadingBelow is left
	Oldest time.Time `json:"oldest,omitzero"`
	Newest time.Time `json:"newest,omitzero"`
}

// FadingBelow is the weight from which on a note is called fading, as in hawk.
const FadingBelow = 0.2

// Stats sums up the notes.
func (d Decay) Stats(list []Note, now time.Time) NoteStats {
	s := NoteStats{Notes: len(list)}
	for i := range list {
		m := &list[i]
		s.Tokens += max(m.Tokens, 0)
		s.Mean += d.Weight(m.Trace, now)
		if m.Pinned {
			s.Pinned++
		} else if d.Left(m.Trace, now) < FadingBelow {
			s.Fading++
		}
		if i == 0 || m.Created.Before(s.Oldest) {
			s.Oldest = m.Created
		}
		if i == 0 || m.Created.After(s.Newest) {
			s.Newest = m.Created
		}
	}
	if s.Notes > 0 {
		s.Mean /= float64(s.Notes)
	}
	return s
}

// Overlaps returns, for each note, how much of what the query says it is about:
// the weight of the terms that both hold as a share of the query's, in 0..1. A
// term weighs what weights says, by its hash. One that weights does not know,
// since no file holds it, weighs as much as the heaviest: it is rare.
func Overlaps(q *Query, weights map[uint64]float32, list []Note) []float64 {
	var most float32 = 1
	for _, w := range weights {
		most = max(most, w)
	}
	at := make(map[uint64]float32, len(q.Terms))
	var total float64
	for _, t := range q.Terms {
		w, ok := weights[t.Hash]
		if !ok {
			w = most
		}
		if w > 0 {
			at[t.Hash] = w
			total += float64(w)
		}
	}
	out := make([]float64, len(list))
	if total == 0 {
		return out
	}
	var a terms.Analyzer
	seen := make(map[uint64]int, len(at)) // the last note, counted from 1, that a term was found in
	for i := range list {
		var sum float64
		each := func(h uint64) {
			if w, ok := at[h]; ok && seen[h] != i+1 {
				seen[h] = i + 1
				sum += float64(w)
			}
		}
		for _, text := range []string{list[i].Text, list[i].Category} {
			a.Each([]byte(text), each)
			if lower := strings.ToLower(text); lower != text {
				a.Each([]byte(lower), each) // SQLite is sqlite in a task, as prose
			}
		}
		out[i] = min(sum/total, 1)
	}
	return out
}
