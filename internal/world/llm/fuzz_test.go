package llm

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// FuzzAnswer: whatever a server says is an answer or an error, and an answer that
// says something can go back: its message is valid and can be encoded.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{begun[Anthropic], begun[OpenAI], "data: [DONE]\n\n", "\xef\xbb\xbf: x\r\ndata: {\"type\":\"message_stop\"}\r\r"} {
		f.Add(s)
	}
	for _, c := range ownFaults() {
		f.Add(c.steps[0].Body)
	}
	f.Add(`data: {"choices":[{"delta":{"reasoning":"h","tool_calls":[{"id":"t","function":{"name":"","arguments":{"a":[]}}},{"index":-3,"function":{"arguments":"["}}]},"finish_reason":"stop"}]}` + "\n\n")
	f.Add(`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":" ","input":[1]}}` + "\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		for _, kind := range []Kind{Anthropic, OpenAI} {
			c, err := New(Endpoint{URL: "http://127.0.0.1:1", Model: "m-1", Kind: kind}, nil)
			if err != nil {
				t.Fatal(err)
			}
			call := &Call{Tools: tools, Messages: []transcript.Message{say("?")}}
			a, err := c.readAnswer(answered(200, "text/event-stream", stream), call, &watcher{}, &Try{})
			if err != nil {
				if a != nil || strings.ContainsAny(err.Error(), "\n\x1b") {
					t.Errorf("%s: %+v, %q", kind, a, err)
				}
				continue
			}
			if len(a.Message.Blocks) == 0 {
				continue
			}
			call.Messages = append(call.Messages, a.Message)
			var answers []string
			for _, b := range a.Message.Blocks {
				if b.Type == transcript.Call {
					answers = append(answers, b.ID, "x")
				}
			}
			if len(answers) > 0 {
				call.Messages = append(call.Messages, results(answers...))
			}
			if err := transcript.Valid(call.Messages); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			if body, err := c.Body(call); err != nil {
				t.Errorf("%s: %v, %s", kind, err, body)
			}
		}
	})
}
