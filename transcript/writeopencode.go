package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// An openCodeWriter builds the document of an opencode session anew, in the
// form that "opencode import" takes.
type openCodeWriter struct {
	*rewriter
	session string // its id
	fresh   bool   // the session is a new one, with ids of its own
	info    []byte // of the newest answer's model: {"providerID","modelID"}
	dir     string
	last    string // id of the newest user message, that answers name
	out     [][]byte
	n       int
}

// writeOpenCode appends opencode's own record of a compaction: a user message
// with a compaction part and the assistant's summary. If what follows is the end
// of the session as it stands, the part names its first message; else copies
// follow. Without a leading summary a session of its own is written, with new ids:
// opencode imports into what it has, leaves each message whose id it knows as it is,
// and sorts by time. So is one whose user took messages back, since opencode, which
// still has them, removes all that is newer at the next prompt.
func writeOpenCode(x *rewriter) error {
	w := &openCodeWriter{rewriter: x, session: x.sess.ID, dir: x.sess.Dir}
	rest := x.Messages
	summary := rest[0].Kind == Summary
	if !summary {
		w.renew()
	}
	span, tail := Span{}, false
	if summary {
		rest = rest[1:]
		span, tail = x.tail(1)
	}
	var others object
	var info []byte
	keep := ""
	revert := ""
	array := true
	torn, err := each(x.r, x.size, x.layout, func(key string, v []byte) {
		array = false
		if key == "info" {
			info = bytes.Clone(v)
			if revert = str(path(v, "revert", "messageID")); revert != "" {
				info = without(info, "revert")
				w.renew()
			}
			return
		}
		others.raw(key, bytes.Clone(v))
	}, func(_ int, rec record) error {
		if !json.Valid(rec.raw) {
			return fmt.Errorf("%w: the document is malformed at byte %d", ErrNoWriter, rec.span.Offset)
		}
		own := field(rec.raw, "info")
		id := str(field(own, "id"))
		if revert != "" && id == revert {
			revert = "\x00" // all that follows is gone
		}
		if revert == "\x00" {
			return nil
		}
		w.learn(own)
		if w.fresh {
			return nil
		}
		if tail && rec.span.Offset == span.Offset {
			keep = id
		}
		if tail && rec.span.Offset > span.Offset && compacts(rec.raw) {
			tail = false // the older summary would be sent with the tail
		}
		w.out = append(w.out, bytes.Clone(rec.raw))
		return nil
	})
	switch {
	case err != nil:
		return err
	case torn.document:
		return fmt.Errorf("%w: the document is malformed at byte %d", ErrNoWriter, torn.at)
	}
	if summary {
		if !tail {
			keep = ""
		}
		w.compaction(&x.Messages[0], keep)
		if keep != "" {
			rest = nil
		}
	}
	for i := 0; i < len(rest); i++ {
		m := &rest[i]
		at := len(x.Messages) - len(rest) + i
		switch {
		case m.Kind == Answer:
			var results *Message
			if i+1 < len(rest) && rest[i+1].Kind == Results {
				results = &rest[i+1]
				i++
			}
			w.answer(m, results)
		case x.solo[at] && !summary:
			raw, err := x.native(m.Spans[0])
			if err != nil {
				return err
			}
			raw = w.renewed(raw)
			w.learn(field(raw, "info"))
			w.out = append(w.out, raw)
		default:
			w.user(m)
		}
	}
	return w.write(array, info, others)
}

// compacts reports whether a message has a compaction part.
func compacts(raw []byte) bool {
	for it := walk(field(raw, "parts")); it.next(); {
		if is(field(it.val, "type"), "compaction") {
			return true
		}
	}
	return false
}

func (w *openCodeWriter) write(array bool, info []byte, others object) error {
	messages := append(append([]byte("[\n"), bytes.Join(w.out, []byte(",\n"))...), "\n]"...)
	if !array {
		var o object
		if info != nil {
			o.raw("info", change(info, func(key string, _ []byte) []byte {
				if key == "id" && w.fresh {
					return quote(w.session)
				}
				return nil
			}))
		}
		for it := walk(others.bytes()); it.next(); {
			o.raw(string(it.key), it.val)
		}
		messages = o.raw("messages", messages).bytes()
	}
	_, err := w.w.Write(append(messages, '\n'))
	return err
}

// renew makes the session a new one.
func (w *openCodeWriter) renew() {
	if !w.fresh {
		w.session, w.fresh = w.id("ses"), true
	}
}

// learn remembers what new messages need of one that is there.
func (w *openCodeWriter) learn(info []byte) {
	if s := str(field(info, "sessionID")); s != "" && !w.fresh {
		w.session = s
	}
	id := str(field(info, "id"))
	if is(field(info, "role"), "user") {
		w.last = id
	}
	if model := str(field(info, "modelID")); model != "" {
		var o object
		w.info = o.str("providerID", str(field(info, "providerID"))).str("modelID", model).bytes()
	}
}

// id makes an id as opencode does: the time and a counter in twelve hexadecimal
// digits, by which ids sort, and fourteen letters or digits.
func (w *openCodeWriter) id(kind string) string {
	const signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	w.n++
	t := w.tick().UnixMilli()
	h := hash(w.session + kind + strconv.Itoa(w.n) + w.last)
	var b strings.Builder
	for range 14 {
		b.WriteByte(signs[h%uint64(len(signs))])
		h = h/uint64(len(signs)) + h<<57
	}
	return fmt.Sprintf("%s_%012x%s", kind, (uint64(t)<<12|uint64(w.n&0xfff))&(1<<48-1), b.String()) //nolint:gosec // a time after 1970, a counter from 1
}

// renewed returns a message of the user with the ids of a new one, and its time: the
// new answers come after it.
func (w *openCodeWriter) renewed(raw []byte) []byte {
	id := w.id("msg")
	at := strconv.AppendInt(nil, w.tick().UnixMilli(), 10)
	return change(raw, func(key string, v []byte) []byte {
		switch key {
		case "info":
			return change(bytes.Clone(v), func(key string, _ []byte) []byte {
				switch key {
				case "id":
					return quote(id)
				case "sessionID":
					return quote(w.session)
				case "time":
					var t object
					return t.raw("created", at).bytes()
				}
				return nil
			})
		case "parts":
			var parts [][]byte
			for it := walk(bytes.Clone(v)); it.next(); {
				parts = append(parts, w.partOf(bytes.Clone(it.val), id))
			}
			return list(parts)
		}
		return nil
	})
}

// partOf returns a part as one of a new message.
func (w *openCodeWriter) partOf(raw []byte, message string) []byte {
	return change(raw, func(key string, _ []byte) []byte {
		switch key {
		case "id":
			return quote(w.id("prt"))
		case "sessionID":
			return quote(w.session)
		case "messageID":
			return quote(message)
		}
		return nil
	})
}

// begin starts the info of a message.
func (w *openCodeWriter) begin(id, role string) *object {
	var o, t object
	at := strconv.AppendInt(nil, w.tick().UnixMilli(), 10)
	t.raw("created", at)
	if role == "assistant" {
		t.raw("completed", at)
	}
	return o.str("id", id).str("sessionID", w.session).str("role", role).raw("time", t.bytes())
}

// part starts a part.
func (w *openCodeWriter) part(message, kind string) *object {
	var o object
	return o.str("id", w.id("prt")).str("sessionID", w.session).str("messageID", message).str("type", kind)
}

func (w *openCodeWriter) put(info *object, parts [][]byte) {
	var o object
	w.out = append(w.out, o.raw("info", info.bytes()).raw("parts", list(parts)).bytes())
}

// ask puts a message of the user.
func (w *openCodeWriter) ask(parts func(id string) [][]byte) {
	id := w.id("msg")
	w.last = id
	info := w.begin(id, "user").str("agent", "build")
	if w.info != nil {
		info.raw("model", w.info)
	}
	w.put(info, parts(id))
}

// assistant starts an answer to the newest message of the user.
func (w *openCodeWriter) assistant(mode string) (id string, info *object) {
	id = w.id("msg")
	var dir object
	info = w.begin(id, "assistant").str("parentID", w.last).str("mode", mode).str("agent", mode).
		raw("path", dir.str("cwd", w.dir).str("root", w.dir).bytes()).raw("cost", []byte("0")).
		raw("tokens", []byte(`{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`))
	for it := walk(w.info); it.next(); {
		info.raw(string(it.key), it.val)
	}
	return id, info
}

func (w *openCodeWriter) compaction(m *Message, keep string) {
	w.ask(func(id string) [][]byte {
		p := w.part(id, "compaction").raw("auto", []byte("false"))
		return [][]byte{p.opt("tail_start_id", keep).bytes()}
	})
	id, info := w.assistant("compaction")
	info.raw("summary", []byte("true")).str("finish", "stop")
	w.put(info, [][]byte{w.part(id, "text").str("text", m.text()).bytes()})
}

// user puts a message of the user. A summary that is not the first is text like
// any other; a member of its metadata tells our reader.
func (w *openCodeWriter) user(m *Message) {
	w.ask(func(id string) (parts [][]byte) {
		for i := range m.Blocks {
			parts = append(parts, w.said(id, m.Kind, &m.Blocks[i]))
		}
		return parts
	})
}

func (w *openCodeWriter) said(id string, kind Kind, b *Block) []byte {
	if media, data, url := imageAt(b.Raw); b.Type == Image && (data != "" || url != "") {
		if data != "" {
			url = "data:" + media + ";base64," + data
		}
		return w.part(id, "file").str("mime", media).str("url", url).bytes()
	}
	if b.Type == Image {
		return w.part(id, "file").str("mime", "image/png").str("url", "").bytes()
	}
	o := w.part(id, "text").str("text", b.Text)
	var meta object
	switch kind {
	case Meta:
		o.raw("synthetic", []byte("true"))
	case Summary, Prompt:
		if kind == Summary || agents.Slipped(b.Text) {
			o.raw("metadata", meta.str("satchel", string(kind)).bytes())
		}
	}
	return o.bytes()
}

// answer puts an answer with the results of its calls.
func (w *openCodeWriter) answer(m, results *Message) {
	id, info := w.assistant("build")
	info.str("finish", "stop")
	if u := m.Usage; u != nil {
		info.b = change(info.bytes(), func(key string, _ []byte) []byte {
			if key != "tokens" {
				return nil
			}
			return fmt.Appendf(nil, `{"total":%d,"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}}`,
				u.Context(), u.Input, u.Output-u.Reasoning, u.Reasoning, u.CacheRead, u.CacheWrite)
		})
		info.b = info.b[:len(info.b)-1] // open again
	}
	at := map[string]*Block{}
	if results != nil {
		for i := range results.Blocks {
			at[results.Blocks[i].ID] = &results.Blocks[i]
		}
	}
	var parts [][]byte
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Type {
		case Call:
			parts = append(parts, w.tool(id, b, at[b.ID]))
		case Thinking:
			o := w.part(id, "reasoning").str("text", b.Text)
			if sig := str(field(b.Raw, "signature")); sig != "" {
				var meta, own object
				o.raw("metadata", meta.raw("anthropic", own.str("signature", sig).bytes()).bytes())
			}
			parts = append(parts, o.raw("time", []byte(`{"start":0}`)).bytes())
		default:
			parts = append(parts, w.part(id, "text").str("text", b.Text).bytes())
		}
	}
	w.put(info, parts)
}

// tool makes the part of a call and its result.
func (w *openCodeWriter) tool(id string, call, result *Block) []byte {
	at := strconv.AppendInt(nil, w.Now.UnixMilli(), 10)
	var state, span object
	span.raw("start", at).raw("end", at)
	switch {
	case result == nil:
		state.str("status", "pending").raw("input", call.Input).str("raw", "")
	case result.Failed:
		state.str("status", "error").raw("input", call.Input).str("error", result.Text).raw("time", span.bytes())
	default:
		state.str("status", "completed").raw("input", call.Input).str("output", result.Text).str("title", "").
			raw("metadata", []byte("{}")).raw("time", span.bytes())
		var files [][]byte
		for it := walk(result.Raw); it.next() && len(files) < result.Images; {
			if media, data, _ := imageAt(it.val); data != "" {
				files = append(files, w.part(id, "file").str("mime", media).str("url", "data:"+media+";base64,"+data).bytes())
			}
		}
		if len(files) > 0 {
			state.raw("attachments", list(files))
		}
	}
	return w.part(id, "tool").str("callID", call.ID).str("tool", call.Name).raw("state", state.bytes()).bytes()
}
