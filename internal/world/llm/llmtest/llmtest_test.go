package llmtest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/satchel-dev/satchel/transcript"
)

var kinds = []llm.Kind{llm.Anthropic, llm.OpenAI}

func client(t *testing.T, s *llmtest.Server, kind llm.Kind) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Endpoint{URL: s.URL, Kind: kind, Model: "m-1", Key: llmtest.Key}, &llm.Options{
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func say(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

func answer(calls []transcript.Block, text string) transcript.Message {
	m := transcript.Message{Role: transcript.User, Kind: transcript.Results}
	for _, b := range calls {
		if b.Type == transcript.Call {
			m.Blocks = append(m.Blocks, transcript.Block{Type: transcript.Result, ID: b.ID, Text: text, Failed: text == ""})
		}
	}
	return m
}

// TestConversation plays a script as a file against the client, in both
// protocols, with everything that changes how an answer is sent.
func TestConversation(t *testing.T) {
	for _, kind := range kinds {
		for _, how := range []string{"", `"chunk":1,`, `"crlf":true,`, `"bom":true,`, `"comments":true,`, `"piece":1,`} {
			t.Run(string(kind)+how, func(t *testing.T) {
				script, err := llmtest.ParseScript(`
# a question, an answer with calls, results, the end
{` + how + `"match":"why?","thinking":"Hm, “so”.","text":"Let me look.","calls":[{"name":"read","input":{"path":"a.go"}},{"name":"read","input":{}}]}
{"status":529}
{` + how + `"match":"package a","in":"Let me look.","calls":[{"name":"submit","input":{"text":"<yes> & no"}}],"usage":{"input":5,"cache_read":300,"output":9}}`)
				if err != nil {
					t.Fatal(err)
				}
				s := llmtest.Start(t, script...)
				c := client(t, s, kind)
				call := &llm.Call{System: "be brief", Messages: []transcript.Message{say("facts"), say("why?")}, Tools: []llm.Tool{
					{Name: "read", Use: "Read.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
					{Name: "submit", Use: "Answer.", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)},
				}}
				a, err := c.Ask(t.Context(), call, nil)
				if err != nil {
					t.Fatal(err)
				}
				b := a.Message.Blocks
				if len(b) != 4 || b[0].Text != "Hm, “so”." || b[1].Text != "Let me look." || string(b[2].Input) != `{"path":"a.go"}` || string(b[3].Input) != "{}" || a.Stop != llm.StopCall || a.Dropped {
					t.Fatalf("answer %+v", a)
				}
				call.Messages = append(call.Messages, a.Message, answer(b, "package a"))
				call.Tool = "submit"
				if a, err = c.Ask(t.Context(), call, nil); err != nil {
					t.Fatal(err)
				}
				if in := string(a.Message.Blocks[0].Input); in != `{"text":"<yes> & no"}` || a.Usage == nil || a.Usage.CacheRead != 300 || a.Usage.Input != 5 || a.Usage.Output != 9 || len(a.Tries) != 2 {
					t.Errorf("answer %+v of %s", a, in)
				}
				for _, r := range s.Requests() {
					if r.Fault != "" {
						t.Errorf("refused: %s", r.Fault)
					}
				}
			})
		}
	}
}

// post sends a body as it is.
func post(t *testing.T, url, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("X-Api-Key", llmtest.Key)
	req.Header.Set("Authorization", "Bearer "+llmtest.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestRefusals: what a real server refuses is refused.
func TestRefusals(t *testing.T) {
	const a, o = "/v1/messages", "/v1/chat/completions"
	tool := `"tools":[{"name":"read","input_schema":{"type":"object"}}]`
	function := `"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}]`
	for _, tt := range []struct{ path, body, want string }{
		{a, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`, ""},
		{a, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, "max_tokens: Field required"},
		{a, `{"model":"m","max_tokens":9,"n":1,"messages":[{"role":"user","content":"x"}]}`, "n: Extra inputs are not permitted"},
		{a, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}]}`, "roles must alternate"},
		{a, `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":"x"}]}`, "first message must use"},
		{a, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":" "}]}`, "non-whitespace"},
		{a, `{"model":"m","max_tokens":9,` + tool + `,"tool_choice":{"type":"tool","name":"write"},"messages":[{"role":"user","content":"x"}]}`, "Tool 'write' not found"},
		{a, `{"model":"m","max_tokens":9,` + tool + `,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read","input":{}}]},{"role":"user","content":"y"}]}`, "without `tool_result` blocks immediately after: t"},
		{a, `{"model":"m","max_tokens":9,` + tool + `,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`, "unexpected `tool_use_id`"},
		{a, `{"model":"m","max_tokens":9,` + tool + `,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read","input":"{}"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`, "valid dictionary"},
		{a, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"h","signature":"no"}]},{"role":"user","content":"y"}]}`, "Invalid `signature`"},
		{a, `{"model":"m","max_tokens":9,"messages":[` + strings.Repeat(`{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":"y"},`, 5) + `{"role":"user","content":"z"}]}`, "maximum of 4 blocks"},
		{a, `{"model":`, "not valid JSON"},
		{o, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, ""},
		{o, `{"model":"m","max_tokens":1,"max_completion_tokens":1,"messages":[{"role":"user","content":"x"}]}`, "at the same time"},
		{o, `{"model":"m","system":"s","messages":[{"role":"user","content":"x"}]}`, "Unrecognized request argument supplied: system"},
		{o, `{"model":"m","stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]}`, "only allowed when 'stream'"},
		{o, `{"model":"m",` + function + `,"tool_choice":{"type":"function","function":{"name":"write"}},"messages":[{"role":"user","content":"x"}]}`, "Tool choice 'write' not found"},
		{o, `{"model":"m",` + strings.Replace(function, `"name":"read"`, `"name":"read","strict":true`, 1) + `,"messages":[{"role":"user","content":"x"}]}`, "'additionalProperties' is required"},
		{o, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"user","content":"y"}]}`, "did not have response messages: t"},
		{o, `{"model":"m","messages":[{"role":"tool","tool_call_id":"t","content":"x"}]}`, "must be a response"},
		{o, `{"model":"m","messages":[{"role":"user","content":null}]}`, "got null"},
	} {
		s := llmtest.Serve(llmtest.Step{Text: "yes"})
		status, text := post(t, s.URL, tt.path, tt.body)
		if tt.want == "" && (status != 200 || !strings.Contains(text, "yes")) || tt.want != "" && (status != 400 || !strings.Contains(text, tt.want)) {
			t.Errorf("%s %s\n= %d %s, want %q", tt.path, tt.body, status, text, tt.want)
		}
		if r := s.Requests(); len(r) != 1 || (r[0].Fault == "") != (tt.want == "") {
			t.Errorf("recorded %+v", r)
		}
		s.Close()
	}
}

func TestScriptFaults(t *testing.T) {
	for _, text := range []string{`{"txt":"x"}`, `{"text":5}`, `[`, `{} {`} {
		if s, err := llmtest.ParseScript(text); err == nil {
			t.Errorf("ParseScript(%s) = %+v, want an error", text, s)
		}
	}
}
