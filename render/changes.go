package render

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// A Diff is a changeset as it is shown: what a [change.Report] says of it, the
// hunks that there is room for, and an account of all that is left out.
//
// [DiffText] writes it as text, in its layout, and
// [DiffJSON] as JSON. What stands in it is shown cleaned, as everywhere in this
// package; see [clean.VisiblePatch] for how that goes with patches.
type Diff struct {
	Report   *change.Report
	Standard bool // hunks are shown; otherwise only the list of files
	Debug    bool // the addition of every score is shown
	Layout   DiffLayout
	Rest     bool // continues an earlier part, which had the list of what breaks

	// Listed is how many of Report.Files a summary lists. The others are
	// Omitted.
	Listed int

	Breaks  []DiffBreak        // what was exported and is gone or changed; of code that is read, not of vendored or generated code
	Files   []DiffFile         // those of which something is shown, in the order of the report
	Omitted []satchel.Omission // by file in the order of the report, then by hunk and part
	Named   int                // how many files of Omitted text names; the others are counted

	Next   *Cursor // where the rest begins; nil if everything is shown
	Budget int     // tokens; 0 means no limit
	Used   int     // tokens of the text; in JSON, Omitted is not counted. 0 if there is no limit
	Method string  // how Used was counted; empty if it was not
}

// A DiffFile is what is shown of one changed file.
type DiffFile struct {
	*change.Scored

	// Line says why the file is told in one line, such as "lock file". It is
	// empty if its hunks are worth reading.
	Line string

	// Whole means that the patch is shown as git writes it, its header too.
	// Otherwise the header has only the lines without which it does not apply.
	Whole bool

	// Hunks are Items of [satchel.KindDiff], by number and part. Their text is, in
	// full, the line with their ranges and then the lines, each with its mark and its
	// end; trimmed, some of the lines, with marks where others are left out; of a
	// file without hunks, its header.
	Hunks []satchel.Entry
}

// A DiffBreak names what a file no longer exports, or not as it was; or what all
// files that were deleted from a folder exported.
type DiffBreak struct {
	Path    string
	Edits   []change.Edit // those that break
	Deleted int           // how many files of the folder Path were deleted; 0 if Path is a file
}

// A Cursor says where the rest of a diff begins.
type Cursor struct {
	Path string `json:"path"`
	Hunk int    `json:"hunk"`
	Part int    `json:"part"`

	// Text is what a later call takes: it says besides which diff, and how much
	// of it, was shown before.
	Text string `json:"text"`
}

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
