package render

import "github.com/satchel-dev/satchel/change"

// A DiffLayout is the form that the readers of another program expect of a
// [Diff]. The zero value is our own: plain, with headings as packs have them.
type DiffLayout struct {
	// Words ask for more of the diff. The zero value is [change.Flags].
	Words change.Words

	// Ruled sets headings between rules and leaves out what the other program does
	// not know: counts in the list of files, and without a budget the list of what
	// breaks.
	Ruled bool

	// Flat keeps the list of files above the hunks of standard detail, shows paths
	// as they are, and gives each file one line for a heading. Without it, a ruled
	// layout gives those that are told in one line a heading too.
	Flat bool

	// Size returns what the other program calls a size, and its guidance.
	Size func(change.Size) (label change.Size, guidance string)

	// The last line of a summary that is ruled: of all files, and of those that
	// were asked for.
	Hint, FilteredHint string
}

// framed reports whether the layout is ruled, and gives each file a frame.
func (l *DiffLayout) framed() bool { return l.Ruled && !l.Flat }
