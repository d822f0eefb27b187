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

// Guidance says how to read a changeset of this size.
func (s Size) Guidance() string {
	switch s {
	case Small:
		return "Inspect the changed contracts and their relevant callers."
	case Medium:
		return "Use relevance to order inspection, not to exclude changes."
	case VeryLarge:
		return "Split it for parallel reading (satchel diff --split N), or ask for files with --files PATH --detail standard."
	case SizeFiltered:
		return "Showing requested files only."
	}
	return "Ask for files by path, in standard detail, to read their hunks."
}
