package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/satchel-dev/satchel/transcript"
)

// A messageFile is what programs hand over: an object with a list of messages
// in the shape of Anthropic's API, each with a kind besides.
type messageFile struct {
	Format   string            `json:"format,omitempty"`
	Budget   int               `json:"budget,omitempty"`
	Messages []json.RawMessage `json:"messages"`
}

type wireMessage struct {
	Role    transcript.Role `json:"role"`
	Kind    string          `json:"kind,omitempty"`
	Content json.RawMessage `json:"content"`
}

type wireBlock struct {
	Type      transcript.BlockType `json:"type"`
	Text      *string              `json:"text,omitempty"`
	Thinking  *string              `json:"thinking,omitempty"`
	Data      string               `json:"data,omitempty"` // of redacted thinking
	ID        string               `json:"id,omitempty"`
	Name      string               `json:"name,omitempty"`
	Input     json.RawMessage      `json:"input,omitempty"`
	ToolUseID string               `json:"tool_use_id,omitempty"`
	Content   json.RawMessage      `json:"content,omitempty"`
	IsError   bool                 `json:"is_error,omitempty"`
}

// The names of kinds in message files.
var wireKinds = map[transcript.Kind]string{
	transcript.Prompt: "prompt", transcript.Meta: "meta", transcript.Summary: "summary", transcript.Results: "tool", transcript.Answer: "assistant",
}

// readMessages reads a message file, or a bare array of messages. The raw form
// of each message is returned too, to be written back where nothing changed.
func readMessages(text []byte) (*messageFile, []transcript.Message, error) {
	var f messageFile
	if t := bytes.TrimLeft(text, " \t\r\n"); len(t) > 0 && t[0] == '[' {
		if err := json.Unmarshal(text, &f.Messages); err != nil {
			return nil, nil, err
		}
	} else if err := json.Unmarshal(text, &f); err != nil {
		return nil, nil, err
	}
	ms := make([]transcript.Message, len(f.Messages))
	for i, raw := range f.Messages {
		m, err := readMessage(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		ms[i] = m
	}
	return &f, ms, nil
}

func readMessage(raw json.RawMessage) (transcript.Message, error) {
	var w wireMessage
	if err := json.Unmarshal(raw, &w); err != nil {
		return transcript.Message{}, err
	}
	m := transcript.Message{Role: w.Role}
	var blocks []json.RawMessage
	var text string
	switch err := json.Unmarshal(w.Content, &text); {
	case err == nil:
		m.Blocks = []transcript.Block{{Type: transcript.Text, Text: text}}
	default:
		if err := json.Unmarshal(w.Content, &blocks); err != nil {
			return m, fmt.Errorf("content is neither text nor a list of blocks")
		}
	}
	results := false
	for _, b := range blocks {
		blk, err := readBlock(b)
		if err != nil {
			return m, err
		}
		results = results || blk.Type == transcript.Result
		m.Blocks = append(m.Blocks, blk)
	}
	m.Kind = transcript.Prompt
	for k, name := range wireKinds {
		if name == w.Kind {
			m.Kind = k
		}
	}
	switch {
	case m.Role == transcript.Assistant:
		m.Kind = transcript.Answer
	case m.Role != transcript.User:
		return m, fmt.Errorf("role %q is neither user nor assistant", m.Role)
	case results:
		m.Kind = transcript.Results
	}
	return m, nil
}

func readBlock(raw json.RawMessage) (transcript.Block, error) {
	var w wireBlock
	if err := json.Unmarshal(raw, &w); err != nil {
		return transcript.Block{}, err
	}
	b := transcript.Block{Type: w.Type, Raw: raw}
	switch w.Type {
	case transcript.Text:
		if w.Text != nil {
			b.Text = *w.Text
		}
	case transcript.Thinking:
		if w.Thinking != nil {
			b.Text = *w.Thinking
		}
	case "redacted_thinking":
		b.Type, b.Opaque = transcript.Thinking, len(w.Data)
	case transcript.Call:
		b.ID, b.Name, b.Input = w.ID, w.Name, w.Input
	case transcript.Result:
		b.ID, b.Failed = w.ToolUseID, w.IsError
		b.Text, b.Images = resultText(w.Content)
	case transcript.Image:
	default:
		b.Type = transcript.Other
	}
	return b, nil
}

// resultText returns what the model sees of a result.
func resultText(content json.RawMessage) (text string, images int) {
	if json.Unmarshal(content, &text) == nil {
		return text, 0
	}
	var blocks []wireBlock
	if json.Unmarshal(content, &blocks) != nil {
		return string(content), 0
	}
	for _, b := range blocks {
		switch {
		case b.Type == transcript.Image:
			images++
		case b.Text != nil:
			if text != "" {
				text += "\n"
			}
			text += *b.Text
		}
	}
	return text, images
}

// writeMessages returns messages as a message file of the format's name.
func writeMessages(f *messageFile, ms []transcript.Message) ([]byte, error) {
	out := messageFile{Format: f.Format, Budget: f.Budget, Messages: make([]json.RawMessage, len(ms))}
	for i := range ms {
		content := make([]json.RawMessage, len(ms[i].Blocks))
		for k := range ms[i].Blocks {
			raw, err := writeBlock(&ms[i].Blocks[k])
			if err != nil {
				return nil, fmt.Errorf("message %d: %w", i+1, err)
			}
			content[k] = raw
		}
		list, err := marshal(content)
		if err != nil {
			return nil, err
		}
		if out.Messages[i], err = marshal(wireMessage{Role: ms[i].Role, Kind: wireKinds[ms[i].Kind], Content: list}); err != nil {
			return nil, err
		}
	}
	return marshal(out)
}

func writeBlock(b *transcript.Block) (json.RawMessage, error) {
	if b.Raw != nil {
		return b.Raw, nil
	}
	w := wireBlock{Type: b.Type}
	switch b.Type {
	case transcript.Text:
		w.Text = &b.Text
	case transcript.Thinking:
		w.Thinking = &b.Text
	case transcript.Call:
		w.ID, w.Name, w.Input = b.ID, b.Name, b.Input
	case transcript.Result:
		text, err := marshal(b.Text)
		if err != nil {
			return nil, err
		}
		w.ToolUseID, w.IsError, w.Content = b.ID, b.Failed, text
	}
	return marshal(w)
}

// marshal is json.Marshal without the escapes for web pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
