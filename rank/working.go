package rank

import (
	"time"

	"github.com/satchel-dev/satchel"
)

// A Use says that an agent used a file lately. The files used lately are the
// working set.
type Use struct {
	Path   string // slash-separated, relative to the root of the repository
	Edited bool   // not only read
	Trace
}

// What a file gains that was used just now, in the logarithm of odds, as scores
// are. Judgement: an edited file is about as much likelier to matter as one that
// the task names by a rare word, a read one half as much; neither outweighs a
// task that names another file.
const (
	editedGives = 1.2
	readGives   = 0.6
	usedReason  = "used recently"
)

// Gains returns what each path gains by its use, at a time.
func Gains(list []Use, now time.Time) map[string]float32 {
	d := WorkingDecay()
	gains := make(map[string]float32, len(list))
	for i := range list {
		u := &list[i]
		gives := readGives
		if u.Edited {
			gives = editedGives
		}
		if g := float32(gives * d.Weight(u.Trace, now)); g > leastGain {
			gains[u.Path] = max(gains[u.Path], g)
		}
	}
	return gains
}

// leastGain is what changes no order that matters.
const leastGain = 0.01

// addUsed adds the gain of a row to its reasons.
func (t *Table) addUsed(score *satchel.Score, row int) {
	if t.Used != nil {
		score.Add(usedReason, float64(t.Used[row]))
	}
}
