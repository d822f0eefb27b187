package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/satchel-dev/satchel/transcript"
)

const (
	system = "You are brief. <system> & \u2028 “quotes”"
	facts  = "Facts: 1 < 2 && \"x\"\n\tпривет 🎒"
	prompt = "Why is that?"
	model  = "model-1"
	most   = 321
)

// Schemas of the two tools, and of their answers.
var (
	readSchema   = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)
	submitSchema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"more":{"type":"string"}},"required":["text"]}`)
	output       = []string{"package a // <b> & 'c'", "no such file: \x1b[31m\u0000"}
)

// script is what the server says: twice calls, then the end.
func script() []llmtest.Step {
	return []llmtest.Step{
		{
			Thinking: "Hm — “so” \\ \"that\".", Text: "Let me <look>.\n",
			Calls: []llmtest.Call{{Name: "read", Input: json.RawMessage(`{"path":"a \"b\".go"}`)}, {Name: "read", Input: json.RawMessage(`{"path":"ü.go"}`)}},
			Usage: &llmtest.Usage{Input: 500, CacheRead: 300, CacheWrite: 20, Output: 41},
		},
		{Calls: []llmtest.Call{{Name: "submit", Input: json.RawMessage(`{"text":"yes \u2028 & no"}`)}}, Usage: &llmtest.Usage{Input: 600, CacheRead: 600, Output: 9}, Piece: 1},
		{Text: "Done: it is.", Usage: &llmtest.Usage{Input: 700, CacheRead: 600, Output: 5}, Stop: "length"},
	}
}

// An answer is what both sides read, in one form.
type answer struct {
	Text, Thinking, Signature string
	Calls                     []call
	Stop                      llm.Stop
	Input, Read, Write, Out   int
}

type call struct{ ID, Name, Input string }

// ours holds the conversation by our own client. It returns what was read.
func ours(t *testing.T, s *llmtest.Server, kind llm.Kind) (answers []answer) {
	t.Helper()
	c, err := llm.New(llm.Endpoint{URL: s.URL, Kind: kind, Model: model, Key: llmtest.Key, MaxTokens: most}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	say := func(text string) transcript.Message {
		return transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
	}
	q := &llm.Call{System: system, Messages: []transcript.Message{say(facts), say(prompt)}, Tools: []llm.Tool{
		{Name: "read", Use: "Read <a> file.", Schema: readSchema}, {Name: "submit", Use: "Answer.", Schema: submitSchema},
	}}
	for range script() {
		a, err := c.Ask(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := answer{Text: a.Text(), Stop: a.Stop, Input: a.Usage.Input, Read: a.Usage.CacheRead, Write: a.Usage.CacheWrite, Out: a.Usage.Output}
		results := transcript.Message{Role: transcript.User, Kind: transcript.Results}
		for _, b := range a.Message.Blocks {
			switch b.Type {
			case transcript.Thinking:
				var own struct{ Signature string }
				if err := json.Unmarshal(b.Raw, &own); err != nil {
					t.Fatal(err)
				}
				got.Thinking, got.Signature = b.Text, own.Signature
			case transcript.Call:
				results.Blocks = append(results.Blocks, transcript.Block{Type: transcript.Result, ID: b.ID, Text: output[len(got.Calls)], Failed: len(got.Calls) == 1})
				got.Calls = append(got.Calls, call{b.ID, b.Name, canonical(t, b.Input)})
			}
		}
		answers = append(answers, got)
		q.Messages = append(q.Messages, a.Message)
		if len(results.Blocks) > 0 {
			q.Messages = append(q.Messages, results)
		}
		q.Tool = "submit"
	}
	return answers
}

func byAnthropic(t *testing.T, s *llmtest.Server) (answers []answer) {
	t.Helper()
	c := anthropic.NewClient(anthropicoption.WithBaseURL(s.URL), anthropicoption.WithAPIKey(llmtest.Key), anthropicoption.WithMaxRetries(0))
	cache := anthropic.NewCacheControlEphemeralParam()
	tool := func(name, use string, schema json.RawMessage) *anthropic.ToolParam {
		var in anthropic.ToolInputSchemaParam
		if err := json.Unmarshal(schema, &in); err != nil {
			t.Fatal(err)
		}
		return &anthropic.ToolParam{Name: name, Description: anthropic.String(use), InputSchema: in}
	}
	read, submit := tool("read", "Read <a> file.", readSchema), tool("submit", "Answer.", submitSchema)
	submit.CacheControl = cache
	q := anthropic.MessageNewParams{
		Model: model, MaxTokens: most, System: []anthropic.TextBlockParam{{Text: system, CacheControl: cache}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(facts), anthropic.NewTextBlock(prompt))},
		Tools:    []anthropic.ToolUnionParam{{OfTool: read}, {OfTool: submit}},
	}
	// What is said first stays in the cache, and what is said last.
	first := q.Messages[0].Content
	first[0].OfText.CacheControl, first[1].OfText.CacheControl = cache, cache
	for range script() {
		stream := c.Messages.NewStreaming(t.Context(), q)
		var m anthropic.Message
		for stream.Next() {
			if err := m.Accumulate(stream.Current()); err != nil {
				t.Fatal(err)
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		got := answer{
			Stop:  map[anthropic.StopReason]llm.Stop{anthropic.StopReasonToolUse: llm.StopCall, anthropic.StopReasonMaxTokens: llm.StopLength}[m.StopReason],
			Input: int(m.Usage.InputTokens), Read: int(m.Usage.CacheReadInputTokens), Write: int(m.Usage.CacheCreationInputTokens), Out: int(m.Usage.OutputTokens),
		}
		var results []anthropic.ContentBlockParamUnion
		for _, b := range m.Content {
			switch b := b.AsAny().(type) {
			case anthropic.TextBlock:
				got.Text += b.Text
			case anthropic.ThinkingBlock:
				got.Thinking, got.Signature = b.Thinking, b.Signature
			case anthropic.ToolUseBlock:
				results = append(results, anthropic.NewToolResultBlock(b.ID, output[len(got.Calls)], len(got.Calls) == 1))
				got.Calls = append(got.Calls, call{b.ID, b.Name, canonical(t, b.Input)})
			}
		}
		answers = append(answers, got)
		first[1].OfText.CacheControl = anthropic.CacheControlEphemeralParam{}
		for _, old := range q.Messages[1:] {
			for _, b := range old.Content {
				if b.OfToolResult != nil {
					b.OfToolResult.CacheControl = anthropic.CacheControlEphemeralParam{}
				}
			}
		}
		q.Messages = append(q.Messages, m.ToParam())
		if n := len(results); n > 0 {
			results[n-1].OfToolResult.CacheControl = cache
			q.Messages = append(q.Messages, anthropic.NewUserMessage(results...))
		}
		q.ToolChoice = anthropic.ToolChoiceParamOfTool("submit")
	}
	return answers
}

func byOpenAI(t *testing.T, s *llmtest.Server) (answers []answer) {
	t.Helper()
	c := openai.NewClient(openaioption.WithBaseURL(s.URL+"/v1"), openaioption.WithAPIKey(llmtest.Key), openaioption.WithMaxRetries(0))
	tool := func(name, use string, schema json.RawMessage, strict bool) openai.ChatCompletionToolUnionParam {
		f := shared.FunctionDefinitionParam{Name: name, Description: openai.String(use)}
		if err := json.Unmarshal(schema, &f.Parameters); err != nil {
			t.Fatal(err)
		}
		if strict {
			f.Strict = openai.Bool(true)
		}
		return openai.ChatCompletionFunctionTool(f)
	}
	q := openai.ChatCompletionNewParams{
		Model: model, MaxTokens: openai.Int(most), StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(facts), openai.TextContentPart(prompt)})},
		Tools:    []openai.ChatCompletionToolUnionParam{tool("read", "Read <a> file.", readSchema, true), tool("submit", "Answer.", submitSchema, false)},
	}
	for range script() {
		stream := c.Chat.Completions.NewStreaming(t.Context(), q)
		var all openai.ChatCompletionAccumulator
		for stream.Next() {
			if !all.AddChunk(stream.Current()) {
				t.Fatal("a chunk that does not fit")
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		m, cached := all.Choices[0].Message, int(all.Usage.PromptTokensDetails.CachedTokens)
		got := answer{
			Text: m.Content, Stop: map[string]llm.Stop{"tool_calls": llm.StopCall, "length": llm.StopLength}[all.Choices[0].FinishReason],
			Input: int(all.Usage.PromptTokens) - cached, Read: cached, Out: int(all.Usage.CompletionTokens),
		}
		q.Messages = append(q.Messages, m.ToParam())
		for i, b := range m.ToolCalls {
			got.Calls = append(got.Calls, call{b.ID, b.Function.Name, canonical(t, json.RawMessage(b.Function.Arguments))})
			q.Messages = append(q.Messages, openai.ToolMessage(output[i], b.ID))
		}
		answers = append(answers, got)
		q.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "submit"})
	}
	return answers
}

// TestSame: requests are equal as JSON, but for what [differ] lists, and answers
// are equal.
func TestSame(t *testing.T) {
	for _, p := range []struct {
		kind  llm.Kind
		their func(*testing.T, *llmtest.Server) []answer
	}{{llm.Anthropic, byAnthropic}, {llm.OpenAI, byOpenAI}} {
		t.Run(string(p.kind), func(t *testing.T) {
			t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1") // the libraries read these; we do not
			t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
			a, b := llmtest.Start(t, script()...), llmtest.Start(t, script()...)
			mine, theirs := ours(t, a, p.kind), p.their(t, b)
			for i := range theirs {
				if p.kind == llm.OpenAI { // whose library knows no thinking, nor writing to the cache
					mine[i].Thinking, mine[i].Signature = "", ""
					mine[i].Input += mine[i].Write
				}
			}
			if diff := cmp.Diff(theirs, mine); diff != "" {
				t.Errorf("answers (-theirs +ours):\n%s", diff)
			}
			if n, m := len(a.Requests()), len(b.Requests()); n != len(script()) || m != n {
				t.Fatalf("%d requests of ours, %d of theirs, want %d", n, m, len(script()))
			}
			for i, r := range a.Requests() {
				their := b.Requests()[i]
				if r.Fault != "" || their.Fault != "" {
					t.Fatalf("refused: ours %q, theirs %q", r.Fault, their.Fault)
				}
				if diff := cmp.Diff(plain(t, their.Body), plain(t, r.Body)); diff != "" {
					t.Errorf("request %d (-theirs +ours):\n%s", i, diff)
				}
			}
		})
	}
}

// plain reads a request, without what may differ:
//
//   - the content of a result, which Anthropic takes as a text and as an array of
//     texts: ours is the text;
//   - is_error, which we leave out where it is false;
//   - reasoning_content, which OpenAI's library does not know, and other servers
//     want back;
//   - the type of a tool, custom being the default, and citations, refusals and the
//     like that the library says are null or empty.
func plain(t *testing.T, body []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return strip(v)
}

func strip(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = strip(v[i])
		}
	case map[string]any:
		if text, ok := v["content"].(string); ok && v["type"] == "tool_result" {
			v["content"] = []any{map[string]any{"type": "text", "text": text}}
		}
		if v["is_error"] == false {
			delete(v, "is_error")
		}
		delete(v, "reasoning_content")
		for k, e := range v {
			if e == nil || k == "refusal" && e == "" {
				delete(v, k)
				continue
			}
			v[k] = strip(e)
		}
	}
	return v
}

// canonical writes JSON in one way.
func canonical(t *testing.T, in json.RawMessage) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(in, &v); err != nil {
		t.Fatalf("%s: %v", in, err)
	}
	return fmt.Sprint(v)
}
