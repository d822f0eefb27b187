package signal

import (
	"slices"
	"strings"
	"testing"
)

// The functions that take paths apart without splitting them agree with the
// same on split paths.
func TestComponents(t *testing.T) {
	names := []string{"", ".", "a", "b", "ab", "a/b", "a/ab", "b/a", "a/b/c", "ab/c", "x/a/b/c", "/a", "a/", "a//b", "c/a/b"}
	for _, a := range names {
		for _, b := range names {
			x, y := strings.Split(a, "/"), strings.Split(b, "/")
			slices.Reverse(x)
			slices.Reverse(y)
			want := 0
			for want < len(x) && want < len(y) && x[want] == y[want] {
				want++
			}
			if got := commonTail(strings.Split(a, "/"), b); got != want {
				t.Errorf("commonTail(%q, %q) = %d, want %d", strings.Split(a, "/"), b, got, want)
			}
		}
	}
	if n := commonTail([]string{"a/b", "c"}, "a/b/c"); n != 1 {
		t.Errorf("a part with a slash equals two components: %d, want 1", n)
	}
}
