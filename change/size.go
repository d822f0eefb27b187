package change

// A Size is how large a changeset is, and with it how to read it.
type Size string

const (
	Small        Size = "Small"
	Medium       Size = "Medium"
	Large        Size = "Large"
	VeryLarge    Size = "Very Large"
	SizeFiltered Size = "Filtered" // files were asked for
)

// Limits of the sizes: those of Git-Iris, whose prompts, but not whose tool,
// call more than 20 files or 1000 lines very large.
const (
	smallFiles, smallLines   = 3, 100 // at most so many files, fewer lines
	mediumFiles, mediumLines = 10, 500
	largeFiles, largeLines   = 20, 1000 // at most so many of both
)

// SizeOf returns the size of a changeset of which everything is shown.
func SizeOf(t Totals) Size {
	lines := t.Lines()
	switch {
	case t.Files <= smallFiles && lines < smallLines:
		return Small
	case t.Files <= mediumFiles && lines < mediumLines:
		return Medium
	case t.Files <= largeFiles && lines <= largeLines:
		return Large
	}
	return VeryLarge
}

// Words are how a reader asks for more of a change, in the arguments of its surface.
type Words struct {
	Ask           string // begins the guidance for a very large change
	Hunks, Files  string // ask for hunks, and for the hunks of some files
	Cursor, Every string // continues at a cursor, and lists every file; empty if the surface says it itself
}

// Flags are the words of the command line.
var Flags = Words{
	Ask:   "Split it for parallel reading (satchel diff --split N), or ask",
	Hunks: "--detail standard", Files: "--detail standard --path PATH",
	Cursor: "--cursor", Every: "--json",
}

// Guidance says how to read a changeset of this size.
func (s Size) Guidance(words Words) string {
	switch s {
	case Small:
		return "Inspect the changed contracts and their relevant callers."
	case Medium:
		return "Use relevance to order inspection, not to exclude changes."
	case VeryLarge:
		return words.Ask + " for files with " + words.Files + "."
	case SizeFiltered:
		return "Showing requested files only."
	}
	return "Ask for files by path, in standard detail, to read their hunks."
}
