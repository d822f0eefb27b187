package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// hollowElements say nothing, each in another way, in the arrays of a format.
var hollowElements = map[Format][]string{
	Messages: {`{"role":"assistant","kind":"assistant","content":[]}`, `{"role":"assistant","content":""}`,
		`{"role":"assistant","kind":"assistant","content":[{"type":"thinking","thinking":""}]}`, `{"role":"user","kind":"prompt","content":[{"type":"text","text":" \n"}]}`},
	Anthropic: {`{"role":"assistant","content":[]}`, `{"role":"assistant","content":[{"type":"text","text":""}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":""}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"nobody","content":"x"}]}`, `{"role":"user","content":""}`},
	Chat:      {`{"role":"assistant","content":null}`, `{"role":"assistant","content":""}`, `{"role":"tool","tool_call_id":"nobody","content":"x"}`, `{"role":"user","content":[]}`, `{"role":"system","content":""}`},
	Responses: {`{"type":"message","role":"assistant","content":[]}`, `{"type":"reasoning","summary":[]}`, `{"type":"function_call_output","call_id":"nobody","output":"x"}`, `{"role":"user","content":[]}`},
}

// arrayOf takes a document apart around the elements of its array.
func arrayOf(t *testing.T, data []byte, f Format) (elements []json.RawMessage, with func([]json.RawMessage) []byte) {
	t.Helper()
	encode := func(v any) []byte {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if json.Unmarshal(data, &elements) == nil {
		return elements, func(all []json.RawMessage) []byte { return encode(all) }
	}
	var doc map[string]json.RawMessage
	key := "messages"
	if f == Responses {
		key = "input"
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatalf("no document: %v\n%s", err, data)
	}
	if err := json.Unmarshal(doc[key], &elements); err != nil {
		t.Fatalf("no array: %v\n%s", err, data)
	}
	return elements, func(all []json.RawMessage) []byte {
		doc[key] = encode(all)
		return encode(doc)
	}
}

// hollowIn says which element or block of a written array says nothing, or stands
// where a provider does not take it; "" if none. It looks at the JSON alone.
func hollowIn(all []json.RawMessage) string {
	begun, calls := false, map[string]bool{}
	for i, raw := range all {
		var e struct {
			Type, Role string
			CallID     string `json:"tool_call_id"`
			ItemID     string `json:"call_id"`
			Content    any
			Reasoning  string                `json:"reasoning_content"`
			Calls      []struct{ ID string } `json:"tool_calls"`
		}
		if json.Unmarshal(raw, &e) != nil {
			return fmt.Sprintf("element %d is none: %s", i, raw)
		}
		for _, c := range e.Calls {
			calls[c.ID] = true
		}
		if strings.HasSuffix(e.Type, "_call") {
			calls[e.ItemID] = true
		}
		for _, id := range []string{e.CallID, e.ItemID} {
			if id != "" && !calls[id] {
				return fmt.Sprintf("element %d answers no call: %s", i, raw)
			}
		}
		if e.Role == "" { // an item that is no message
			continue
		}
		if system := e.Role == "system" || e.Role == "developer"; !begun && !system {
			if begun = true; e.Role != "user" {
				return fmt.Sprintf("the first message is element %d: %s", i, raw)
			}
		}
		switch c := e.Content.(type) {
		case string:
			if strings.TrimSpace(c) == "" && e.Role != "tool" && len(e.Calls) == 0 && e.Reasoning == "" {
				return fmt.Sprintf("element %d is blank: %s", i, raw)
			}
		case nil:
			if len(e.Calls) == 0 && e.Reasoning == "" {
				return fmt.Sprintf("element %d is empty: %s", i, raw)
			}
		case []any:
			if len(c) == 0 {
				return fmt.Sprintf("element %d has no content: %s", i, raw)
			}
			for _, b := range c {
				m, _ := b.(map[string]any)
				if m["type"] == "tool_use" {
					calls[fmt.Sprint(m["id"])] = true
				}
				text, isText := m["text"].(string)
				thought, thinks := m["thinking"].(string)
				_, signed := m["signature"]
				_, sized := m["sig"]
				switch {
				case isText && strings.TrimSpace(text) == "", thinks && strings.TrimSpace(thought) == "" && !signed && !sized,
					m["type"] == "tool_result" && !calls[fmt.Sprint(m["tool_use_id"])]:
					return fmt.Sprintf("element %d has a block that says nothing: %s", i, raw)
				}
			}
		}
	}
	return ""
}

// TestWriteHollow puts elements and blocks that say nothing into arrays, first,
// last and between: they change nothing of what is read, and none is written.
func TestWriteHollow(t *testing.T) {
	for _, name := range []string{"messages", "anthropic", "chat", "responses"} {
		ar, err := txtar.ParseFile("testdata/read/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		data := ar.Files[0].Data
		whole, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		elements, with := arrayOf(t, data, whole.Format)
		if why := hollowIn(elements); name != "messages" && why != "" {
			t.Errorf("%s: the golden session: %s", name, why)
		}
		for _, hollow := range hollowElements[whole.Format] {
			for at := range len(elements) + 1 {
				holed := with(slices.Insert(slices.Clone(elements), at, json.RawMessage(hollow)))
				s, err := Read(bytes.NewReader(holed), int64(len(holed)))
				if err != nil {
					t.Fatalf("%s with %s: %v", name, hollow, err)
				}
				if !slices.Equal(plain(s.Messages, s.Format), plain(whole.Messages, s.Format)) {
					continue // a gap may part two messages of one turn
				}
				for how, ms := range rewrites(s) {
					if how == "same" || Valid(ms) != nil {
						continue
					}
					var out bytes.Buffer
					if err := Write(&out, bytes.NewReader(holed), int64(len(holed)), &Rewrite{Messages: ms}); err != nil {
						t.Fatalf("%s %s with %s: %v", name, how, hollow, err)
					}
					written, _ := arrayOf(t, out.Bytes(), s.Format)
					if why := hollowIn(written); why != "" {
						t.Errorf("%s %s with %s at %d: %s", name, how, hollow, at, why)
					}
				}
				if at == 0 {
					writeLaws(t, holed, s)
				}
			}
		}
	}
}
