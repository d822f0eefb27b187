package llm

import (
	"encoding/json"

	"github.com/satchel-dev/satchel/transcript"
)

// Anthropic's Messages: https://docs.anthropic.com/en/api/messages

type anthropicRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	Tools    []anthropicTool `json:"tools,omitempty"`
	System   []anthropicText `json:"system,omitempty"`
	Messages []anthropicTurn `json:"messages"`

	MaxTokens int              `json:"max_tokens"`
	Choice    *anthropicChoice `json:"tool_choice,omitempty"`
	Output    *anthropicOutput `json:"output_config,omitempty"`
}

type anthropicTool struct {
	Name   string          `json:"name"`
	Use    string          `json:"description,omitempty"`
	Schema json.RawMessage `json:"input_schema"`
	Cache  *cacheMark      `json:"cache_control,omitempty"`
}

type anthropicText struct {
	Type  string     `json:"type"`
	Text  string     `json:"text"`
	Cache *cacheMark `json:"cache_control,omitempty"`
}

type anthropicTurn struct {
	Role    transcript.Role   `json:"role"`
	Content []json.RawMessage `json:"content"`
}

type anthropicCall struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type anthropicResult struct {
	Type    string     `json:"type"`
	ID      string     `json:"tool_use_id"`
	Content string     `json:"content,omitempty"`
	Failed  bool       `json:"is_error,omitempty"`
	Cache   *cacheMark `json:"cache_control,omitempty"`
}

type anthropicChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type anthropicOutput struct {
	Format struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

// A cacheMark ends a part of the prompt that the server shall keep. Four are
// allowed: the last tool, the system text, the pinned message and the newest one.
type cacheMark struct {
	Type string `json:"type"`
}

var marked = &cacheMark{"ephemeral"}

func (c *Client) anthropicBody(call *Call, f form) ([]byte, error) {
	r := anthropicRequest{Model: c.endpoint.Model, Stream: true, MaxTokens: c.maxTokens(call)}
	if call.System != "" {
		r.System = []anthropicText{{"text", call.System, marked}}
	}
	switch answer := call.answerTool(); {
	case !f.noTools:
		for _, t := range call.Tools {
			r.Tools = append(r.Tools, anthropicTool{Name: t.Name, Use: t.Use, Schema: t.Schema})
		}
		if n := len(r.Tools); n > 0 {
			r.Tools[n-1].Cache = marked
		}
		if call.Tool != "" && !f.noForce {
			r.Choice = &anthropicChoice{"tool", call.Tool}
		}
	case answer != nil:
		r.Output = new(anthropicOutput)
		r.Output.Format.Type, r.Output.Format.Schema = "json_schema", answer.Schema
	}
	list := c.turns(call.Messages, f)
	for i := range list {
		t := &list[i]
		out := anthropicTurn{Role: t.role}
		for j, b := range t.blocks {
			mark := j == t.pinned-1 || i == len(list)-1 && j == len(t.blocks)-1 && t.role == transcript.User
			out.Content = append(out.Content, anthropicBlock(&b, mark))
		}
		r.Messages = append(r.Messages, out)
	}
	return tryEncode(&r)
}

// maxTokens is how long the answer to a call may be.
func (c *Client) maxTokens(call *Call) int {
	if call.MaxTokens > 0 {
		return call.MaxTokens
	}
	return c.endpoint.MaxTokens
}

// anthropicBlock encodes a block. What the server gave us as its own goes back as
// it came.
func anthropicBlock(b *transcript.Block, mark bool) json.RawMessage {
	var cache *cacheMark
	if mark {
		cache = marked
	}
	switch {
	case b.Type == transcript.Call:
		return encode(anthropicCall{"tool_use", b.ID, toolName(b.Name), arguments(b.Input)})
	case b.Type == transcript.Result:
		return encode(anthropicResult{"tool_result", b.ID, b.Text, b.Failed, cache})
	case b.Type != transcript.Text && isObject(b.Raw):
		return b.Raw
	}
	return encode(anthropicText{"text", b.Text, cache})
}

// An anthropicEvent is any of the events of a stream.
type anthropicEvent struct {
	Type    string `json:"type"`
	Message struct {
		Usage *anthropicUsage `json:"usage"`
	} `json:"message"`
	Index int             `json:"index"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		JSON      string `json:"partial_json"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
		Stop      string `json:"stop_reason"`
	} `json:"delta"`
	Usage *anthropicUsage `json:"usage"`
}

type anthropicUsage struct {
	Input   *int `json:"input_tokens"`
	Write   *int `json:"cache_creation_input_tokens"`
	Read    *int `json:"cache_read_input_tokens"`
	Output  *int `json:"output_tokens"`
	Details struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// An anthropicReader puts an answer together.
type anthropicReader struct {
	reply
	at map[int]*piece // by the server's index
}

func (r *anthropicReader) event(data []byte) (string, *Error) {
	var e anthropicEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return "", malformed("an event is not valid JSON")
	}
	switch e.Type {
	case "message_start":
		r.count(e.Message.Usage)
	case "content_block_start":
		return r.start(&e)
	case "content_block_delta":
		return r.delta(&e), nil
	case "message_delta":
		if e.Delta.Stop != "" {
			r.stop = anthropicStop(e.Delta.Stop)
		}
		r.count(e.Usage)
	case "message_stop":
		r.last = true
	case "error":
		c, _ := readComplaint(data)
		return "", r.complaint(c)
	case "content_block_stop", "ping":
	default:
		r.unknown++
	}
	return "", nil
}

// start begins a block.
func (r *anthropicReader) start(e *anthropicEvent) (string, *Error) {
	var b struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	}
	if json.Unmarshal(e.Block, &b) != nil {
		return "", malformed("a block is not valid JSON")
	}
	p, fault := r.piece()
	if fault != nil {
		return "", fault
	}
	if r.at == nil {
		r.at = map[int]*piece{}
	}
	r.at[e.Index] = p
	r.begun = true
	switch b.Type {
	case "text":
		p.kind = transcript.Text
		p.text.WriteString(b.Text)
	case "thinking":
		p.kind, p.signature = transcript.Thinking, b.Signature
		p.text.WriteString(b.Thinking)
	case "redacted_thinking":
		p.kind, p.raw = transcript.Thinking, e.Block
	case "tool_use":
		p.kind, p.id, p.name = transcript.Call, b.ID, b.Name
		if s := string(b.Input); s != "{}" && s != "null" {
			p.text.WriteString(s)
		}
	default:
		p.kind, p.raw = transcript.Other, e.Block
	}
	return b.Text, nil
}

// delta adds to a block what came of it.
func (r *anthropicReader) delta(e *anthropicEvent) string {
	p := r.at[e.Index]
	if p == nil {
		r.unknown++
		return ""
	}
	switch e.Delta.Type {
	case "text_delta":
		p.text.WriteString(e.Delta.Text)
		return e.Delta.Text
	case "input_json_delta":
		p.text.WriteString(e.Delta.JSON)
		return e.Delta.JSON
	case "thinking_delta":
		p.text.WriteString(e.Delta.Thinking)
	case "signature_delta":
		p.signature += e.Delta.Signature
	default:
		r.unknown++
	}
	return ""
}

// count takes what an event says of tokens: a later one knows more.
func (r *anthropicReader) count(u *anthropicUsage) {
	if u == nil {
		return
	}
	for _, n := range []struct {
		from *int
		to   *int
	}{{u.Input, &r.usage.Input}, {u.Write, &r.usage.CacheWrite}, {u.Read, &r.usage.CacheRead}, {u.Output, &r.usage.Output}, {&u.Details.Thinking, &r.usage.Reasoning}} {
		if n.from != nil {
			*n.to = *n.from
			r.counted = r.counted || n.to != &r.usage.Reasoning
		}
	}
}

func anthropicStop(reason string) Stop {
	switch reason {
	case "tool_use":
		return StopCall
	case "max_tokens", "model_context_window_exceeded":
		return StopLength
	case "refusal":
		return StopRefusal
	}
	return StopEnd
}

// anthropicThinking is a block of thinking as the server gave it.
func anthropicThinking(text, signature string) json.RawMessage {
	return encode(struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}{"thinking", text, signature})
}
