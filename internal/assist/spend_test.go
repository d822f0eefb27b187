package assist

import (
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// TestLimitWords: what was never begun is not called used up.
func TestLimitWords(t *testing.T) {
	price := func(u *transcript.Usage) (float64, bool) { return float64(u.Output) * 1e-5, true }
	for _, tt := range []struct {
		name    string
		spend   *Spend
		in, out int
		want    string
	}{
		{"too dear", &Spend{MostTokens: 400000, MostUSD: 0.01}, 500, 13000, "the first call may cost up to $0.13, more than --max-spend 0.01usd"},
		{"hardly too dear", &Spend{MostUSD: 0.01}, 500, 1020, "the first call may cost up to $0.0102, more than --max-spend 0.01usd"},
		{"too long", &Spend{MostTokens: 4000}, 1000, 13000, "the first call may take up to 14,000 tokens, more than --max-spend 4000"},
		{"after another", &Spend{MostTokens: 4000, MostUSD: 0.01, spent: Spent{Calls: 1}}, 1000, 13000, "the limit of $0.01, 4,000 tokens is used up"},
		{"money alone", &Spend{MostUSD: 0.01, spent: Spent{Calls: 1}}, 0, 2000, "the limit of $0.01 is used up"},
	} {
		r, ok := tt.spend.reserve(tt.in, tt.out, price)
		if got := tt.spend.limit(r); ok || got != tt.want {
			t.Errorf("%s: %t, %s, want %s", tt.name, ok, got, tt.want)
		}
	}
}
