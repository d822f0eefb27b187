package transcript

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/satchel-dev/satchel/internal/agents"
)

// writeCodex appends a compacted line, whose replacement_history is all that
// the model is to be sent, and the event that Codex writes behind one. Its
// message stays empty, as in Codex's own lines where the provider compacted: it
// is for readers that know no history, and the others would have the summary
// twice.
func writeCodex(x *rewriter) error {
	if err := x.copyLines(); err != nil {
		return err
	}
	var items [][]byte
	var summaries [][]byte
	for i := range x.Messages {
		m := &x.Messages[i]
		if m.Kind == Summary {
			summaries = append(summaries, strconv.AppendInt(nil, int64(len(items)), 10))
		}
		own, err := codexItems(x, i, m)
		if err != nil {
			return err
		}
		items = append(items, own...)
	}
	var payload object
	payload.str("message", "").raw("replacement_history", list(items))
	if len(summaries) > 0 {
		// Codex passes over members that it does not know; our reader learns
		// here which of the user's messages are summaries.
		payload.raw("satchel", (&object{}).raw("summaries", list(summaries)).bytes())
	}
	// Newer versions number their records and resume no session whose last one
	// lacks its number.
	ordinal, numbered := 0, false
	if _, err := each(x.r, x.size, x.layout, nil, func(_ int, rec record) error {
		if v := field(rec.raw, "ordinal"); v != nil {
			ordinal, numbered = max(ordinal, num(v)), true
		}
		return nil
	}); err != nil {
		return err
	}
	put := func(kind string, payload []byte) error {
		var o object
		o.str("timestamp", x.tick().Format(stamp))
		if ordinal++; numbered {
			o.raw("ordinal", strconv.AppendInt(nil, int64(ordinal), 10))
		}
		return x.line(o.str("type", kind).raw("payload", payload).bytes())
	}
	if err := put("compacted", payload.bytes()); err != nil {
		return err
	}
	return put("event_msg", []byte(`{"type":"context_compacted"}`))
}

// codexItems are the items of the i-th message: as they were sent before, if it
// is the session's own.
func codexItems(x *rewriter, i int, m *Message) (items [][]byte, err error) {
	for _, s := range m.Spans {
		if !x.solo[i] {
			break
		}
		raw, err := x.native(s)
		if err != nil {
			return nil, err
		}
		switch item := field(raw, "payload"); {
		case item == nil: // of a version without wrappers
			items = append(items, raw)
		case is(field(raw, "type"), "response_item"):
			items = append(items, bytes.Clone(item))
		default:
			x.solo[i] = false // part of an earlier compaction
		}
	}
	if x.solo[i] {
		return items, nil
	}
	if m.Kind == Meta {
		// What the client said in the user's name stays there.
		role := "developer"
		if !slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Type != Text || !agents.Slipped(b.Text) }) {
			role = "user"
		}
		like := *m
		like.Role = Role(role)
		return responsesElements(&like), nil
	}
	return responsesElements(m), nil
}
