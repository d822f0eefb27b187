package gitclaw

import (
	"fmt"
	"math"
)

// Log returns what the design's orchestrator logs before an agent goes on with a
// session, byte for byte: how much of the window it takes and, if it was cut, from
// what to what. limit is what recent turns and summary may take together; after
// counts only if the session was cut.
func Log(window, limit, before, after int, cut bool) (lines []string) {
	percent := func(n, of int) int { return int(math.Round(float64(n) / float64(max(of, 1)) * 100)) }
	lines = append(lines, fmt.Sprintf("Session tokens: ~%d (%d%% of context)", before, percent(before, window)))
	if !cut {
		return lines
	}
	return append(lines,
		fmt.Sprintf("Session exceeds budget (%d > %d). Trimming...", before, limit),
		fmt.Sprintf("Trimmed: %d → %d tokens (%d%% compression)", before, after, percent(before-after, before)))
}

// Prompt returns the tokens that a prompt may take: those of all allocations but
// the session's two and what is reserved for the response.
func (p *Plan) Prompt() (sum int) {
	for _, a := range p.Allocations {
		switch a.Name {
		case "sessionSummary", "sessionRecent", "reservedForResponse":
		default:
			sum += p.tokens(a.Name)
		}
	}
	return sum
}

// Task returns the tokens that a task may take: those of the current prompt.
func (p *Plan) Task() int { return p.tokens("currentPrompt") }
