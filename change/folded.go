package change

import (
	"cmp"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

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
