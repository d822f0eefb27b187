package scene

import (
	"slices"

	"github.com/satchel-dev/satchel"
)

// A manifest is the files that an agent is going to edit.
type manifest struct {
	Files []int32 // of the view, in the order asked
	Large []int32 // those of files that are shown in part
	Texts []string
	Gains map[int32]satchel.Score // what chunks around them gain
	Names []string                // that the gains are about
}

// Holds reports whether a file is to be edited.
func (m *manifest) Holds(file int32) bool { return slices.Contains(m.Files, file) }
