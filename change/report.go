package change

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// A Report is what one run of satchel diff says about a changeset.
type Report struct {
	Source  string // of the Set
	From    string
	To      string
	Base    string // the tree or commit that the change begins at, also where From is empty; "" if it begins at nothing
	Profile string // of the scores: default, iris or iris-v2
	Task    string
	Size    Size // by All; SizeFiltered if files were asked for

	All   Totals // of the changeset
	Shown Totals // of Files

	Files       []Scored          // most relevant first, see [Sort]
	Beyond      string            // see [Set.Beyond]
	LeftOut     []LeftOut         // changed files that the user leaves out: neither measured nor shown
	Tests       []satchel.Related // that cover the change and are not in it, the likeliest first
	Related     []satchel.Related // other files that probably change too, the likeliest first
	Diagnostics []satchel.Diagnostic
}

// A LeftOut is a changed file without its hunks, and what leaves it out: --exclude,
// exclude (a setting), or the path of an ignore file.
type LeftOut struct {
	File
	By string
}

// Totals count files and their changed lines.
type Totals struct {
	Files   int
	Added   int // lines
	Removed int
}

// Lines returns the number of changed lines.
func (t Totals) Lines() int { return t.Added + t.Removed }

// Add counts one more file.
func (t *Totals) Add(f *File) {
	t.Files++
	t.Added += f.Added
	t.Removed += f.Removed
}

// A Scored is a changed file with all that is known about it.
type Scored struct {
	File
	Facts
	Signals   []satchel.Signal
	Score     satchel.Score // every addition, the base first
	Reasons   []string      // what a person is told: reasons that add something, and labels that only inform
	Relevance float64       // 0..1, as it is shown
	Order     float64       // what files are sorted by: in the default profile, the sum before it was clamped
}

// Facts are what is known about a changed file beside its lines. The zero value
// of each field means that it is not known.
type Facts struct {
	Class     string // as internal/code/outline names classes: source, test, config, docs, …
	Lang      string
	Secondary bool   // stands in a folder of documentation, examples, scripts, …
	Edits     []Edit // what [Compare] found, in order of lines
	Parsed    bool   // Edits come from the definitions of both sides, not from what the patch has of them

	Lines    int  // of the file, on the larger side
	Comments bool // every changed line is a comment or blank
	Spaces   bool // only white space changed
	NoDiff   bool // git's attributes say that nobody reads its changes

	Importers int     // files outside the changeset that import it
	Users     int     // files outside the changeset that use definitions whose signature or existence changed
	Usual     float64 // 0..1: how usual it is that it changes with another of the changeset, see [Partners]
	Churn     int     // past commits that changed it
	Task      float64 // 0..1: relevance to the task, 1 for the most relevant file
}

// Percent returns the relevance in percent, rounded.
func (s *Scored) Percent() int { return int(s.Relevance*100 + 0.5) }

// Stars returns the relevance in stars, 0 to 5.
func (s *Scored) Stars() int { return int(s.Relevance*5 + 0.5) }

// Sort orders files by Order, descending, then by path, then by old path.
func Sort(files []Scored) {
	slices.SortFunc(files, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Order, a.Order), cmp.Compare(a.Path, b.Path), cmp.Compare(a.OldPath, b.OldPath))
	})
}

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

// Unreadable says why a file has no hunks to show, or "".
func (f *File) Unreadable() string {
	switch {
	case f.Unread != "" && len(f.Hunks) == 0:
		return f.Unread
	case f.Binary:
		return satchel.WhyBinary
	case f.Elided > 0:
		return satchel.WhyLarge
	}
	return ""
}

// InConflict is the reason of an Unmerged file.
const InConflict = "in conflict"

// Counts returns the numbers of changed lines, "+2 -1", and the modes if they differ;
// or why the file was not looked at.
func (f *File) Counts() string {
	if f.Unread != "" {
		return "not looked at: " + f.Unread
	}
	text := fmt.Sprintf("+%d -%d", f.Added, f.Removed)
	if f.OldMode != f.NewMode && f.OldMode != 0 && f.NewMode != 0 {
		text += fmt.Sprintf(", mode %o → %o", f.OldMode, f.NewMode)
	}
	return text
}

// Unseen says why no reader can see what changed in a file, or "". Readers skip
// lock files and the like, whose patches may be too large.
func (s *Scored) Unseen() string {
	if s.Unread == "" && s.Elided > 0 && s.skipped() == "" {
		return satchel.WhyLarge
	}
	return s.Unread
}

// Folded says why one line describes a file instead of its hunks, or "".
func (s *Scored) Folded() string { return cmp.Or(s.Unreadable(), s.skipped()) }

// skipped says why people do not read the hunks of a file, or "".
func (s *Scored) skipped() string {
	if s.NoDiff {
		return "marked as not worth a diff"
	}
	switch outline.Class(s.Class) {
	case outline.Lock:
		return satchel.WhyLock
	case outline.Generated, outline.Minified, outline.Vendored, outline.Data, outline.Random:
		return s.Class
	}
	if outline.Recorded(s.Path) {
		return string(outline.Data)
	}
	return ""
}
