package ctxmgr_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/ctxmgr"
)

// age makes all entries older.
func age(cd *ctxmgr.ContextDecay, by time.Duration) {
	for i := range cd.Entries {
		e := &cd.Entries[i]
		e.CreatedAt, e.LastAccessed = e.CreatedAt.Add(-by), e.LastAccessed.Add(-by)
	}
}

// near allows for the time that a test takes.
func near(got, want float64) bool { return math.Abs(got-want) < 0.01 }

func weightOf(t *testing.T, cd *ctxmgr.ContextDecay, id string) float64 {
	t.Helper()
	e, w := cd.Get(id)
	if e == nil {
		t.Fatalf("entry %s is gone", id)
	}
	return w
}

func contents(entries []ctxmgr.DecayEntry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Content)
	}
	return out
}

func TestDecayDefaults(t *testing.T) {
	for _, half := range []time.Duration{0, -time.Second} {
		if cd := ctxmgr.NewContextDecay(half); cd.HalfLife != 30*time.Minute || cd.MinWeight != 0.1 {
			t.Errorf("half-life %v, least weight %v", cd.HalfLife, cd.MinWeight)
		}
	}
	var cd ctxmgr.ContextDecay // the zero value works
	id := cd.Add("some words", "", 0)
	age(&cd, 30*time.Minute)
	e, w := cd.Get(id)
	if !near(w, 0.5) || e.Weight != w || e.Tokens != 2 {
		t.Errorf("weight %v, entry %+v", w, e)
	}
	if e, w := cd.Get("no such id"); e != nil || w != 0 {
		t.Errorf("an unknown id is %+v, %v", e, w)
	}
	cd.Access("no such id")
	cd.Pin("no such id")
	cd.Unpin("no such id")
	if got := cd.FormatEntries(nil); got != "Context (decayed):\n─────────────────\n(empty)\n" {
		t.Errorf("no entries are %q", got)
	}
	for _, n := range []int{math.MinInt, -1, 0} { // a panic in the reference
		if got := cd.GetTopN(n); len(got) != 0 {
			t.Errorf("the first %d are %v", n, got)
		}
	}
	if got := cd.GetTopN(math.MaxInt); len(got) != 1 {
		t.Errorf("all are %v", got)
	}
}

// TestDecayIDs: an id is one entry's, however many are added at once or are
// there already.
func TestDecayIDs(t *testing.T) {
	cd := ctxmgr.NewContextDecay(time.Hour)
	seen := make(map[string]bool)
	for range 3_000 {
		seen[cd.Add("same", "", 1)] = true
		if len(cd.Entries) > 100 {
			for i := range cd.Entries {
				cd.Entries[i].LastAccessed = time.Time{}
			}
			cd.Prune(0.5)
		}
	}
	if len(seen) != 3_000 {
		t.Errorf("%d ids for 3000 entries", len(seen))
	}
}

// TestDecayEntriesByHand: entries may be filled in, as from a file.
func TestDecayEntriesByHand(t *testing.T) {
	cd := ctxmgr.NewContextDecay(time.Hour)
	now := time.Now()
	cd.Entries = []ctxmgr.DecayEntry{
		{ID: "a", Content: "half", Weight: 0.5, LastAccessed: now, Tokens: 1},
		{ID: "b", Content: "old", Weight: 1, LastAccessed: now.Add(-2 * time.Hour), Tokens: 1},
		{ID: "c", Content: "absurd", Weight: math.NaN(), LastAccessed: now, Tokens: -5},
		{ID: "d", Content: "kept", Pinned: true, Tokens: 1},
	}
	if diff := cmp.Diff([]string{"kept", "half", "old", "absurd"}, contents(cd.GetTopN(9))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cd.Access("b")
	if w := weightOf(t, cd, "b"); !near(w, 0.625) {
		t.Errorf("weight %v after a touch at a quarter, want 0.625", w)
	}
	// A weight set by hand is believed, also after an ApplyDecay.
	cd.ApplyDecay()
	cd.Entries[0].Weight = 0.8
	if w := weightOf(t, cd, "a"); !near(w, 0.8) {
		t.Errorf("weight %v, want what was set", w)
	}
	if s := cd.Stats(); s.TotalEntries != 4 || s.PinnedCount != 1 || s.TotalTokens != 3 {
		t.Errorf("stats %+v", s)
	}
}

// TestDecayTogether runs every method at once; the race detector watches.
func TestDecayTogether(t *testing.T) {
	cd := ctxmgr.NewContextDecay(time.Minute)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				id := cd.Add(fmt.Sprintf("note %d of %d", i, w), "c", 3)
				cd.Access(id)
				cd.Pin(id)
				cd.Unpin(id)
				if e, _ := cd.Get(id); e != nil {
					e.Content = "the caller's own" // a copy
				}
				for _, e := range cd.GetByBudget(30) {
					if e.Content == "the caller's own" {
						t.Error("a copy was no copy")
					}
				}
				cd.GetTopN(3)
				cd.ApplyDecay()
				cd.Stats()
				cd.BuildContext(20)
				cd.Prune(0.001)
			}
		})
	}
	wg.Wait()
	if n := cd.Stats().TotalEntries; n != 400 {
		t.Errorf("%d entries, want 400", n)
	}
}
