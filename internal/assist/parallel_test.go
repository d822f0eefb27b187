package assist

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParallelSchema(t *testing.T) {
	var s struct {
		Properties map[string]struct{ MinItems, MaxItems, Minimum, Maximum int }
	}
	if err := json.Unmarshal(parallelSpec.Schema, &s); err != nil {
		t.Fatal(err)
	}
	if p := s.Properties["tasks"]; p.MinItems != 1 || p.MaxItems != mostTasks {
		t.Errorf("tasks: %d to %d, want 1 to %d", p.MinItems, p.MaxItems, mostTasks)
	}
	if p := s.Properties["max_turns"]; p.Minimum != 1 || p.Maximum != hardTurns {
		t.Errorf("max_turns: %d to %d, want 1 to %d", p.Minimum, p.Maximum, hardTurns)
	}
}

// TestAccount: each reason is there once, in a line.
func TestAccount(t *testing.T) {
	long := "part 1: " + strings.Repeat("a path is wrong; ", 100)
	got := (&Desk{Spend: new(Spend)}).account([]string{"a", long, "a", long}).Incomplete
	if len(got) != 2 || got[0] != "a" || len([]rune(got[1])) > mostReason+1 {
		t.Errorf("%q", got)
	}
}
