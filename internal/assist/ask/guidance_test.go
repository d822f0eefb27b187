package ask

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/change"
)

// TestSentences pins what the prompts ask for.
func TestSentences(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"review", reviewSystem, "security and performance first, in the files of high relevance"},
		{"review", reviewSystem, "If parallel_analyze is offered and the change has several large areas"},
		{"ask", questionSystem, "If parallel_analyze is offered and the question has several independent parts"},
		{"pr", prSystem, "Group a large change by its themes"},
	} {
		if !strings.Contains(tt.text, tt.want) {
			t.Errorf("%s does not say %q", tt.name, tt.want)
		}
	}
	for _, s := range []change.Size{change.Small, change.Medium, change.Large, change.VeryLarge} {
		if g := guidance(s); strings.Contains(g, "callers") || strings.Contains(g, "nspect") {
			t.Errorf("%s: %q asks for what a model without tools cannot do", s, g)
		}
	}
}

// TestRules: the rules of a project take at most 1,500 tokens in all, less of a small
// budget, and cannot close their fences.
func TestRules(t *testing.T) {
	line, err := Review(reportOf(changed("a.go", "", 2)), ReviewOptions{Rules: []Rule{{"AGENTS.md", "Never panic.\n"}, {"CONTRIBUTING.md", strings.Repeat("on one line ", 2000)}}})
	if err != nil || !strings.Contains(line.Shared, "Never panic.") || !strings.Contains(line.Shared, "CONTRIBUTING.md (its beginning):\n```\non one line on one line") {
		t.Errorf("one long line: %v\n%.3000s", err, line.Shared)
	}

	long := strings.Repeat("Every error names its file and its line.\n", 400)
	list := []Rule{{"AGENTS.md", "Say why.\n```\n"}, {"CLAUDE.md", long}, {"CONTRIBUTING.md", long}}
	r := reportOf(changed("a.go", "", 2))
	for _, budget := range []int{24_000, 6000, 2000, 400} {
		without, err := Review(r, ReviewOptions{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		a, err := Review(r, ReviewOptions{Budget: budget, Rules: list})
		if err != nil {
			t.Fatal(err)
		}
		if got, most := a.Receipt.Tokens-without.Receipt.Tokens, min(1500, budget/8)+8; got > most || budget > 1000 && got < most/2 {
			t.Errorf("budget %d: the rules take %d tokens, want about %d", budget, got, most)
		}
		if budget < 1000 {
			continue
		}
		checkFences(t, a.Shared)
		want := fmt.Sprint([]Shown{{Path: "AGENTS.md", How: Full}, {Path: "CLAUDE.md", How: Part}, {Path: "CONTRIBUTING.md", How: Part}})
		if got := fmt.Sprint(a.Receipt.Beside); got != want {
			t.Errorf("budget %d: the receipt lists %s, want %s", budget, got, want)
		}
	}
}
