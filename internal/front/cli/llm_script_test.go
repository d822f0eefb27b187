package cli_test

import (
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
