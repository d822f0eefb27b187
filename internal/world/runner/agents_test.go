package runner

import (
	"strings"
	"testing"
)

func TestAgents(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"claude", "claude -p --output-format stream-json --verbose --resume ID"},
		{"codex", "codex exec resume ID --json -"},
		{"gemini", "gemini --output-format stream-json --resume ID"},
		{"pi", "pi -p --mode json --session ID"},
		{"opencode", "opencode run --format json --session ID"},
	} {
		a, ok := AgentByName(test.name)
		if !ok {
			t.Fatalf("there is no %s", test.name)
		}
		before := strings.Join(a.Args, " ")
		if got := strings.Join(a.Resume(a.Args, "ID"), " "); got != test.want {
			t.Errorf("%s resumes with %q, want %q", test.name, got, test.want)
		}
		if got := strings.Join(a.Args, " "); got != before {
			t.Errorf("resuming changed the preset %s to %q", test.name, got)
		}
		if a.Format == "" {
			t.Errorf("%s: nothing says what its sessions are", test.name)
		}
	}
	if _, ok := AgentByName("sh"); ok {
		t.Error("sh is an agent")
	}
}
