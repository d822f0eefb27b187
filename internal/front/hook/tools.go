package hook

import (
	"encoding/json"
	"strings"

	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// toolUse says what a call does to a file; its path is empty if it does nothing
// to any.
func toolUse(call *transcript.Block) (u session.ToolUse) {
	use := reuse.UseOf(call)
	if use.Path == "" || !use.Edits && use.Source != reuse.Read {
		return u
	}
	u.Path, u.Edited = use.Path, use.Edits
	if use.Edits {
		// Who writes a file as a whole knows all of it.
		name := strings.ToLower(call.Name)
		u.Whole = strings.HasPrefix(name, "write") || strings.HasPrefix(name, "create")
		return u
	}
	// A shell's command may show a part only.
	_, clip, file := reuse.Reads(call)
	u.Whole = file && clip == ""
	return u
}

// A staleResult is a result that pi need not send any more.
type staleResult struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

// pruneStale answers pi's context event: it lists results that a trim would remove.
// Results of the last turn stay, because the agent has hardly used them.
func pruneStale(messages []json.RawMessage) []byte {
	type part struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Arguments json.RawMessage `json:"arguments"`
	}
	type message struct {
		Role       string          `json:"role"`
		ToolCallID string          `json:"toolCallId"`
		IsError    bool            `json:"isError"`
		Content    json.RawMessage `json:"content"`
	}
	var blocks []transcript.Block
	var at []int // the message of each block
	keep := 0    // blocks before the last user's turn
	for i, raw := range messages {
		var m message
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		var parts []part
		_ = json.Unmarshal(m.Content, &parts) // a plain string has none
		switch m.Role {
		case "user":
			keep = len(blocks)
		case "assistant":
			for _, p := range parts {
				if p.Type == "toolCall" {
					blocks, at = append(blocks, transcript.Block{Type: transcript.Call, ID: p.ID, Name: p.Name, Input: p.Arguments}), append(at, i)
				}
			}
		case "toolResult":
			b := transcript.Block{Type: transcript.Result, ID: m.ToolCallID, Failed: m.IsError}
			for _, p := range parts {
				if b.Text += p.Text; p.Type != "text" {
					b.Images++
				}
			}
			blocks, at = append(blocks, b), append(at, i)
		}
	}
	out := []staleResult{}
	for k, why := range trim.Stale(blocks)[:keep] {
		if why != trim.Needed && len(blocks[k].Text) >= minStale {
			out = append(out, staleResult{at[k], "[satchel left this out: " + staleWhy[why] + "]"})
		}
	}
	if len(out) == 0 {
		return nil
	}
	return encode(struct {
		Stale []staleResult `json:"stale"`
	}{out})
}

var staleWhy = map[trim.Staleness]string{
	trim.Repeated:  "it comes again later, word for word",
	trim.SameError: "the same error comes again later",
	trim.Reread:    "the file was read again later",
	trim.Rewritten: "the file was written whole later",
}

// minStale is the length from which on a result is worth leaving out, in bytes.
const minStale = 400
