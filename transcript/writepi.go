package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// A piWriter appends entries to a pi session.
type piWriter struct {
	*rewriter
	ids    map[uint64]bool // hashes of those in use
	last   string          // id of the last entry
	order  piOrder
	list   bool   // of what order says, once all is read
	n      int    // records
	answer []byte // the message of the last answer, for its api and provider
}

// writePi appends a compaction. If what follows the summary is the end of the
// session as it stands, the compaction names its first entry; else copies of
// the entries follow the compaction. Without a summary the messages become a
// branch of their own, from where the first of them hung; the branch that is left
// ends with a compaction that keeps nothing, for readers that go by the order of
// the entries.
func writePi(x *rewriter) error {
	w := &piWriter{rewriter: x, ids: map[uint64]bool{}}
	var keep string // id of the first entry that stays
	keepIndex := 0
	named, leaf := false, false // the entry that keep is of, and the last one, can be named
	rest := x.Messages
	var span Span
	tail := false
	summary := rest[0].Kind == Summary
	if summary {
		rest = rest[1:]
		span, tail = x.tail(1)
	}
	if _, err := each(x.r, x.size, x.layout, nil, func(n int, rec record) error {
		w.n++
		own := w.entry(rec.raw)
		if tail && rec.span.Offset == span.Offset {
			keep, keepIndex, named = w.last, n, own
		}
		leaf = own
		return nil
	}); err != nil {
		return err
	}
	w.list = w.order.list()
	tail = tail && (w.list || named && leaf)
	if err := x.copyLines(); err != nil {
		return err
	}
	if !summary && !w.list {
		if err := w.compaction("", false, "", 0); err != nil {
			return err
		}
		w.last = w.root()
	} else {
		text := ""
		if summary {
			text = x.Messages[0].text()
		}
		if err := w.compaction(text, tail, keep, keepIndex); err != nil {
			return err
		}
		if tail {
			return nil
		}
	}
	for i := range rest {
		if err := w.message(len(x.Messages)-len(rest)+i, &rest[i]); err != nil {
			return err
		}
	}
	return nil
}

// root returns the entry that the first message of the session hangs on: one that
// sets the model, or how much it thinks; "" if there is none.
func (w *piWriter) root() string {
	if len(w.sess.Messages) == 0 {
		return ""
	}
	m := &w.sess.Messages[0]
	if m.Kind == Summary || len(m.Spans) == 0 {
		return ""
	}
	raw, err := w.native(m.Spans[0])
	if err != nil {
		return ""
	}
	if id := str(field(raw, "parentId")); w.ids[hash(id)] {
		return id
	}
	return ""
}

// entry remembers what later entries need of one that is there. It reports
// whether the entry can be named: it has an id that no earlier one has.
func (w *piWriter) entry(raw []byte) (own bool) {
	var kind, id, message []byte
	read(raw, member{"type", &kind}, member{"id", &id}, member{"message", &message})
	if is(kind, "session") {
		w.order.header(raw)
		return false
	}
	if is(field(message, "role"), "assistant") {
		w.answer = bytes.Clone(message)
	}
	if !isString(id) {
		return false
	}
	w.order.ids = true
	w.last = str(id)
	h := hash(w.last)
	own = !w.ids[h]
	w.ids[h] = true
	return own
}

// begin starts an entry: its type, ids and time.
func (w *piWriter) begin(kind string) *object {
	o := &object{}
	o.str("type", kind)
	t := w.tick()
	if !w.list {
		id := w.next(kind + t.Format(stamp))
		o.str("id", id)
		o.raw("parentId", quoteOrNull(w.last))
		w.last = id
	}
	return o.str("timestamp", t.Format(stamp))
}

// next derives an id of eight hexadecimal digits that is not in use.
func (w *piWriter) next(seed string) string {
	for n := 0; ; n++ {
		id := fmt.Sprintf("%08x", uint32(hash(w.last+seed+strconv.Itoa(n))>>16))
		if h := hash(id); !w.ids[h] {
			w.ids[h] = true
			return id
		}
	}
}

func (w *piWriter) compaction(text string, tail bool, keep string, keepIndex int) error {
	index := w.n
	o := w.begin("compaction")
	o.str("summary", text)
	switch {
	case w.list && tail:
		o.raw("firstKeptEntryIndex", strconv.AppendInt(nil, int64(keepIndex), 10))
	case w.list: // itself: no entry before it stays
		o.raw("firstKeptEntryIndex", strconv.AppendInt(nil, int64(index), 10))
	case tail:
		o.str("firstKeptEntryId", keep)
	default:
		o.str("firstKeptEntryId", w.last)
	}
	o.raw("tokensBefore", strconv.AppendInt(nil, int64(w.TokensBefore), 10))
	var d object
	d.raw("readFiles", names(w.Read)).raw("modifiedFiles", names(w.Modified))
	return w.line(o.raw("details", d.bytes()).bytes())
}

// names encodes paths as an array.
func names(paths []string) []byte {
	return listOf(paths, func(p *string) []byte { return quote(*p) })
}

// message appends the i-th message: copies of its entries, if it is the
// session's own, else new ones.
func (w *piWriter) message(i int, m *Message) error {
	if w.solo[i] && m.Kind != Summary { // whose entry may be a compaction
		return w.copies(m)
	}
	switch m.Kind {
	case Answer:
		return w.line(w.begin("message").raw("message", w.assistant(m)).bytes())
	case Results:
		for j := range m.Blocks {
			b := &m.Blocks[j]
			if b.Type != Result {
				continue
			}
			var o object
			o.str("role", "toolResult").str("toolCallId", b.ID).str("toolName", b.Name)
			c := resultContent(b)
			if isString(c) {
				c = piText(b.Text)
			}
			o.raw("content", c).raw("isError", strconv.AppendBool(nil, b.Failed)).raw("timestamp", w.ms())
			if err := w.line(w.begin("message").raw("message", o.bytes()).bytes()); err != nil {
				return err
			}
		}
		return nil
	case Summary:
		return w.line(w.begin("branch_summary").str("fromId", "root").str("summary", m.text()).bytes())
	case Meta:
		o := w.begin("custom_message").str("customType", "satchel").raw("content", anthropicBlocks(m.Blocks))
		return w.line(o.raw("display", []byte("false")).bytes())
	}
	var o object
	o.str("role", "user").raw("content", anthropicBlocks(m.Blocks)).raw("timestamp", w.ms())
	return w.line(w.begin("message").raw("message", o.bytes()).bytes())
}

func (w *piWriter) ms() []byte { return strconv.AppendInt(nil, w.Now.UnixMilli(), 10) }

func piText(s string) []byte {
	if s == "" {
		return []byte("[]")
	}
	var o object
	return list([][]byte{o.str("type", "text").str("text", s).bytes()})
}

const piNoUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// assistant encodes an answer. What pi has to know about its origin comes from
// the record that it was read from, else from the session's last answer.
func (w *piWriter) assistant(m *Message) []byte {
	vals := make([][]byte, 0, len(m.Blocks))
	calls := false
	for j := range m.Blocks {
		b := &m.Blocks[j]
		var o object
		switch {
		case b.Type == Call:
			calls = true
			o.str("type", "toolCall").str("id", b.ID).str("name", b.Name).raw("arguments", b.Input)
			vals = append(vals, o.bytes())
		case b.Type == Thinking && b.Raw == nil:
			vals = append(vals, o.str("type", "thinking").str("thinking", b.Text).bytes())
		default:
			vals = append(vals, anthropicBlock(b, b.ID))
		}
	}
	origin := w.answer
	if len(m.Spans) > 0 {
		if raw, err := w.native(m.Spans[0]); err == nil {
			if v := field(raw, "message"); v != nil {
				origin = v
			}
		}
	}
	stop := "stop"
	if calls {
		stop = "toolUse"
	}
	var o object
	o.str("role", "assistant").raw("content", list(vals))
	for _, key := range []string{"api", "provider", "model"} {
		if v := field(origin, key); isString(v) && json.Valid(v) {
			o.raw(key, v)
		} else {
			o.str(key, "unknown")
		}
	}
	// The usage was of a context that is no more.
	return o.raw("usage", []byte(piNoUsage)).str("stopReason", stop).raw("timestamp", w.ms()).bytes()
}

// copies appends the entries of a message again, with new ids and without their
// usage.
func (w *piWriter) copies(m *Message) error {
	for _, s := range m.Spans {
		raw, err := w.native(s)
		if err != nil {
			return err
		}
		parent, t := w.last, w.tick()
		id := ""
		if !w.list {
			id = w.next("copy" + t.Format(stamp))
			w.last = id
			raw = lead(lead(raw, "parentId", []byte("null")), "id", []byte("null"))
		}
		raw = change(raw, func(key string, val []byte) []byte {
			switch {
			case key == "id" && id != "":
				return quote(id)
			case key == "parentId" && id != "":
				return quoteOrNull(parent)
			case key == "timestamp":
				return quote(t.Format(stamp))
			case key == "message" && m.Kind == Answer:
				return change(val, func(key string, _ []byte) []byte {
					if key == "usage" {
						return []byte(piNoUsage)
					}
					return nil
				})
			}
			return nil
		})
		if err := w.line(raw); err != nil {
			return err
		}
	}
	return nil
}
