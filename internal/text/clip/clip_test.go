package clip

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, x := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abc", 2, "…"},
		{"abc def", 3, "abc…"},
		{"abc def", 4, "abc…"},
		{"abc def", 6, "abc…"},
		{"abc def", -1, "…"},
		{"日本語の文", 3, "日本語…"},
		{"日本ghp_abc", 4, "日本…"},
		{"ghp_abc日本語", 8, "ghp_abc日…"},
	} {
		if got := Runes(x.in, x.n); got != x.want {
			t.Errorf("Runes(%q, %d) = %q, want %q", x.in, x.n, got, x.want)
		}
	}
	if got := Bytes("日本語", 4); got != "日…" {
		t.Errorf("Bytes within a character: %q", got)
	}
	if got := Bytes("a\xffb c", 4); !utf8.ValidString(got) || got != "a\uFFFDb…" {
		t.Errorf("Bytes of no text: %q", got)
	}
}

// FuzzClip: what is left is the beginning of the text, at most so long, and ends
// where a word ends.
func FuzzClip(f *testing.F) {
	f.Add("key ghp_R8s2LqT5vX9mKd3JfW7nYb4HcZ6pGa1uEo0i end", 12)
	f.Add("日本語 abc", 4)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if !utf8.ValidString(s) || n < 0 || n > 1<<20 {
			t.Skip()
		}
		for how, got := range map[string]string{"Bytes": Bytes(s, n), "Runes": Runes(s, n)} {
			head, cut := strings.CutSuffix(got, mark)
			if got == s {
				continue
			}
			rest, ok := strings.CutPrefix(s, head)
			long := len(head)
			if how == "Runes" {
				long = utf8.RuneCountInString(head)
			}
			if !ok || !cut || long > n {
				t.Fatalf("%s(%q, %d) = %q", how, s, n, got)
			}
			if head != "" && inWord(head[len(head)-1]) && inWord(rest[0]) {
				t.Fatalf("%s(%q, %d) = %q ends within a word", how, s, n, got)
			}
		}
	})
}

func TestLines(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "\n": 1, "a\n\nb": 3, "a\r\nb\r\n": 2} {
		if got := Lines(in); got != want {
			t.Errorf("Lines(%q) = %d, want %d", in, got, want)
		}
	}
}
