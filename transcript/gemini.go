package transcript

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// Gemini CLI: today lines in chats/session-*.jsonl, formerly one document with
// "sessionId" and "messages".
//
// The first line is metadata; a line with an id is a message, and one with the
// id of an earlier message replaces it where that stands. {"$rewindTo":id}
// takes back that message and all after it (all messages, if there is no such
// id). {"$set":{…}} changes metadata, and its "messages" replaces all messages:
// so the client records a compression. Since anything may be replaced until the
// last line, messages are held until then; the file repeats each of them up to
// three times.
//
// A message of the model holds its calls with their results. The results stand
// again in a user message behind it, which is not read twice.
var (
	geminiLayout = layout{
		format: Gemini,
		family: "gemini",
		naming: &geminiNaming,
		sniff: func(p *probe) bool {
			return p.any(func(line []byte) bool {
				return isString(field(line, "sessionId")) && isString(field(line, "projectHash"))
			})
		},
		plan:  newGeminiPlan,
		open:  openGemini,
		write: writeGemini,
	}
	geminiDocumentLayout = layout{
		format:  Gemini,
		family:  "gemini",
		naming:  &geminiNaming,
		records: "messages",
		sniff: func(p *probe) bool {
			return !p.array && p.has("sessionId", "messages") && (p.has("projectHash") || p.has("startTime"))
		},
		plan:  newGeminiPlan,
		open:  openGemini,
		write: writeGeminiDocument,
	}
)

var geminiNaming = naming{wrapped: "$set", members: []string{"sessionId"}}

func openGemini(b *builder) decoder {
	return &geminiDecoder{b: b, told: map[string]bool{}, open: map[string]int{}, gone: map[uint64]bool{}, list: newGeminiList()}
}

// A geminiList is the messages as they stand after some lines of the file.
type geminiList struct {
	held      []geminiMessage
	at        map[string]int  // id → index in held
	summaries map[uint64]bool // of compressions, so far
}

func newGeminiList() geminiList {
	return geminiList{at: map[string]int{}, summaries: map[uint64]bool{}}
}

type geminiMessage struct {
	id    string
	print uint64 // what it says, whatever its id and form
	raw   []byte // not kept by the plan
	rec   record
}

// record takes one line and returns the messages that it takes back. It calls
// meta for what is said about the session.
func (l *geminiList) record(v []byte, rec record, keep bool, meta func(key string, v []byte)) (gone []geminiMessage, ok bool) {
	put := func(v []byte) { l.put(v, rec, keep) }
	id, set := field(v, "id"), field(v, "$set")
	switch {
	case isString(field(v, "$rewindTo")):
		from := 0 // without such a message everything goes
		if i, ok := l.at[str(field(v, "$rewindTo"))]; ok {
			from = i
		}
		gone = slices.Clone(l.held[from:])
		for _, m := range gone {
			delete(l.at, m.id)
		}
		l.held = l.held[:from]
	case isString(id):
		put(v)
	case isObject(set):
		if list := field(set, "messages"); isArray(list) {
			gone, l.held = l.held, nil
			clear(l.at)
			for it := walk(list); it.next(); {
				if isString(field(it.val, "id")) {
					put(it.val)
				}
			}
		}
		for it := walk(set); it.next(); {
			meta(string(it.key), it.val)
		}
	case isString(field(v, "sessionId")):
		for it := walk(v); it.next(); {
			if string(it.key) == "messages" {
				for m := walk(it.val); m.next(); {
					put(m.val)
				}
				continue
			}
			meta(string(it.key), it.val)
		}
	case isString(field(v, "type")): // of a version whose messages had no ids
		put(v)
	default:
		return nil, false
	}
	return gone, true
}

func (l *geminiList) put(v []byte, rec record, keep bool) {
	m := geminiMessage{id: str(field(v, "id")), rec: record{span: rec.span}}
	var summary bool
	if m.print, summary = geminiPrint(v); summary {
		l.summaries[m.print] = true
	}
	if keep {
		m.raw = bytes.Clone(v)
	}
	i, ok := l.at[m.id]
	switch {
	case m.id == "":
		l.held = append(l.held, m)
	case ok:
		l.held[i] = m
	default:
		l.at[m.id] = len(l.held)
		l.held = append(l.held, m)
	}
}

// A geminiPlan finds out which messages are there in the end, so that those
// which a resumed session records anew count once.
type geminiPlan struct {
	list   geminiList
	prints map[uint64]bool
	ids    map[string]bool
}

func newGeminiPlan() planner { return &geminiPlan{list: newGeminiList()} }

func (p *geminiPlan) skim(_ int, v []byte) {
	p.list.record(v, record{}, false, func(string, []byte) {})
}

func (p *geminiPlan) plan() plan {
	p.prints, p.ids = map[uint64]bool{}, map[string]bool{}
	for _, m := range p.list.held {
		p.prints[m.print], p.ids[m.id] = true, true
	}
	return plan{compactions: len(p.list.summaries)}
}

type geminiDecoder struct {
	b    *builder
	plan *geminiPlan
	list geminiList
	told map[string]bool // ids whose results were told
	open map[string]int  // calls without a result, by id: redaction gives many the same
	gone map[uint64]bool // messages that were told as taken back
}

func (d *geminiDecoder) follow(p planner) { d.plan, _ = p.(*geminiPlan) }

func (d *geminiDecoder) head(key string, raw []byte) { d.meta(key, raw) }

func (d *geminiDecoder) record(v []byte) {
	gone, ok := d.list.record(v, d.b.rec, true, d.meta)
	if !ok {
		d.b.sess.Skipped++
	}
	d.b.sent = false
	for _, m := range gone {
		if d.plan != nil && (d.plan.prints[m.print] || d.plan.ids[m.id]) || d.gone[m.print] {
			continue
		}
		d.gone[m.print] = true
		d.message(m)
	}
}

func (d *geminiDecoder) meta(key string, raw []byte) {
	s := d.b.sess
	switch key {
	case "sessionId":
		s.ID = str(raw)
	case "summary":
		s.Title = str(raw)
	case "startTime", "lastUpdated":
		d.b.seen(clock(raw))
	case "directories":
		for it := walk(raw); it.next() && s.Dir == ""; {
			s.Dir = str(it.val)
		}
	}
}

// geminiPrint returns what identifies a message whatever its id and form: who
// speaks, the text, and the ids of calls and results. It also reports whether
// the message is the summary of a compression. Text is taken as it is escaped:
// one client escapes it the same each time.
func geminiPrint(v []byte) (print uint64, summary bool) {
	var kind, body, calls, own []byte
	read(v, member{"type", &kind}, member{"content", &body}, member{"toolCalls", &calls}, member{"satchel", &own})
	h := hash(string(kind))
	seen := make([]uint64, 0, 8)
	id := func(v []byte) {
		one := mix(hash(""), v)
		if strLen(v) > 0 && !slices.Contains(seen, one) {
			seen = append(seen, one)
			h = mix(h, v)
		}
	}
	text := func(v []byte) {
		if strLen(v) > 0 {
			h = mix(h, v)
			summary = summary || strLen(v) < 1<<20 && bytes.Contains(v[:min(len(v), 64)], []byte("<")) && geminiSummary(str(v))
		}
	}
	part := func(v []byte) {
		switch {
		case isString(v):
			text(v)
		case isObject(v):
			for it := walk(v); it.next(); {
				switch string(it.key) {
				case "text":
					text(it.val)
				case "functionCall", "functionResponse":
					id(field(it.val, "id"))
				}
			}
		}
	}
	if isArray(body) {
		for it := walk(body); it.next(); {
			part(it.val)
		}
	} else {
		part(body)
	}
	for it := walk(calls); it.next(); {
		id(field(it.val, "id"))
	}
	summary = summary || marked(own) == Summary
	return h, summary && is(kind, "user")
}

// geminiSummary reports whether text is the summary of a compression.
func geminiSummary(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<state_snapshot>") || strings.HasPrefix(text, "<compressed_history>") ||
		strings.HasPrefix(text, "<scratchpad>") && strings.Contains(text, "<state_snapshot>") // it is told to think there first
}

// Compressions returns where the first size bytes of a transcript of Gemini CLI
// record that it compressed the conversation: the offsets of those lines, in
// order. What stands before such a line is the session as it was then. Other
// transcripts have none.
func Compressions(r io.ReaderAt, size int64) (at []int64, err error) {
	src := newSource(r, size)
	told := make(map[uint64]bool) // summaries, which later lines repeat
	for {
		rec, ok := src.line()
		if !ok {
			return at, src.err
		}
		if !bytes.Contains(rec.raw, []byte("state_snapshot")) && !bytes.Contains(rec.raw, []byte("compressed_history")) {
			continue
		}
		if isString(field(rec.raw, "id")) { // a user may paste one
			print, _ := geminiPrint(rec.raw)
			told[print] = true
			continue
		}
		fresh := false
		for it := walk(field(field(rec.raw, "$set"), "messages")); it.next(); {
			if print, summary := geminiPrint(it.val); summary && !told[print] {
				told[print], fresh = true, true
			}
		}
		if fresh {
			at = append(at, rec.span.Offset)
		}
	}
}
