package llm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// OpenAI's Chat Completions: https://platform.openai.com/docs/api-reference/chat

type openAIRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	Options  *openAIOptions  `json:"stream_options,omitempty"`
	Tools    []openAITool    `json:"tools,omitempty"`
	Messages []openAIMessage `json:"messages"`

	MaxTokens int           `json:"max_tokens,omitempty"`
	Most      int           `json:"max_completion_tokens,omitempty"`
	Choice    *openAITool   `json:"tool_choice,omitempty"`
	Format    *openAIFormat `json:"response_format,omitempty"`
}

type openAIOptions struct {
	Usage bool `json:"include_usage"`
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name   string          `json:"name"`
	Use    string          `json:"description,omitempty"`
	Schema json.RawMessage `json:"parameters,omitempty"`
	Strict bool            `json:"strict,omitempty"`
}

type openAIFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict,omitempty"`
	} `json:"json_schema"`
}

type openAIMessage struct {
	Role    string          `json:"role"`
	ID      string          `json:"tool_call_id,omitempty"`
	Content json.RawMessage `json:"content,omitempty"` // a string, or an array of texts

	// What a server thought aloud goes back to it by the name that it gave it.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`

	Calls []openAICall `json:"tool_calls,omitempty"`
}

type openAICall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`

	// Extra is what Gemini's server wants back with a call: its signature.
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

func (c *Client) openAIBody(call *Call, f form) ([]byte, error) {
	r := openAIRequest{Model: c.endpoint.Model, Stream: true}
	if !f.noOptions {
		r.Options = &openAIOptions{Usage: true}
	}
	if f.newName {
		r.Most = c.maxTokens(call)
	} else {
		r.MaxTokens = c.maxTokens(call)
	}
	switch answer := call.answerTool(); {
	case !f.noTools:
		for _, t := range call.Tools {
			strict := !f.noStrict && strictSchema(t.Schema)
			r.Tools = append(r.Tools, openAITool{"function", openAIFunction{t.Name, t.Use, t.Schema, strict}})
		}
		if call.Tool != "" && !f.noForce {
			r.Choice = &openAITool{"function", openAIFunction{Name: call.Tool}}
		}
	case answer != nil:
		r.Format = &openAIFormat{Type: "json_schema"}
		s := &r.Format.Schema
		s.Name, s.Schema, s.Strict = answer.Name, answer.Schema, !f.noStrict && strictSchema(answer.Schema)
	}
	if call.System != "" {
		r.Messages = append(r.Messages, openAIMessage{Role: "system", Content: quote(call.System)})
	}
	for _, t := range c.turns(call.Messages, f) {
		r.Messages = append(r.Messages, openAIMessages(&t)...)
	}
	return tryEncode(&r)
}

// openAIMessages encodes a turn: each result is a message of its own.
func openAIMessages(t *turn) (list []openAIMessage) {
	m := openAIMessage{Role: string(t.role)}
	var texts []string
	for i := range t.blocks {
		b := &t.blocks[i]
		switch b.Type {
		case transcript.Result:
			list = append(list, openAIMessage{Role: "tool", ID: b.ID, Content: quote(b.Text)})
		case transcript.Call:
			call := openAICall{ID: b.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = toolName(b.Name), string(arguments(b.Input))
			if isObject(b.Raw) {
				call.Extra = b.Raw
			}
			m.Calls = append(m.Calls, call)
		case transcript.Thinking:
			var own struct {
				ReasoningContent string `json:"reasoning_content"`
				Reasoning        string `json:"reasoning"`
			}
			_ = json.Unmarshal(b.Raw, &own) // what is not the server's stays away
			m.ReasoningContent += own.ReasoningContent
			m.Reasoning += own.Reasoning
		default:
			if b.Text != "" {
				texts = append(texts, b.Text)
			}
		}
	}
	if len(m.Calls) == 0 { // only the way to a call counts
		m.ReasoningContent, m.Reasoning = "", ""
	}
	m.Content = openAIContent(texts)
	if len(texts) == 0 && len(m.Calls) == 0 {
		return list
	}
	return append(list, m)
}

// openAIContent is one text as it is, since some servers know no other form, and
// several as an array, so that the first of them stays where it is when others
// follow.
func openAIContent(texts []string) json.RawMessage {
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return quote(texts[0])
	}
	parts := make([]anthropicText, len(texts)) // the two protocols agree on it
	for i, s := range texts {
		parts[i] = anthropicText{Type: "text", Text: s}
	}
	return encode(parts)
}

// strictSchema reports whether a schema is one that OpenAI can hold a model to:
// in each object all properties are required and no others are allowed.
func strictSchema(schema json.RawMessage) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && strictValue(v)
}

func strictValue(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !strictValue(e) })
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) != len(properties) {
				return false
			}
		} else if v["type"] == "object" {
			return false
		}
		for _, e := range v {
			if !strictValue(e) {
				return false
			}
		}
	}
	return true
}

// An openAIChunk is any event of a stream.
type openAIChunk struct {
	Object  string `json:"object"`
	Message string `json:"message"` // of vLLM's errors
	Code    int    `json:"code"`

	Choices []openAIChoice  `json:"choices"`
	Usage   *openAIUsage    `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type openAIChoice struct {
	Index int `json:"index"`
	Delta struct {
		Content          json.RawMessage `json:"content"`
		Refusal          string          `json:"refusal"`
		ReasoningContent string          `json:"reasoning_content"`
		Reasoning        string          `json:"reasoning"`
		Calls            []openAIPart    `json:"tool_calls"`
	} `json:"delta"`
	Stop string `json:"finish_reason"`
}

// An openAIPart is a part of a call.
type openAIPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

type openAIUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	In         struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// An openAIReader puts an answer together.
type openAIReader struct {
	reply
	text, thinking *piece
	calls          map[int]*piece // the newest of each index
	newest         *piece         // of the calls
}

func (r *openAIReader) event(data []byte) (text string, fault *Error) {
	var e openAIChunk
	if c, ok := readComplaint(data); ok {
		return "", r.complaint(c)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return "", malformed("an event is not valid JSON")
	}
	if e.Object == "error" {
		return "", r.complaint(complaint{Message: e.Message, number: e.Code})
	}
	if u := e.Usage; u != nil {
		r.counted = true
		r.usage = transcript.Usage{Input: u.Prompt - u.In.Cached, CacheRead: u.In.Cached, Output: u.Completion, Reasoning: u.Out.Reasoning}
	}
	if len(e.Choices) == 0 && e.Usage == nil {
		r.unknown++
	}
	for i := range e.Choices {
		if e.Choices[i].Index != 0 {
			r.others = true
			continue
		}
		more, fault := r.choice(&e.Choices[i])
		if fault != nil {
			return "", fault
		}
		text += more
	}
	return text, nil
}

// choice adds what came of the first candidate.
func (r *openAIReader) choice(c *openAIChoice) (string, *Error) {
	d := &c.Delta
	for _, in := range []struct{ name, thought string }{{"reasoning_content", d.ReasoningContent}, {"reasoning", d.Reasoning}} {
		if in.thought == "" || r.thinking != nil && r.thinking.name != in.name {
			continue // some servers say it by both names
		}
		if fault := r.open(&r.thinking, transcript.Thinking); fault != nil {
			return "", fault
		}
		r.thinking.name = in.name
		r.thinking.text.WriteString(in.thought)
	}
	text := contentText(d.Content) + d.Refusal
	if text != "" {
		if fault := r.open(&r.text, transcript.Text); fault != nil {
			return "", fault
		}
		r.text.text.WriteString(text)
	}
	for i := range d.Calls {
		more, fault := r.call(&d.Calls[i])
		if fault != nil {
			return "", fault
		}
		text += more
	}
	if c.Stop != "" {
		r.stop = openAIStop(c.Stop)
	}
	if d.Refusal != "" {
		r.stop = StopRefusal
	}
	return text, nil
}

// open begins a block of a kind, unless there is one.
func (r *openAIReader) open(p **piece, kind transcript.BlockType) (fault *Error) {
	r.begun = true
	if *p != nil {
		return nil
	}
	if *p, fault = r.piece(); fault == nil {
		(*p).kind = kind
	}
	return fault
}

// call adds to a call what came of it. Some servers give no index, or every call
// the same one: then another id is another call.
func (r *openAIReader) call(d *openAIPart) (string, *Error) {
	p := r.newest
	if d.Index != nil {
		p = r.calls[*d.Index]
	}
	if p == nil || d.ID != "" && p.id != "" && d.ID != p.id || d.Index == nil && d.ID == "" && d.Function.Name != "" {
		p = nil
		if fault := r.open(&p, transcript.Call); fault != nil {
			return "", fault
		}
	}
	if d.Index != nil {
		if r.calls == nil {
			r.calls = map[int]*piece{}
		}
		r.calls[*d.Index] = p
	}
	r.newest = p
	p.id = cmp.Or(p.id, d.ID)
	p.name = cmp.Or(p.name, d.Function.Name)
	if isObject(d.Extra) {
		p.raw = d.Extra
	}
	var text string
	if in := d.Function.Arguments; json.Unmarshal(in, &text) != nil {
		text = string(in) // an object, of servers that do not quote it
	}
	p.text.WriteString(text)
	return text, nil
}

// contentText is the text of a content: a string, or an array of parts.
func contentText(content json.RawMessage) (text string) {
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func openAIStop(reason string) Stop {
	switch reason {
	case "tool_calls", "function_call":
		return StopCall
	case "length":
		return StopLength
	case "content_filter":
		return StopRefusal
	}
	return StopEnd
}
