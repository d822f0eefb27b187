package signal

import (
	"strings"
	"testing"
)

// TestEnds: of a long text the beginning and the end are looked at, and no word is cut.
func TestEnds(t *testing.T) {
	long := "first " + strings.Repeat("between ", 2000) + "fix save_session"
	got := ends(long)
	if len(got) > foundHead+foundTail+1 || !strings.HasPrefix(got, "first ") || !strings.HasSuffix(got, "fix save_session") {
		t.Errorf("%d bytes: %.20q … %q", len(got), got, got[max(0, len(got)-30):])
	}
	for _, w := range strings.Fields(got) {
		if w != "first" && w != "between" && w != "fix" && w != "save_session" {
			t.Errorf("%q is a piece of a word", w)
		}
	}
	if short := "fix it"; ends(short) != short {
		t.Error("a short text is changed")
	}
}
