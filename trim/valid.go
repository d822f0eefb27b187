package trim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// repair makes messages acceptable to a provider: results stand first in the
// message after their calls, a call without a result gets one that says so, a
// result without a call becomes text, and nothing is empty. Messages that need
// no repair are shared with the input. Calls of the last message may wait for
// their results.
func repair(ms []transcript.Message) []transcript.Message {
	var out []transcript.Message
	for i := 0; i < len(ms); i++ {
		m := withoutEmpty(ms[i])
		waiting := []string(nil)
		if m.Role == transcript.User && len(out) > 0 {
			waiting = callsOf(&out[len(out)-1])
			// Results may be spread over several messages.
			for i+1 < len(ms) && len(waiting) > 0 && ms[i+1].Role == transcript.User && answers(&ms[i+1], waiting) {
				i++
				m.Blocks = slices.Concat(m.Blocks, withoutEmpty(ms[i]).Blocks)
			}
		}
		if n := len(out); n > 0 && m.Role == transcript.Assistant && len(callsOf(&out[n-1])) > 0 {
			out = append(out, answer(transcript.Message{Role: transcript.User, Kind: transcript.Results}, callsOf(&out[n-1])))
		}
		m = answer(m, waiting)
		if len(m.Blocks) > 0 {
			out = append(out, m)
		}
	}
	return out
}

func withoutEmpty(m transcript.Message) transcript.Message {
	empty := func(b transcript.Block) bool { return b.Type == transcript.Text && strings.TrimSpace(b.Text) == "" }
	if slices.ContainsFunc(m.Blocks, empty) {
		m.Blocks = slices.DeleteFunc(slices.Clone(m.Blocks), empty)
	}
	return m
}

func callsOf(m *transcript.Message) []string {
	var ids []string
	for i := range m.Blocks {
		if m.Blocks[i].Type == transcript.Call {
			ids = append(ids, m.Blocks[i].ID)
		}
	}
	return ids
}

func set(ids []string) map[string]bool {
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// answers reports whether a message holds a result of one of the calls.
func answers(m *transcript.Message, calls []string) bool {
	return slices.ContainsFunc(m.Blocks, func(b transcript.Block) bool {
		return b.Type == transcript.Result && slices.Contains(calls, b.ID)
	})
}

// answer returns the message with one result for each waiting call, in front,
// and no other results.
func answer(m transcript.Message, waiting []string) transcript.Message {
	n, inFront := 0, true
	results := make(map[string][]int) // id of a call → blocks that answer it
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Type == transcript.Result {
			inFront = inFront && n == i
			results[b.ID] = append(results[b.ID], i)
			n++
		}
	}
	if m.Role == transcript.Assistant && n == 0 {
		return m
	}
	each := n == len(waiting) && n == len(results) && n == len(set(waiting)) // one for each, if they are of the same calls
	if each && inFront && !slices.ContainsFunc(waiting, func(id string) bool { return results[id] == nil }) {
		return m
	}
	old := m.Blocks
	m.Blocks = nil
	used := make([]bool, len(old))
	for _, id := range waiting {
		if len(results[id]) == 0 {
			m.Blocks = append(m.Blocks, transcript.Block{Type: transcript.Result, ID: id, Text: "[no result was recorded]", Failed: true})
			continue
		}
		at := results[id][0]
		results[id] = results[id][1:] // an id may come twice
		used[at] = true
		m.Blocks = append(m.Blocks, old[at])
	}
	for i, b := range old {
		if b.Type == transcript.Result {
			if used[i] || strings.TrimSpace(b.Text) == "" {
				continue
			}
			b = transcript.Block{Type: transcript.Text, Text: "[a result without its call]\n" + b.Text}
		}
		m.Blocks = append(m.Blocks, b)
	}
	return m
}

// shorten returns a call whose input has no string longer than limit bytes: of
// longer ones the first and last parts remain around a mark.
func shorten(b transcript.Block, limit int) transcript.Block {
	var v any
	dec := json.NewDecoder(bytes.NewReader(b.Input))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return b
	}
	cut := false
	v = shortenValue(v, limit, &cut)
	if !cut {
		return b
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return b
	}
	b.Input, b.Raw = bytes.TrimSpace(out.Bytes()), nil
	return b
}

func shortenValue(v any, limit int, cut *bool) any {
	switch v := v.(type) {
	case string:
		if len(v) <= limit+40 {
			return v
		}
		*cut = true
		return fmt.Sprintf("%s… %d characters left out …%s", strings.ToValidUTF8(v[:limit/2], ""), len(v)-limit, strings.ToValidUTF8(v[len(v)-limit/2:], ""))
	case []any:
		for i := range v {
			v[i] = shortenValue(v[i], limit, cut)
		}
	case map[string]any:
		for k := range v {
			v[k] = shortenValue(v[k], limit, cut)
		}
	}
	return v
}
