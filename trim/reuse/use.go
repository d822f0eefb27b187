package reuse

import "github.com/satchel-dev/satchel/transcript"

// A Use is what a call does to a file.
type Use struct {
	Source Source // of its result
	Path   string // "" if none or unknown
	Clip   string // the part that is read; "" is the whole file
	Edits  bool   // it changes the file
}

// UseOf tells what a call does from its name and input.
func UseOf(call *transcript.Block) Use {
	t := toolOf(call.Name, leaves(call.Input))
	return Use{Source: t.source, Path: t.path, Clip: t.clip, Edits: t.edits}
}

// ShortPath returns the last two elements of a path. Agents name a file now from
// the root and now from where they stand, so paths that are short alike are taken
// for one file.
func ShortPath(path string) string { return base(path) }
