package change

import (
	"math"

	"github.com/satchel-dev/satchel"
)

// Measure fills the Signals of every file for the default profile. The whole
// changeset is measured at once, since much of what a file says depends on what
// changed beside it.
func Measure(files []Scored) {
	for i := range files {
		f := &files[i]
		f.Signals = f.Signals[:0]
		if f.Class != "" && f.Class != "source" {
			f.Signals = append(f.Signals, satchel.Signal{Name: "class_" + f.Class, Value: 1})
		}
		f.Signals = append(f.Signals, satchel.Signal{Name: "lines", Value: math.Log1p(float64(f.File.Added+f.File.Removed)) / 7})
	}
}
