package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// quote returns s as a JSON string, without the escapes that only HTML needs.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string has no error
		return []byte(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// An object builds a JSON object, member by member, in the order given.
type object struct{ b []byte }

func (o *object) raw(key string, v []byte) *object {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, quote(key)...), ':'), v...)
	return o
}

func (o *object) str(key, v string) *object { return o.raw(key, quote(v)) }

// opt adds a string member unless it is empty.
func (o *object) opt(key, v string) *object {
	if v != "" {
		o.str(key, v)
	}
	return o
}

func (o *object) bytes() []byte {
	if len(o.b) == 0 {
		return []byte("{}")
	}
	return append(o.b, '}')
}

// quoteOrNull returns s as a JSON string, or null if it is empty.
func quoteOrNull(s string) []byte {
	if s == "" {
		return []byte("null")
	}
	return quote(s)
}

// listOf encodes elements into a JSON array.
func listOf[T any](elements []T, encode func(*T) []byte) []byte {
	vals := make([][]byte, len(elements))
	for i := range elements {
		vals[i] = encode(&elements[i])
	}
	return list(vals)
}

// list joins values into a JSON array.
func list(vals [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(vals, []byte{','})...), ']')
}

// An edit replaces the bytes from at to end.
type edit struct {
	at, end int
	with    []byte
}

// where returns an edit of v, which is a slice of raw.
func where(raw, v, with []byte) edit {
	at := cap(raw) - cap(v)
	return edit{at, at + len(v), with}
}

// apply makes the edits, which are in order and do not overlap.
func apply(raw []byte, edits []edit) []byte {
	out := make([]byte, 0, len(raw)+128)
	from := 0
	for _, e := range edits {
		out = append(append(out, raw[from:e.at]...), e.with...)
		from = e.end
	}
	return append(out, raw[from:]...)
}

// change returns raw with members replaced: what f returns for a member's key
// and value, unless it is nil.
func change(raw []byte, f func(key string, val []byte) []byte) []byte {
	var edits []edit
	for it := walk(raw); it.next(); {
		if with := f(string(it.key), it.val); with != nil {
			edits = append(edits, where(raw, it.val, with))
		}
	}
	return apply(raw, edits)
}

// without returns an object that lacks a member.
func without(raw []byte, key string) []byte {
	var o object
	for it := walk(raw); it.next(); {
		if string(it.key) != key {
			o.raw(string(it.key), it.val)
		}
	}
	return o.bytes()
}

// lead returns raw, an object, with a member put first that it lacks.
func lead(raw []byte, key string, val []byte) []byte {
	if field(raw, key) != nil {
		return raw
	}
	i := space(raw, 0) + 1
	out := append(append([]byte{'{'}, quote(key)...), ':')
	out = append(out, val...)
	if j := space(raw, i); j < len(raw) && raw[j] != '}' {
		out = append(out, ',')
	}
	return append(out, raw[i:]...)
}

// text is all text of a message, its blocks joined with a blank line.
func (m *Message) text() string {
	var parts []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// anthropicBlock encodes a block for Anthropic's Messages API.
func anthropicBlock(b *Block, id string) []byte {
	var o object
	switch b.Type {
	case Text:
		return o.str("type", "text").str("text", b.Text).bytes()
	case Thinking:
		if b.Raw != nil && !openAI(b.Raw) {
			return b.Raw
		}
		return signed(b.Text, quote(""))
	case Call:
		return o.str("type", "tool_use").str("id", id).str("name", b.Name).raw("input", b.Input).bytes()
	case Result:
		o.str("type", "tool_result").str("tool_use_id", id).raw("content", resultContent(b))
		if b.Failed {
			o.raw("is_error", []byte("true"))
		}
		return o.bytes()
	}
	switch {
	case b.Raw != nil && !openAI(b.Raw):
		return b.Raw
	case b.Type == Image:
		return image(Anthropic, b)
	}
	return o.str("type", "text").str("text", b.Text).bytes()
}

// signed encodes thinking with its signature, a JSON string, for that API.
func signed(text string, signature []byte) []byte {
	var o object
	return o.str("type", "thinking").str("thinking", text).raw("signature", signature).bytes()
}

// resultContent is the content of a result: as recorded if it has images that
// are still part of it, else its text.
func resultContent(b *Block) []byte {
	if b.Images > 0 && b.Raw != nil {
		text, n := content(b.Raw)
		if it := walk(b.Raw); text == b.Text && n == b.Images && !(it.next() && openAI(it.val)) {
			return b.Raw
		}
	}
	return quote(b.Text)
}

// anthropicBlocks encodes blocks as a content array.
func anthropicBlocks(blocks []Block) []byte {
	return listOf(blocks, func(b *Block) []byte { return anthropicBlock(b, b.ID) })
}
