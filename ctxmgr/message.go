package ctxmgr

import (
	"encoding/json"
	"slices"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// A Message is a message of a conversation with a model. It stands for hawk's
// types.EyrieMessage and has its names in JSON, but is a type of its own: a caller
// who has those converts them, as docs/ctxmgr.md shows.
type Message struct {
	Role         string            `json:"role"` // user, assistant, …
	Content      string            `json:"content"`
	Thinking     string            `json:"thinking,omitempty"`
	ContentParts []json.RawMessage `json:"content_parts,omitempty"` // carried, not read
	Images       []string          `json:"images,omitempty"`        // carried, not read
	ToolUse      []ToolCall        `json:"tool_use,omitempty"`
	ToolResults  []ToolResult      `json:"tool_results,omitempty"`
}

// A ToolCall is an assistant's call of a tool.
type ToolCall struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
}

// A ToolResult answers a ToolCall.
type ToolResult struct {
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error,omitempty"`
}

// CollapseRepeatedMessages shortens the results of tools that repeat: of errors
// that are equal the last stays, with a count, and of three and more results in
// a row that begin alike the first and the last. Only the Content of results is
// rewritten: no message and no result goes, and no id changes. The input is not
// changed. See [trim.Collapse].
func CollapseRepeatedMessages(msgs []Message) []Message {
	in := make([]transcript.Message, len(msgs))
	first := make([]int, len(msgs)) // the block of the first result
	for i := range msgs {
		in[i], first[i] = recorded(&msgs[i])
	}
	out := slices.Clone(msgs)
	for i, m := range trim.Collapse(in) {
		results := slices.Clone(msgs[i].ToolResults)
		for k := range results {
			results[k].Content = m.Blocks[first[i]+k].Text
		}
		out[i].ToolResults = results
	}
	return out
}

// recorded is a message as trim sees it.
func recorded(m *Message) (r transcript.Message, firstResult int) {
	r.Role, r.Kind = transcript.User, transcript.Prompt
	switch {
	case m.Role == "assistant":
		r.Role, r.Kind = transcript.Assistant, transcript.Answer
	case len(m.ToolResults) > 0:
		r.Kind = transcript.Results
	case m.Role != "user":
		r.Kind = transcript.Meta
	}
	for _, b := range []transcript.Block{{Type: transcript.Thinking, Text: m.Thinking}, {Type: transcript.Text, Text: m.Content}} {
		if b.Text != "" {
			r.Blocks = append(r.Blocks, b)
		}
	}
	for _, c := range m.ToolUse {
		r.Blocks = append(r.Blocks, transcript.Block{Type: transcript.Call, ID: c.ID, Name: c.Name, Input: c.Input})
	}
	firstResult = len(r.Blocks)
	for _, t := range m.ToolResults {
		r.Blocks = append(r.Blocks, transcript.Block{Type: transcript.Result, ID: t.ToolUseID, Text: t.Content, Failed: t.IsError})
	}
	return r, firstResult
}
