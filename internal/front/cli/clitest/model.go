package clitest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// modelKey finds the newest model's server of a script; see [llmtest].
type modelKey struct{}

type models struct{ newest *llmtest.Server }

// startModel is the command llm.
func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! llm")
	}
	ts.Value(modelKey{}).(*models).newest = llmtest.Command(ts, args)
}

// modelRequests is the command llm-requests.
func modelRequests(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(modelKey{}).(*models).newest
	if neg || s == nil {
		ts.Fatalf("llm-requests: no server was started")
	}
	llmtest.CheckRequests(ts, s, args)
}

// useModel is the command model FILE [KIND]: llm, and a configuration of the user's
// that names the server.
func useModel(ts *testscript.TestScript, neg bool, args []string) {
	kind := "anthropic"
	if len(args) == 2 {
		kind, args = args[1], args[:1]
	}
	startModel(ts, neg, args)
	dir := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "satchel")
	ts.Check(os.MkdirAll(dir, 0o700))
	text := fmt.Sprintf("[llm.default]\nurl = %q\nkind = %q\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"LLM_KEY\"\n", ts.Getenv("LLM_URL"), kind)
	if extra, err := os.ReadFile(ts.MkAbs("more.toml")); err == nil {
		text += string(extra)
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600))
}

// sameRequest is the command same-request DRY BODIES: the request of a dry run is, to
// the byte, the first of those that were sent.
func sameRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same-request DRY BODIES")
	}
	var dry struct {
		Request json.RawMessage `json:"request"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &dry))
	first, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	if string(dry.Request) != first {
		ts.Fatalf("would send %s\nsent       %s", dry.Request, first)
	}
}
