package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// openAI is OpenAI's Chat Completions.
type openAI struct{}

type openAIRequest struct {
	Model     string `json:"model"`
	MaxTokens *int   `json:"max_tokens"`
	Most      *int   `json:"max_completion_tokens"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"tool_call_id"`
		Calls   []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string  `json:"name"`
				Arguments *string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"parameters"`
			Strict bool            `json:"strict"`
		} `json:"function"`
	} `json:"tools"`
	Choice  json.RawMessage `json:"tool_choice"`
	Stream  bool            `json:"stream"`
	Options *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

var openAIFields = []string{
	"model", "messages", "max_tokens", "max_completion_tokens", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options",
	"response_format", "temperature", "top_p", "n", "stop", "seed", "user", "store", "metadata", "reasoning_effort", "service_tier",
	"frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs", "prediction", "modalities", "verbosity",
	"prompt_cache_key", "safety_identifier",
}

var openAIName = lazy.Regexp(`^[a-zA-Z0-9_-]{1,64}$`)

func (openAI) check(s *Server, h http.Header, body []byte) *fault {
	switch {
	case h.Get("Content-Type") != "application/json":
		return invalid("you must provide a JSON body with content type application/json")
	case !s.AnyKey && h.Get("Authorization") != "Bearer "+Key:
		return &fault{status: http.StatusUnauthorized, kind: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided."}
	}
	if f := knownFields(body, openAIFields, "Unrecognized request argument supplied: %s"); f != nil {
		return f
	}
	var r openAIRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return invalid("We could not parse the JSON body of your request: %v", err)
	}
	switch {
	case r.Model == "":
		return invalid("you must provide a model parameter")
	case len(r.Messages) == 0:
		return invalid("[] is too short - 'messages'")
	case s.NewNames && r.MaxTokens != nil:
		return &fault{status: http.StatusBadRequest, kind: "invalid_request_error", code: "unsupported_parameter", message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}
	case r.MaxTokens != nil && r.Most != nil:
		return invalid("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case r.Options != nil && !r.Stream:
		return invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	if f := r.checkTools(s); f != nil {
		return f
	}
	return r.checkMessages()
}

func (r *openAIRequest) checkTools(s *Server) *fault {
	if s.NoTools && len(r.Tools) > 0 {
		return invalid("%s does not support tools", r.Model)
	}
	var names []string
	for i, t := range r.Tools {
		f := t.Function
		switch {
		case t.Type != "function":
			return invalid("Invalid value: '%s'. Supported values are: 'function' and 'custom'. - 'tools.[%d].type'", t.Type, i)
		case !openAIName().MatchString(f.Name):
			return invalid("Invalid 'tools[%d].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", i)
		case f.Strict:
			if why := strictFault(f.Schema); why != "" {
				return invalid("Invalid schema for function '%s': In context=(), %s", f.Name, why)
			}
		}
		names = append(names, f.Name)
	}
	if len(r.Choice) == 0 {
		return nil
	}
	var word string
	var choice struct {
		Function struct{ Name string }
	}
	switch {
	case len(names) == 0:
		return invalid("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	case json.Unmarshal(r.Choice, &word) == nil:
		if !slices.Contains([]string{"none", "auto", "required"}, word) {
			return invalid("Invalid value: '%s'. - 'tool_choice'", word)
		}
	case json.Unmarshal(r.Choice, &choice) != nil || !slices.Contains(names, choice.Function.Name):
		return invalid("Tool choice '%s' not found in 'tools' parameter.", choice.Function.Name)
	}
	return nil
}

// strictFault says why a schema is none that a model can be held to.
func strictFault(schema json.RawMessage) string {
	var o struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional *bool                      `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
	}
	if json.Unmarshal(schema, &o) != nil {
		return "" // a list of types
	}
	if o.Type == "object" || o.Properties != nil {
		if o.Additional == nil || *o.Additional {
			return "'additionalProperties' is required to be supplied and to be false."
		}
		for name, p := range o.Properties {
			if !slices.Contains(o.Required, name) {
				return fmt.Sprintf("'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", name)
			}
			if why := strictFault(p); why != "" {
				return why
			}
		}
	}
	if len(o.Items) > 0 {
		return strictFault(o.Items)
	}
	return ""
}

func (r *openAIRequest) checkMessages() *fault {
	var open []string
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages.[%d]", i)
		text, ok := openAIText(m.Content)
		if m.Role != "tool" && len(open) > 0 {
			return unanswered(open)
		}
		switch m.Role {
		case "system", "developer", "user":
			if !ok || len(m.Content) == 0 {
				return invalid("Invalid value for 'content': expected a string, got null. - '%s.content'", at)
			}
		case "assistant":
			if text == "" && len(m.Calls) == 0 {
				return invalid("Invalid '%s': an assistant message needs content or tool_calls", at)
			}
			for k, c := range m.Calls {
				switch {
				case c.ID == "" || c.Type != "function":
					return invalid("Missing required parameter: '%s.tool_calls[%d].id' or type", at, k)
				case !openAIName().MatchString(c.Function.Name):
					return invalid("Invalid '%s.tool_calls[%d].function.name': string does not match pattern.", at, k)
				case c.Function.Arguments == nil:
					return invalid("Missing required parameter: '%s.tool_calls[%d].function.arguments'", at, k)
				}
				open = append(open, c.ID)
			}
		case "tool":
			k := slices.Index(open, m.CallID)
			if k < 0 {
				return invalid("Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. - '%s.role'", at)
			}
			open = slices.Delete(open, k, k+1)
		default:
			return invalid("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'. - '%s.role'", m.Role, at)
		}
	}
	if len(open) > 0 {
		return unanswered(open)
	}
	return nil
}

func unanswered(open []string) *fault {
	return invalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
}

// openAIText is the text of a content: a string, or an array of texts.
func openAIText(content json.RawMessage) (text string, ok bool) {
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, string(content) != "null"
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil || len(parts) == 0 {
		return "", false
	}
	for _, p := range parts {
		if p.Type != "text" && p.Type != "image_url" {
			return "", false
		}
		text += p.Text + "\n"
	}
	return text, true
}

func (openAI) read(body []byte) asked {
	var r openAIRequest
	_ = json.Unmarshal(body, &r) // it was checked
	q := asked{model: r.Model, stream: r.Stream, tokens: count(body)}
	for _, m := range r.Messages {
		q.calls += len(m.Calls)
		text, _ := openAIText(m.Content)
		if m.Role == "assistant" {
			q.last = ""
		} else if m.Role != "system" {
			q.last += text + "\n"
		}
	}
	return q
}

func (openAI) refuse(f *fault) []byte {
	var code any
	if f.code != "" {
		code = f.code
	} else if f.kind == "insufficient_quota" || f.kind == "context_length_exceeded" {
		code = f.kind
	}
	return doc(object{"error": object{"message": f.message, "type": f.kind, "param": nil, "code": code}})
}

func (openAI) answer(st *Step, q *asked, stream bool) (events []event) {
	u := st.usage(q)
	stop := map[string]string{"end": "stop", "call": "tool_calls", "length": "length", "refusal": "content_filter"}[st.stop()]
	in := u.Input + u.CacheRead + u.CacheWrite
	usage := object{
		"prompt_tokens": in, "completion_tokens": u.Output, "total_tokens": in + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead}, "completion_tokens_details": object{"reasoning_tokens": 0},
	}
	head := object{"id": "chatcmpl-llmtest", "created": 1_700_000_000, "model": q.model}
	if !stream {
		return []event{{data: st.openAIDocument(q, head, stop, usage)}}
	}
	head["object"] = "chat.completion.chunk"
	add := func(choices []any, usage any) {
		o := object{"choices": choices, "usage": usage}
		for k, v := range head {
			o[k] = v
		}
		events = append(events, event{data: doc(o)})
	}
	delta := func(d object, stop any) {
		add([]any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": stop}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, p := range st.pieces(st.Thinking) {
		delta(object{"reasoning_content": p}, nil)
	}
	for _, p := range st.pieces(st.Text) {
		delta(object{"content": p}, nil)
	}
	for i := range st.Calls {
		delta(object{"tool_calls": []any{object{"index": i, "id": st.callID(i, q, "call_"), "type": "function", "function": object{"name": st.Calls[i].Name, "arguments": ""}}}}, nil)
		for _, p := range st.pieces(st.Calls[i].arguments()) {
			delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	if st.EventError != "" {
		return append(events, event{data: doc(object{"error": object{"message": "llmtest", "type": st.EventError, "code": nil}})})
	}
	delta(object{}, stop)
	if !st.NoUsage {
		add([]any{}, usage)
	}
	return append(events, event{data: []byte("[DONE]")})
}

// openAIDocument is an answer in one piece.
func (s *Step) openAIDocument(q *asked, head object, stop string, usage object) []byte {
	message := object{"role": "assistant", "content": s.Text, "refusal": nil}
	var calls []any
	for i := range s.Calls {
		calls = append(calls, object{"id": s.callID(i, q, "call_"), "type": "function", "function": object{"name": s.Calls[i].Name, "arguments": s.Calls[i].arguments()}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	head["object"], head["usage"] = "chat.completion", usage
	head["choices"] = []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": stop}}
	return doc(head)
}
