package ctxmgr

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/satchel-dev/satchel/dialect/hawk"
	"github.com/satchel-dev/satchel/rank"
)

// A ContextDecay holds pieces of context that fade unless they are pinned or
// accessed; [rank.Decay] says how. Its zero value works.
//
// Weights are between MinWeight and 1. All orders are total: pinned entries
// first, then by weight, then the newer, then the later.
type ContextDecay struct {
	HalfLife  time.Duration // zero or less means 30 minutes
	MinWeight float64       // the least weight, which Prune does not heed

	// Entries are what is remembered, in order of their addition. They may be
	// read and changed while no method runs. The Weight of an entry is that at
	// LastAccessed, or at the last ApplyDecay since.
	Entries []DecayEntry

	mu    sync.Mutex
	marks []mark         // one for each entry; see align
	at    map[string]int // where an id was last seen
	added int
}

// A mark is what an entry does not show: what it was before its Weight was
// decayed in place, and how it was accessed.
type mark struct {
	id     string
	weight float64 // that the entry has if nobody changed it since
	base   float64
	spaced float64
}

// A DecayEntry is a piece of context.
type DecayEntry struct {
	ID           string
	Content      string
	Weight       float64 // in what methods return: at that moment
	CreatedAt    time.Time
	LastAccessed time.Time
	AccessCount  int
	Category     string
	Tokens       int
	Pinned       bool
}

// DecayStats sum up the entries.
type DecayStats struct {
	TotalEntries int
	AvgWeight    float64 // now; 0 if there are none
	Oldest       time.Time
	Newest       time.Time
	PinnedCount  int
	TotalTokens  int
}

// minWeight is the floor of hawk's weights.
const minWeight = 0.1

// NewContextDecay returns an empty ContextDecay. A half-life of zero or less
// means 30 minutes.
func NewContextDecay(halfLife time.Duration) *ContextDecay {
	return &ContextDecay{HalfLife: cmp.Or(max(halfLife, 0), rank.WorkingHalfLife), MinWeight: minWeight}
}

func (cd *ContextDecay) decay() rank.Decay {
	return rank.Decay{HalfLife: cmp.Or(max(cd.HalfLife, 0), rank.WorkingHalfLife), Floor: cd.MinWeight}
}

// align brings the marks in step with the entries, which the caller may have
// changed by hand.
func (cd *ContextDecay) align() {
	in := len(cd.marks) == len(cd.Entries)
	for i := 0; in && i < len(cd.marks); i++ {
		in = cd.marks[i].id == cd.Entries[i].ID
	}
	if in {
		return
	}
	old := make(map[string]mark, len(cd.marks))
	for _, m := range cd.marks {
		old[m.id] = m
	}
	cd.marks, cd.at = make([]mark, len(cd.Entries)), make(map[string]int, len(cd.Entries))
	for i := range cd.Entries {
		e := &cd.Entries[i]
		m, known := old[e.ID]
		if !known {
			m = mark{id: e.ID, weight: e.Weight, base: e.Weight}
		}
		cd.marks[i], cd.at[e.ID] = m, i
	}
}

// trace is an entry, whose mark is in step, as rank sees it.
func (cd *ContextDecay) trace(i int) rank.Trace {
	e, m := &cd.Entries[i], &cd.marks[i]
	t := rank.Trace{Base: e.Weight, Touched: e.LastAccessed, Spaced: m.spaced, Touches: e.AccessCount, Pinned: e.Pinned}
	if m.weight == e.Weight {
		t.Base = m.base
	}
	return t
}

// set makes an entry what a trace says, with a weight to show.
func (cd *ContextDecay) set(i int, t rank.Trace, weight float64) {
	e := &cd.Entries[i]
	e.Weight, e.LastAccessed, e.AccessCount, e.Pinned = weight, t.Touched, t.Touches, t.Pinned
	cd.marks[i] = mark{id: e.ID, weight: weight, base: t.Base, spaced: t.Spaced}
}

// notes are the entries as rank sees them.
func (cd *ContextDecay) notes() []rank.Note {
	cd.align()
	list := make([]rank.Note, len(cd.Entries))
	for i := range cd.Entries {
		list[i] = noteOf(&cd.Entries[i], i)
		list[i].Trace = cd.trace(i)
	}
	return list
}

func noteOf(e *DecayEntry, i int) rank.Note {
	return rank.Note{ID: int64(i) + 1, Text: e.Content, Category: e.Category, Tokens: e.Tokens, Created: e.CreatedAt, Trace: rank.Trace{Pinned: e.Pinned}}
}

// find returns where the entry with an id is, with its mark in step; false if
// there is none.
func (cd *ContextDecay) find(id string) (int, bool) {
	if i, ok := cd.at[id]; ok && i < len(cd.Entries) && cd.Entries[i].ID == id && i < len(cd.marks) && cd.marks[i].id == id {
		return i, true
	}
	cd.align()
	i, ok := cd.at[id]
	return i, ok && i < len(cd.Entries) && cd.Entries[i].ID == id
}

// copies returns entries with the weights that they have now.
func (cd *ContextDecay) copies(list []rank.Note, order []int, now time.Time) []DecayEntry {
	out := make([]DecayEntry, len(order))
	d := cd.decay()
	for k, i := range order {
		out[k] = cd.Entries[i]
		out[k].Weight = d.Weight(list[i].Trace, now)
	}
	return out
}

// Add remembers a text with weight 1 and returns its id, which no other entry
// has. Tokens of 0 or less are counted.
func (cd *ContextDecay) Add(content, category string, tokens int) string {
	if tokens <= 0 {
		tokens = TokenEstimate(content)
	}
	cd.mu.Lock()
	defer cd.mu.Unlock()
	if len(cd.marks) != len(cd.Entries) || cd.at == nil {
		cd.align()
	}
	if cd.at == nil {
		cd.at = make(map[string]int)
	}
	now := time.Now()
	e := DecayEntry{Content: content, CreatedAt: now, Category: category, Tokens: tokens}
	for taken := true; taken; _, taken = cd.at[e.ID] {
		e.ID = fmt.Sprintf("ctx_%d_%d", now.UnixNano(), cd.added)
		cd.added++
	}
	cd.Entries, cd.marks = append(cd.Entries, e), append(cd.marks, mark{})
	i := len(cd.Entries) - 1
	cd.at[e.ID] = i
	cd.set(i, rank.Fresh(now), 1)
	return e.ID
}

// Access records that an entry was of use: half of what is missing to weight 1
// comes back, fading begins anew, and is slower from now on. An unknown id is
// passed over, here and below.
func (cd *ContextDecay) Access(id string) {
	cd.change(id, func(t rank.Trace, now time.Time) rank.Trace { return cd.decay().Touch(t, now) })
}

// Pin keeps an entry from fading: its weight is 1.
func (cd *ContextDecay) Pin(id string) {
	cd.change(id, rank.Trace.Pin)
}

// Unpin lets an entry fade from now on.
func (cd *ContextDecay) Unpin(id string) {
	cd.change(id, rank.Trace.Unpin)
}

func (cd *ContextDecay) change(id string, fn func(rank.Trace, time.Time) rank.Trace) {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	if i, ok := cd.find(id); ok {
		t := fn(cd.trace(i), time.Now())
		cd.set(i, t, t.Base)
	}
}

// ApplyDecay writes the weights of this moment into Entries. What weights are
// later does not depend on it.
func (cd *ContextDecay) ApplyDecay() {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	cd.align()
	now, d := time.Now(), cd.decay()
	for i := range cd.Entries {
		t := cd.trace(i)
		cd.set(i, t, d.Weight(t, now))
	}
}

// Get returns a copy of an entry and its weight now; nil and 0 if there is none.
func (cd *ContextDecay) Get(id string) (*DecayEntry, float64) {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	i, ok := cd.find(id)
	if !ok {
		return nil, 0
	}
	c := cd.Entries[i]
	c.Weight = cd.decay().Weight(cd.trace(i), time.Now())
	return &c, c.Weight
}

// GetTopN returns copies of the n entries that weigh most, heaviest first. An n
// below 1 is none.
func (cd *ContextDecay) GetTopN(n int) []DecayEntry {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	now, list := time.Now(), cd.notes()
	return cd.copies(list, cd.decay().Heaviest(list, n, now), now)
}

// GetByBudget returns copies of the entries to show within so many tokens: all
// pinned ones, even if they take more, and then by weight whatever still fits.
func (cd *ContextDecay) GetByBudget(maxTokens int) []DecayEntry {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	now, list := time.Now(), cd.notes()
	order, _ := cd.decay().Within(list, maxTokens, now) // the error says that pins take more
	return cd.copies(list, order, now)
}

// BuildContext is [ContextDecay.FormatEntries] of [ContextDecay.GetByBudget]. The
// budget counts the texts, not what is written around them.
func (cd *ContextDecay) BuildContext(maxTokens int) string {
	return cd.FormatEntries(cd.GetByBudget(maxTokens))
}

// FormatEntries returns entries as text, with the weights that they carry.
func (cd *ContextDecay) FormatEntries(entries []DecayEntry) string {
	list, weights := make([]rank.Note, len(entries)), make([]float64, len(entries))
	for i := range entries {
		list[i], weights[i] = noteOf(&entries[i], i), entries[i].Weight
	}
	return hawk.Notes(list, weights)
}

// Prune removes the entries of which less than a share is left, and returns how
// many those were. MinWeight does not save them, a pin does.
func (cd *ContextDecay) Prune(minWeight float64) int {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	faded := cd.decay().Faded(cd.notes(), minWeight, time.Now())
	if len(faded) == 0 {
		return 0
	}
	kept, marks := make([]DecayEntry, 0, len(cd.Entries)-len(faded)), make([]mark, 0, len(cd.Entries)-len(faded))
	cd.at = make(map[string]int, cap(kept))
	next := 0
	for i := range cd.Entries {
		if next < len(faded) && faded[next] == i {
			next++
			continue
		}
		cd.at[cd.Entries[i].ID] = len(kept)
		kept, marks = append(kept, cd.Entries[i]), append(marks, cd.marks[i])
	}
	cd.Entries, cd.marks = kept, marks
	return len(faded)
}

// Stats sums up the entries.
func (cd *ContextDecay) Stats() DecayStats {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	s := cd.decay().Stats(cd.notes(), time.Now())
	return DecayStats{TotalEntries: s.Notes, AvgWeight: s.Mean, Oldest: s.Oldest, Newest: s.Newest, PinnedCount: s.Pinned, TotalTokens: s.Tokens}
}
