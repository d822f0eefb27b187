package trim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
)

// TestNothingOfTheUser: a budget without room for a word of the user says so, and one
// with room for some says how many are cut.
func TestNothingOfTheUser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	var in []transcript.Message
	for range 2 {
		in = append(in, prompt(strings.Repeat("Never touch the public API of package config, whatever the tests say about it. ", 12)))
		for i := range 20 {
			id := fmt.Sprintf("c%d-%d", len(in), i)
			in = append(in, call(id, "Bash", `{"command":"go test ./`+id+`"}`), answered(id, numbered(40, "ok "+id)))
		}
	}
	const nothing, some = "the budget is too small for the user's words: none of 2 messages is shown", " of the user had no room to stay whole"
	says := func(res *Result, part string) bool {
		return slices.ContainsFunc(res.Diagnostics, func(d satchel.Diagnostic) bool { return strings.Contains(d.Text, part) })
	}
	seen := map[bool]int{}
	for budget := 60; budget <= 900; budget += 20 {
		res, err := Trim(in, Options{Budget: budget})
		if err != nil {
			continue // not even the newest messages have room
		}
		shown := strings.Contains(fmt.Sprint(res.Messages), "Never touch")
		seen[shown]++
		if says(res, nothing) == shown || says(res, some) && !shown {
			t.Errorf("budget %d: the user's words are shown: %v; %v", budget, shown, res.Diagnostics)
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("budgets that show and do not show the user's words: %v", seen)
	}
}
