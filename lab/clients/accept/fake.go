package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A fakeAPI stands in for the model APIs of Anthropic, OpenAI (Responses and
// Chat Completions) and Google, on a port of this machine.
//
// It keeps no state but the log: what it answers is a function of the request,
// so that retries and side requests for titles and token counts cannot upset a
// test. The last prompt that holds directives says what the model does:
//
//	@@tool NAME {json}@@  the k-th is called when k tool results follow the prompt
//	@@usage N@@           N input tokens are reported
//	@@say TEXT@@          the final text; DONE without it
//	@@unsummed@@          whoever asks for a summary of it gets an error
//
// What is quoted, as satchel quotes the user, directs nothing.
type fakeAPI struct {
	URL string

	mu       sync.Mutex
	requests []request
	listener net.Listener
}

// A request is what a model was sent.
type request struct {
	Path string
	Body []byte
	At   time.Time
}

// maxRequests ends a client that goes on forever.
const maxRequests = 80

func newFakeAPI() (*fakeAPI, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &fakeAPI{URL: "http://" + l.Addr().String(), listener: l}
	s := &http.Server{Handler: f, ReadHeaderTimeout: 10 * time.Second}
	go s.Serve(l) //nolint:errcheck // it ends with the listener
	return f, nil
}

func (f *fakeAPI) close() { _ = f.listener.Close() }

// seen returns the requests so far that a model would have answered.
func (f *fakeAPI) seen() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]request(nil), f.requests...)
}

func (f *fakeAPI) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = nil
}

// object is a JSON object.
type object = map[string]any

var (
	toolDirective  = regexp.MustCompile(`(?s)@@tool\s+(\S+)\s+(\{.*?\})@@`)
	usageDirective = regexp.MustCompile(`@@usage\s+(\d+)@@`)
	quotedLine     = regexp.MustCompile(`(?m)^(>|&gt;) .*$`) // what a user said earlier says nothing now
	sayDirective   = regexp.MustCompile(`(?s)@@say\s+(.*?)@@`)
)

// unsummed makes the summary of a conversation fail.
const unsummed = "@@unsummed@@"

// A turn is one message of a conversation, of whichever API.
type turn struct {
	role    string // user, assistant or tool
	text    string
	results int
}

// A plan is what the model does next.
type plan struct {
	tool, args, say string
	usage           int
	refuse          bool
}

// summary is what the model writes if Claude Code asks for one.
const summary = "SUMMARY-OF-IT-ALL"

// asksForSummary reports whether a turn is what Claude Code says to the one who
// writes the summary of a conversation.
func asksForSummary(t turn) bool {
	return t.role == "user" && strings.Contains(t.text, "Your task is to create a detailed summary of the conversation")
}

func decide(turns []turn, haveTools bool, bytes int) plan {
	p := plan{say: "DONE", usage: bytes / 4}
	summing := len(turns) > 0 && asksForSummary(turns[len(turns)-1])
	for i := len(turns) - 1; i >= 0; i-- {
		text := quotedLine.ReplaceAllString(turns[i].text, "")
		if turns[i].role != "user" || !toolDirective.MatchString(text) && !usageDirective.MatchString(text) && !sayDirective.MatchString(text) {
			continue
		}
		if summing {
			p.refuse = strings.Contains(text, unsummed)
			break
		}
		if m := usageDirective.FindStringSubmatch(text); m != nil {
			p.usage, _ = strconv.Atoi(m[1])
		}
		if m := sayDirective.FindStringSubmatch(text); m != nil {
			p.say = m[1]
		}
		results := 0
		for _, t := range turns[i:] {
			results += t.results
		}
		if calls := toolDirective.FindAllStringSubmatch(text, -1); haveTools && results < len(calls) {
			p.tool, p.args = calls[results][1], calls[results][2]
			if !json.Valid([]byte(p.args)) { // opencode quotes the prompt once more
				p.args = strings.ReplaceAll(p.args, `\"`, `"`)
			}
		}
		break
	}
	if summing {
		p.say = "<analysis>all of it</analysis>\n<summary>" + summary + "</summary>"
	}
	return p
}

// contentOf returns the text of a message's content, and how many tool results
// it holds.
func contentOf(v any) (text string, results int) {
	switch v := v.(type) {
	case string:
		return v, 0
	case []any:
		var b strings.Builder
		for _, e := range v {
			m, _ := e.(object)
			if m["type"] == "tool_result" || m["functionResponse"] != nil {
				results++
			} else if s, ok := m["text"].(string); ok {
				b.WriteString(s + "\n")
			}
		}
		return b.String(), results
	}
	return "", 0
}

// turnsOf reads the conversation of a request, of whichever API.
func turnsOf(body object) (turns []turn) {
	for _, name := range []string{"messages", "input", "contents"} {
		list, _ := body[name].([]any)
		for _, e := range list {
			m, _ := e.(object)
			kind, _ := m["type"].(string)
			role, _ := m["role"].(string)
			content := m["content"]
			if name == "contents" {
				content = m["parts"]
			}
			text, results := contentOf(content)
			if strings.HasSuffix(kind, "_call_output") || role == "tool" {
				role, results = "tool", 1
			}
			turns = append(turns, turn{role, text, results})
		}
	}
	return turns
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	f.mu.Lock()
	f.requests = append(f.requests, request{r.URL.Path, raw, time.Now()})
	n := len(f.requests)
	f.mu.Unlock()
	if n > maxRequests {
		reply(w, http.StatusBadRequest, object{"error": object{"message": "too many requests", "type": "invalid_request_error"}})
		return
	}
	var body object
	if err := json.Unmarshal(raw, &body); err != nil {
		body = object{}
	}
	tools, _ := body["tools"].([]any)
	p := decide(turnsOf(body), len(tools) > 0, len(raw))
	if p.refuse {
		reply(w, http.StatusBadRequest, object{"type": "error", "error": object{"message": "refused, as the prompt wants it", "type": "invalid_request_error"}})
		return
	}
	stream, _ := body["stream"].(bool)
	model, _ := body["model"].(string)
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		reply(w, http.StatusOK, object{"input_tokens": len(raw) / 4})
	case strings.HasSuffix(path, ":countTokens"):
		reply(w, http.StatusOK, object{"totalTokens": len(raw) / 4})
	case strings.Contains(path, "/v1/messages"):
		anthropic(w, p, n, model, stream)
	case strings.HasSuffix(path, "/responses"):
		responses(w, p, n, model, stream)
	case strings.HasSuffix(path, "/chat/completions"):
		chat(w, p, n, model, stream)
	case strings.Contains(path, "enerateContent"):
		gemini(w, p, body, strings.Contains(path, ":streamGenerateContent"))
	case strings.HasSuffix(path, "/models"):
		reply(w, http.StatusOK, object{"object": "list", "has_more": false, "models": []any{},
			"data": []any{object{"id": "fake-model", "type": "model", "object": "model", "display_name": "Fake", "created_at": "2026-01-01T00:00:00Z"}}})
	default:
		reply(w, http.StatusNotFound, object{"error": object{"message": "no such path " + path, "type": "not_found_error"}})
	}
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a client that went away
}

// events writes a stream of server-sent events: names and values in turn.
func events(w http.ResponseWriter, list ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	var b bytes.Buffer
	for i := 0; i < len(list); i += 2 {
		if name := list[i].(string); name != "" {
			fmt.Fprintf(&b, "event: %s\n", name)
		}
		if s, ok := list[i+1].(string); ok {
			fmt.Fprintf(&b, "data: %s\n\n", s)
			continue
		}
		text, _ := json.Marshal(list[i+1]) // maps of strings and numbers always can
		fmt.Fprintf(&b, "data: %s\n\n", text)
	}
	_, _ = w.Write(b.Bytes())
}

func anthropic(w http.ResponseWriter, p plan, n int, model string, stream bool) {
	usage := object{"input_tokens": p.usage, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	block, first, delta, stop := object{"type": "text", "text": p.say}, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": p.say}, "end_turn"
	if p.tool != "" {
		id := fmt.Sprintf("toolu_%d", n)
		block = object{"type": "tool_use", "id": id, "name": p.tool, "input": json.RawMessage(p.args)}
		first = object{"type": "tool_use", "id": id, "name": p.tool, "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": p.args}, "tool_use"
	}
	message := object{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !stream {
		message["content"], message["stop_reason"] = []any{block}, stop
		reply(w, http.StatusOK, message)
		return
	}
	events(w,
		"message_start", object{"type": "message_start", "message": message},
		"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": first},
		"content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta},
		"content_block_stop", object{"type": "content_block_stop", "index": 0},
		"message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage},
		"message_stop", object{"type": "message_stop"})
}

func responses(w http.ResponseWriter, p plan, n int, model string, stream bool) {
	item := object{"type": "message", "id": fmt.Sprintf("m_%d", n), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": p.say, "annotations": []any{}}}}
	if p.tool != "" {
		item = object{"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n), "name": p.tool, "arguments": p.args, "status": "completed"}
		if space, name, ok := strings.Cut(p.tool, "::"); ok {
			item["namespace"], item["name"] = space, name
		}
	}
	id := fmt.Sprintf("resp_%d", n)
	usage := object{"input_tokens": p.usage, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": p.usage + 10}
	full := object{"id": id, "object": "response", "model": model, "status": "completed", "output": []any{item}, "usage": usage}
	if !stream {
		reply(w, http.StatusOK, full)
		return
	}
	events(w,
		"response.created", object{"type": "response.created", "response": object{"id": id, "object": "response", "model": model, "status": "in_progress", "output": []any{}}},
		"response.output_item.added", object{"type": "response.output_item.added", "output_index": 0, "item": item},
		"response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item},
		"response.completed", object{"type": "response.completed", "response": full})
}

func chat(w http.ResponseWriter, p plan, n int, model string, stream bool) {
	id := fmt.Sprintf("chatcmpl-%d", n)
	usage := object{"prompt_tokens": p.usage, "completion_tokens": 10, "total_tokens": p.usage + 10}
	message, finish := object{"role": "assistant", "content": p.say}, "stop"
	if p.tool != "" {
		finish = "tool_calls"
		message = object{"role": "assistant", "content": nil, "tool_calls": []any{object{"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function", "function": object{"name": p.tool, "arguments": p.args}}}}
	}
	if !stream {
		reply(w, http.StatusOK, object{"id": id, "object": "chat.completion", "model": model, "choices": []any{object{"index": 0, "message": message, "finish_reason": finish}}, "usage": usage})
		return
	}
	chunk := object{"id": id, "object": "chat.completion.chunk", "model": model}
	with := func(choice object) object {
		out := object{"choices": []any{choice}, "usage": usage}
		for k, v := range chunk {
			out[k] = v
		}
		return out
	}
	events(w, "", with(object{"index": 0, "delta": message, "finish_reason": nil}), "", with(object{"index": 0, "delta": object{}, "finish_reason": finish}), "", "[DONE]")
}

// compresses reports whether Gemini CLI asks for the summary of a conversation, or
// to look over it once more.
func compresses(body object) bool {
	turns := turnsOf(body)
	return len(turns) > 0 && strings.Contains(turns[len(turns)-1].text, "<state_snapshot>") && strings.Contains(turns[len(turns)-1].text, "enerate")
}

func gemini(w http.ResponseWriter, p plan, body object, stream bool) {
	part := object{"text": p.say}
	config, _ := body["generationConfig"].(object)
	switch {
	case compresses(body):
		text, _ := json.Marshal(body) // it came as JSON
		part = object{"text": fmt.Sprintf("<scratchpad>short</scratchpad>\n<state_snapshot><overall_goal>%s %x</overall_goal></state_snapshot>", summary, crc32.ChecksumIEEE(text))}
	case p.tool != "":
		part = object{"functionCall": object{"name": p.tool, "args": json.RawMessage(p.args)}}
	case config["responseMimeType"] == "application/json": // its side questions
		part = object{"text": `{"reasoning":"none","model_choice":"flash","complexity_score":1,"complexity_reasoning":"none","next_speaker":"user"}`}
	}
	v := object{"candidates": []any{object{"index": 0, "content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": p.usage, "candidatesTokenCount": 10, "totalTokenCount": p.usage + 10}, "modelVersion": "fake"}
	if stream {
		events(w, "", v)
		return
	}
	reply(w, http.StatusOK, v)
}
