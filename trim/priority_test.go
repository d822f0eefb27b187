package trim_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/dialect/gitclaw"
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

// TestDefaultTurns: the reason that each turn of the story has, or has not.
func TestDefaultTurns(t *testing.T) {
	turns := trim.Prioritize(story())
	if len(turns) != 12 {
		t.Fatalf("%d turns, want 12", len(turns))
	}
	for _, tt := range []struct {
		turn       int
		kind       trim.TurnType
		has, lacks string
	}{
		{0, trim.Instruction, "a person's words", "corrects what was done"},
		{1, trim.ToolUse, "superseded: proxy.go was edited since and is read again later", ""},
		{2, trim.ToolUse, "an error that turn 3 mended", "an error that nothing mended yet"},
		{3, trim.ToolUse, "mends the error of turn 2", "superseded"},
		{3, trim.ToolUse, "concludes or decides", ""},
		{3, trim.ToolUse, "changes a file", ""},
		{4, trim.ToolUse, "tools, without a word", "mends"},
		{5, trim.Clarification, "corrects what was done", ""},
		{6, trim.ToolUse, "tools, without a word", "superseded"},
		{8, trim.Instruction, "the current task", "corrects what was done"},
		{9, trim.ToolUse, "part of what is going on", ""},
		{10, trim.ToolUse, "an error that nothing mended yet", "that turn"},
		{11, trim.Response, "part of what is going on", ""},
	} {
		turn := turns[tt.turn]
		var whys []string
		for _, r := range turn.Reasons {
			whys = append(whys, r.Why)
		}
		if !slices.ContainsFunc(whys, func(w string) bool { return strings.HasPrefix(w, tt.has) }) {
			t.Errorf("turn %d lacks the reason %q; it has %q", tt.turn, tt.has, whys)
		}
		if tt.lacks != "" && slices.ContainsFunc(whys, func(w string) bool { return strings.Contains(w, tt.lacks) }) {
			t.Errorf("turn %d has the reason %q: %q", tt.turn, tt.lacks, whys)
		}
		if turn.Type != tt.kind {
			t.Errorf("turn %d is %s, want %s", tt.turn, turn.Type, tt.kind)
		}
	}
	if turns[0].Priority < 92 || turns[8].Priority < 97 {
		t.Errorf("the first prompt has %d, want 92 or more; the newest %d, want 97 or more", turns[0].Priority, turns[8].Priority)
	}
	// What was read again matters less than what it was read again as, an open
	// error more than chatter of its age, a person's words more than any tool.
	for _, pair := range [][2]int{{6, 1}, {3, 4}, {5, 6}, {0, 1}, {8, 7}, {10, 7}} {
		if more, less := turns[pair[0]], turns[pair[1]]; more.Priority <= less.Priority {
			t.Errorf("turn %d has %d, no more than %d of turn %d:\n%v\n%v", more.Index, more.Priority, less.Priority, less.Index, more.Reasons, less.Reasons)
		}
	}
	if got := turns[1].Title; got != "read proxy.go" {
		t.Errorf("title %q", got)
	}
	if got := turns[3].Title; got != "The root cause is the missing deadline. → edit proxy.go" {
		t.Errorf("title %q", got)
	}
}

// TestTaskOverlap: the newest prompt lifts old turns that are about it.
func TestTaskOverlap(t *testing.T) {
	ms := []transcript.Message{
		prompt("hello"),
		answer("The invoice exporter writes quarterly totals."),
		answer("The kitchen needs paint and brushes quickly."),
		prompt("something else entirely"),
		answer("done"), answer("done"), answer("done"), answer("done"), answer("done"), answer("done"),
		prompt("Why does the invoice exporter skip quarterly totals?"),
	}
	turns := trim.Prioritize(ms)
	if turns[1].Priority <= turns[2].Priority {
		t.Errorf("about the task %d, about something else %d", turns[1].Priority, turns[2].Priority)
	}
}

// TestReasonsAddUp: an explanation never disagrees with the number.
func TestReasonsAddUp(t *testing.T) {
	for seed := range int64(40) {
		ms := transcripttest.Random(rand.New(rand.NewSource(seed)).Intn)
		for name, turns := range map[string][]trim.Turn{"default": trim.Prioritize(ms), "gitclaw": gitclaw.Turns(ms)} {
			at := 0
			for _, turn := range turns {
				sum := 0
				for _, r := range turn.Reasons {
					sum += r.Add
				}
				if turn.Priority != max(0, min(100, sum)) {
					t.Fatalf("%s: turn %d has %d, its reasons %v add up to %d", name, turn.Index, turn.Priority, turn.Reasons, sum)
				}
				if turn.From != at || turn.To <= turn.From {
					t.Fatalf("%s: turn %d is [%d, %d), the one before ends at %d", name, turn.Index, turn.From, turn.To, at)
				}
				at = turn.To
			}
			if at != len(ms) {
				t.Fatalf("%s: turns end at message %d of %d", name, at, len(ms))
			}
		}
	}
}

func TestNoTurns(t *testing.T) {
	if turns := trim.Prioritize(nil); len(turns) != 0 {
		t.Errorf("%d turns of nothing", len(turns))
	}
}
