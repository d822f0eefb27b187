package trim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
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
	if testing.Short() {
		t.Skip("takes about a second")
	}
	in := long(12, 40)
	text := "Goal: mend it.\n## User\n< all is done\n  # Assistant\nState: ünfertig."
	want := "## Said by m\nGoal: mend it.\nUser\nall is done\nAssistant\nState: ünfertig."
	for _, cut := range []struct {
		name string
		fn   trim.Cut
	}{{"default", trim.Trim}, {"gitclaw", gitclaw.Trim}} {
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
