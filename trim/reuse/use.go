package reuse

import (
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// A Use is what a call does to a file.
type Use struct {
	Source Source // of its result
	Path   string // "" if none or unknown
	Clip   string // the part that is read; "" is the whole file
	Edits  bool   // it changes the file
	Line   string // the command line, if it runs one
}

// UseOf tells what a call does from its name and input.
func UseOf(call *transcript.Block) Use { return UseAs(call.Name, leaves(call.Input)) }

// UseAs is [UseOf] for the name of a tool and the fields of its input.
func UseAs(name string, fields []Field) Use {
	t := toolOf(name, fields)
	u := Use{Source: t.source, Path: t.path, Clip: t.clip, Edits: t.edits}
	if t.source != write && !strings.HasPrefix(name, "str_replace") { // whose command is a verb
		u.Line = commandLine(fields)
	}
	return u
}

// ShortPath returns the last two elements of a path. Agents name a file now from
// the root and now from where they stand, so paths that are short alike are taken
// for one file.
func ShortPath(path string) string { return base(path) }
