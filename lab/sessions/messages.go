package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/satchel-dev/satchel/transcript"
)

// decodeMessages reads what an outside command wrote: an array of messages, or an
// object that holds them. Nothing is mended, so that what a provider would refuse
// is seen.
func decodeMessages(text []byte) ([]transcript.Message, error) {
	text = bytes.TrimSpace(text)
	var list []json.RawMessage
	if len(text) > 0 && text[0] == '{' {
		var whole struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(text, &whole); err != nil {
			return nil, err
		}
		list = whole.Messages
	} else if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}

	out := make([]transcript.Message, len(list))
	for i, raw := range list {
		m, err := decodeMessage(raw)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		out[i] = m
	}
	return out, nil
}

func decodeMessage(raw json.RawMessage) (transcript.Message, error) {
	var e struct {
		Role    transcript.Role
		Kind    string
		Content json.RawMessage
	}
	m := transcript.Message{}
	if err := json.Unmarshal(raw, &e); err != nil {
		return m, err
	}
	m.Role = e.Role
	var text string
	if json.Unmarshal(e.Content, &text) == nil {
		m.Blocks = []transcript.Block{{Type: transcript.Text, Text: text}}
	} else if err := decodeBlocks(e.Content, &m); err != nil {
		return m, err
	}
	m.Kind = kindOf(e.Kind, &m)
	return m, nil
}

// kindOf returns the kind that a message is said to be of, or seems to be.
func kindOf(said string, m *transcript.Message) transcript.Kind {
	switch {
	case m.Role == transcript.Assistant:
		return transcript.Answer
	case said == "tool", said == string(transcript.Results):
		return transcript.Results
	case said != "":
		return transcript.Kind(said)
	}
	for i := range m.Blocks {
		if m.Blocks[i].Type == transcript.Result {
			return transcript.Results
		}
	}
	return transcript.Prompt
}

func decodeBlocks(content json.RawMessage, m *transcript.Message) error {
	var blocks []struct {
		Type           transcript.BlockType
		Text, Thinking string
		ID, Name       string
		ToolUseID      string `json:"tool_use_id"`
		Input, Content json.RawMessage
		IsError        bool `json:"is_error"`
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		return err
	}
	for _, e := range blocks {
		b := transcript.Block{Type: e.Type}
		switch e.Type {
		case transcript.Text:
			b.Text = e.Text
		case transcript.Thinking:
			b.Text = e.Thinking
		case transcript.Call:
			b.ID, b.Name, b.Input = e.ID, e.Name, e.Input
		case transcript.Result:
			b.ID, b.Failed, b.Text = e.ToolUseID, e.IsError, resultText(e.Content)
		}
		m.Blocks = append(m.Blocks, b)
	}
	return nil
}

// resultText returns the text of a result, which is a string or an array of
// blocks.
func resultText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	for i, p := range parts {
		if i > 0 {
			text += "\n"
		}
		text += cmp.Or(p.Text, map[bool]string{true: "[image]"}[p.Type == "image"])
	}
	return text
}
