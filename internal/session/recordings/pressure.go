package recordings

import (
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/trim"
)

// A Window is how much a model takes in, where that number comes from, and from
// which shares of it on anything is said.
type Window struct {
	Tokens     int
	Source     string // for people: "window of claude-sonnet-4-5"
	Thresholds budget.Thresholds
}

// TrimShare is the share of the window, in percent, that a trim goes down to:
// with the prices of prompt caches, to compact rarely and deep is cheapest.
const TrimShare = 30

// PressureOf says how full the window of a counted session is, and what trimming
// to the usual target would free. What no message holds cannot be trimmed.
func PressureOf(c *trim.Stats, w Window) (budget.Pressure, error) {
	p, err := budget.PressureOf(c.Context, w.Tokens, w.Thresholds)
	if err != nil {
		return p, err
	}
	sizes := c.Steps
	if n := len(sizes); n == 0 || sizes[n-1] != c.Context.Tokens {
		sizes = append(sizes[:n:n], c.Context.Tokens)
	}
	p.Turns = budget.TurnsLeft(sizes, w.Tokens)
	messages := c.Context.Tokens - c.Hidden.Tokens
	p.Frees = max(messages-w.Tokens*TrimShare/100, c.Frees())
	return p, nil
}
