package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Encode writes messages as an array of messages: for Messages an object
// {"format":"messages","messages":[…]}, for Anthropic, Chat and Responses the array alone, as
// requests of these APIs take it. They must be [Valid]. Of other formats the
// error is [ErrNoWriter].
func Encode(w io.Writer, f Format, messages []Message) error {
	if err := Valid(messages); err != nil {
		return fmt.Errorf("messages to write: %w", err)
	}
	var vals [][]byte
	for i := range messages {
		vals = append(vals, elements(f, &messages[i])...)
	}
	out := list(vals)
	switch f {
	case Messages:
		var o object
		out = o.str("format", string(Messages)).raw("messages", out).bytes()
	case Anthropic, Chat, Responses:
	default:
		return fmt.Errorf("%w: %s", ErrNoWriter, f)
	}
	_, err := w.Write(append(out, '\n'))
	return err
}

// elements encodes one message as elements of an array of the format.
func elements(f Format, m *Message) [][]byte {
	switch f {
	case Chat:
		return chatElements(m)
	case Responses:
		return responsesElements(m)
	case Messages:
		return [][]byte{messagesElement(m)}
	}
	var o object
	return [][]byte{o.str("role", string(m.Role)).raw("content", anthropicBlocks(m.Blocks)).bytes()}
}

// messagesElement encodes a message for programs: Anthropic's blocks with the
// text of results plain, the ids as they were read, and the kind.
func messagesElement(m *Message) []byte {
	vals := make([][]byte, len(m.Blocks))
	for i := range m.Blocks {
		b := &m.Blocks[i]
		id := cmp.Or(b.Native, b.ID)
		var o object
		switch b.Type {
		case Thinking:
			o.str("type", "thinking").str("thinking", b.Text)
			if b.Opaque > 0 {
				o.raw("sig", strconv.AppendInt(nil, int64(b.Opaque), 10))
			}
			vals[i] = o.bytes()
		case Result:
			o.str("type", "tool_result").str("tool_use_id", id).raw("content", quote(b.Text))
			o.raw("is_error", strconv.AppendBool(nil, b.Failed))
			if b.Images > 0 {
				o.raw("img", strconv.AppendInt(nil, int64(b.Images), 10))
			}
			vals[i] = o.bytes()
		case Image:
			if b.Raw == nil {
				vals[i] = []byte(`{"type":"image"}`)
				continue
			}
			fallthrough
		default:
			vals[i] = anthropicBlock(b, id)
		}
	}
	kind := string(m.Kind)
	switch m.Kind {
	case Results:
		kind = "tool"
	case Answer:
		kind = "assistant"
	}
	var o object
	o.str("role", string(m.Role)).str("kind", kind).raw("content", list(vals))
	if u := m.Usage; u != nil {
		o.raw("usage", fmt.Appendf(nil, `{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}`,
			u.Input, u.CacheWrite, u.CacheRead, u.Output, u.Reasoning))
	}
	return o.bytes()
}

func chatElements(m *Message) (out [][]byte) {
	var parts, calls [][]byte
	var thinking string
	plain := true // text only
	for i := range m.Blocks {
		b := &m.Blocks[i]
		var o, fn object
		switch b.Type {
		case Call:
			fn.str("name", b.Name).raw("arguments", quote(string(b.Input)))
			calls = append(calls, o.str("id", b.ID).str("type", "function").raw("function", fn.bytes()).bytes())
		case Result:
			out = append(out, o.str("role", "tool").str("tool_call_id", b.ID).raw("content", quote(b.Text)).bytes())
		case Thinking:
			thinking += b.Text
		case Image:
			plain = false
			parts = append(parts, image(Chat, b))
		default:
			parts = append(parts, o.str("type", "text").str("text", b.Text).bytes())
		}
	}
	if len(parts) == 0 && len(calls) == 0 && thinking == "" {
		return out
	}
	var o object
	o.str("role", string(m.Role))
	switch {
	case len(parts) == 1 && plain:
		o.raw("content", field(parts[0], "text"))
	case len(parts) > 0:
		o.raw("content", list(parts))
	default:
		o.raw("content", []byte("null"))
	}
	o.opt("reasoning_content", thinking)
	if len(calls) > 0 {
		o.raw("tool_calls", list(calls))
	}
	return append(out, o.bytes())
}

// responsesElements encodes a message as items of the Responses API.
func responsesElements(m *Message) (out [][]byte) {
	kind := "input_text"
	if m.Role == Assistant {
		kind = "output_text"
	}
	var parts [][]byte
	flush := func() {
		if len(parts) > 0 {
			var o object
			o.str("type", "message").str("role", string(m.Role)).raw("content", list(parts))
			out = append(out, o.bytes())
			parts = nil
		}
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		var o object
		switch b.Type {
		case Text:
			parts = append(parts, o.str("type", kind).str("text", b.Text).bytes())
			continue
		case Image:
			parts = append(parts, image(Responses, b))
			continue
		}
		flush()
		switch {
		case b.Type == Result:
			out = append(out, responsesResult(b))
		case b.Type == Call:
			out = append(out, responsesCall(b))
		case b.Raw != nil && openAI(b.Raw):
			out = append(out, b.Raw)
		case b.Type == Thinking:
			o.str("type", "reasoning").raw("summary", list([][]byte{(&object{}).str("type", "summary_text").str("text", b.Text).bytes()}))
			out = append(out, o.bytes())
		default:
			parts = append(parts, o.str("type", kind).str("text", b.Text).bytes())
		}
	}
	flush()
	return out
}

// responsesCall encodes a call. One that was recorded as a custom tool's stays
// one, as far as its input is unchanged.
func responsesCall(b *Block) []byte {
	if b.Raw != nil && b.Native == "" && openAI(b.Raw) {
		return b.Raw
	}
	var o object
	return o.str("type", "function_call").str("call_id", b.ID).str("name", b.Name).raw("arguments", quote(string(b.Input))).bytes()
}

func responsesResult(b *Block) []byte {
	out := quote(b.Text)
	if b.Images > 0 && b.Raw != nil {
		if text, n := content(b.Raw); text == b.Text && n == b.Images {
			out = b.Raw
		}
	}
	var o object
	return o.str("type", "function_call_output").str("call_id", b.ID).raw("output", out).bytes()
}

// writeArray replaces the messages of a document and keeps what is around them:
// members of the request, and its system prompts. What else the reader takes for
// nothing (an empty message or block, a result without its call) no provider
// takes, least of all before the first message: it goes.
func writeArray(x *rewriter) error {
	system := func(raw []byte) bool {
		role := field(raw, "role")
		text, _ := content(field(raw, "content"))
		return (is(role, "system") || is(role, "developer")) && strings.TrimSpace(text) != ""
	}
	return x.array(system, func(i int) ([][]byte, error) {
		if x.solo[i] {
			vals, err := x.natives(i)
			n := 0
			vals = slices.DeleteFunc(vals, func(v []byte) bool {
				k := pieces(v)
				n += k
				return k == 0
			})
			if err != nil || n == len(x.Messages[i].Blocks) {
				return vals, err
			}
		}
		return elements(x.sess.Format, &x.Messages[i]), nil
	})
}

// pieces is how many blocks an element of an array of messages holds, those that
// say nothing included.
func pieces(raw []byte) (n int) {
	role, body := field(raw, "role"), field(raw, "content")
	if role == nil || is(role, "tool") { // one item, one result
		return 1
	}
	for _, list := range [][]byte{body, field(raw, "tool_calls")} {
		for it := walk(list); it.next(); {
			n++
		}
	}
	for _, text := range [][]byte{body, field(raw, "reasoning_content")} {
		if strings.TrimSpace(str(text)) != "" {
			n++
		}
	}
	return n
}

// natives returns the records of the i-th message, which is the session's own.
func (x *rewriter) natives(i int) (vals [][]byte, err error) {
	for _, s := range x.Messages[i].Spans {
		raw, err := x.native(s)
		if err != nil {
			return nil, err
		}
		vals = append(vals, raw)
	}
	return vals, nil
}

// array writes the document with other elements: first those that hold no
// message, as far as stay keeps them, then what encode makes of each message.
func (x *rewriter) array(stay func(raw []byte) bool, encode func(i int) ([][]byte, error)) error {
	used := map[int64]bool{}
	for i := range x.sess.Messages {
		for _, s := range x.sess.Messages[i].Spans {
			used[s.Offset] = true
		}
	}
	var vals [][]byte
	var begin, end int64 = -1, 0 // of the elements
	between := []byte(",")
	torn, err := each(x.r, x.size, x.layout, nil, func(_ int, rec record) error {
		if begin < 0 {
			begin = rec.span.Offset
		} else if len(between) == 1 {
			gap, err := x.native(Span{end, rec.span.Offset - end})
			if err != nil {
				return err
			}
			between = gap
		}
		end = rec.span.Offset + rec.span.Length
		if !json.Valid(rec.raw) {
			return fmt.Errorf("%w: the document is malformed at byte %d", ErrNoWriter, rec.span.Offset)
		}
		if !used[rec.span.Offset] && stay(rec.raw) {
			vals = append(vals, bytes.Clone(rec.raw))
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case torn.document:
		return fmt.Errorf("%w: the document is malformed at byte %d", ErrNoWriter, torn.at)
	case begin < 0:
		return fmt.Errorf("%w: %s without messages", ErrNoWriter, x.layout.format)
	}
	for i := range x.Messages {
		own, err := encode(i)
		if err != nil {
			return err
		}
		vals = append(vals, own...)
	}
	for _, part := range []io.Reader{
		io.NewSectionReader(x.r, 0, begin),
		bytes.NewReader(bytes.Join(vals, between)),
		io.NewSectionReader(x.r, end, x.size-end),
	} {
		if _, err := io.Copy(x.w, part); err != nil {
			return err
		}
	}
	return nil
}
