package trim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// alike returns two texts with the same short handle.
func alikes(t *testing.T) (a, b string) {
	t.Helper()
	seen := make(map[string]string)
	for i := range 1_000_000 {
		text := fmt.Sprintf("line one of %d\nline two\nline three of %d", i, i)
		if other, ok := seen[Handle(text)]; ok {
			return other, text
		}
		seen[Handle(text)] = text
	}
	t.Fatal("no two texts have the same handle")
	return "", ""
}

// Two blocks that would have the same handle get longer ones, and the short one
// names both still.
func TestHandlesAreUnambiguous(t *testing.T) {
	a, b := alikes(t)
	ms := []transcript.Message{prompt("go"), call("1", "Read", `{"file_path":"a"}`), answered("1", a), call("2", "Read", `{"file_path":"b"}`), answered("2", b)}
	hs := handlesOf(ms)
	ha, hb := hs[2][0], hs[4][0]
	if ha == hb || !strings.HasPrefix(ha, Handle(a)) || !strings.HasPrefix(hb, Handle(a)) || !IsHandle(ha) || !IsHandle(hb) {
		t.Fatalf("handles %s and %s of texts whose short one is %s", ha, hb, Handle(a))
	}
	if hs[0][0] != Handle("go") {
		t.Errorf("the handle of another text is %s, want the short one", hs[0][0])
	}
	for _, c := range []struct {
		block  int
		handle string
		want   bool
	}{{2, ha, true}, {2, hb, false}, {4, hb, true}, {2, Handle(a), true}, {4, Handle(a), true}, {4, Handle(a)[:5], false}, {4, "@no-handle", false}} {
		if _, _, ok := Named(&ms[c.block].Blocks[0], c.handle); ok != c.want {
			t.Errorf("Named(block %d, %s) = %v, want %v", c.block, c.handle, ok, c.want)
		}
	}
}

func TestIsHandle(t *testing.T) {
	for s, want := range map[string]bool{"@abcde": true, "@abcdefghijklm": true, "@abcd": false, "abcde": false, "@abcdefghijklmn": false, "@ABCDE": false, "": false} {
		if got := IsHandle(s); got != want {
			t.Errorf("IsHandle(%q) = %v, want %v", s, got, want)
		}
	}
}
