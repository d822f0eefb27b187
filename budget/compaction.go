package budget

import "fmt"

// A Compaction says when a conversation is compacted, in shares of its room.
// The two differ so that a compaction does not follow the next answer: each one
// costs a summary and the provider's cache.
type Compaction struct {
	Start float64 `json:"start"` // above it, compacting begins
	Stop  float64 `json:"stop"`  // down to it, compacting goes on
}

// DefaultCompaction starts where GITCLAW's and hawk's reports warn, and stops
// where a quarter of the window is new room. Both numbers are judgement.
var DefaultCompaction = Compaction{Start: 0.80, Stop: 0.55}

// Check returns an error unless 0 < Stop < Start <= 1.
func (c Compaction) Check() error {
	if !(c.Stop > 0 && c.Stop < c.Start && c.Start <= 1) {
		return fmt.Errorf("compaction from %v down to %v: want 0 < stop < start <= 1", c.Start, c.Stop)
	}
	return nil
}

// Next reports whether to compact, given whether compacting was going on
// before. A room of 0 or less is always too small for what it holds.
func (c Compaction) Next(used, room int, active bool) bool {
	if active {
		return used > c.Target(room)
	}
	return used > c.Trigger(room)
}

// Trigger returns the tokens above which compacting begins.
func (c Compaction) Trigger(room int) int { return shareOf(room, c.Start) }

// Target returns the tokens at which it stops.
func (c Compaction) Target(room int) int { return shareOf(room, c.Stop) }

func shareOf(room int, share float64) int {
	if room <= 0 {
		return 0
	}
	return of(room, share, room)
}
