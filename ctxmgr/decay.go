package ctxmgr

import (
	"fmt"
	"sync"
	"time"

	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
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

	mu      sync.Mutex
	applied map[string]applied // by id, of entries whose Weight or history is more than the entry shows
	at      map[string]int     // where an id was last seen
	added   int
	clock   func() time.Time // nil means time.Now
}

// applied is what an entry was before its Weight was decayed in place.
type applied struct {
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
	if halfLife <= 0 {
		halfLife = rank.WorkingHalfLife
	}
	return &ContextDecay{HalfLife: halfLife, MinWeight: minWeight}
}

func (cd *ContextDecay) now() time.Time {
	if cd.clock != nil {
		return cd.clock()
	}
	return time.Now()
}

func (cd *ContextDecay) decay() rank.Decay {
	d := rank.Decay{HalfLife: cd.HalfLife, Floor: cd.MinWeight}
	if d.HalfLife <= 0 {
		d.HalfLife = rank.WorkingHalfLife
	}
	return d
}

// trace is an entry as rank sees it.
func (cd *ContextDecay) trace(e *DecayEntry) rank.Trace {
	t := rank.Trace{Base: e.Weight, Touched: e.LastAccessed, Touches: e.AccessCount, Pinned: e.Pinned}
	if a, ok := cd.applied[e.ID]; ok {
		t.Spaced = a.spaced
		if a.weight == e.Weight {
			t.Base = a.base
		}
	}
	return t
}

// set makes an entry what a trace says, with a weight to show.
func (cd *ContextDecay) set(e *DecayEntry, t rank.Trace, weight float64) {
	e.Weight, e.LastAccessed, e.AccessCount, e.Pinned = weight, t.Touched, t.Touches, t.Pinned
	if cd.applied == nil {
		cd.applied = make(map[string]applied)
	}
	cd.applied[e.ID] = applied{weight: weight, base: t.Base, spaced: t.Spaced}
}

// memos are the entries as rank sees them.
func (cd *ContextDecay) memos() []rank.Memo {
	list := make([]rank.Memo, len(cd.Entries))
	for i := range cd.Entries {
		list[i] = memoOf(&cd.Entries[i], i)
		list[i].Trace = cd.trace(&cd.Entries[i])
	}
	return list
}

func memoOf(e *DecayEntry, i int) rank.Memo {
	return rank.Memo{ID: int64(i) + 1, Text: e.Content, Category: e.Category, Tokens: e.Tokens, Created: e.CreatedAt, Trace: rank.Trace{Pinned: e.Pinned}}
}

// entry returns the entry with an id, nil if there is none.
func (cd *ContextDecay) entry(id string) *DecayEntry {
	if i, ok := cd.at[id]; ok && i < len(cd.Entries) && cd.Entries[i].ID == id {
		return &cd.Entries[i]
	}
	cd.at = make(map[string]int, len(cd.Entries))
	for i := range cd.Entries {
		cd.at[cd.Entries[i].ID] = i
	}
	if i, ok := cd.at[id]; ok {
		return &cd.Entries[i]
	}
	return nil
}

// copies returns entries with the weights that they have now.
func (cd *ContextDecay) copies(list []rank.Memo, order []int, now time.Time) []DecayEntry {
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
	now := cd.now()
	e := DecayEntry{Content: content, CreatedAt: now, Category: category, Tokens: tokens}
	for e.ID == "" || cd.has(e.ID) {
		e.ID = fmt.Sprintf("ctx_%d_%d", now.UnixNano(), cd.added)
		cd.added++
	}
	cd.set(&e, rank.Fresh(now), 1)
	cd.Entries = append(cd.Entries, e)
	if cd.at == nil {
		cd.at = make(map[string]int)
	}
	cd.at[e.ID] = len(cd.Entries) - 1
	return e.ID
}

func (cd *ContextDecay) has(id string) bool {
	i, ok := cd.at[id]
	return ok && i < len(cd.Entries) && cd.Entries[i].ID == id
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
	if e := cd.entry(id); e != nil {
		t := fn(cd.trace(e), cd.now())
		cd.set(e, t, t.Base)
	}
}

// ApplyDecay writes the weights of this moment into Entries. What weights are
// later does not depend on it.
func (cd *ContextDecay) ApplyDecay() {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	now, d := cd.now(), cd.decay()
	for i := range cd.Entries {
		e := &cd.Entries[i]
		t := cd.trace(e)
		cd.set(e, t, d.Weight(t, now))
	}
}

// Get returns a copy of an entry and its weight now; nil and 0 if there is none.
func (cd *ContextDecay) Get(id string) (*DecayEntry, float64) {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	e := cd.entry(id)
	if e == nil {
		return nil, 0
	}
	c := *e
	c.Weight = cd.decay().Weight(cd.trace(e), cd.now())
	return &c, c.Weight
}

// GetTopN returns copies of the n entries that weigh most, heaviest first. An n
// below 1 is none.
func (cd *ContextDecay) GetTopN(n int) []DecayEntry {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	now, list := cd.now(), cd.memos()
	return cd.copies(list, cd.decay().Heaviest(list, n, now), now)
}

// GetByBudget returns copies of the entries to show within so many tokens: all
// pinned ones, even if they take more, and then by weight whatever still fits.
func (cd *ContextDecay) GetByBudget(maxTokens int) []DecayEntry {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	now, list := cd.now(), cd.memos()
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
	list, weights := make([]rank.Memo, len(entries)), make([]float64, len(entries))
	for i := range entries {
		list[i], weights[i] = memoOf(&entries[i], i), entries[i].Weight
	}
	return render.CtxMgrMemos(list, weights)
}

// Prune removes the entries of which less than a share is left, and returns how
// many those were. MinWeight does not save them, a pin does.
func (cd *ContextDecay) Prune(minWeight float64) int {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	faded := cd.decay().Faded(cd.memos(), minWeight, cd.now())
	if len(faded) == 0 {
		return 0
	}
	kept := make([]DecayEntry, 0, len(cd.Entries)-len(faded))
	next := 0
	for i := range cd.Entries {
		if next < len(faded) && faded[next] == i {
			delete(cd.applied, cd.Entries[i].ID)
			next++
			continue
		}
		kept = append(kept, cd.Entries[i])
	}
	cd.Entries, cd.at = kept, nil
	return len(faded)
}

// Stats sums up the entries.
func (cd *ContextDecay) Stats() DecayStats {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	s := cd.decay().Stats(cd.memos(), cd.now())
	return DecayStats{TotalEntries: s.Notes, AvgWeight: s.Mean, Oldest: s.Oldest, Newest: s.Newest, PinnedCount: s.Pinned, TotalTokens: s.Tokens}
}
