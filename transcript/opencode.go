package transcript

import (
	"strconv"
	"strings"
)

// opencode: one JSON document {"info":session,"messages":[{"info","parts"}]},
// as "opencode export" prints it and as internal/world/sessions assembles it from the
// storage folder or the database.
//
// A tool part holds the call and its result. A compaction is a user message
// with a compaction part, answered by an assistant message whose info has
// summary set; the request then begins with the two, goes on with the messages
// from tail_start_id on, if the part names one, and ends with what came after.
// The two are read as one Summary, the user's: the model gets it as its own
// answer to "What did we do so far?". Pruning replaces outputs by a fixed
// sentence and marks them in the file.
var openCodeLayout = layout{
	format:  OpenCode,
	records: "messages",
	sniff: func(p *probe) bool {
		if !p.array && !p.has("info", "messages") {
			return false
		}
		if p.anyElem("messages", func(v []byte) bool { return isObject(field(v, "info")) && isArray(field(v, "parts")) }) {
			return true
		}
		return !p.array && strings.Contains(string(p.vals["info"]), `"projectID"`) // no message yet
	},
	plan:  func() planner { return &openCodePlan{} },
	open:  func(b *builder) decoder { return &openCodeDecoder{b: b} },
	write: writeOpenCode,
}

// What opencode sends in the place of what it does not keep as text.
const (
	openCodeCompact     = "What did we do so far?"
	openCodeSubtask     = "The following tool was executed by the user"
	openCodePruned      = "[Old tool result content cleared]"
	openCodeInterrupted = "[Tool execution was interrupted]"
)

// An openCodePlan follows opencode's filterCompacted.
type openCodePlan struct {
	messages []openCodeHead
	done     map[string]bool // user messages whose compaction is finished
}

type openCodeHead struct {
	id, parent string
	summarized bool   // an assistant's finished summary
	compacts   bool   // a user message with a compaction part
	tail       string // the first message that the compaction kept
}

func (p *openCodePlan) skim(_ int, raw []byte) {
	var info, parts, id, parent, role, summary, finish, failure []byte
	read(raw, member{"info", &info}, member{"parts", &parts})
	read(info,
		member{"id", &id}, member{"parentID", &parent}, member{"role", &role},
		member{"summary", &summary}, member{"finish", &finish}, member{"error", &failure},
	)
	h := openCodeHead{id: str(id), parent: str(parent)}
	h.summarized = isTrue(summary) && !isNull(finish) && isNull(failure) // a user message has an object for a summary
	for it := walk(parts); it.next(); {
		if is(field(it.val, "type"), "compaction") {
			h.compacts = is(role, "user")
			h.tail = str(field(it.val, "tail_start_id"))
		}
	}
	p.messages = append(p.messages, h)
}

func (p *openCodePlan) plan() plan {
	p.done = map[string]bool{}
	for _, h := range p.messages {
		if h.summarized {
			p.done[h.parent] = true
		}
	}
	compactions := 0
	for _, h := range p.messages {
		if h.compacts && p.done[h.id] {
			compactions++
		}
	}
	from, compaction, retain := 0, -1, ""
	done := map[string]bool{}
	for i := len(p.messages) - 1; i >= 0; i-- {
		h := p.messages[i]
		if retain != "" {
			if h.id == retain {
				from = i
				break
			}
			continue
		}
		if h.compacts && done[h.id] {
			compaction = i
			if h.tail == "" || h.tail == h.id {
				from = i
				break
			}
			retain = h.tail
			continue
		}
		if h.summarized {
			done[h.parent] = true
		}
	}
	pl := plan{compactions: compactions, sent: func(n int) bool { return n >= from }}
	if retain == "" || compaction <= from {
		return pl
	}
	// The summary comes before the messages that the compaction kept.
	for i := compaction + 1; i < len(p.messages); i++ {
		if h := p.messages[i]; h.parent == p.messages[compaction].id && h.summarized {
			for n := compaction; n <= i; n++ {
				pl.first = append(pl.first, n)
			}
			break
		}
	}
	return pl
}

type openCodeDecoder struct {
	b        *builder
	plan     *openCodePlan
	revert   string // the message that the user went back to; it and later ones are gone
	reverted bool
}

func (d *openCodeDecoder) follow(p planner) { d.plan, _ = p.(*openCodePlan) }

func (d *openCodeDecoder) head(key string, raw []byte) {
	if key != "info" {
		return
	}
	s := d.b.sess
	set(&s.ID, field(raw, "id"))
	set(&s.Dir, field(raw, "directory"))
	set(&s.Title, field(raw, "title"))
	set(&s.Version, field(raw, "version"))
	d.revert = str(path(raw, "revert", "messageID"))
	d.b.seen(clock(path(raw, "time", "created")))
	d.b.seen(clock(path(raw, "time", "updated")))
}

func (d *openCodeDecoder) record(raw []byte) {
	var info, parts []byte
	read(raw, member{"info", &info}, member{"parts", &parts})
	var id, role, parent, model, at, tokens, failure, summary, finish, folder []byte
	read(info,
		member{"id", &id}, member{"role", &role}, member{"parentID", &parent}, member{"modelID", &model}, member{"time", &at},
		member{"tokens", &tokens}, member{"error", &failure}, member{"summary", &summary}, member{"finish", &finish},
		member{"path", &folder},
	)
	m := Message{ID: str(id), Parent: str(parent), Model: str(model), Time: clock(field(at, "created"))}
	d.b.seen(clock(field(at, "completed")))
	if d.b.sess.Dir == "" {
		d.b.sess.Dir = str(field(folder, "cwd"))
	}
	if d.revert != "" && m.ID == d.revert {
		d.reverted = true
	}
	if d.reverted {
		d.b.sent = false
	}
	switch {
	case is(role, "user"):
		d.user(m, parts)
	case is(role, "assistant"):
		if openCodeLost(failure, parts) {
			d.b.sent = false // an answer that failed is not sent again
		}
		if isTrue(summary) && !isNull(finish) && isNull(failure) {
			d.summary(m, parts)
			return
		}
		d.assistant(m, parts, tokens)
	default:
		d.b.sess.Skipped++
	}
}

// openCodeLost reports whether opencode leaves out a failed answer: all but the
// aborted ones that said something.
func openCodeLost(failure, parts []byte) bool {
	if isNull(failure) {
		return false
	}
	if !is(field(failure, "name"), "MessageAbortedError") {
		return true
	}
	for it := walk(parts); it.next(); {
		if t := field(it.val, "type"); !is(t, "step-start") && !is(t, "reasoning") {
			return false
		}
	}
	return true
}

// user adds the parts of a user message: what the person wrote and what the
// client put in are messages of their own.
func (d *openCodeDecoder) user(m Message, parts []byte) {
	s := splitter{b: d.b, like: m}
	for it := walk(parts); it.next(); {
		var kind, text, mime, synthetic, ignored, meta []byte
		read(it.val,
			member{"type", &kind}, member{"text", &text}, member{"mime", &mime},
			member{"synthetic", &synthetic}, member{"ignored", &ignored}, member{"metadata", &meta},
		)
		own := field(meta, "satchel")
		switch {
		case is(kind, "text") && !isTrue(ignored):
			t := str(text)
			k := said(t, isTrue(synthetic))
			if is(own, string(Summary)) || is(own, string(Prompt)) { // as our writer says
				k = Kind(str(own))
			}
			s.part(k, Block{Type: Text, Text: t})
		case is(kind, "file") && !is(mime, "text/plain") && !is(mime, "application/x-directory"):
			s.part(Prompt, openCodeFile(it.val, mime))
		case is(kind, "compaction") && (d.plan == nil || !d.plan.done[m.ID]):
			s.part(Meta, Block{Type: Text, Text: openCodeCompact})
		case is(kind, "subtask"):
			s.part(Meta, Block{Type: Text, Text: openCodeSubtask})
		}
	}
	s.flush()
}

// openCodeFile makes a block of a file: an image, or something that only the
// provider can read.
func openCodeFile(v, mime []byte) Block {
	kind, data, ok := strings.Cut(str(field(v, "url")), ";base64,")
	kind, ok2 := strings.CutPrefix(kind, "data:")
	if ok && ok2 && strings.HasPrefix(kind, "image/") {
		return inlineImage(kind, data)
	}
	if strings.HasPrefix(str(mime), "image/") {
		return Block{Type: Image}
	}
	return Block{Type: Text, Text: "[file " + str(field(v, "filename")) + "]"}
}

// inlineImage makes a block of an image's data, in Anthropic's form.
func inlineImage(mime, data string) Block {
	var o, source object
	source.str("type", "base64").str("media_type", mime).str("data", data)
	return Block{Type: Image, Raw: o.str("type", "image").raw("source", source.bytes()).bytes()}
}

// summary adds what a compaction made of the conversation. Its usage is that of
// the conversation before.
func (d *openCodeDecoder) summary(m Message, parts []byte) {
	m.Kind, m.Model = Summary, ""
	for it := walk(parts); it.next(); {
		if is(field(it.val, "type"), "text") {
			m.Blocks = append(m.Blocks, Block{Type: Text, Text: str(field(it.val, "text"))})
		}
	}
	d.b.add(m)
}

// assistant adds the steps of an answer. Each step was a call of the model of
// its own, with its results before the next.
func (d *openCodeDecoder) assistant(m Message, parts, tokens []byte) {
	id, steps := m.ID, 0
	results := Message{Kind: Results, Parent: m.Parent, Time: m.Time}
	step := func(last bool) {
		if m.Usage == nil && last {
			m.Usage = openCodeUsage(tokens)
		}
		if len(m.Blocks) == 0 && (m.Usage == nil || steps > 0) {
			return
		}
		m.Kind = Answer
		if steps++; steps > 1 {
			m.ID = id + "/" + strconv.Itoa(steps)
		}
		d.b.add(m)
		if len(results.Blocks) > 0 {
			d.b.add(results)
		}
		m.Blocks, m.Usage, results.Blocks = nil, nil, nil
	}
	for it := walk(parts); it.next(); {
		var kind, text, meta []byte
		read(it.val, member{"type", &kind}, member{"text", &text}, member{"metadata", &meta})
		switch {
		case is(kind, "step-start"):
			if len(m.Blocks) > 0 {
				step(false)
			}
		case is(kind, "step-finish"):
			m.Usage = openCodeUsage(field(it.val, "tokens"))
		case is(kind, "text"):
			m.Blocks = append(m.Blocks, Block{Type: Text, Text: str(text)})
		case is(kind, "reasoning"):
			m.Blocks = append(m.Blocks, openCodeThinking(str(text), meta))
		case is(kind, "tool"):
			call, result := openCodeTool(it.val)
			m.Blocks = append(m.Blocks, call)
			results.Blocks = append(results.Blocks, result)
		}
	}
	step(true)
}

// openCodeThinking makes a block of reasoning. A signature of Anthropic's is kept
// in their form.
func openCodeThinking(text string, meta []byte) Block {
	b := Block{Type: Thinking, Text: text, Opaque: opaqueIn(meta)}
	if sig := str(path(meta, "anthropic", "signature")); sig != "" {
		b.Opaque, b.Raw = len(sig), signed(text, quote(sig))
	}
	return b
}

func openCodeTool(v []byte) (call, result Block) {
	var id, name, state []byte
	read(v, member{"callID", &id}, member{"tool", &name}, member{"state", &state})
	var status, in, output, failure, meta, attached, at []byte
	read(state,
		member{"status", &status}, member{"input", &in}, member{"output", &output}, member{"error", &failure},
		member{"metadata", &meta}, member{"attachments", &attached}, member{"time", &at},
	)
	pruned := !isNull(field(at, "compacted"))
	call = Block{Type: Call, ID: str(id), Name: str(name), Input: input(in)}
	result = Block{Type: Result, ID: call.ID, Name: call.Name}
	switch {
	case is(status, "completed") && pruned:
		result.Text = openCodePruned
	case is(status, "completed"):
		result.Text, result.Images = content(output)
		var text object
		parts := [][]byte{text.str("type", "text").str("text", result.Text).bytes()}
		for it := walk(attached); it.next(); {
			if b := openCodeFile(it.val, field(it.val, "mime")); b.Type == Image {
				result.Images++
				if b.Raw != nil {
					parts = append(parts, b.Raw)
				}
			}
		}
		if len(parts) > 1 && len(parts) == 1+result.Images {
			result.Raw = list(parts)
			result.Text, _ = content(result.Raw) // names the images
		}
	case is(status, "error") && isTrue(field(meta, "interrupted")) && isString(field(meta, "output")):
		result.Text = str(field(meta, "output"))
	case is(status, "error"):
		result.Text, result.Failed = str(failure), true
	default: // pending, running
		result.Text, result.Failed = openCodeInterrupted, true
	}
	return call, result
}

// openCodeUsage reads {input,output,reasoning,cache{read,write},total}. Input
// is without the cache and output without reasoning; where a total is given the
// output is what remains of it, since versions differ in what output holds.
func openCodeUsage(raw []byte) *Usage {
	u, total := openCodeCounts(raw)
	if rest := total - u.Input - u.CacheRead - u.CacheWrite; total > 0 && rest > 0 && rest < u.Output {
		u.Output = max(rest, u.Reasoning)
	}
	return u.known()
}

// openCodeCounts reads the counts of a usage as they are, and its total.
func openCodeCounts(raw []byte) (u Usage, total int) {
	readNumbers(raw,
		number{"input", &u.Input}, number{"output", &u.Output}, number{"reasoning", &u.Reasoning}, number{"total", &total},
	)
	readNumbers(field(raw, "cache"), number{"read", &u.CacheRead}, number{"write", &u.CacheWrite})
	u.Output += u.Reasoning
	return u, total
}

// opaqueIn returns the bytes of signatures and encrypted reasoning in a
// provider's metadata: of its long strings at any depth of three.
func opaqueIn(raw []byte) int {
	return opaque(raw, 3)
}

func opaque(raw []byte, depth int) (n int) {
	if isString(raw) {
		if l := strLen(raw); l >= minOpaque {
			return l
		}
		return 0
	}
	if depth == 0 {
		return 0
	}
	for it := walk(raw); it.next(); {
		n += opaque(it.val, depth-1)
	}
	return n
}

// minOpaque is the length from which on a string of metadata counts as a
// signature or encrypted reasoning, not as an id: ids are up to 60 bytes long.
const minOpaque = 100
