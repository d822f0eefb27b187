package clean

import (
	"strings"
	"testing"
)

func TestStrip(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		c        Counts
	}{
		{"plain\ttext\n", "plain\ttext\n", Counts{}},
		{"\x1b[31mred\x1b[0m", "red", Counts{Hidden: 2}},
		{"a\x1b]0;title\x07b\x1b]8;;https://evil\x1b\\c", "abc", Counts{Hidden: 2}},
		{"ab\u202ecd\u2066", "abcd", Counts{Hidden: 2}},
		{"tag\U000e0041\xff!", "tag!", Counts{Hidden: 1, Invalid: 1}},
		{"a\r\nb\rc", "a\nbc", Counts{Hidden: 1}},
		{"♻️ keep", "♻️ keep", Counts{}},
		{`\u{1b} as text`, `\u{1b} as text`, Counts{}},
	} {
		if got, c := Strip(tt.in); got != tt.want || c != tt.c {
			t.Errorf("Strip(%q) = %q, %+v, want %q, %+v", tt.in, got, c, tt.want, tt.c)
		}
	}
}

// FuzzStrip checks that nothing is left that Visible would write out.
func FuzzStrip(f *testing.F) {
	for _, s := range pieces {
		f.Add(s + "x" + s)
	}
	f.Add("\x1b\x1b[31m[32mx\x1b]0;\x1b[0m")
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := Strip(s)
		if again, c := Visible(got); again != got || c != (Counts{}) {
			t.Errorf("Strip(%q) = %q, and that is shown as %q", s, got, again)
		}
		if strings.Count(got, "\n") > strings.Count(s, "\n") {
			t.Errorf("Strip(%q) = %q has more lines", s, got)
		}
	})
}
