package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The blocks of Anthropic's Messages API, which Claude Code, Cline, the
// message arrays and, with other names, pi record.

// answerBlock decodes one block of an assistant message.
func answerBlock(v []byte) (Block, bool) {
	var kind, text, thinking, signature, data, id, name, in, sig []byte
	read(v,
		member{"type", &kind}, member{"text", &text}, member{"thinking", &thinking}, member{"signature", &signature},
		member{"thinkingSignature", &signature}, member{"data", &data}, member{"id", &id},
		member{"name", &name}, member{"input", &in}, member{"arguments", &in},
		member{"sig", &sig}, // of programs: the length of the signature
	)
	switch {
	case is(kind, "text"):
		return Block{Type: Text, Text: str(text)}, true
	case is(kind, "thinking"):
		return Block{Type: Thinking, Text: str(thinking), Opaque: strLen(signature) + max(num(sig), 0), Raw: raw(v)}, true
	case is(kind, "redacted_thinking"):
		return Block{Type: Thinking, Opaque: strLen(data), Raw: raw(v)}, true
	case is(kind, "tool_use"), is(kind, "toolCall"):
		return Block{Type: Call, ID: str(id), Name: str(name), Input: input(in)}, true
	case isString(v):
		return Block{Type: Text, Text: str(v)}, true
	case !isObject(v):
		return Block{}, false
	}
	// Calls of tools that the provider runs and their results, and what newer
	// versions invent: sent back as they are.
	return unknown(v, name), true
}

// answerBlocks decodes the content of an assistant message.
func answerBlocks(v []byte) (blocks []Block) {
	if isString(v) {
		return []Block{{Type: Text, Text: str(v)}}
	}
	for it := walk(v); it.next(); {
		if x, ok := answerBlock(it.val); ok {
			blocks = append(blocks, x)
		}
	}
	return blocks
}

// unknown makes a block of what is of no known type. What is no JSON of its own
// cannot go back as it is: it becomes text.
func unknown(v, name []byte) Block {
	if r := raw(v); r != nil {
		return Block{Type: Other, Name: str(name), Text: shown(v), Raw: r}
	}
	return Block{Type: Text, Text: shown(v)}
}

// userBlock decodes one block of a user message: text, an image, a tool's
// result or something else.
func userBlock(v []byte) (Block, bool) {
	if isString(v) {
		return Block{Type: Text, Text: str(v)}, true
	}
	if !isObject(v) {
		return Block{}, false
	}
	var kind, text, id, body, failed, name, img []byte
	read(v,
		member{"type", &kind}, member{"text", &text}, member{"tool_use_id", &id}, member{"toolCallId", &id},
		member{"toolUseId", &id}, member{"content", &body}, member{"output", &body}, member{"is_error", &failed},
		member{"isError", &failed}, member{"toolName", &name}, member{"name", &name},
		member{"img", &img}, // of programs: the number of images
	)
	switch {
	case is(kind, "text"), is(kind, "input_text"), is(kind, "output_text"):
		return Block{Type: Text, Text: str(text)}, true
	case is(kind, "image"), is(kind, "input_image"), is(kind, "image_url"):
		return Block{Type: Image, Raw: raw(v)}, true
	case is(kind, "tool_result"), is(kind, "toolResult"):
		x := resultBlock(body)
		x.ID, x.Name, x.Failed = str(id), str(name), isTrue(failed)
		x.Images = max(x.Images, num(img))
		return x, true
	case is(kind, "document"), is(kind, "file"), is(kind, "input_file"):
		return Block{Type: Other, Text: "[document]", Raw: raw(v)}, true
	case kind == nil && text != nil:
		return Block{Type: Text, Text: str(text)}, true
	}
	return unknown(v, name), true
}

// resultBlock makes a result of a tool's output. Output with images keeps its
// recorded form, since its text alone cannot be written back.
func resultBlock(body []byte) Block {
	x := Block{Type: Result}
	x.Text, x.Images = content(body)
	if x.Images > 0 {
		x.Raw = raw(body)
	}
	return x
}

// raw returns a copy of a recorded value, or nil if it is no valid JSON.
func raw(v []byte) json.RawMessage {
	if !json.Valid(v) {
		return nil
	}
	return bytes.Clone(v)
}

// shown returns a value as text, on one line if it is JSON.
func shown(v []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, v) == nil {
		v = b.Bytes()
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}
