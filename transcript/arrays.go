package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Arrays of messages, as the providers' APIs take them, alone or within a
// request, and the object {format, budget, messages} that programs exchange
// with satchel.

var messagesLayout = arrayLayout(Messages, "claude", func(p *probe) bool {
	return p.has("messages") && (p.has("budget") || p.has("format")) && !p.has("model")
})

var anthropicLayout = arrayLayout(Anthropic, "claude", func(p *probe) bool {
	return p.anyElem("messages", func(v []byte) bool {
		role := field(v, "role")
		return (is(role, "user") || is(role, "assistant")) && field(v, "content") != nil
	})
})

var chatLayout = arrayLayout(Chat, "gpt-5", func(p *probe) bool { return p.anyElem("messages", isChat) })

func arrayLayout(format Format, family string, sniff func(*probe) bool) layout {
	return layout{
		format: format, family: family, records: "messages", sniff: sniff,
		open: func(b *builder) decoder { return &array{b: b} }, write: writeArray,
	}
}

var responsesLayout = layout{
	format:  Responses,
	family:  "gpt-5",
	records: "input",
	sniff: func(p *probe) bool {
		return p.anyElem("input", func(v []byte) bool {
			switch string(field(v, "type")) {
			case `"function_call"`, `"function_call_output"`, `"reasoning"`, `"custom_tool_call"`, `"web_search_call"`, `"compaction"`:
				return true
			}
			for it := walk(field(v, "content")); it.next(); {
				switch string(field(it.val, "type")) {
				case `"input_text"`, `"output_text"`, `"input_image"`:
					return true
				}
			}
			return p.has("input") && field(v, "role") != nil
		})
	},
	open:  func(b *builder) decoder { b.join = true; return &items{b: b} },
	write: writeArray,
}

// anyElem reports whether f holds for one of the first elements of the array
// that is the document, or of its member key.
func (p *probe) anyElem(key string, f func(v []byte) bool) bool {
	if p.array {
		key = ""
	}
	return slices.ContainsFunc(p.elems[key], f)
}

// isChat reports whether a message is of the Chat Completions API beyond doubt.
func isChat(v []byte) bool {
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "role":
			if is(it.val, "tool") || is(it.val, "system") || is(it.val, "developer") {
				return true
			}
		case "tool_calls", "function_call":
			return true
		}
	}
	return false
}

// array reads messages of Anthropic's and of the Chat Completions API alike:
// which of the two it is may show late.
type array struct {
	b     *builder
	begun bool // a message that is no system prompt was seen
}

func (a *array) head(key string, raw []byte) {
	s := a.b.sess
	switch key {
	case "model":
		set(&s.Model, raw)
	case "budget":
		if s.Format != Messages || string(raw) == "null" {
			return
		}
		if n, err := strconv.Atoi(string(raw)); err == nil && n > 0 {
			s.Budget = n
		} else {
			a.b.diagnose("ignored the document's budget %.20s: want a whole number of tokens above 0", raw)
		}
	case "system":
		for it := walk(raw); it.next(); {
			text, _ := part(it.val)
			s.System = append(s.System, text)
		}
		if isString(raw) {
			s.System = append(s.System, str(raw))
		}
	}
}

func (a *array) record(raw []byte) {
	var role, body, kind, calls, call, usage, id, mid, model, reasoning, at []byte
	read(raw,
		member{"role", &role}, member{"content", &body}, member{"kind", &kind}, member{"tool_calls", &calls},
		member{"tool_call_id", &call}, member{"usage", &usage}, member{"id", &id}, member{"mid", &mid},
		member{"model", &model}, member{"reasoning_content", &reasoning}, member{"timestamp", &at},
	)
	m := Message{ID: cmp.Or(str(id), str(mid)), Model: str(model), Time: clock(at)}
	switch string(role) {
	case `"system"`, `"developer"`:
		a.b.sess.Format = chatOr(a.b.sess.Format)
		text, _ := content(body)
		if !a.begun {
			a.b.sess.System = append(a.b.sess.System, text)
			return
		}
		a.b.addText(m, Meta, text)
	case `"assistant"`:
		a.begun = true
		m.ID = "" // an id may repeat in an array whose messages are whole
		m.Kind, m.Usage = Answer, anyUsage(usage)
		if text := str(reasoning); text != "" {
			m.Blocks = append(m.Blocks, Block{Type: Thinking, Text: text})
		}
		m.Blocks = append(m.Blocks, answerBlocks(body)...)
		if calls := chatCalls(calls); len(calls) > 0 {
			a.b.sess.Format = chatOr(a.b.sess.Format)
			m.Blocks = append(m.Blocks, calls...)
		}
		a.b.add(m)
	case `"tool"`:
		a.begun = true
		a.b.sess.Format = chatOr(a.b.sess.Format)
		x := resultBlock(body)
		x.ID = str(call)
		a.b.addOne(m, Results, x)
	case `"user"`:
		a.begun = true
		a.user(body, str(kind), m)
	default:
		a.b.sess.Skipped++
	}
}

// user adds a user message. The object of programs says of what kind it is.
func (a *array) user(body []byte, kind string, m Message) {
	switch k := Kind(kind); k {
	case Prompt, Meta, Summary:
		if isString(body) {
			m.Blocks = []Block{{Type: Text, Text: str(body)}}
		}
		for it := walk(body); it.next(); {
			x, ok := userBlock(it.val)
			switch {
			case !ok:
			case x.Type == Result:
				r := m
				r.Kind, r.Blocks = Results, []Block{x}
				a.b.add(r)
			default:
				m.Blocks = append(m.Blocks, x)
			}
		}
		m.Kind = k
		a.b.add(m)
	default:
		userTurn(a.b, body, m, false)
	}
}

// chatOr returns Chat for the formats that are told apart by their messages.
func chatOr(f Format) Format {
	if f == Anthropic {
		return Chat
	}
	return f
}

// chatCalls decodes tool_calls: of functions and of custom tools.
func chatCalls(v []byte) (blocks []Block) {
	for it := walk(v); it.next(); {
		x := Block{Type: Call, ID: str(field(it.val, "id"))}
		if f := field(it.val, "function"); f != nil {
			x.Name, x.Input = str(field(f, "name")), input(field(f, "arguments"))
		} else if f := field(it.val, "custom"); f != nil {
			x.Name, x.Input = str(field(f, "name")), input(field(f, "input"))
		}
		blocks = append(blocks, x)
	}
	return blocks
}

// anyUsage decodes usage in the words of any provider or agent.
func anyUsage(v []byte) *Usage {
	switch {
	case field(v, "cache_read_input_tokens") != nil || field(v, "cache_creation_input_tokens") != nil:
		return anthropicUsage(v)
	case field(v, "input_tokens") != nil || field(v, "prompt_tokens") != nil:
		return openAIUsage(v).known()
	case field(v, "cache") != nil: // opencode
		u, _ := openCodeCounts(v)
		return u.known()
	}
	return piUsage(v)
}

// items reads the items of the Responses API.
type items struct{ b *builder }

func (a *items) head(key string, raw []byte) {
	s := a.b.sess
	switch key {
	case "model":
		set(&s.Model, raw)
	case "instructions":
		if text := str(raw); strings.TrimSpace(text) != "" {
			s.System = append(s.System, text)
		}
	}
}

func (a *items) record(raw []byte) { responsesItem(a.b, raw, Message{}, "") }
