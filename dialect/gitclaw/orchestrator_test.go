package gitclaw

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLog has the lines of the printed orchestrator for its own numbers.
func TestLog(t *testing.T) {
	for _, tt := range []struct {
		window, limit, before, after int
		cut                          bool
		want                         []string
	}{
		{200_000, 80_000, 76_776, 0, false, []string{"Session tokens: ~76776 (38% of context)"}},
		{200_000, 80_000, 94_356, 40_001, true, []string{
			"Session tokens: ~94356 (47% of context)",
			"Session exceeds budget (94356 > 80000). Trimming...",
			"Trimmed: 94356 → 40001 tokens (58% compression)",
		}},
		{0, 0, 0, 0, false, []string{"Session tokens: ~0 (0% of context)"}},
	} {
		if diff := cmp.Diff(tt.want, Log(tt.window, tt.limit, tt.before, tt.after, tt.cut)); diff != "" {
			t.Errorf("Log(%d, %d, %d, %d) (-want +got):\n%s", tt.window, tt.limit, tt.before, tt.after, diff)
		}
	}
}

// TestPromptAndSession: what a plan gives to prompts, to the session and to the
// response is all of it.
func TestPromptAndSession(t *testing.T) {
	p := DefaultPlan()
	if got, want := p.Prompt()+p.session()+p.tokens("reservedForResponse"), p.Total; got != want || p.Prompt() != 30_000 || p.Task() != 4_000 {
		t.Errorf("prompt %d, task %d, all %d, want 30000, 4000, %d", p.Prompt(), p.Task(), got, want)
	}
}
