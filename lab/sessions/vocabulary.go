package main

import (
	"bytes"
	"encoding/json"

	"github.com/satchel-dev/satchel/transcript"
)

// toolWords are settings of calls that are words of the tools, not of the session.
var toolWords = map[string]bool{
	"in_progress": true, "completed": true, "files_with_matches": true, "require_escalated": true, "use_default": true,
}

// vocabulary returns the names that belong to the tools: theirs, those of their
// fields, and the numbers and words that they are set to. An agent has them from
// its system prompt, so that no context need keep them.
func vocabulary(messages ...[]transcript.Message) map[string]bool {
	out := map[string]bool{}
	for _, ms := range messages {
		for i := range ms {
			for k := range ms[i].Blocks {
				if b := &ms[i].Blocks[k]; b.Type == transcript.Call {
					out[b.Name] = true
					toolNames(b.Input, out)
				}
			}
		}
	}
	return out
}

func toolNames(input json.RawMessage, into map[string]bool) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return
	}
	if top, ok := v.(map[string]any); ok {
		for _, x := range top {
			if s, ok := x.(string); ok && toolWords[s] {
				into[s] = true
			}
		}
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				into[k] = true
				if n, ok := x.(json.Number); ok {
					into[n.String()] = true
				}
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
}
