package llm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/transcript"
)

// Body returns what is sent for a call: of equal calls equal bytes. What a refusal
// has taught the client about the server is heeded.
//
// What changes from one call to the next of a conversation (how long the answer
// may be, which tool has to be called) stands behind the messages, so that the
// bytes up to the end of the messages' array begin the next request, too; but for
// Anthropic's marks of the cache (cache_control), which move on with the
// conversation. Thus: what a request holds up to there, without these marks and
// the brackets that close it, is a prefix of the next one, as long as messages are
// only added. Parts that differ in their last message share what precedes it.
func (c *Client) Body(call *Call) ([]byte, error) {
	f := c.form.now()
	if c.endpoint.Kind == Anthropic {
		return c.anthropicBody(call, f)
	}
	return c.openAIBody(call, f)
}

// A form says what a server does not know.
type form struct {
	newName   bool // max_tokens, but max_completion_tokens
	noOptions bool // stream_options
	noStrict  bool // strict schemas
	noForce   bool // tool_choice
	noTools   bool
}

// learned is the form that a server takes, as far as it has said so.
type learned struct {
	mu sync.Mutex
	f  form
}

func (l *learned) now() form {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f
}

// reword learns from a refusal. It reports whether the question has another form
// now. Servers say it in words of their own, so only what they name counts; a model
// that has called tools before in the conversation knows them.
func (l *learned) reword(kind Kind, call *Call, e *Error) bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
	default:
		return false
	}
	text := strings.ToLower(e.Text)
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.f
	denies := holds(text, "support", "not allowed", "not permitted", "unknown", "unrecognized", "requires")
	switch {
	case kind == OpenAI && strings.Contains(text, newName):
		l.f.newName = true // OpenAI's own newer models know the limit by another name only
	case kind == OpenAI && holds(text, "strict", "invalid schema") && !l.f.noStrict:
		l.f.noStrict = true
	case !denies:
	case kind == OpenAI && strings.Contains(text, "stream_options"):
		l.f.noOptions = true
	case holds(text, "tool_choice", "tool choice") && call.Tool != "" && !l.f.noForce:
		l.f.noForce = true
	case holds(text, "tool", "function call") && call.answerTool() != nil && !called(call):
		l.f.noTools = true
	}
	return l.f != was
}

// called reports whether the model has called a tool in the conversation.
func called(call *Call) bool {
	for i := range call.Messages {
		for _, b := range call.Messages[i].Blocks {
			if b.Type == transcript.Call {
				return true
			}
		}
	}
	return false
}

// newName is what newer models of OpenAI call max_tokens.
const newName = "max_completion_tokens"

// A turn is what one side says at once: messages of one role in a row.
type turn struct {
	role   transcript.Role
	blocks []transcript.Block
	pinned int // how many of its first blocks are those of the first message
}

// turns joins the messages of one role in a row. Thinking that another model did
// is left out, since no other server takes it. For a model without tools calls
// and results become text.
func (c *Client) turns(messages []transcript.Message, f form) (list []turn) {
	for i := range messages {
		m := &messages[i]
		var blocks []transcript.Block
		for _, b := range m.Blocks {
			if b.Type == transcript.Thinking && m.Model != c.endpoint.Model {
				continue
			}
			if f.noTools {
				b = asText(b)
			}
			if b.Type == transcript.Text && isBlank(b.Text) {
				continue
			}
			blocks = append(blocks, b)
		}
		if len(blocks) == 0 {
			continue
		}
		if n := len(list); n == 0 || list[n-1].role != m.Role {
			list = append(list, turn{role: m.Role})
		}
		t := &list[len(list)-1]
		t.blocks = append(t.blocks, blocks...)
		if i == 0 {
			t.pinned = len(blocks)
		}
	}
	return list
}

func asText(b transcript.Block) transcript.Block {
	switch b.Type {
	case transcript.Call:
		return transcript.Block{Type: transcript.Text, Text: string(b.Input)}
	case transcript.Result:
		return transcript.Block{Type: transcript.Text, Text: b.Text}
	}
	return b
}

// arguments is the input of a call as servers take it: an object.
func arguments(in json.RawMessage) json.RawMessage {
	if isObject(in) {
		return in
	}
	var text string
	if json.Unmarshal(in, &text) != nil {
		text = string(in)
	}
	return encode(map[string]string{"malformed": text})
}

// toolName makes a name that servers take of one that a model may have invented.
func toolName(s string) string {
	const most = 64
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "_"
	}
	return s[:min(len(s), most)]
}

// encode writes JSON without the escapes that only HTML needs. v holds strings,
// numbers and JSON that was checked.
func encode(v any) json.RawMessage {
	b, err := tryEncode(v)
	if err != nil {
		panic(err)
	}
	return b
}

func tryEncode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func quote(s string) json.RawMessage { return encode(strings.ToValidUTF8(s, "\uFFFD")) }

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// isObject reports whether a text is a JSON object and nothing else.
func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}
