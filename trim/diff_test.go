package trim

import (
	"fmt"
	"strings"
	"testing"
)

func withNumbers(lines ...string) string {
	for i := range lines {
		lines[i] = fmt.Sprintf("%6d→%s", i+1, lines[i])
	}
	return strings.Join(lines, "\n")
}

func manyLines(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("the text of line %d of the file", i+1)
	}
	return lines
}

func TestDiff(t *testing.T) {
	was := manyLines(60)
	is := append(append(manyLines(60)[:10], "new one", "new two"), manyLines(60)[10:]...)
	is[40] = "changed"
	got, ok := diff(withNumbers(is...), withNumbers(was...))
	if want := "\n@@ -11,2 +10,0 @@\n-new one\n-new two\n@@ -41 +39 @@\n-changed\n+the text of line 39 of the file"; !ok || got != want {
		t.Errorf("diff = %q, %v, want %q", got, ok, want)
	}
	if got, ok := diff("a\nb\nc", "x\ny\nz"); ok {
		t.Errorf("the diff of other texts is %q, want none: it is not shorter", got)
	}
	if _, ok := diff(strings.Join(manyLines(900), "\n"), strings.Repeat("x\n", 900)); ok {
		t.Error("texts with nothing in common have a diff")
	}
}

// applied applies a diff of lines.
func applied(t *testing.T, text, patch string) string {
	t.Helper()
	in := bodies(text)
	var out []string
	at := 0
	for _, hunk := range strings.Split(patch, "\n@@ ")[1:] {
		head, body, _ := strings.Cut(hunk, "\n")
		var from, n int
		if _, err := fmt.Sscanf(head, "-%d,%d", &from, &n); err != nil {
			n = 1
			if _, err := fmt.Sscanf(head, "-%d", &from); err != nil {
				t.Fatalf("hunk %q", head)
			}
		}
		if n > 0 {
			from--
		}
		out = append(out, in[at:from]...)
		at = from + n
		for _, l := range strings.Split(body, "\n") {
			if strings.HasPrefix(l, "+") {
				out = append(out, l[1:])
			} else if !strings.HasPrefix(l, "-") {
				t.Fatalf("line %q of a diff without context", l)
			}
		}
	}
	return strings.Join(append(out, in[at:]...), "\n")
}

// A diff turns the one text into the other.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr", "a\nb\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\nX\no\np\nq\nr")
	f.Add("", "a")
	f.Add("\n\n1→\n-\n+@@ ", "\n2|x")
	f.Fuzz(func(t *testing.T, is, was string) {
		is = strings.Repeat("the same line in both\n", 30) + is
		was = strings.Repeat("the same line in both\n", 30) + was
		patch, ok := diff(is, was)
		if !ok || strings.ContainsAny(is+was, "\r\v\f") {
			return
		}
		if got, want := applied(t, is, patch), strings.Join(bodies(was), "\n"); got != want {
			t.Fatalf("diff(%q, %q) = %q gives %q", is, was, patch, got)
		}
	})
}
