package transcript

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strconv"
)

// A claudeWriter appends lines to a session of Claude Code.
type claudeWriter struct {
	*rewriter
	leaf   string // uuid of the line that the conversation ends with
	parent string // uuid of the last line written
	like   []byte // members that every line repeats: session, directory, version, branch
	seed   []byte // of new ids: the boundary stands for the whole file
	n      int
	uuids  map[string]string // uuids of copied lines → those of their copies
}

// writeClaude appends a compact_boundary line, the summary as the line that
// isCompactSummary marks, and lines for the other messages. Lines that are
// copied get uuids and message ids of their own, since the client joins lines
// that share one, wherever they stand; and no usage, since it is of a context
// that is no more and would start the next compaction at once.
func writeClaude(x *rewriter) error {
	w := &claudeWriter{rewriter: x, uuids: map[string]string{}}
	p := newClaudePlan()
	if _, err := each(x.r, x.size, x.layout, nil, func(n int, rec record) error {
		p.skim(n, rec.raw)
		return nil
	}); err != nil {
		return err
	}
	leaf := p.leaf()
	if _, err := each(x.r, x.size, x.layout, nil, func(n int, rec record) error {
		if leaf >= 0 && n == p.tree.record(leaf) {
			w.model(rec.raw)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := x.copyLines(); err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", x.size, w.leaf, x.Now.UTC().Format(stamp)))
	w.seed = sum[:]
	if err := w.boundary(); err != nil {
		return err
	}
	for i := range x.Messages {
		if err := w.message(i, &x.Messages[i]); err != nil {
			return err
		}
	}
	return nil
}

// model remembers what the line that the conversation ends with says of its
// session.
func (w *claudeWriter) model(raw []byte) {
	var o object
	for it := walk(raw); it.next(); {
		switch key := string(it.key); key {
		case "uuid":
			w.leaf = str(it.val)
		case "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId", "isSidechain":
			o.raw(key, append([]byte(nil), it.val...))
		}
	}
	w.like = o.b
}

// uuid derives the next id from the session and the position.
func (w *claudeWriter) uuid() string {
	w.n++
	h := sha256.Sum256(strconv.AppendInt(w.seed, int64(w.n), 10))
	h[6] = h[6]&0x0F | 0x80 // version 8: of one's own making (RFC 9562)
	h[8] = h[8]&0x3F | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// put appends a line behind the last one.
func (w *claudeWriter) put(kind string, rest func(o *object)) error {
	var o object
	o.raw("parentUuid", quoteOrNull(w.parent))
	if kind == "system" {
		o.str("logicalParentUuid", w.leaf)
	}
	o.str("type", kind)
	rest(&o)
	id := w.uuid()
	o.str("uuid", id).str("timestamp", w.tick().Format(stamp))
	if len(w.like) > 0 {
		o.b = append(append(o.b, ','), w.like[1:]...)
	}
	w.parent = id
	return w.line(o.bytes())
}

func (w *claudeWriter) boundary() error {
	return w.put("system", func(o *object) {
		var d object
		d.str("trigger", "manual").raw("preTokens", strconv.AppendInt(nil, int64(w.TokensBefore), 10))
		o.str("subtype", "compact_boundary").str("content", "Conversation compacted").raw("isMeta", []byte("false"))
		o.str("level", "info").raw("compactMetadata", d.bytes())
	})
}

func (w *claudeWriter) message(i int, m *Message) error {
	if w.solo[i] {
		return w.copies(m)
	}
	if m.Kind == Answer {
		return w.put("assistant", func(o *object) { o.raw("message", w.answer(m)) })
	}
	return w.put("user", func(o *object) {
		var d object
		d.str("role", "user")
		switch {
		case m.Kind == Summary:
			d.str("content", m.text())
		case len(m.Blocks) == 1 && m.Blocks[0].Type == Text:
			d.str("content", m.Blocks[0].Text)
		default:
			d.raw("content", anthropicBlocks(m.Blocks))
		}
		o.raw("message", d.bytes())
		switch m.Kind {
		case Summary:
			o.raw("isVisibleInTranscriptOnly", []byte("true")).raw("isCompactSummary", []byte("true"))
		case Meta:
			o.raw("isMeta", []byte("true"))
		}
	})
}

const claudeNoUsage = `{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`

func (w *claudeWriter) answer(m *Message) []byte {
	stop := "end_turn"
	for j := range m.Blocks {
		if m.Blocks[j].Type == Call {
			stop = "tool_use"
		}
	}
	var o object
	o.str("id", w.answerID("new")).str("type", "message").str("role", "assistant").str("model", cmp.Or(m.Model, w.sess.Model))
	o.raw("content", anthropicBlocks(m.Blocks)).str("stop_reason", stop).raw("stop_sequence", []byte("null"))
	return o.raw("usage", []byte(claudeNoUsage)).bytes()
}

// answerID derives the id of an answer from that of the one it copies.
func (w *claudeWriter) answerID(id string) string {
	if id == "new" {
		id += strconv.Itoa(w.n)
	}
	h := sha256.Sum256(append(append([]byte(nil), w.seed...), id...))
	return fmt.Sprintf("msg_%x", h[:12])
}

// copies appends the lines of a message again, behind the last line.
func (w *claudeWriter) copies(m *Message) error {
	for _, s := range m.Spans {
		raw, err := w.native(s)
		if err != nil {
			return err
		}
		parent, id, t := w.parent, w.uuid(), w.tick()
		raw = lead(lead(raw, "parentUuid", []byte("null")), "timestamp", []byte("null"))
		raw = change(raw, func(key string, val []byte) []byte {
			switch key {
			case "uuid":
				w.uuids[str(val)] = id
				return quote(id)
			case "parentUuid":
				return quote(parent)
			case "sourceToolAssistantUUID":
				if to, ok := w.uuids[str(val)]; ok {
					return quote(to)
				}
			case "timestamp":
				return quote(t.Format(stamp))
			case "message":
				if m.Kind == Answer {
					return w.copyAnswer(val)
				}
			}
			return nil
		})
		if err := w.line(raw); err != nil {
			return err
		}
		w.parent = id
	}
	return nil
}

func (w *claudeWriter) copyAnswer(v []byte) []byte {
	return change(v, func(key string, val []byte) []byte {
		switch key {
		case "id":
			return quote(w.answerID(str(val)))
		case "usage":
			return change(val, func(key string, val []byte) []byte {
				switch key {
				case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens":
					return []byte("0")
				}
				return nil
			})
		}
		return nil
	})
}
