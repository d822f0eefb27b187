package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// A file to edit that is too large to be shown whole keeps the functions that the task
// is about, though the agent has read it.
func TestSeenLeavesFilesToEdit(t *testing.T) {
	var b strings.Builder
	for i := range 80 {
		fmt.Fprintf(&b, "def walrus_%d(a, b):\n", i)
		for k := range 12 {
			fmt.Fprintf(&b, "    a = b + %d * walrus_of_%d\n", k, i)
		}
		b.WriteString("    return a\n\n\n")
	}
	session := filepath.Join(t.TempDir(), "session.jsonl")
	answer, err := json.Marshal("src/large.py\n" + b.String())
	if err != nil {
		t.Fatal(err)
	}
	line := `{"type":"user","uuid":"u0","parentUuid":null,"sessionId":"s","cwd":"/r","timestamp":"2026-01-05T09:00:00.000Z","message":{"role":"user","content":` + string(answer) + "}}\n"
	if err := os.WriteFile(session, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}

	e := open(t, engine.Options{Dir: write(t, map[string]string{"src/large.py": b.String(), "src/other.py": "def other():\n    return 1\n"})})
	for _, edit := range []string{"", "src/large.py"} {
		req := satchel.Request{Task: "walrus_3 adds wrongly", Budget: 3000, Seen: session}
		if edit != "" {
			req.Edit = []string{edit}
		}
		p, err := e.Pack(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for _, x := range p.Entries {
			shown = shown || strings.Contains(x.Text.String(), "a = b + 7 * walrus_of_3\n")
		}
		if shown != (edit != "") {
			t.Errorf("editing %q: the function that was read is shown: %v", edit, shown)
		}
	}
}
