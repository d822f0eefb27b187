package clean

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ in, text, line string }{
		{"plain", "plain", "plain"},
		{"a\tb\nc", "a\tb\nc", `a\u{9}b\u{a}c`},
		{"a\r\nb\rc\r", "a\nb\\u{d}c\\u{d}", `a\u{d}\u{a}b\u{d}c\u{d}`},
		{"\x1b[31mred\x1b[0m", `\u{1b}[31mred\u{1b}[0m`, `\u{1b}[31mred\u{1b}[0m`},
		{"\u009b31m", `\u{9b}31m`, `\u{9b}31m`},
		{"\x9b31m", "\ufffd31m", "\ufffd31m"},
		{"ab\u202ecd\u2066", `ab\u{202e}cd\u{2066}`, `ab\u{202e}cd\u{2066}`},
		{"zero\u200bwidth\u200d", `zero\u{200b}width\u{200d}`, `zero\u{200b}width\u{200d}`},
		{"tag\U000e0041\U000e007f", `tag\u{e0041}\u{e007f}`, `tag\u{e0041}\u{e007f}`},
		{"\ufeffpackage", "package", `\u{feff}package`},
		{"in\ufeffside", `in\u{feff}side`, `in\u{feff}side`},
		{"naïve 日本 ❤️ ☑️", "naïve 日本 ❤️ ☑️", "naïve 日本 ❤️ ☑️"},
		{"a\ufe0fb\ufe0f\ufe0f", `a\u{fe0f}b\u{fe0f}\u{fe0f}`, `a\u{fe0f}b\u{fe0f}\u{fe0f}`},
		{"line\u2028sep\u00adsoft", `line\u{2028}sep\u{ad}soft`, `line\u{2028}sep\u{ad}soft`},
		{"\xff\xfe", "\ufffd\ufffd", "\ufffd\ufffd"},
		{"nul\x00del\x7f", `nul\u{0}del\u{7f}`, `nul\u{0}del\u{7f}`},
		{"\ufffe", `\u{fffe}`, `\u{fffe}`},
		{"", "", ""},
	} {
		if got, _ := Visible(tt.in); got != tt.text {
			t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.text)
		}
		if got := Inline(tt.in); got != tt.line {
			t.Errorf("Inline(%q) = %q, want %q", tt.in, got, tt.line)
		}
	}
	if _, c := Visible("\x1b\u200b\xff\r\n"); c != (Counts{Hidden: 2, Invalid: 1}) {
		t.Errorf("changes: %+v", c)
	}
}

// forbidden tells the characters that no output may have: it names them in
// another way than the package does.
func forbidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, // controls
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c, // bidi
		r >= 0x200b && r <= 0x200d, r == 0x2060, r == 0xfeff, // zero width
		r == 0x2028, r == 0x2029,
		r >= 0xe0000 && r <= 0xe0fff: // tags
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// pieces are what hostile texts are made of.
var pieces = []string{
	"\n", "\n\n", "\r\n", "\r", "\t", "\x00", "\x1b[2J", "\u009b", "\x9b", "\xff", "\u202e", "\u2066", "\u200b", "\ufe0f", "❤️", "❤\ufe0f\ufe0f",
	"\U000e0041", "\ufeff", "\ufffe", "\u2028", "\u00a0", "\u0085", "日本", "func f() {}", " ", "a", "\\u{1b}",
}

// FuzzVisible checks that cleaning is idempotent and keeps lines.
func FuzzVisible(f *testing.F) {
	for _, s := range pieces {
		f.Add(s + "x" + s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, _ := Visible(s)
		if again, c := Visible(text); again != text || c != (Counts{}) {
			t.Errorf("Visible(%q) = %q, and that becomes %q", s, text, again)
		}
		if got, want := strings.Count(text, "\n"), strings.Count(s, "\n"); got != want {
			t.Errorf("Visible(%q) has %d newlines, want %d", s, got, want)
		}
		line := Inline(s)
		if strings.ContainsAny(line, "\n\t") || Inline(line) != line {
			t.Errorf("Inline(%q) = %q", s, line)
		}
		for _, out := range []string{text, line} {
			if !utf8.ValidString(out) || strings.ContainsFunc(out, forbidden) {
				t.Errorf("%q becomes %q", s, out)
			}
		}
	})
}

func TestVisiblePatch(t *testing.T) {
	for in, want := range map[string]string{
		" plain\n+added\n":     " plain\n+added\n",
		"+crlf\r\n-too\r\n":    "+crlf\r\n-too\r\n",
		"+lone\rreturn\n":      "+lone\\u{d}return\n",
		"+esc\x1b[1m\r\n":      "+esc\\u{1b}[1m\r\n",
		"+\ufeffbom\n":         "+\\u{feff}bom\n",
		"+bad\xff\n+fine\r\n":  "+bad\ufffd\n+fine\r\n",
		"+bidi \u202e\n+\r\n":  "+bidi \\u{202e}\n+\r\n",
		"+no end\r\n\\ No nl":  "+no end\r\n\\ No nl",
		"+tab\tstays\n+é ok\n": "+tab\tstays\n+é ok\n",
	} {
		if got, _ := VisiblePatch(in); got != want {
			t.Errorf("VisiblePatch(%q) = %q, want %q", in, got, want)
		}
	}
}
