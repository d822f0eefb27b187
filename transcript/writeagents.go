package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Agents that have no record for what a message is (a summary, something that
// the client said) pass over members that they do not know. There our writers
// leave it for our readers: {"satchel":{"kind":"summary"}}. A message that has
// it is taken as it stands.

// withKind adds a message's kind to a record.
func withKind(o *object, k Kind) *object {
	var own object
	return o.raw("satchel", own.str("kind", string(k)).bytes())
}

// marked returns the kind that withKind added, or "".
func marked(v []byte) Kind {
	k := Kind(str(field(v, "kind")))
	switch k {
	case Prompt, Meta, Summary, Results, Answer:
		return k
	}
	return ""
}

// hexID derives an id of 32 hexadecimal digits.
func hexID(seed string, n int) string {
	return fmt.Sprintf("%016x%016x", hash(seed+strconv.Itoa(n)), hash(strconv.Itoa(n)+"/"+seed))
}

// uuid derives an id in the form of a UUID.
func uuid(seed string, n int) string {
	h := []byte(hexID(seed, n))
	h[12], h[16] = '4', '8'
	return fmt.Sprintf("%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:])
}

// writeGemini appends {"$set":{"messages":[…]}}, as Gemini CLI does after a
// compression.
func writeGemini(x *rewriter) error {
	if err := x.copyLines(); err != nil {
		return err
	}
	var vals [][]byte
	for i := range x.Messages {
		vals = append(vals, geminiElement(x, i))
	}
	var set, o object
	set.raw("messages", list(vals)).str("lastUpdated", x.tick().Format(stamp))
	return x.line(o.raw("$set", set.bytes()).bytes())
}

// writeGeminiDocument replaces the messages of a document of former versions.
func writeGeminiDocument(x *rewriter) error {
	return x.array(func([]byte) bool { return false }, func(i int) ([][]byte, error) {
		return [][]byte{geminiElement(x, i)}, nil
	})
}

func geminiElement(x *rewriter, i int) []byte {
	m := &x.Messages[i]
	kind := "user"
	if m.Kind == Answer {
		kind = "gemini"
	}
	parts := make([][]byte, len(m.Blocks))
	for k := range m.Blocks {
		parts[k] = geminiEncode(&m.Blocks[k])
	}
	var o object
	o.str("id", hexID(x.sess.ID+strconv.FormatInt(x.size, 10), i)).str("timestamp", x.tick().Format(stamp)).
		str("type", kind).raw("content", list(parts))
	if m.Kind == Answer {
		o.opt("model", m.Model)
	}
	return withKind(&o, m.Kind).bytes()
}

// geminiEncode makes a part of a block.
func geminiEncode(b *Block) []byte {
	var o, in, out object
	signature := str(field(b.Raw, "thoughtSignature"))
	switch b.Type {
	case Thinking:
		o.str("text", b.Text).raw("thought", []byte("true"))
		signature = str(field(b.Raw, "signature"))
	case Call:
		o.raw("functionCall", in.str("id", b.ID).str("name", b.Name).raw("args", b.Input).bytes())
	case Result:
		key := "output"
		if b.Failed {
			key = "error"
		}
		in.str("id", b.ID).str("name", b.Name).raw("response", out.str(key, b.Text).bytes())
		var media [][]byte
		for it := walk(b.Raw); it.next() && len(media) < b.Images; {
			if mime, data, _ := imageAt(it.val); data != "" {
				media = append(media, geminiMedia(mime, data))
			}
		}
		if len(media) > 0 {
			in.raw("parts", list(media))
		}
		return o.raw("functionResponse", in.bytes()).bytes()
	case Image:
		mime, data, _ := imageAt(b.Raw)
		return geminiMedia(mime, data)
	default:
		o.str("text", b.Text)
	}
	return o.opt("thoughtSignature", signature).bytes()
}

func geminiMedia(mime, data string) []byte {
	var o, in object
	return o.raw("inlineData", in.str("mimeType", mime).str("data", data).bytes()).bytes()
}

// writeSWE replaces the history of a trajectory. The system prompts and what
// other agents said come first.
func writeSWE(x *rewriter) error {
	agent, text := "", map[string]bool{} // text: calls that are commands in the text
	if _, err := each(x.r, x.size, x.layout, nil, func(_ int, rec record) error {
		if agent == "" {
			agent = str(field(rec.raw, "agent"))
		}
		return nil
	}); err != nil {
		return err
	}
	agent = cmp.Or(agent, "main")
	// What the first item names is the agent whose history it is: others' items
	// stay behind one of its own only. Of its own no more than the system prompts
	// do: what else is no message is an empty one.
	begun := false
	stay := func(raw []byte) bool {
		system := is(field(raw, "role"), "system")
		switch str(field(raw, "agent")) {
		case agent:
			begun = begun || system
			return system
		case "":
			return system
		}
		return begun
	}
	return x.array(stay, func(i int) ([][]byte, error) {
		m := &x.Messages[i]
		if m.Kind == Results {
			return sweResults(m, agent, text), nil
		}
		if m.Kind != Answer {
			var o object
			o.str("role", "user").raw("content", sweContent(m.Blocks)).str("agent", agent).str("message_type", "observation")
			return [][]byte{withKind(&o, m.Kind).bytes()}, nil
		}
		return [][]byte{sweAnswer(m, agent, text)}, nil
	})
}

// sweContent is text alone, or parts if there is more.
func sweContent(blocks []Block) []byte {
	if len(blocks) == 1 && blocks[0].Type == Text {
		return quote(blocks[0].Text)
	}
	parts := make([][]byte, len(blocks))
	for i := range blocks {
		var o object
		if parts[i] = o.str("type", "text").str("text", blocks[i].Text).bytes(); blocks[i].Type == Image {
			parts[i] = image(Chat, &blocks[i])
		}
	}
	return list(parts)
}

func sweResults(m *Message, agent string, text map[string]bool) (out [][]byte) {
	for k := range m.Blocks {
		b := &m.Blocks[k]
		var o, own object
		own.str("kind", string(Results)).raw("failed", strconv.AppendBool(nil, b.Failed))
		if text[b.ID] {
			o.str("role", "user").str("content", b.Text)
		} else {
			o.str("role", "tool").str("content", b.Text).raw("tool_call_ids", list([][]byte{quote(b.ID)}))
		}
		o.str("agent", agent).str("message_type", "observation")
		out = append(out, o.raw("satchel", own.bytes()).bytes())
	}
	return out
}

func sweAnswer(m *Message, agent string, text map[string]bool) []byte {
	var thought strings.Builder
	var calls, thinking [][]byte
	var command *Block
	for k := range m.Blocks {
		b := &m.Blocks[k]
		switch b.Type {
		case Call:
			if isString(field(b.Input, "command")) && strings.HasPrefix(b.ID, "act") && b.Name == "bash" {
				command = b
			}
			var o, fn object
			fn.str("name", b.Name).raw("arguments", quote(string(b.Input)))
			calls = append(calls, o.str("id", b.ID).str("type", "function").raw("function", fn.bytes()).bytes())
		case Thinking:
			thinking = append(thinking, anthropicBlock(b, ""))
		default:
			thought.WriteString(b.Text)
		}
	}
	var o, own object
	own.str("kind", string(Answer))
	o.str("role", "assistant")
	said := thought.String()
	switch {
	case len(calls) == 1 && command != nil:
		text[command.ID] = true
		run := str(field(command.Input, "command"))
		own.str("id", command.ID)
		o.str("content", said+"\n```\n"+strings.TrimSuffix(run, "\n")+"\n```").str("thought", said).str("action", run)
	default:
		o.str("content", said).str("thought", said).str("action", "")
		if len(calls) > 0 {
			o.raw("tool_calls", list(calls))
		}
	}
	if len(thinking) > 0 {
		o.raw("thinking_blocks", list(thinking))
	}
	o.str("agent", agent).str("message_type", "action")
	return o.raw("satchel", own.bytes()).bytes()
}

// writeCline makes a new array of what is sent. Sessions whose calls are XML in
// the text cannot be written: their client takes no other calls, and the text
// of a call and its result is bound to where it stands.
func writeCline(x *rewriter) error {
	for i := range x.Messages {
		for k := range x.Messages[i].Blocks {
			if b := &x.Messages[i].Blocks[k]; b.Type == Call && isString(b.Raw) {
				return fmt.Errorf("%w: %s with calls in XML", ErrNoWriter, x.layout.format)
			}
		}
	}
	return x.array(func([]byte) bool { return false }, func(i int) ([][]byte, error) {
		m := &x.Messages[i]
		if x.solo[i] && m.Kind != Summary {
			raws, err := x.natives(i)
			for k := range raws {
				raws[k] = change(raws[k], func(key string, _ []byte) []byte {
					if key == "condenseParent" || key == "truncationParent" {
						return []byte("null") // what hid it once may be gone
					}
					return nil
				})
			}
			return raws, err
		}
		var o object
		o.str("role", string(m.Role)).raw("content", anthropicBlocks(m.Blocks))
		o.raw("ts", strconv.AppendInt(nil, max(x.tick().UnixMilli(), 1), 10))
		if m.Kind == Summary && i == 0 {
			o.raw("isSummary", []byte("true")).str("condenseId", hexID(x.sess.ID, 0))
		}
		return [][]byte{withKind(&o, m.Kind).bytes()}, nil
	})
}

// writeCopilot makes a new list of events: how the session began, its system
// prompt, and what is sent. Copilot's own record of a compaction would repeat
// every prompt of the session before the summary.
func writeCopilot(x *rewriter) error {
	w := &copilotWriter{rewriter: x}
	var system []byte
	if _, err := each(x.r, x.size, x.layout, nil, func(n int, rec record) error {
		switch e := readEvent(rec.raw); {
		case e.side():
		case n == 0 && (e.kind == "session.start" || e.kind == "session.resume"):
			return w.copy(rec.raw)
		case e.kind == "system.message":
			system = bytes.Clone(rec.raw)
		case e.kind == "session.title_changed":
			return w.copy(rec.raw)
		}
		return nil
	}); err != nil {
		return err
	}
	if system != nil {
		if err := w.copy(system); err != nil {
			return err
		}
	}
	for i := range x.Messages {
		if err := w.message(i); err != nil {
			return err
		}
	}
	return nil
}

type copilotWriter struct {
	*rewriter
	last string // id of the event before
	n    int
}

// copy writes an event of the file behind the one that was written last.
func (w *copilotWriter) copy(raw []byte) error {
	var parent []byte
	if parent = []byte("null"); w.last != "" {
		parent = quote(w.last)
	}
	raw = change(raw, func(key string, _ []byte) []byte {
		if key == "parentId" {
			return parent
		}
		return nil
	})
	w.last = str(field(raw, "id"))
	return w.line(raw)
}

func (w *copilotWriter) event(kind string, data []byte) error {
	w.n++
	id := uuid(w.sess.ID+strconv.FormatInt(w.size, 10), w.n)
	var o object
	o.str("type", kind).raw("data", data).str("id", id).str("timestamp", w.tick().Format(stamp))
	if w.last == "" {
		o.raw("parentId", []byte("null"))
	} else {
		o.str("parentId", w.last)
	}
	w.last = id
	return w.line(o.bytes())
}

func (w *copilotWriter) message(i int) error {
	m := &w.Messages[i]
	if w.solo[i] && m.Kind != Summary {
		raws, err := w.natives(i)
		for _, raw := range raws {
			if err == nil {
				err = w.copy(raw)
			}
		}
		return err
	}
	switch m.Kind {
	case Results:
		for k := range m.Blocks {
			if err := w.event("tool.execution_complete", copilotEncode(&m.Blocks[k])); err != nil {
				return err
			}
		}
		return nil
	case Answer:
		return w.answer(m, i)
	}
	for k := range m.Blocks {
		var data object
		data.str("content", m.Blocks[k].Text).str("transformedContent", m.Blocks[k].Text)
		data.raw("attachments", []byte("[]")).str("source", "satchel-"+string(m.Kind))
		if err := w.event("user.message", data.bytes()); err != nil {
			return err
		}
	}
	return nil
}

// answer writes an answer. An event holds reasoning, then text, then calls: what
// comes in another order is several events of one call.
func (w *copilotWriter) answer(m *Message, i int) error {
	id := uuid(w.sess.ID+"answer", i)
	for rest := m.Blocks; len(rest) > 0; {
		var data object
		data.str("messageId", id).opt("model", m.Model)
		if b := &rest[0]; b.Type == Thinking {
			data.str("reasoningText", b.Text).opt("reasoningOpaque", str(field(b.Raw, "signature")))
			rest = rest[1:]
		}
		text := ""
		if len(rest) > 0 && rest[0].Type != Call && rest[0].Type != Thinking {
			text, rest = rest[0].Text, rest[1:]
		}
		var requests [][]byte
		for ; len(rest) > 0 && rest[0].Type == Call; rest = rest[1:] {
			var o object
			requests = append(requests, o.str("toolCallId", rest[0].ID).str("name", rest[0].Name).raw("arguments", rest[0].Input).str("type", "function").bytes())
		}
		data.str("content", text).raw("toolRequests", list(requests)).str("apiCallId", id)
		if err := w.event("assistant.message", data.bytes()); err != nil {
			return err
		}
	}
	return nil
}

func copilotEncode(b *Block) []byte {
	var data, in object
	data.str("toolCallId", b.ID).raw("success", json.RawMessage(strconv.FormatBool(!b.Failed)))
	if b.Failed {
		return data.raw("error", in.str("message", b.Text).str("code", "failure").bytes()).bytes()
	}
	return data.raw("result", in.str("content", b.Text).str("detailedContent", b.Text).bytes()).bytes()
}
