package llmtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// anthropic is Anthropic's Messages.
type anthropic struct{}

type anthropicRequest struct {
	Model     string          `json:"model"`
	MaxTokens *int            `json:"max_tokens"`
	System    json.RawMessage `json:"system"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Type   string          `json:"type"`
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Choice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Stream bool `json:"stream"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ResultOf  string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Cache     json.RawMessage `json:"cache_control"`
}

// anthropicFields are what a request may hold.
var anthropicFields = []string{
	"model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "metadata", "stop_sequences",
	"temperature", "top_k", "top_p", "thinking", "service_tier", "output_config", "cache_control", "container", "inference_geo",
}

var anthropicName = lazy.Regexp(`^[a-zA-Z0-9_-]{1,128}$`)

func invalid(format string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf(format, args...)}
}

func (anthropic) check(s *Server, h http.Header, body []byte) *fault {
	switch {
	case h.Get("Content-Type") != "application/json":
		return invalid("content-type: want application/json")
	case h.Get("Anthropic-Version") != "2023-06-01":
		return invalid("anthropic-version: header is required")
	case !s.AnyKey && h.Get("X-Api-Key") != Key:
		return &fault{status: http.StatusUnauthorized, kind: "authentication_error", message: "invalid x-api-key"}
	}
	if f := knownFields(body, anthropicFields, "%s: Extra inputs are not permitted"); f != nil {
		return f
	}
	var r anthropicRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return invalid("The request body is not valid JSON: %v", err)
	}
	switch {
	case r.Model == "":
		return invalid("model: Field required")
	case r.MaxTokens == nil:
		return invalid("max_tokens: Field required")
	case *r.MaxTokens < 1:
		return invalid("max_tokens: Input should be greater than or equal to 1")
	case len(r.Messages) == 0:
		return invalid("messages: at least one message is required")
	case bytes.Count(body, []byte(`"cache_control":{`)) > 4:
		return invalid("A maximum of 4 blocks with cache_control may be provided. Found %d.", bytes.Count(body, []byte(`"cache_control":{`)))
	}
	if f := r.checkTools(s); f != nil {
		return f
	}
	return r.checkMessages()
}

// knownFields refuses fields that a server does not know.
func knownFields(body []byte, known []string, words string) *fault {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return invalid("The request body is not valid JSON: %v", err)
	}
	for name := range fields {
		if !slices.Contains(known, name) {
			return invalid(words, name)
		}
	}
	return nil
}

func (r *anthropicRequest) checkTools(s *Server) *fault {
	if s.NoTools && len(r.Tools) > 0 {
		return invalid("tools: this model does not support tools")
	}
	var names []string
	for i, t := range r.Tools {
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case !anthropicName().MatchString(t.Name):
			return invalid("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		case json.Unmarshal(t.Schema, &schema) != nil || schema.Type != "object":
			return invalid("tools.%d.custom.input_schema.type: Field required", i)
		case slices.Contains(names, t.Name):
			return invalid("tools: Tool names must be unique.")
		}
		names = append(names, t.Name)
	}
	if c := r.Choice; c != nil {
		switch {
		case len(names) == 0:
			return invalid("tool_choice may only be specified while providing tools")
		case c.Type == "tool" && !slices.Contains(names, c.Name):
			return invalid("Tool '%s' not found in provided tools", c.Name)
		}
	}
	return nil
}

func (r *anthropicRequest) checkMessages() *fault {
	if r.Messages[0].Role != "user" {
		return invalid("messages: first message must use the \"user\" role")
	}
	var open []string // calls of the message before
	for i, m := range r.Messages {
		switch {
		case m.Role != "user" && m.Role != "assistant":
			return invalid("messages.%d.role: Input should be 'user' or 'assistant'", i)
		case i > 0 && m.Role == r.Messages[i-1].Role:
			return invalid("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", m.Role)
		}
		blocks, f := anthropicBlocks(m.Content, fmt.Sprintf("messages.%d", i))
		if f != nil {
			return f
		}
		if len(blocks) == 0 {
			return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		var calls []string
		for k := range blocks {
			if f := r.checkBlock(&blocks[k], m.Role, fmt.Sprintf("messages.%d.content.%d", i, k), &open, &calls, k); f != nil {
				return f
			}
		}
		if m.Role == "user" && len(open) > 0 {
			return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(open, ", "))
		}
		open = calls
	}
	if len(open) > 0 {
		return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s.", len(r.Messages)-1, strings.Join(open, ", "))
	}
	return nil
}

// anthropicBlocks reads a content: a string, or an array of blocks.
func anthropicBlocks(content json.RawMessage, at string) (blocks []anthropicBlock, f *fault) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text}}, nil
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, invalid("%s.content: Input should be a valid list", at)
	}
	return blocks, nil
}

// checkBlock checks the k-th block of a message. open are the calls that wait for
// a result, calls those of this message.
func (r *anthropicRequest) checkBlock(b *anthropicBlock, role, at string, open, calls *[]string, k int) *fault {
	switch b.Type {
	case "text":
		if strings.TrimSpace(b.Text) == "" {
			return invalid("%s: text content blocks must contain non-whitespace text", at)
		}
	case "thinking", "redacted_thinking":
		switch {
		case role != "assistant":
			return invalid("%s: thinking is the assistant's", at)
		case b.Cache != nil:
			return invalid("%s.%s.cache_control: Extra inputs are not permitted", at, b.Type)
		case b.Type == "thinking" && b.Signature != signature(b.Thinking):
			return invalid("%s: Invalid `signature` in `thinking` block", at)
		}
	case "tool_use":
		switch {
		case role != "assistant":
			return invalid("%s: `tool_use` blocks can only be specified in `assistant` messages", at)
		case len(r.Tools) == 0:
			return invalid("Requests which include `tool_use` or `tool_result` blocks must define tools")
		case !anthropicName().MatchString(b.ID):
			return invalid("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
		case !anthropicName().MatchString(b.Name):
			return invalid("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
		case len(b.Input) == 0 || b.Input[0] != '{':
			return invalid("%s.tool_use.input: Input should be a valid dictionary", at)
		case slices.Contains(*calls, b.ID):
			return invalid("messages: `tool_use` ids must be unique")
		}
		*calls = append(*calls, b.ID)
	case "tool_result":
		i := slices.Index(*open, b.ResultOf)
		switch {
		case role != "user":
			return invalid("%s: `tool_result` blocks can only be specified in `user` messages", at)
		case i < 0:
			return invalid("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", at, b.ResultOf)
		}
		*open = slices.Delete(slices.Clone(*open), i, i+1)
	case "image", "document", "server_tool_use":
	default:
		return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, b.Type)
	}
	return nil
}

// signature signs thinking, so that what comes back changed is noticed.
func signature(thinking string) string {
	sum := sha256.Sum256([]byte("llmtest " + thinking))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func (anthropic) read(body []byte) asked {
	var r anthropicRequest
	_ = json.Unmarshal(body, &r) // it was checked
	q := asked{model: r.Model, stream: r.Stream, tokens: count(body)}
	for i, m := range r.Messages {
		blocks, _ := anthropicBlocks(m.Content, "")
		for _, b := range blocks {
			if b.Type == "tool_use" {
				q.calls++
			}
			if i == len(r.Messages)-1 {
				var text string
				if json.Unmarshal(b.Content, &text) != nil {
					text = string(b.Content)
				}
				q.last += b.Text + text + "\n"
			}
		}
	}
	return q
}

func (anthropic) refuse(f *fault) []byte {
	return doc(object{"type": "error", "error": object{"type": f.kind, "message": f.message}, "request_id": "req_llmtest"})
}

func (p anthropic) answer(st *Step, q *asked, stream bool) (events []event) {
	blocks := st.anthropicBlocks(q)
	u := st.usage(q)
	stop := map[string]string{"end": "end_turn", "call": "tool_use", "length": "max_tokens", "refusal": "refusal"}[st.stop()]
	usage := object{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output}
	message := object{"id": "msg_llmtest", "type": "message", "role": "assistant", "model": q.model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil}
	if !stream {
		message["content"], message["stop_reason"], message["usage"] = blocks, stop, usage
		return []event{{data: doc(message)}}
	}
	add := func(name string, o object) {
		o["type"] = name
		events = append(events, event{name, doc(o)})
	}
	if !st.NoUsage {
		first := object{}
		for k, v := range usage {
			first[k] = v
		}
		first["output_tokens"] = 1
		message["usage"] = first
	}
	add("message_start", object{"message": message})
	add("ping", object{})
	for i, b := range blocks {
		arguments := ""
		if n := i - (len(blocks) - len(st.Calls)); n >= 0 {
			arguments = st.Calls[n].arguments()
		}
		st.anthropicDeltas(i, b, arguments, add)
	}
	if st.EventError != "" {
		add("error", object{"error": object{"type": st.EventError, "message": "llmtest"}})
		return events
	}
	end := object{"delta": object{"stop_reason": stop, "stop_sequence": nil}}
	if !st.NoUsage {
		end["usage"] = object{"output_tokens": u.Output}
	}
	add("message_delta", end)
	add("message_stop", object{})
	return events
}

// anthropicBlocks is what a step says, whole.
func (s *Step) anthropicBlocks(q *asked) (blocks []object) {
	if s.Thinking != "" {
		blocks = append(blocks, object{"type": "thinking", "thinking": s.Thinking, "signature": signature(s.Thinking)})
	}
	if s.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": s.Text})
	}
	for i := range s.Calls {
		var input any = json.RawMessage(s.Calls[i].arguments())
		if !json.Valid(input.(json.RawMessage)) {
			input = s.Calls[i].arguments()
		}
		blocks = append(blocks, object{"type": "tool_use", "id": s.callID(i, q, "toolu_"), "name": s.Calls[i].Name, "input": input})
	}
	if blocks == nil {
		blocks = []object{}
	}
	return blocks
}

// anthropicDeltas adds the events of one block; arguments are those of a call.
func (s *Step) anthropicDeltas(i int, b object, arguments string, add func(string, object)) {
	delta := func(kind, field, text string) {
		for _, p := range s.pieces(text) {
			add("content_block_delta", object{"index": i, "delta": object{"type": kind, field: p}})
		}
	}
	start := func(o object) {
		o["type"] = b["type"]
		add("content_block_start", object{"index": i, "content_block": o})
	}
	switch b["type"] {
	case "thinking":
		start(object{"thinking": "", "signature": ""})
		delta("thinking_delta", "thinking", b["thinking"].(string))
		add("content_block_delta", object{"index": i, "delta": object{"type": "signature_delta", "signature": b["signature"]}})
	case "text":
		start(object{"text": ""})
		delta("text_delta", "text", b["text"].(string))
	default:
		start(object{"id": b["id"], "name": b["name"], "input": object{}})
		delta("input_json_delta", "partial_json", arguments)
	}
	add("content_block_stop", object{"index": i})
}
