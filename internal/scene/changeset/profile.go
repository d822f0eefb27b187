package changeset

import (
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// A Profile is another program's way to score a change and to write it down.
// It ignores the repository and its history.
type Profile struct {
	Weights *rank.Profile
	Measure func(files []change.Scored) // fills the Signals, from path, status and patch
	Layout  render.DiffLayout
}

// Layout returns how the diff is written.
func (r *Request) Layout() (l render.DiffLayout) {
	if r.Profile != nil {
		l = r.Profile.Layout
	}
	l.Words = r.Words
	return l
}
