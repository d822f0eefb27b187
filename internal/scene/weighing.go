package scene

import (
	"github.com/satchel-dev/satchel"
)

// A Weighing says how candidates are weighed against each other; see pack.Options.
type Weighing struct {
	Length          float64
	PerFile, PerGap int
	Value           func(*satchel.Candidate, *satchel.Form) float64
}

const LengthExponent = 0.6
