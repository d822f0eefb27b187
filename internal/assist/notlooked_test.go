package assist

import (
	"testing"

	"github.com/satchel-dev/satchel/change"
)

// TestNotLooked names the files that were not compared. A lock file whose patch is too
// large is not one of them, since people do not read its lines.
func TestNotLooked(t *testing.T) {
	file := func(path, why, class string, elided int64) change.Scored {
		return change.Scored{File: change.File{Path: path, Unread: why, Elided: elided}, Facts: change.Facts{Class: class}}
	}
	for _, tt := range []struct {
		files  []change.Scored
		beyond string
		want   string
	}{
		{nil, "", ""},
		{[]change.Scored{file("a.go", "", "source", 0), file("go.sum", "", "lock", 9)}, "", ""},
		{[]change.Scored{file("a.go", "", "source", 9)}, "", "1 not looked at: a.go (too large)"},
		{[]change.Scored{file("a.go", "in conflict", "source", 0), file("go.sum", "object missing", "lock", 0)}, "",
			"2 not looked at: a.go (in conflict), go.sum (object missing)"},
		{[]change.Scored{file("a\n.go", "unreadable", "source", 0)}, "5 more files differ", "1 not looked at: a\\u{a}.go (unreadable); 5 more files differ"},
		{nil, "5 more files differ", "5 more files differ"},
	} {
		m := &Material{Report: &change.Report{Files: tt.files, Beyond: tt.beyond}}
		if got := m.NotLooked(); got != tt.want {
			t.Errorf("NotLooked() = %q, want %q", got, tt.want)
		}
	}
}
