// Package change describes what changed between two states of a repository:
// files, hunks and the definitions they edit.
//
// It compares nothing itself: internal/world/git asks git and fills a [Set], and
// internal/code/outline finds the symbols that [Compare] matches. It judges nothing
// either: it measures signals, and package rank weighs them.
//
// Paths are slash-separated, relative to the root of the repository, and bytes
// rather than text. Lines are counted from 1. Files are sorted by path until
// they are ranked. Everything is plain data, safe to read concurrently.
package change

import "github.com/satchel-dev/satchel"

// A Set is one changeset.
type Set struct {
	Source      string // what was asked for, such as "staged", "main...HEAD", "patch"
	From        string // commit id of the old side; "" if it is not a commit
	To          string // commit id of the new side; "" if it is not a commit
	Files       []File // by path, then by old path
	Beyond      string // says that other files differ or may, beyond a limit; or ""
	Diagnostics []satchel.Diagnostic
}

// A Status says what happened to a file.
type Status string

const (
	Added       Status = "added"
	Modified    Status = "modified" // its bytes, its mode, or both
	Deleted     Status = "deleted"
	Renamed     Status = "renamed"
	Copied      Status = "copied"
	TypeChanged Status = "type changed" // such as a file that became a symbolic link
	Unmerged    Status = "unmerged"     // in conflict, which Unread says
)

// A File is one changed file.
type File struct {
	Path       string
	OldPath    string // where it was renamed or copied from, else ""
	Status     Status
	Similarity int    // percent, of a rename or copy
	OldMode    uint32 // as git writes it, 0o100644; 0 if there is no old side
	NewMode    uint32
	OldBlob    string // object id; "" if there is none or it is not known
	NewBlob    string
	Untracked  bool // added, and git does not know it yet
	Binary     bool
	Added      int // lines, as git diff --numstat counts them
	Removed    int

	// Header is the text of the patch before the first hunk, from "diff --git"
	// on, each line with its end. Header and the hunks' texts together are a
	// patch that git apply takes; see AppendPatch. For a binary file, and for a
	// change of type, which git writes as two patches, it is all of the patch.
	Header string
	Hunks  []Hunk

	// Unread says why the contents were not compared, such as satchel.WhyMissing.
	// Such a file has no counts. Its hunks, if any, hold the new side as lines that
	// did not change.
	Unread string

	// Elided is the number of bytes of the patch that were not read, because
	// the file's patch is too large to be worth it. Its counts still hold.
	Elided int64
}

// A Hunk is a run of changed lines with the lines around it.
type Hunk struct {
	OldFrom, OldLines int // OldFrom is 0 if the old side has no lines
	NewFrom, NewLines int
	Section           string // what git prints after the ranges: the enclosing definition, often
	Body              string // its lines, each with its mark (' ', '+', '-' or '\') and its end, byte for byte
	Added, Removed    int
}
