package change

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// Unreadable says why a file has no hunks that could be shown, or "".
func (f *File) Unreadable() string {
	switch {
	case f.Sealed:
		return satchel.WhySealed
	case f.Binary:
		return satchel.WhyBinary
	case f.Status == Unmerged:
		return "in conflict"
	case f.Elided > 0:
		return satchel.WhyLarge
	}
	return ""
}

// Folded says why a file is told in one line rather than by its hunks, because it
// has none or because nobody reads them; otherwise it is "".
func (s *Scored) Folded() string {
	if why := s.Unreadable(); why != "" {
		return why
	}
	if s.NoDiff {
		return "marked as not worth a diff"
	}
	switch outline.Class(s.Class) {
	case outline.Lock:
		return satchel.WhyLock
	case outline.Generated, outline.Minified, outline.Vendored, outline.Data:
		return s.Class
	}
	return ""
}
