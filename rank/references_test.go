package rank

import (
	"slices"
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	q := Analyze("Crash since 6d3d2750\n\nSee https://example.org/o/n/commit/0123456789abcdef0123456789abcdef01234567 and #12, #12, #13.\n" +
		"https://example.org/o/n/blob/abcdef0123/a.go#L4 shows it. 12345678 deadbeef 0x7f00ba12 /tmp/0a1b2c3d4e\n")
	if want := []string{"6d3d2750", "0123456789abcdef0123456789abcdef01234567"}; !slices.Equal(q.Commits, want) {
		t.Errorf("commits %q, want %q", q.Commits, want)
	}
	if len(q.Numbers) != 2 {
		t.Errorf("%d numbers, want 2", len(q.Numbers))
	}
	var long strings.Builder
	for range 200 {
		long.WriteString("log ")
		long.WriteString(strings.Repeat("a", long.Len()%9+1) + "1234567 ")
	}
	if q := Analyze(long.String()); len(q.Commits) > mostReferences {
		t.Errorf("%d commits are followed, want at most %d", len(q.Commits), mostReferences)
	}
}
