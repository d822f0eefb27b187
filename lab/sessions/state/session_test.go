package state

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// A talk builds a made-up session, a message after the other.
type talk struct {
	ms []transcript.Message
}

func (t *talk) user(text string) *talk {
	t.ms = append(t.ms, transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}})
	return t
}

func (t *talk) says(text string) *talk {
	t.ms = append(t.ms, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}})
	return t
}

// calls adds a call and its result. The input is fields and their values in turn.
func (t *talk) calls(tool, result string, failed bool, input ...any) *talk {
	id := fmt.Sprint("id", len(t.ms))
	in := []byte("{")
	for i := 0; i < len(input); i += 2 {
		if i > 0 {
			in = append(in, ',')
		}
		k, _ := json.Marshal(input[i])
		v, _ := json.Marshal(input[i+1])
		in = append(append(append(in, k...), ':'), v...)
	}
	t.ms = append(t.ms,
		transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{{Type: transcript.Call, ID: id, Name: tool, Input: append(in, '}')}}},
		transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{{Type: transcript.Result, ID: id, Text: result, Failed: failed}}})
	return t
}

func (t *talk) edit(path, before, after string) *talk {
	return t.calls("Edit", "updated", false, "file_path", path, "old_string", before, "new_string", after)
}

func (t *talk) run(command, result string, failed bool) *talk {
	return t.calls("Bash", result, failed, "command", command)
}

// digest is what a packer may make of a session: one message of the user.
func digest(text string) []transcript.Message { return new(talk).user(text).ms }

// wantShare fails unless so much of the facts of a kind is recalled; -1 is that the
// session has none.
func wantShare(t *testing.T, session, shown []transcript.Message, k Kind, want float64) {
	t.Helper()
	r := Of(session).Recall(shown)
	got, ok := r.Shares[k]
	if !ok {
		got = -1
	}
	if got != want {
		t.Errorf("%s recalled %v, want %v", k, got, want)
	}
}

// TestWhole: a session shows its own state, and nothing in it is wrong.
func TestWhole(t *testing.T) {
	ms := new(talk).
		user("Add a flag to the parser. Never touch the lexer!").
		run("go test ./...", "--- FAIL: TestParse\nparse.go:3: undefined: Flag\nFAIL\texample.com/parse", true).
		edit("/src/parse.go", "func Parse() error {\n\treturn errNothing\n}", "func Parse() error {\n\treturn parseAll(flags)\n}").
		run("go test ./...", "ok  \texample.com/parse\t0.01s", false).
		calls("TodoWrite", "done", false, "todos", []map[string]string{{"content": "Add the flag to the parser", "status": "completed"}, {"content": "Document the new flag", "status": "pending"}}).
		run("golangci-lint run", "parse.go:9: Error: unused variable\n1 errors", true).ms
	r := Of(ms).Recall(ms)
	for _, k := range Kinds {
		if r.Shares[k] != 1 {
			t.Errorf("%s recalled %v of the whole session", k, r.Shares[k])
		}
	}
	if m, ok := r.True(); m != 1 || !ok {
		t.Errorf("True() = %v, %v: stale %v, reopened %v", m, ok, r.Stale, r.Reopened)
	}
	if len(Of(nil).Recall(nil).Shares) != 0 {
		t.Error("nothing has a state")
	}
}
