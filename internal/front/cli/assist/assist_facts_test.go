package assist_test

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// TestBadFacts: readers of parts that answer badly are asked once each, and what they
// spend leaves room for the message.
func TestBadFacts(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	s := newStage(t, "openai", 7)
	bad := call("submit", obj{"facts": []obj{{"paths": []string{"../elsewhere.go"}, "what": "It is faster.", "names": []string{}, "user_visible": true, "breaking": false}}})
	bad.Match, bad.Times, bad.Usage = "Say what this part does", -1, &llmtest.Usage{Input: 17_000, Output: 100}
	s.Play("", bad, good("commit"))
	code, stdout, stderr := s.Asks("commit", "--print", "--set", "parallel=3", "--max-spend", "80000")
	if code != 6 || strings.TrimSpace(stdout) == "" {
		t.Errorf("exit code %d and the message %q, want 6 and a message: %s", code, stdout, stderr)
	}
	if n := len(s.Server.Requests()); n > 4 {
		t.Errorf("%d requests, want at most one for each part and one for the message", n)
	}
	if !strings.Contains(stderr, "satchel: incomplete: 3 things are missing\nsatchel:   part 1 (") || strings.Count(stderr, "part 1 (") != 1 {
		t.Errorf("what is missing is not a line and a list: %s", stderr)
	}
}
