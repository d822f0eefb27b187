package transcript

import (
	"bytes"
	"strings"
	"testing"
)

// rewritten writes a session back with a summary in the place of its first two
// messages, and one result changed.
func rewritten(t *testing.T, session string) string {
	t.Helper()
	s, err := Read(strings.NewReader(session), int64(len(session)))
	if err != nil {
		t.Fatal(err)
	}
	ms := append([]Message{{Role: User, Kind: Summary, Blocks: []Block{{Type: Text, Text: "What was."}}}}, s.Messages[2:]...)
	for i := range ms {
		for k := range ms[i].Blocks {
			if b := &ms[i].Blocks[k]; b.Type == Result && b.ID == "t2" {
				*b = Block{Type: Result, ID: b.ID, Name: b.Name, Text: "cut"}
				ms[i].Spans = nil
			}
		}
	}
	if err := Valid(ms); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, strings.NewReader(session), int64(len(session)), &Rewrite{Messages: ms}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSentBackAsRecorded: what a provider wants back as it gave it is written to
// the byte: signed and redacted thinking, encrypted reasoning right before the
// calls that it led to. Marks of the cache stay on what is kept, and no other
// block gets one, so that there are never more than there were.
func TestSentBackAsRecorded(t *testing.T) {
	anthropic := `{"model":"claude-x","messages":[
{"role":"user","content":[{"type":"text","text":"one","cache_control":{"type":"ephemeral"}}]},
{"role":"assistant","content":"1"},
{"role":"user","content":[{"type":"text","text":"two","cache_control":{"type":"ephemeral","ttl":"1h"}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"h m","signature":"SIG+/="},{"type":"redacted_thinking","data":"DATA=="},{"type":"tool_use","id":"t1","name":"Read","input":{"b":1, "a":2}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"R","cache_control":{"type":"ephemeral"}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"again","signature":"SIG2"},{"type":"tool_use","id":"t2","name":"Read","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"long","cache_control":{"type":"ephemeral"}}]},
{"role":"assistant","content":"done"}]}`
	got := rewritten(t, anthropic)
	for _, want := range []string{
		`{"role":"user","content":[{"type":"text","text":"two","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`,
		`[{"type":"thinking","thinking":"h m","signature":"SIG+/="},{"type":"redacted_thinking","data":"DATA=="},{"type":"tool_use","id":"t1","name":"Read","input":{"b":1, "a":2}}]`,
		`{"type":"tool_result","tool_use_id":"t1","content":"R","cache_control":{"type":"ephemeral"}}`,
		`{"type":"thinking","thinking":"again","signature":"SIG2"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("written without %s:\n%s", want, got)
		}
	}
	if n := strings.Count(got, "cache_control"); n > 3 {
		t.Errorf("%d marks of the cache, of which four were and one went with its message:\n%s", n, got)
	}

	responses := `{"model":"gpt-x","input":[
{"role":"user","content":"one"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"1"}]},
{"role":"user","content":"two"},
{"type":"reasoning","id":"rs1","summary":[],"encrypted_content":"ENC1"},
{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"},
{"type":"function_call_output","call_id":"t1","output":"R"},
{"type":"reasoning","id":"rs2","summary":[],"encrypted_content":"ENC2"},
{"type":"function_call","call_id":"t2","name":"f","arguments":"{}"},
{"type":"function_call_output","call_id":"t2","output":"long"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]}`
	got = rewritten(t, responses)
	at := -1
	for _, want := range []string{`"ENC1"`, `"function_call","call_id":"t1"`, `"function_call_output","call_id":"t1"`, `"ENC2"`, `"function_call","call_id":"t2"`, `"cut"`, `"done"`} {
		i := strings.Index(got, want)
		if i <= at {
			t.Errorf("%s is missing, or not behind what it was behind:\n%s", want, got)
		}
		at = i
	}
	if want := `{"type":"reasoning","id":"rs2","summary":[],"encrypted_content":"ENC2"}`; !strings.Contains(got, want) {
		t.Errorf("written without %s:\n%s", want, got)
	}
}
