package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// longTalk is a made-up session of n calls with long results.
func longTalk(n int) []transcript.Message {
	block := func(t transcript.BlockType, text string) transcript.Block {
		return transcript.Block{Type: t, Text: text}
	}
	ms := []transcript.Message{{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{block(transcript.Text, "find the parser")}}}
	for i := range n {
		id := fmt.Sprint("c", i)
		call := transcript.Block{Type: transcript.Call, ID: id, Name: "Bash", Input: []byte(`{"command":"ls"}`)}
		result := block(transcript.Result, strings.Repeat(fmt.Sprintf("line %d of the parser\n", i), 40))
		result.ID = id
		ms = append(ms, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{call}},
			transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{result}})
	}
	return ms
}

// TestPeers: what peers leave is valid, within the budget, and begins as they do;
// and the session stays as it was.
func TestPeers(t *testing.T) {
	ms := longTalk(12)
	was := strings.Join(texts(ms), "\n")
	for name, pack := range map[string]func([]transcript.Message, float64) []transcript.Message{"clear": clearResults, "hawk": hawk} {
		for _, share := range []float64{0.02, 0.1, 0.4, 0.9, 1.1} {
			budget := share * messagesSize(ms)
			out := pack(ms, budget)
			if why := valid(ms, out, nil); why != "" {
				t.Errorf("%s to %v: %s", name, share, why)
			}
			if n := messagesSize(out); n > budget*1.02+20 && share > 0.02 {
				t.Errorf("%s to %v: %.0f tokens of %.0f", name, share, n, budget)
			}
			if share > 1 && len(out) != len(ms) {
				t.Errorf("%s drops %d messages that fit", name, len(ms)-len(out))
			}
		}
	}
	if strings.Join(texts(ms), "\n") != was {
		t.Error("a peer changed the session")
	}
	out := clearResults(ms, 0.5*messagesSize(ms))
	if got := out[2].Blocks[0].Text; got != cleared {
		t.Errorf("the oldest result is %.20q, want it cleared", got)
	}
	if got := out[len(out)-1].Blocks[0].Text; got == cleared {
		t.Error("the newest result is cleared")
	}
}

// TestValid: what a provider refuses, and what was invented.
func TestValid(t *testing.T) {
	ms := longTalk(3)
	for name, c := range map[string]struct {
		out  []transcript.Message
		want string
	}{
		"whole":     {ms, ""},
		"no call":   {[]transcript.Message{ms[0], ms[2]}, "result without call"},
		"no answer": {[]transcript.Message{ms[0], ms[1], ms[0], ms[2]}, "call without result"},
		"the end":   {ms[:2], "ends with another role"},
		"the start": {ms[1:], "does not begin with the user"},
		"order":     {[]transcript.Message{ms[0], ms[3], ms[4], ms[1], ms[2]}, "another order"},
		"invented":  {longTalk(4), "invented call"},
		"empty":     {nil, "empty"},
	} {
		if got := valid(ms, c.out, nil); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestDecodeMessages: what an outside command writes is read as it is.
func TestDecodeMessages(t *testing.T) {
	const out = `{"messages":[{"role":"user","content":"hello"},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]}]}`
	ms, err := decodeMessages([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(texts(ms), "|"), "hello|Bash\ncommand: ls|x\ny"; got != want {
		t.Errorf("decodeMessages = %q, want %q", got, want)
	}
	if ms[0].Kind != transcript.Prompt || ms[1].Kind != transcript.Answer || ms[2].Kind != transcript.Results {
		t.Errorf("kinds %s, %s, %s", ms[0].Kind, ms[1].Kind, ms[2].Kind)
	}
	if got := valid(ms, ms, nil); got != "call without result" {
		t.Errorf("valid = %q of a result with another id", got)
	}
}

// TestWindows: what stands around a name is told from a longer word, in any script.
func TestWindows(t *testing.T) {
	for text, want := range map[string]bool{"346→ done": true, "1346": false, "é346": false, "a 346b": false, "346": true} {
		if got := len(windows(text, "346", 10)) > 0; got != want {
			t.Errorf("windows(%q) = %v, want %v", text, got, want)
		}
	}
	if len(pairs("one line", "line", 10)) != 1 {
		t.Error("a text of one line is its own neighbour")
	}
}
