package config

import "testing"

// TestLimitModel checks that a budget in a model's tokens becomes one in
// o200k_base, and that a small one never becomes none.
func TestLimitModel(t *testing.T) {
	for _, test := range []struct {
		budget, model string
		want          int
	}{
		{"16k", "", 16000},
		{"16k", "gpt-5", 16000},
		{"12400", "claude-sonnet-4-5", 10000},
		{"40%", "claude-sonnet-4-5", 64516},
		{"1", "claude-sonnet-4-5", 1},
		{"0", "claude-sonnet-4-5", 0},
	} {
		c := Config{Budget: test.budget, Model: test.model}
		least, most, err := c.Limit()
		if err != nil || least != test.want || most != test.want {
			t.Errorf("Limit of %s for %q = %d, %d, %v, want %d", test.budget, test.model, least, most, err, test.want)
		}
	}
}
