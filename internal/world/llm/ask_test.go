package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/transcript"
)

// say is a message of a user's words.
func say(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

// results answers calls by their ids.
func results(idsAndTexts ...string) transcript.Message {
	m := transcript.Message{Role: transcript.User, Kind: transcript.Results}
	for i := 0; i < len(idsAndTexts); i += 2 {
		m.Blocks = append(m.Blocks, transcript.Block{Type: transcript.Result, ID: idsAndTexts[i], Text: idsAndTexts[i+1]})
	}
	return m
}

var tools = []Tool{
	{"read", "Read a file.", json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
	{"submit", "Answer.", json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)},
}

// events plays a recorded stream.
func events(lines ...string) http.HandlerFunc {
	return raw("text/event-stream", strings.Join(lines, "\n\n")+"\n\n")
}

var callStream = map[Kind]http.HandlerFunc{
	Anthropic: events(
		`event: message_start
data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":90,"cache_read_input_tokens":40,"cache_creation_input_tokens":7,"output_tokens":1}}}`,
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a < b"}}`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S+/="}}`,
		`data: {"type":"content_block_stop","index":0}`,
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"D=="}}`,
		`data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
		`data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Let me "}}`,
		`data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"look."}}`,
		`data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}}`,
		`data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\""}}`,
		`data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":": \"a.go\"}"}}`,
		`data: {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t2","name":"read","input":{}}}`,
		`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":25}}`,
		`data: {"type":"message_stop"}`),
	OpenAI: events(
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"a < b"},"finish_reason":null}]}`,
		`data: {"choices":[{"index":0,"delta":{"content":"Let me "}}]}`,
		`data: {"choices":[{"index":0,"delta":{"content":"look."}}]}`,
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","extra_content":{"google":{"thought_signature":"S"}},"function":{"name":"read","arguments":""}}]}}]}`,
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}}]}`,
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"t2","type":"function","function":{"name":"read","arguments":""}}]}}]}`,
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":": \"a.go\"}"}}]}}]}`,
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`data: {"choices":[],"usage":{"prompt_tokens":130,"completion_tokens":25,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":5}}}`,
		`data: [DONE]`),
}

// TestAskCalls: what comes in pieces is put together, and goes back as it came.
func TestAskCalls(t *testing.T) {
	wantUsage := map[Kind]transcript.Usage{
		Anthropic: {Input: 90, CacheRead: 40, CacheWrite: 7, Output: 25},
		OpenAI:    {Input: 90, CacheRead: 40, Output: 25, Reasoning: 5},
	}
	wantBack := map[Kind]string{
		Anthropic: `{"role":"assistant","content":[{"type":"thinking","thinking":"a < b","signature":"S+/="},{"type":"redacted_thinking","data":"D=="},{"type":"text","text":"Let me look."},` +
			`{"type":"tool_use","id":"t1","name":"read","input":{"path":"a.go"}},{"type":"tool_use","id":"t2","name":"read","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"A"},{"type":"tool_result","tool_use_id":"t2","content":"B","cache_control":{"type":"ephemeral"}}]}]`,
		OpenAI: `{"role":"assistant","content":"Let me look.","reasoning_content":"a < b","tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\": \"a.go\"}"},"extra_content":{"google":{"thought_signature":"S"}}},` +
			`{"id":"t2","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t1","content":"A"},{"role":"tool","tool_call_id":"t2","content":"B"}]`,
	}
	eachKind(t, func(t *testing.T, kind Kind) {
		s := serve(t, &server{faults: []http.HandlerFunc{callStream[kind]}})
		c := client(t, s, kind)
		call := &Call{System: "be brief", Tools: tools, Messages: []transcript.Message{say("facts"), say("why?")}}
		var seen []string
		a, err := c.Ask(t.Context(), call, func(d Delta) { seen = append(seen, d.Text) })
		if err != nil {
			t.Fatal(err)
		}
		if u := wantUsage[kind]; a.Stop != StopCall || a.Usage == nil || *a.Usage != u || len(a.Diagnostics) != 0 || len(a.Tries) != 1 || a.Tries[0].Usage == nil {
			t.Errorf("stop %q, usage %+v, %v, tries %+v", a.Stop, a.Usage, a.Diagnostics, a.Tries)
		}
		if got := strings.Join(seen, ""); !strings.HasPrefix(got, "Let me look.{") {
			t.Errorf("watched %q", got)
		}
		call.Messages = append(call.Messages, a.Message, results("t1", "A", "t2", "B"))
		if err := transcript.Valid(call.Messages); err != nil {
			t.Error(err)
		}
		body, err := c.Body(call)
		if err != nil || !strings.Contains(string(body), wantBack[kind]) {
			t.Errorf("%v, body %s\nwithout %s", err, body, wantBack[kind])
		}
		// Another model gets no thinking that is not its own.
		c.endpoint.Model = "other"
		if body, _ := c.Body(call); bytes.Contains(body, []byte("a < b")) || bytes.Contains(body, []byte("thinking")) {
			t.Errorf("another model is sent %s", body)
		}
	})
}

var cacheMarks = regexp.MustCompile(`,"cache_control":\{"type":"ephemeral"\}`)

// TestPrefix is the law of [Client.Body]: without the marks of the cache a request
// begins the next one, up to the end of its messages, whatever tool is forced.
func TestPrefix(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		c := client(t, &server{Server: &httptestServer{URL: "http://127.0.0.1:1"}}, kind)
		call := &Call{System: "be <brief>", Tools: tools, Messages: []transcript.Message{say("facts & more"), say("why?")}}
		before := ""
		for n := range 5 {
			call.Tool = ""
			if n == 4 {
				call.Tool, call.MaxTokens = "submit", 7
			}
			body, err := c.Body(call)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(body), "cache_control"); n > 4 || kind == Anthropic && n < 3 {
				t.Errorf("%d marks of the cache in %s", n, body)
			}
			now := cacheMarks.ReplaceAllString(string(body), "")
			if !strings.HasPrefix(now, before) {
				t.Errorf("request %d is\n%s\nwhich does not begin with\n%s", n, now, before)
			}
			end := strings.Index(now, `],"max_tokens"`)
			before = now[:end]
			id := fmt.Sprint("t", n)
			call.Messages = append(call.Messages, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Model: "m-1", Blocks: []transcript.Block{
				{Type: transcript.Call, ID: id, Name: "read", Input: json.RawMessage(`{"path":"x"}`)},
			}}, results(id, "line"))
			if n == 2 {
				call.Messages = append(call.Messages, say("go on"))
			}
		}
	})
}

// TestPartsShareAllButTheLastMessage: the bytes of the pinned message stay where
// they are, and are marked for the cache.
func TestPartsShareAllButTheLastMessage(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		c := client(t, &server{Server: &httptestServer{URL: "http://127.0.0.1:1"}}, kind)
		var bodies []string
		for _, q := range []string{"part one", "part two"} {
			body, err := c.Body(&Call{System: "s", Tools: tools, Messages: []transcript.Message{say("facts"), say(q)}})
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, string(body))
		}
		want := strings.Index(bodies[0], "part one")
		if bodies[0][:want] != bodies[1][:want] {
			t.Error(cmp.Diff(bodies[0], bodies[1]))
		}
		if mark := `"text":"facts","cache_control"`; kind == Anthropic && !strings.Contains(bodies[0], mark) {
			t.Errorf("%s without %s", bodies[0], mark)
		}
	})
}

// TestModelsWithoutTools get one question without them, and answer as others do;
// from then on they are not asked in the other form.
func TestModelsWithoutTools(t *testing.T) {
	words := map[Kind]string{Anthropic: "tools: Extra inputs are not permitted", OpenAI: "registry.ollama.ai/library/gemma does not support tools"}
	eachKind(t, func(t *testing.T, kind Kind) {
		var bodies []string
		s := serve(t, &server{text: "<think>{</think>```json\n{\"text\":\"yes\"}\n```"})
		c := client(t, s, kind)
		c.http.Transport = wire(func(r *http.Request) *http.Response {
			body := read(t, r)
			bodies = append(bodies, body)
			if strings.Contains(body, `"tools"`) {
				return answered(400, "application/json", `{"error":{"message":`+string(quote(words[kind]))+`}}`)
			}
			return answered(200, "text/event-stream", map[Kind]string{
				Anthropic: `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Sure: {\"text\":\"yes\"}."}}` + "\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n",
				OpenAI:    `data: {"choices":[{"index":0,"delta":{"content":"Sure: {\"text\":\"yes\"}."},"finish_reason":"stop"}]}` + "\n\n",
			}[kind])
		})
		call := &Call{System: "be brief", Tools: tools, Submit: "submit", Messages: []transcript.Message{say("why?")}}
		for n, want := range []int{2, 3} {
			a, err := c.Ask(t.Context(), call, nil)
			if err != nil {
				t.Fatal(err)
			}
			b := a.Message.Blocks
			if len(b) != 1 || b[0].Type != transcript.Call || b[0].Name != "submit" || string(b[0].Input) != `{"text":"yes"}` || b[0].ID == "" || a.Stop != StopCall {
				t.Errorf("answer %+v", a)
			}
			if len(bodies) != want {
				t.Errorf("question %d: %d requests, want %d", n, len(bodies), want)
			}
			call.Messages = append(call.Messages, a.Message, results(b[0].ID, "text is too short"))
		}
		for _, b := range bodies[1:] {
			if !strings.Contains(b, `"json_schema"`) || strings.Contains(b, `"tool_`) || strings.Contains(b, `"tool_choice"`) {
				t.Errorf("asked without tools: %s", b)
			}
		}
	})
}

// TestFewerTokensThanSent: a server that drops most of a prompt says so only in
// what it counts.
func TestFewerTokensThanSent(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := serve(t, &server{faults: []http.HandlerFunc{callStream[kind], callStream[kind]}})
		c := client(t, s, kind)
		for _, tt := range []struct {
			words int
			want  bool
		}{{100, false}, {1000, true}} {
			a, err := c.Ask(t.Context(), &Call{Messages: []transcript.Message{say(strings.Repeat("word ", tt.words))}}, nil)
			if err != nil || a.Dropped != tt.want || len(a.Diagnostics) > 0 != tt.want {
				t.Errorf("%d words: dropped %v, %v, %v", tt.words, a.Dropped, a.Diagnostics, err)
			}
		}
	})
}

// TestInventedCalls: ids that are not unique and arguments that are no JSON are
// mended so that the answer can go back.
func TestInventedCalls(t *testing.T) {
	s := serve(t, &server{faults: []http.HandlerFunc{events(
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"read me","arguments":"{\"a"}},{"index":0,"id":"u","function":{"name":"read","arguments":{"b":1}}}]}}]}`,
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":2,"function":{"name":"read"}}]},"finish_reason":"stop"}]}`, `data: [DONE]`)}})
	c := client(t, s, OpenAI)
	ms := []transcript.Message{say("?"), {Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{
		{Type: transcript.Call, ID: "t", Name: "read", Input: json.RawMessage(`{}`)},
	}}, results("t", "x")}
	a, err := c.Ask(t.Context(), &Call{Messages: ms, Tools: tools}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range a.Message.Blocks {
		got = append(got, b.ID+" "+b.Name+" "+string(b.Input))
	}
	if want := []string{`call_2 read me "{\"a"`, `u read {"b":1}`, `call_4 read {}`}; !cmp.Equal(got, want) || a.Stop != StopCall || len(a.Diagnostics) != 1 {
		t.Errorf("calls %q, want %q; stop %q, %v", got, want, a.Stop, a.Diagnostics)
	}
	ms = append(ms, a.Message, results("call_2", "1", "u", "2", "call_4", "3"))
	body, err := c.Body(&Call{Messages: ms, Tools: tools})
	if err != nil || !strings.Contains(string(body), `{"name":"read_me","arguments":"{\"malformed\":\"{\\\"a\"}"}`) {
		t.Errorf("body %s, %v", body, err)
	}
}

// TestReword: what servers say of forms that they do not know, and what sounds like
// it and is about something else.
func TestReword(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		status int
		text   string
		want   form
	}{
		{OpenAI, 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", form{newName: true}},
		{OpenAI, 400, "registry.ollama.ai/library/gemma:2b does not support tools", form{noTools: true}},
		{OpenAI, 404, "No endpoints found that support tool use.", form{noTools: true}},
		{OpenAI, 500, "tools param requires --jinja flag", form{noTools: true}},
		{OpenAI, 400, "deepseek-reasoner does not support this tool_choice", form{noForce: true}},
		{OpenAI, 422, "Unknown field: stream_options", form{noOptions: true}},
		{OpenAI, 400, "Invalid schema for function 'submit': In context=('properties', 'n'), 'minimum' is not permitted.", form{noStrict: true}},
		{Anthropic, 400, "tools: Extra inputs are not permitted", form{noTools: true}},
		{Anthropic, 400, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1.", form{}},
		{Anthropic, 400, "tools.0.custom.input_schema: JSON schema is invalid", form{}},
		{OpenAI, 400, "model m-1 is not supported", form{}},
		{OpenAI, 403, "your plan does not support tools", form{}},
		{OpenAI, 500, "internal error", form{}},
	} {
		var l learned
		call := &Call{Tools: tools, Tool: "submit", Messages: []transcript.Message{say("?")}}
		changed := l.reword(tt.kind, call, &Error{Status: tt.status, Text: tt.text})
		if l.f != tt.want || changed != (tt.want != form{}) {
			t.Errorf("%d %s: %+v, %v, want %+v", tt.status, tt.text, l.f, changed, tt.want)
		}
		if l.reword(tt.kind, &Call{Tools: tools, Messages: []transcript.Message{say("?")}}, &Error{Status: tt.status, Text: tt.text}) {
			t.Errorf("%s: another form the second time: %+v", tt.text, l.f)
		}
		l = learned{}
		call.Messages = append(call.Messages, transcript.Message{Blocks: []transcript.Block{{Type: transcript.Call}}})
		if l.reword(tt.kind, call, &Error{Status: tt.status, Text: tt.text}); l.f.noTools {
			t.Errorf("%s: a model that called a tool knows none", tt.text)
		}
	}
}
