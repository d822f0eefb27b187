package transcript

import (
	"bytes"
	"io"
	"slices"
	"strconv"
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
		records: "messages",
		sniff: func(p *probe) bool {
			return !p.array && p.has("sessionId", "messages") && (p.has("projectHash") || p.has("startTime"))
		},
		plan:  newGeminiPlan,
		open:  openGemini,
		write: writeGeminiDocument,
	}
)

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
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "type":
			kind = it.val
		case "content":
			body = it.val
		case "toolCalls":
			calls = it.val
		case "satchel":
			own = it.val
		}
	}
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

// mix goes on with a hash.
func mix(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
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

func (d *geminiDecoder) finish() {
	d.b.sent, d.b.chain = true, ""
	clear(d.told) // of what was taken back
	clear(d.open)
	for _, m := range d.list.held {
		d.message(m)
	}
}

func (d *geminiDecoder) message(g geminiMessage) {
	d.b.rec = g.rec
	m := Message{ID: g.id}
	var kind, body, calls, thoughts []byte
	var own Kind // as our writer says
	for it := walk(g.raw); it.next(); {
		switch string(it.key) {
		case "type":
			kind = it.val
		case "timestamp":
			m.Time = clock(it.val)
		case "content":
			body = it.val
		case "toolCalls":
			calls = it.val
		case "thoughts":
			thoughts = it.val
		case "tokens":
			m.Usage = geminiUsage(it.val)
		case "model":
			m.Model = str(it.val)
		case "satchel":
			own = marked(it.val)
		}
	}
	switch {
	case is(kind, "user"):
		d.user(m, body, own)
	case is(kind, "gemini"):
		d.answer(m, body, calls, thoughts)
	case is(kind, "info"), is(kind, "error"), is(kind, "warning"): // for people
	default:
		d.b.sess.Skipped++
	}
}

// user adds what a user message holds: results of tools, if any were not told
// with their calls, and text.
func (d *geminiDecoder) user(m Message, body []byte, own Kind) {
	r := Message{Kind: Results, ID: m.ID, Time: m.Time}
	m.Blocks = geminiParts(body, &r.Blocks)
	m.Blocks = slices.DeleteFunc(m.Blocks, func(x Block) bool { return x.Type == Call || x.Type == Thinking })
	r.Blocks = slices.DeleteFunc(r.Blocks, func(x Block) bool {
		if x.ID != "" && d.told[x.ID] && d.open[x.ID] <= 0 {
			return true // a resumed session records results twice
		}
		d.result(x.ID)
		return false
	})
	if len(r.Blocks) > 0 {
		d.b.add(r)
	}
	if len(m.Blocks) == 0 {
		return
	}
	text := ""
	for _, x := range m.Blocks {
		if x.Type == Text {
			text = strings.TrimSpace(x.Text)
			break
		}
	}
	m.Kind = Prompt
	switch {
	case own != "" && own != Answer && own != Results:
		m.Kind = own
	case strings.HasPrefix(text, "<session_context>"):
		m.Kind = Meta
		if _, after, ok := strings.Cut(text, "Workspace Directories:**\n"); ok && d.b.sess.Dir == "" {
			dir, _, _ := strings.Cut(after, "\n")
			d.b.sess.Dir = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(dir), "-"))
		}
	case geminiSummary(text):
		m.Kind = Summary
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "?"):
		return // a command to the client: not sent
	}
	d.b.add(m)
}

// result notes that a result was told.
func (d *geminiDecoder) result(id string) {
	d.told[id] = true
	d.open[id]--
}

func (d *geminiDecoder) answer(m Message, body, calls, thoughts []byte) {
	var stray []Block
	blocks := geminiParts(body, &stray)
	modern := false // the content holds thoughts or calls itself
	for _, x := range blocks {
		modern = modern || x.Type == Call || x.Type == Thinking
		if x.Type == Call {
			d.open[x.ID]++
		}
	}
	if !modern {
		for it := walk(thoughts); it.next(); {
			text := str(field(it.val, "description"))
			if s := str(field(it.val, "subject")); s != "" {
				text = "**" + s + "** " + text
			}
			m.Blocks = append(m.Blocks, Block{Type: Thinking, Text: text})
		}
	}
	m.Blocks = append(m.Blocks, blocks...)
	r := Message{Kind: Results, Time: m.Time}
	n := 0
	for it := walk(calls); it.next(); n++ {
		var id, name, args, result, status []byte
		for f := walk(it.val); f.next(); {
			switch string(f.key) {
			case "id":
				id = f.val
			case "name":
				name = f.val
			case "args":
				args = f.val
			case "result":
				result = f.val
			case "status":
				status = f.val
			}
		}
		x := Block{Type: Call, ID: str(id), Name: str(name), Input: input(args)}
		if x.ID == "" {
			x.ID = m.ID + "-" + strconv.Itoa(n)
		}
		if !modern {
			m.Blocks = append(m.Blocks, x)
			d.open[x.ID]++
		}
		if isNull(result) {
			continue
		}
		var parts []Block
		var text strings.Builder
		images := 0
		for _, part := range geminiParts(result, &parts) {
			if part.Type == Image {
				images++
			}
			text.WriteString(part.Text)
		}
		for _, p := range parts {
			text.WriteString(p.Text)
			images += p.Images
		}
		d.result(x.ID)
		failed := is(status, "error") || is(status, "cancelled")
		r.Blocks = append(r.Blocks, Block{Type: Result, ID: x.ID, Name: x.Name, Text: text.String(), Images: images, Failed: failed})
	}
	m.Kind = Answer
	d.b.add(m)
	if len(r.Blocks) > 0 {
		d.b.add(r)
	}
}

// geminiParts reads content: a string, a part or a list of both. Responses of
// functions go to results.
func geminiParts(body []byte, results *[]Block) (blocks []Block) {
	if isString(body) {
		return []Block{{Type: Text, Text: str(body)}}
	}
	if isObject(body) {
		return geminiPart(body, results)
	}
	for it := walk(body); it.next(); {
		if isString(it.val) {
			blocks = append(blocks, Block{Type: Text, Text: str(it.val)})
			continue
		}
		blocks = append(blocks, geminiPart(it.val, results)...)
	}
	return blocks
}

func geminiPart(v []byte, results *[]Block) []Block {
	var text, call, response, media []byte
	thought, signature := false, 0
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "text":
			text = it.val
		case "thought":
			thought = isTrue(it.val)
		case "thoughtSignature":
			signature = strLen(it.val)
		case "functionCall":
			call = it.val
		case "functionResponse":
			response = it.val
		case "inlineData", "fileData":
			media = it.val
		}
	}
	switch {
	case isObject(call):
		x := Block{Type: Call, ID: str(field(call, "id")), Name: str(field(call, "name")), Input: input(field(call, "args")), Opaque: signature}
		if signature > 0 {
			x.Raw = raw(v) // goes back with its signature
		}
		return []Block{x}
	case isObject(response):
		x := Block{Type: Result, ID: str(field(response, "id")), Name: str(field(response, "name"))}
		out := field(response, "response")
		x.Text = geminiOutput(out)
		x.Failed = field(out, "error") != nil && field(out, "output") == nil
		for it := walk(field(response, "parts")); it.next(); {
			if isObject(field(it.val, "inlineData")) || isObject(field(it.val, "fileData")) {
				x.Images++
			}
		}
		*results = append(*results, x)
		return nil
	case isObject(media):
		if mime, data := field(media, "mimeType"), field(media, "data"); isString(data) && strings.HasPrefix(str(mime), "image/") {
			return []Block{inlineImage(str(mime), str(data))}
		}
		return []Block{{Type: Text, Text: "[file " + str(field(media, "mimeType")) + "]"}}
	case thought:
		x := Block{Type: Thinking, Text: str(text), Opaque: signature}
		if signature > 0 {
			var o object
			x.Raw = o.str("type", "thinking").str("thinking", x.Text).raw("signature", field(v, "thoughtSignature")).bytes()
		}
		return []Block{x}
	case isString(text):
		x := Block{Type: Text, Text: str(text), Opaque: signature}
		if signature > 0 {
			x.Raw = raw(v)
		}
		return []Block{x}
	}
	if !isObject(v) {
		return nil
	}
	return []Block{{Type: Text, Text: shown(v)}} // code that the provider ran, and what is invented later
}

// geminiOutput returns the text of a function's response: its output or error,
// else its JSON.
func geminiOutput(raw []byte) string {
	for _, key := range []string{"output", "error"} {
		if v := field(raw, key); isString(v) {
			return str(v)
		}
	}
	if isNull(raw) || string(raw) == "{}" {
		return ""
	}
	return shown(raw)
}

// geminiUsage reads {input,output,cached,thoughts,tool,total}. Cached is part
// of input; output is without thoughts; tool counts prompts of built-in tools.
func geminiUsage(raw []byte) *Usage {
	if isNull(raw) {
		return nil
	}
	var u Usage
	for it := walk(raw); it.next(); {
		switch string(it.key) {
		case "input", "tool":
			u.Input += num(it.val)
		case "output":
			u.Output += num(it.val)
		case "cached":
			u.CacheRead = num(it.val)
		case "thoughts":
			u.Reasoning = num(it.val)
			u.Output += u.Reasoning
		}
	}
	u.CacheRead = min(u.CacheRead, u.Input)
	u.Input -= u.CacheRead
	if u == (Usage{}) {
		return nil
	}
	return &u
}
