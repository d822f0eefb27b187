package engine

import (
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// A DiffProfile is another program's way to score a change and to write it down.
// What the repository, its history and the user's feedback say has no part in it.
type DiffProfile struct {
	Weights *rank.Profile
	Measure func(files []change.Scored) // fills the Signals, from path, status and patch
	Layout  render.DiffLayout
}

// layout returns how the diff is written.
func (r *DiffRequest) layout() render.DiffLayout {
	if r.Profile == nil {
		return render.DiffLayout{}
	}
	return r.Profile.Layout
}
