package trim_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/transcript/transcripttest"
	"github.com/satchel-dev/satchel/trim"
)

// body is a result long enough to be worth cleaning.
func body(what string) string { return strings.Repeat(what+" and more of it\n", 30) }

// story is a session in which every rule of the default profile has its turn.
func story() []transcript.Message {
	return []transcript.Message{
		prompt("The proxy times out when it dials. Find out why."), // 0
		answer("", read("1", "proxy.go")),                          // 1
		results(result("1", body("func dial"))),
		answer("", bash("2", "go test ./proxy")), // 2
		results(failed("2", "--- FAIL: TestDial\nexit status 1")),
		answer("The root cause is the missing deadline.", edit("3", "proxy.go")), // 3
		results(result("3", "edited")),
		answer("", bash("4", "go test ./proxy")), // 4
		results(result("4", "ok proxy 0.1s")),
		prompt("No, do not use a global deadline. Use the context instead."), // 5
		answer("", read("5", "proxy.go")),                                    // 6
		results(result("5", body("func dial(ctx)"))),
		answer("", bash("6", "ls docs")), // 7
		results(result("6", "a.md\nb.md")),
		prompt("Now add a retry to the proxy."), // 8
		answer("Looking.", read("7", "retry.go")),
		results(result("7", body("func retry"))), // 9
		answer("", bash("8", "go vet ./proxy")),  // 10
		results(failed("8", "proxy.go:3: undefined: retry\nexit status 1")),
		answer("It needs an import."), // 11
	}
}

// TestTurns checks the type and the title of each turn of the story.
func TestTurns(t *testing.T) {
	type row struct {
		Type  trim.TurnType
		Title string
	}
	want := []row{
		{trim.Instruction, "The proxy times out when it dials. Find out why."},
		{trim.ToolUse, "read proxy.go"},
		{trim.ToolUse, "bash go test ./proxy"},
		{trim.ToolUse, "The root cause is the missing deadline. → edit proxy.go"},
		{trim.ToolUse, "bash go test ./proxy"},
		{trim.Instruction, "No, do not use a global deadline. Use the context instead."},
		{trim.ToolUse, "read proxy.go"},
		{trim.ToolUse, "bash ls docs"},
		{trim.Instruction, "Now add a retry to the proxy."},
		{trim.ToolUse, "Looking. → read retry.go"},
		{trim.ToolUse, "bash go vet ./proxy"},
		{trim.Response, "It needs an import."},
	}
	var got []row
	for _, turn := range trim.Turns(story()) {
		got = append(got, row{turn.Type, turn.Title})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if turns := trim.Turns(nil); len(turns) != 0 {
		t.Errorf("%d turns of nothing", len(turns))
	}
}

// TestTurnsHoldAll checks that each message is of one turn.
func TestTurnsHoldAll(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for seed := range int64(40) {
		ms := transcripttest.Random(rand.New(rand.NewSource(seed)).Intn)
		at := 0
		for _, turn := range trim.Turns(ms) {
			if turn.From != at || turn.To <= turn.From {
				t.Fatalf("turn %d is [%d, %d), the one before ends at %d", turn.Index, turn.From, turn.To, at)
			}
			at = turn.To
		}
		if at != len(ms) {
			t.Fatalf("turns end at message %d of %d", at, len(ms))
		}
	}
}

// TestWhy checks that a trim gives its own reason for each message.
func TestWhy(t *testing.T) {
	ms := story()
	at := func(o trim.Options, message int) string {
		t.Helper()
		r, err := trim.Trim(ms, o)
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Accounts[message].Fate) + ": " + r.Accounts[message].Why
	}
	for _, tt := range []struct {
		name    string
		o       trim.Options
		message int
		want    string
	}{
		{"it fits", trim.Options{Budget: 100_000}, 2, "kept: it fits"},
		{"cleaned", trim.Options{}, 2, "elided: superseded: proxy.go was edited since and is read again later"},
		{"the newest", trim.Options{Budget: 500}, len(ms) - 1, "kept: one of the newest"},
		{"pinned", trim.Options{Budget: 500, Pins: []int{10}}, 10, "digested: pinned"},
		{"the user's words", trim.Options{Budget: 500}, 0, "digested: the user's words"},
		{"a check", trim.Options{Budget: 500}, 8, "digested: how a check ended last"},
	} {
		if got := at(tt.o, tt.message); got != tt.want {
			t.Errorf("%s: message %d is %q, want %q", tt.name, tt.message, got, tt.want)
		}
	}
}
