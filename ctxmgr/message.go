package ctxmgr

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Message is a message of a conversation with a model. It has the JSON names of
// hawk's types.EyrieMessage; docs/design/012-ctxmgr.md shows how to convert between them.
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

// How many results have to repeat, and how many bytes make them alike.
const (
	leastErrors  = 2
	leastOutputs = 3
	prefixBytes  = 100
)

// CollapseRepeatedMessages shortens the results of tools that repeat: of equal
// errors the last stays, and the others get a count; of three or more results in a
// row that begin alike the first and the last stay.
//
// It rewrites only the Content of results: no message, result or id changes, so
// every call still has its result. Results are in a row if only further calls are
// between them. Empty results are not alike. Results that an earlier call collapsed
// stay as they are. The input is not changed.
func CollapseRepeatedMessages(msgs []Message) []Message {
	out := slices.Clone(msgs)
	for i := range out {
		out[i].ToolResults = slices.Clone(msgs[i].ToolResults)
	}
	for _, row := range resultRows(out) {
		for from := 0; from < len(row); {
			first := *row[from]
			least := leastOutputs
			alike := func(r *ToolResult) bool { return !r.IsError && prefix(r.Content) == prefix(first.Content) }
			if first.IsError {
				least = leastErrors
				alike = func(r *ToolResult) bool { return r.IsError && r.Content == first.Content }
			}

			to := from + 1
			for to < len(row) && prefix(first.Content) != "" && alike(row[to]) {
				to++
			}
			if to-from >= least {
				collapse(row[from:to])
			}
			from = to
		}
	}
	return out
}

// collapse rewrites results that are alike, unless that makes them longer.
func collapse(run []*ToolResult) {
	first, last := *run[0], *run[len(run)-1]
	for i, r := range run {
		text := r.Content
		switch {
		case first.IsError && i < len(run)-1:
			text = fmt.Sprintf(sameError+"%s, %d of %d times]", last.ToolUseID, i+1, len(run))
		case first.IsError || i == 0 || i == len(run)-1:
		case r.Content == first.Content:
			text = sameOutput + first.ToolUseID + "]"
		default:
			text = similarOutput + first.ToolUseID + "]"
		}
		if len(text) < len(r.Content) {
			r.Content = text
		}
	}
}

// How a collapsed result begins.
const (
	sameError     = "[same error as call "
	sameOutput    = "[same output as call "
	similarOutput = "[similar output to call "
)

// isCollapsed reports whether collapse wrote a text.
func isCollapsed(text string) bool {
	return strings.HasPrefix(text, sameError) || strings.HasPrefix(text, sameOutput) || strings.HasPrefix(text, similarOutput)
}

// resultRows returns the results that are in a row, without collapsed ones. A
// message with text ends a row.
func resultRows(msgs []Message) (rows [][]*ToolResult) {
	var row []*ToolResult
	for i := range msgs {
		for k := range msgs[i].ToolResults {
			if r := &msgs[i].ToolResults[k]; !isCollapsed(r.Content) {
				row = append(row, r)
			}
		}
		if strings.TrimSpace(msgs[i].Content) != "" {
			rows, row = append(rows, row), nil
		}
	}
	return append(rows, row)
}

// prefix returns the part of an output that makes it like others: its first line
// if that is short, else its first hundred bytes.
func prefix(text string) string {
	text = strings.TrimSpace(text)
	if line, _, ok := strings.Cut(text[:min(len(text), prefixBytes+1)], "\n"); ok {
		return line
	}
	return text[:min(len(text), prefixBytes)]
}
