package budget_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/budget"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in, str string
		tokens  int // with a window of 200,000 and a reserve of 8,000
	}{
		{"16k", "16k", 16_000},
		{"16K", "16k", 16_000},
		{"16,000", "16k", 16_000},
		{"123,456", "123456", 123_456},
		{" 16000 ", "16k", 16_000},
		{"1.5k", "1500", 1_500},
		{"0.1m", "100k", 100_000},
		{"12345", "12345", 12_345},
		{"40%", "40%", 80_000},
		{"7%", "7%", 14_000},
		{"0.5%", "0.5%", 1_000},
		{"100%", "100%", 192_000},
		{"auto", "auto", 10_000},
		{"AUTO", "auto", 10_000},
		{"0", "0", 0},
		{"0k", "0", 0},
	} {
		l, err := budget.Parse(tt.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
			continue
		}
		if got := l.String(); got != tt.str {
			t.Errorf("Parse(%q).String() = %q, want %q", tt.in, got, tt.str)
		}
		if least, most, err := l.Tokens(200_000, 8_000, budget.Auto{}); err != nil || least != tt.tokens || most != tt.tokens && tt.str != "auto" {
			t.Errorf("Parse(%q).Tokens = %d, %d, %v, want %d", tt.in, least, most, err, tt.tokens)
		}
	}
}

// TestShareRoundsDown: a share of a window is never more than it says.
func TestShareRoundsDown(t *testing.T) {
	for _, tt := range []struct {
		share        string
		window, want int
	}{{"33%", 100, 33}, {"33%", 1_000, 330}, {"0.7%", 1_999, 13}, {"7%", 199_999, 13_999}, {"7%", 200_000, 14_000}, {"40%", 3, 1}, {"1%", 3, 1}} {
		l, err := budget.Parse(tt.share)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := l.Tokens(tt.window, 0, budget.Auto{}); got != tt.want || err != nil {
			t.Errorf("%s of %d = %d, %v, want %d", tt.share, tt.window, got, err, tt.want)
		}
	}
}

func TestParseError(t *testing.T) {
	for _, in := range []string{"", " ", "k", "%", "-5", "+5", "1e9", "inf", "nan", "0x10", "1,50k", "1,00%", "1,2345", "16kb", "16kk", "k16", "1.5", "1.", ".5k", "0%", "101%", "1_000", "16 k", "2000000k", "0.0001k", "automatic", "٣k"} {
		l, err := budget.Parse(in)
		if err == nil {
			t.Errorf("Parse(%q) = %v, want an error", in, l)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("budget %q", in)) {
			t.Errorf("Parse(%q): error %q does not name the value", in, err)
		}
	}
}

func TestTokensError(t *testing.T) {
	for _, tt := range []struct {
		in              string
		window, reserve int
		cfg             budget.Auto
		want            string
	}{
		{"40%", 0, 0, budget.Auto{}, "--model"},
		{"auto", 0, 0, budget.Auto{}, "--model"},
		{"200k", 200_000, 8_000, budget.Auto{}, "leaves 192000"},
		{"16k", 8_000, 8_000, budget.Auto{}, "leaves nothing"},
		{"auto", 200_000, 0, budget.Auto{Floor: 0.5}, "floor 0.5"},
		{"auto", 200_000, 0, budget.Auto{Ceiling: 2}, "ceiling 2"},
		{"auto", 200_000, 0, budget.Auto{Floor: -1}, "floor -1"},
	} {
		l, err := budget.Parse(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err := l.Tokens(tt.window, tt.reserve, tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %d less %d: %d, %v, want an error with %q", tt.in, tt.window, tt.reserve, n, err, tt.want)
		}
	}
	// Without a window, a number of tokens is just that.
	if n, _, err := budget.Of(16_000).Tokens(0, 8_000, budget.Auto{}); n != 16_000 || err != nil {
		t.Errorf("Of(16000).Tokens(0, …) = %d, %v", n, err)
	}
}

// TestAuto shows how an automatic budget grows with the task, for a window of
// 200,000 tokens.
func TestAuto(t *testing.T) {
	l, err := budget.Parse("auto")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		task  string
		c     budget.Complexity
		cfg   budget.Auto
		want  int
		share string
	}{
		{"nothing said", budget.Complexity{}, budget.Auto{}, 10_000, "5.0%"},
		{"one line", budget.Complexity{Words: 8}, budget.Auto{}, 10_693, "5.3%"},
		{"one line, one file", budget.Complexity{Files: 1, Directories: 1, Words: 12}, budget.Auto{}, 29_640, "14.8%"},
		{"an issue", budget.Complexity{Files: 2, Directories: 1, Words: 200}, budget.Auto{}, 40_000, "20.0%"},
		{"a feature", budget.Complexity{Files: 6, Directories: 4, Words: 500}, budget.Auto{}, 59_259, "29.6%"},
		{"a change all over", budget.Complexity{Files: 40, Directories: 20, Words: 2_000}, budget.Auto{}, 74_814, "37.4%"},
		{"without end", budget.Complexity{Files: 1e6, Directories: 1e6, Words: 1e6}, budget.Auto{}, 79_999, "40.0%"},
		{"own bounds", budget.Complexity{Files: 8}, budget.Auto{Floor: 0.1, Ceiling: 0.2}, 30_000, "15.0%"},
	} {
		least, most, err := l.Tokens(200_000, 8_000, tt.cfg)
		got := tt.c.Between(least, most)
		if share := fmt.Sprintf("%.1f%%", float64(got)/2000); err != nil || got != tt.want || share != tt.share {
			t.Errorf("%s: %d tokens (%s), %v, want %d (%s)", tt.task, got, share, err, tt.want, tt.share)
		}
	}
	// The reserve is never used.
	if got, _, err := l.Tokens(10_000, 9_900, budget.Auto{}); got != 100 || err != nil {
		t.Errorf("with a reserve of 9900 of 10000: %d, %v, want 100", got, err)
	}
}

// FuzzParse checks that what is parsed prints as something that parses to the
// same Limit.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"16k", "40%", "1.5m", "auto", "0", "0.125%", "33.3%", "0.0000000001%", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := budget.Parse(s)
		if err != nil {
			return
		}
		again, err := budget.Parse(l.String())
		if err != nil {
			t.Fatalf("Parse(%q) = %v, which does not parse: %v", s, l, err)
		}
		if again.String() != l.String() {
			t.Errorf("Parse(%q) = %v, which parses as %v", s, l, again)
		}
	})
}
