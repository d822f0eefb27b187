package trim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// exactly is how Options.Count counts a conversation.
func exactly(t *testing.T, ms []transcript.Message) int {
	t.Helper()
	res, err := trim.Trim(ms, trim.Options{Budget: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return res.Before
}

// TestOnTop holds the laws of a trim with a text on top: valid, within the
// budget, the text whole and in front of everything else, and of the digest no
// less than its header.
func TestOnTop(t *testing.T) {
	in := long(12, 40)
	text := "Goal: mend it.\n## User\n< all is done\n  # Assistant\nState: ünfertig."
	want := "## Said by m\nGoal: mend it.\nUser\nall is done\nAssistant\nState: ünfertig."
	for _, cut := range []struct {
		name string
		fn   func([]transcript.Message, trim.Options) (*trim.Result, error)
	}{{"default", trim.Trim}, {"gitclaw", trim.TrimGitClaw}} {
		fit := 0
		for budget := 50; budget < exactly(t, in); budget += 97 {
			t.Run(fmt.Sprintf("%s %d", cut.name, budget), func(t *testing.T) {
				res, err := trim.OnTop(in, trim.Options{Budget: budget}, cut.fn, "Said\nby m", text)
				var overflow *satchel.OverflowError
				if errors.As(err, &overflow) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				fit++
				if err := transcript.Valid(res.Messages); err != nil {
					t.Error(err)
				}
				if n := exactly(t, res.Messages); n > budget || n != res.After {
					t.Errorf("%d tokens, After says %d, the budget is %d", n, res.After, budget)
				}
				if n := trim.Estimate(res.Messages); n > budget {
					t.Errorf("%d tokens by estimate, the budget is %d", n, budget)
				}
				first := res.Messages[0]
				header, rest, _ := strings.Cut(first.Blocks[0].Text, "]\n")
				if first.Kind != transcript.Summary || !strings.HasPrefix(header, "[Earlier conversation") || !strings.HasPrefix(rest, want) {
					t.Errorf("the first message is %s: %q", first.Kind, first.Blocks[0].Text)
				}
				if len(res.Accounts) != len(in) {
					t.Errorf("%d accounts of %d messages", len(res.Accounts), len(in))
				}
			})
		}
		if fit < 20 {
			t.Errorf("%s: only %d budgets had room", cut.name, fit)
		}
	}
	res, err := trim.OnTop(in, trim.Options{Budget: 1 << 30}, trim.Trim, "Said by m", text)
	if err != nil || res.Changed || len(res.Messages) != len(in) {
		t.Errorf("what fits is changed: %v", err)
	}
}

// TestGitClawShares shows that the shares of a context.json say how long the
// summary may be.
func TestGitClawShares(t *testing.T) {
	in := long(60, 10)
	size := func(s trim.GitClawShares) (summary, kept int) {
		res, err := s.Trim(in, trim.Options{Budget: 800})
		if err != nil {
			t.Fatal(err)
		}
		text := res.Messages[0].Blocks[0].Text
		return trim.GitClawTokens(text), len(res.Messages)
	}
	none, all := size(trim.GitClawShares{Recent: 40})
	some, most := size(trim.GitClawShares{Recent: 30, Summary: 10})
	much, few := size(trim.GitClawShares{Recent: 10, Summary: 30})
	if !(none <= 20 && none < some && some <= 200 && some < much && much <= 600) {
		t.Errorf("summaries of %d, %d and %d tokens: want more for a larger share, and no more than it", none, some, much)
	}
	if !(all >= most && most >= few) {
		t.Errorf("%d, %d and %d messages kept: want fewer for a smaller share", all, most, few)
	}
	a, _ := size(trim.GitClawShares{})
	if a != some {
		t.Errorf("without shares the summary has %d tokens, want those of 30 and 10: %d", a, some)
	}
	if _, err := (trim.GitClawShares{Recent: -1}).Trim(in, trim.Options{Budget: 800}); err == nil {
		t.Error("a negative share is taken")
	}
}
