package transcript

import (
	"cmp"
	"strings"
)

// Copilot CLI: lines {"type","data","id","parentId","timestamp","agentId"}, one
// for each event of a session, in events.jsonl.
//
// A compaction begins with session.compaction_start and, if it succeeds, ends
// with session.compaction_complete. What was said in between stays; all before
// becomes one user message that repeats every prompt of the session and the
// summary. (Seen in requests of version 1.0.102.)
var copilotLayout = layout{
	format: Copilot,
	sniff: func(p *probe) bool {
		return p.any(func(line []byte) bool {
			t := str(field(line, "type"))
			if t != "session.start" && t != "session.resume" && t != "user.message" && t != "assistant.message" {
				return false
			}
			return isObject(field(line, "data")) && field(line, "parentId") != nil
		})
	},
	plan: func() planner {
		return &copilotPlan{last: -1, cut: -1, complete: -1, starts: map[string]int{}, at: map[string]int{}}
	},
	open: func(b *builder) decoder { b.join = true; return &copilotDecoder{b: b} },
}

type copilotPlan struct {
	starts   map[string]int // attempt → its compaction_start
	last     int            // the newest compaction_start
	cut      int            // everything before is summarised; -1 without a compaction
	complete int            // the record with the summary; -1 without one
	count    int
	prompts  []string // of the whole session, that the summary repeats
	pending  int      // prompts before the newest compaction_start
	kept     int      // prompts before the compaction that counts

	at      map[string]int // event → record
	rewound [][2]int       // records that a rewind took back: from, to
	lossy   int            // truncations
}

func (p *copilotPlan) skim(n int, raw []byte) {
	e := readEvent(raw)
	if e.id != "" {
		p.at[e.id] = n
	}
	switch e.kind {
	case "user.message":
		if !e.side() {
			p.prompts = append(p.prompts, str(field(e.data, "content")))
		}
	case "session.compaction_start":
		p.last, p.pending = n, len(p.prompts)
		if id := str(field(e.data, "compactionAttemptId")); id != "" {
			p.starts[id] = n
		}
	case "session.compaction_complete":
		if !isTrue(field(e.data, "success")) || isNull(field(e.data, "summaryContent")) {
			return
		}
		p.count++
		p.cut, p.complete, p.kept = n, n, len(p.prompts)
		if at, ok := p.starts[str(field(e.data, "compactionAttemptId"))]; ok {
			p.cut, p.kept = at, p.pending
		} else if p.last >= 0 {
			p.cut, p.kept = p.last, p.pending
		}
		p.last = -1
	case "session.snapshot_rewind":
		if from, ok := p.at[str(field(e.data, "upToEventId"))]; ok {
			p.rewound = append(p.rewound, [2]int{from, n})
		}
	case "session.truncation":
		p.lossy++
	}
}

func (p *copilotPlan) plan() plan {
	pl := plan{compactions: p.count, sent: func(n int) bool {
		for _, r := range p.rewound {
			if n >= r[0] && n < r[1] {
				return false
			}
		}
		return n > p.cut || n == p.complete
	}}
	if p.cut >= 0 {
		pl.first = []int{p.complete}
	}
	if p.lossy > 0 {
		pl.notes = append(pl.notes, "the client cut its oldest messages without saying which: they count as sent")
	}
	return pl
}

type copilotEvent struct {
	kind, id, parent  string
	data, time, agent []byte
}

func readEvent(raw []byte) (e copilotEvent) {
	var kind, id, parent []byte
	read(raw,
		member{"type", &kind}, member{"data", &e.data}, member{"id", &id}, member{"parentId", &parent},
		member{"timestamp", &e.time}, member{"agentId", &e.agent},
	)
	e.kind, e.id, e.parent = str(kind), str(id), str(parent)
	return e
}

// side reports whether an event belongs to a subagent.
func (e copilotEvent) side() bool { return e.lane() != "" }

func (e copilotEvent) lane() string {
	return cmp.Or(str(e.agent), str(field(e.data, "parentToolCallId")))
}

type copilotDecoder struct {
	b     *builder
	plan  *copilotPlan
	n     int // records so far
	usage *Usage
	call  string // the API call that usage is of
}

func (d *copilotDecoder) follow(p planner)    { d.plan, _ = p.(*copilotPlan) }
func (d *copilotDecoder) head(string, []byte) {}

func (d *copilotDecoder) record(raw []byte) {
	e := readEvent(raw)
	n := d.n
	d.n++
	d.b.seen(clock(e.time))
	if side := e.lane(); side != "" {
		d.b.side(side)
	}
	m := Message{ID: e.id, Parent: e.parent, Time: clock(e.time)}
	s := d.b.sess
	switch e.kind {
	case "session.start", "session.resume":
		d.start(e.data)
	case "session.model_change":
		set(&s.Model, field(e.data, "newModel"))
	case "session.title_changed":
		s.Title = str(field(e.data, "title"))
	case "system.message":
		if text := str(field(e.data, "content")); text != "" && !e.side() {
			s.System = []string{text} // each turn records it anew
		}
	case "system.notification":
		d.b.addText(m, Meta, str(field(e.data, "content")))
	case "user.message":
		d.user(m, e.data)
	case "session.usage_record", "assistant.usage":
		d.spent(e.data)
	case "assistant.message":
		d.assistant(m, e.data)
	case "tool.execution_complete":
		d.b.addOne(m, Results, copilotResult(e.data))
	case "session.compaction_complete":
		if limit := num(field(e.data, "tokenLimit")); limit > 0 {
			s.Window = limit
		}
		if d.plan == nil || n != d.plan.complete || d.plan.cut < 0 {
			return
		}
		d.b.addText(m, Summary, copilotSummary(d.plan.prompts[:d.plan.kept], str(field(e.data, "summaryContent"))))
	}
}

// copilotSummary is the message that the client makes of a compaction.
func copilotSummary(prompts []string, summary string) string {
	var b strings.Builder
	b.WriteString("Some of the conversation history has been summarized to free up context.\n\n")
	if len(prompts) > 0 {
		b.WriteString("You were originally given instructions from a user over one or more turns. Here were the user messages:\n")
		for _, p := range prompts {
			b.WriteString("<user_message>\n" + p + "\n</user_message>\n")
		}
		b.WriteByte('\n')
	}
	b.WriteString("Here is a summary of the prior context:\n<summary>\n" + summary + "\n</summary>\n")
	return b.String()
}

func (d *copilotDecoder) start(data []byte) {
	s := d.b.sess
	if !d.b.owns(field(data, "sessionId")) {
		return
	}
	set(&s.Version, field(data, "copilotVersion"))
	set(&s.Model, field(data, "selectedModel"))
	set(&s.Dir, path(data, "context", "cwd"))
	set(&s.Branch, path(data, "context", "branch"))
	d.b.seen(clock(field(data, "startTime")))
}

func (d *copilotDecoder) user(m Message, data []byte) {
	var plain, sent, source, attachments []byte
	read(data,
		member{"content", &plain}, member{"transformedContent", &sent}, member{"source", &source}, member{"attachments", &attachments},
	)
	m.Kind = Prompt
	if src := str(source); src != "" && src != "user" {
		m.Kind = Meta // such as a skill's text
	}
	if isNull(sent) || strLen(sent) == 0 {
		sent = plain
	}
	m.Blocks = append(m.Blocks, Block{Type: Text, Text: str(sent)})
	for it := walk(attachments); it.next(); {
		if is(field(it.val, "type"), "image") || strings.HasPrefix(str(field(it.val, "mimeType")), "image/") {
			m.Blocks = append(m.Blocks, Block{Type: Image})
		}
	}
	d.b.add(m)
}

// spent remembers the usage of a call; its answer is recorded behind it.
func (d *copilotDecoder) spent(data []byte) {
	if u := field(data, "usage"); isObject(u) {
		data = u
	}
	var u Usage
	var limit int
	d.call = str(field(data, "apiCallId"))
	readNumbers(data,
		number{"inputTokens", &u.Input}, number{"outputTokens", &u.Output}, number{"cacheReadTokens", &u.CacheRead},
		number{"cacheWriteTokens", &u.CacheWrite}, number{"reasoningTokens", &u.Reasoning}, number{"maxPromptTokens", &limit},
	)
	if limit > 0 && d.b.chain == "" {
		d.b.sess.Window = limit
	}
	u.Input = fresh(u.Input, u.CacheRead, u.CacheWrite) // the cache is part of it
	d.usage = &u
}

func (d *copilotDecoder) assistant(m Message, data []byte) {
	var text, reasoning, opaque, encrypted, requests, model, call []byte
	read(data,
		member{"content", &text}, member{"reasoningText", &reasoning}, member{"reasoningOpaque", &opaque},
		member{"encryptedContent", &encrypted}, member{"toolRequests", &requests}, member{"model", &model}, member{"apiCallId", &call},
	)
	m.Kind, m.Model = Answer, str(model)
	m.ID = str(call) // events of one call are one answer
	if d.usage != nil && (m.ID == "" || d.call == "" || m.ID == d.call) {
		m.Usage, d.usage = d.usage, nil
	}
	thinking := Block{Type: Thinking, Text: str(reasoning), Opaque: strLen(opaque) + strLen(encrypted)}
	if isString(opaque) {
		thinking.Raw = signed(thinking.Text, opaque)
	}
	m.Blocks = append(m.Blocks, thinking, Block{Type: Text, Text: str(text)})
	for it := walk(requests); it.next(); {
		var id, name, args []byte
		read(it.val, member{"toolCallId", &id}, member{"name", &name}, member{"arguments", &args})
		m.Blocks = append(m.Blocks, Block{Type: Call, ID: str(id), Name: str(name), Input: input(args)})
	}
	d.b.add(m)
}

// copilotResult reads what the model saw of a tool; detailedContent is for
// people.
func copilotResult(data []byte) Block {
	var id, success, result, failure []byte
	read(data, member{"toolCallId", &id}, member{"success", &success}, member{"result", &result}, member{"error", &failure})
	x := Block{Type: Result, ID: str(id), Failed: success != nil && !isTrue(success)}
	x.Text, x.Images = content(field(result, "content"))
	x.Text = cmp.Or(x.Text, str(field(failure, "message")))
	return x
}
