package render

import (
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A Diff is a changeset as it is shown: what a [change.Report] says of it, the
// hunks that there is room for, and an account of all that is left out.
//
// [DiffText] writes it as text, in its layout, and
// [DiffJSON] as JSON. What stands in it is shown cleaned, as everywhere in this
// package; see [CleanPatch] for how that goes with patches.
type Diff struct {
	Report   *change.Report
	Standard bool // hunks are shown; otherwise only the list of files
	Debug    bool // the addition of every score is shown
	Layout   DiffLayout
	Rest     bool // continues an earlier part, which had the list of what breaks

	// Listed is how many of Report.Files a summary lists. The others are
	// Omitted.
	Listed int

	Breaks  []DiffBreak    // what was exported and is gone or changed; of code that is read, not of vendored or generated code
	Files   []DiffFile     // those of which something is shown, in the order of the report
	Omitted []DiffOmission // by file in the order of the report, then by hunk and part
	Named   int            // how many files of Omitted text names; the others are counted

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

	Hunks []DiffHunk // by number and part
}

// A DiffBreak names what a file no longer exports, or not as it was; or what all
// files that were deleted from a folder exported.
type DiffBreak struct {
	Path    string
	Edits   []change.Edit // those that break
	Deleted int           // how many files of the folder Path were deleted; 0 if Path is a file
}

// A DiffHunk is a hunk, or a part of a long one, at some level of detail.
type DiffHunk struct {
	Number      int // of the hunk in its file, from 1; 0 stands for a header without hunks
	Part, Parts int // 1 and 1 if the hunk is in one piece

	OldFrom, OldLines int // as in change.Hunk
	NewFrom, NewLines int
	Added, Removed    int

	Detail satchel.Detail

	// Text depends on Detail. Full: the lines, each with its mark and its end.
	// Trimmed: some of the lines, with marks where others are left out. Outline:
	// the signature of the enclosing definition. Mention: empty.
	Text string

	Section string // what stands after the ranges: the enclosing definition
	Exact   bool   // Text is byte for byte what git has: full, nothing redacted, clipped or cleaned

	// CutBefore and CutAfter mean that a long run of changed lines goes on in
	// the part before, or after. Such a part is not a patch by itself.
	CutBefore, CutAfter bool

	first int // the first of several parts that were joined; 0 if it is one
}

// A DiffOmission is a hunk, a part of one, or a whole file (Hunk 0) that is not
// shown in full.
type DiffOmission struct {
	Path    string         `json:"path"`
	Hunk    int            `json:"hunk,omitempty"`
	Part    int            `json:"part,omitempty"` // if the hunk is in parts
	From    int            `json:"from,omitempty"` // lines of the new file; of the old one if nothing was added
	To      int            `json:"to,omitempty"`
	Added   int            `json:"added"`
	Removed int            `json:"removed"`
	Lines   int            `json:"lines"` // of the patch that are left out
	Bytes   int            `json:"bytes"` // the same
	Why     string         `json:"why"`
	Shown   satchel.Detail `json:"shown"` // what is shown instead: trimmed, outline, mention, omitted
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

// CleanPatch is [clean.VisiblePatch].
func CleanPatch(s string) (string, clean.Counts) { return clean.VisiblePatch(s) }

// Clean is [clean.Inline].
func Clean(s string) string { return clean.Inline(s) }

// patch reports whether the hunk, under its header, is one that git applies.
func (h *DiffHunk) patch() bool {
	return h.Detail == satchel.Full && h.Exact && !h.CutBefore && !h.CutAfter
}

// Ranges returns the line between hunks as git writes it, without its end.
func (h *DiffHunk) Ranges() string {
	s := "@@ -" + span(h.OldFrom, h.OldLines) + " +" + span(h.NewFrom, h.NewLines) + " @@"
	if h.Section != "" {
		s += " " + Clean(h.Section)
	}
	return s
}

func span(from, lines int) string {
	if lines == 1 {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d,%d", from, lines)
}

// lines returns the lines that the hunk is about: of the new file, or of the
// old one if there are none.
func (h *DiffHunk) lines() string {
	if h.NewLines > 0 {
		return lineRange(h.NewFrom, h.NewFrom+h.NewLines-1)
	}
	return lineRange(h.OldFrom, h.OldFrom+h.OldLines-1)
}

// joined returns the hunks with neighbouring full parts of one hunk made one.
func joined(hunks []DiffHunk) []DiffHunk {
	out := make([]DiffHunk, 0, len(hunks))
	for _, h := range hunks {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Number == h.Number && last.Part+1 == h.Part && last.Detail == satchel.Full && h.Detail == satchel.Full {
				last.join(&h)
				continue
			}
		}
		out = append(out, h)
	}
	return out
}

// join appends the next part.
func (h *DiffHunk) join(next *DiffHunk) {
	if h.first == 0 {
		h.first = h.Part
	}
	if h.OldLines == 0 && next.OldLines > 0 {
		h.OldFrom = next.OldFrom
	}
	if h.NewLines == 0 && next.NewLines > 0 {
		h.NewFrom = next.NewFrom
	}
	h.Part = next.Part
	h.OldLines += next.OldLines
	h.NewLines += next.NewLines
	h.Added += next.Added
	h.Removed += next.Removed
	h.Text += next.Text
	h.Exact = h.Exact && next.Exact
	h.CutAfter = next.CutAfter
}
