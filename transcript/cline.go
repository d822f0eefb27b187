package transcript

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// Cline and Roo Code: tasks/<id>/api_conversation_history.json, an array of
// Anthropic messages with members of the client's own ("ts", "modelInfo",
// "metrics", Roo's tags).
//
// Calls are native, or XML in the text (<read_file><path>…</path></read_file>)
// whose result is text of the next user message, under a heading
// "[read_file for 'x'] Result:". Such text is taken apart into calls and
// results; joined, the parts are the text again.
//
// Roo forgets without deleting. After a summary (isSummary) nothing before it
// is sent; a message tagged with a condenseParent or truncationParent is not
// sent as long as the summary or marker of that id is there. Cline keeps what
// it dropped in a file of its own for all tasks, which is not read.
var clineLayout = layout{
	format:  Cline,
	family:  "claude",
	records: "messages",
	sniff: func(p *probe) bool {
		if !p.array {
			return false
		}
		for _, e := range p.elems[""] {
			role := field(e, "role")
			if !is(role, "user") && !is(role, "assistant") {
				return false
			}
			for it := walk(e); it.next(); {
				switch string(it.key) {
				case "ts", "modelInfo", "condenseId", "condenseParent", "truncationId", "truncationParent", "isSummary":
					return true
				case "content":
					text, _ := content(it.val)
					if strings.Contains(text, "<environment_details>") || strings.HasPrefix(text, "<task>") {
						return true
					}
				}
			}
		}
		return false
	},
	plan: func() planner { return newClinePlan() },
	open: func(b *builder) decoder { b.join = true; return &clineDecoder{b: b} },
}

// Cline since 2026, on an SDK of its own: sessions/<id>/<id>.messages.json, a
// document {"version","updated_at","sessionId","system_prompt","messages"}. Its
// calls are native, files that the user mentions are blocks of a prompt, and
// usage has names of its own. A compaction is written beside it, as
// <id>.compaction.json: such a document too, of the messages that stand for the
// first source_message_count ones. Its first message says so in its metadata.
var clineDocumentLayout = layout{
	format:  Cline,
	family:  "claude",
	records: "messages",
	sniff: func(p *probe) bool {
		return !p.array && p.has("version", "updated_at", "messages") && (p.has("sessionId") || p.has("source_message_count"))
	},
	plan: func() planner { return newClinePlan() },
	open: func(b *builder) decoder { return &clineDecoder{b: b, document: true} },
}

type clinePlan struct {
	heads     []clineHead
	summary   int  // the last one
	fronted   bool // it is the assistant's: the first message goes before it
	condensed int  // summaries of Cline's own
	summaries map[string]bool
	markers   map[string]int // id → record
}

type clineHead struct{ condensed, truncated string }

func newClinePlan() *clinePlan {
	return &clinePlan{summary: -1, summaries: map[string]bool{}, markers: map[string]int{}}
}

func (p *clinePlan) skim(n int, v []byte) {
	var role, metadata, summary, marker, condense, condensed, truncation, truncated []byte
	read(v,
		member{"role", &role}, member{"metadata", &metadata}, member{"isSummary", &summary}, member{"isTruncationMarker", &marker},
		member{"condenseId", &condense}, member{"condenseParent", &condensed},
		member{"truncationId", &truncation}, member{"truncationParent", &truncated},
	)
	if clineCompaction(metadata) != "" {
		p.condensed++
	}
	if isTrue(summary) {
		p.summary, p.fronted = n, is(role, "assistant")
		p.summaries[str(condense)] = true
	}
	if isTrue(marker) && strLen(truncation) > 0 {
		p.markers[str(truncation)] = n
	}
	p.heads = append(p.heads, clineHead{str(condensed), str(truncated)})
}

func (p *clinePlan) plan() plan {
	return plan{compactions: len(p.summaries) + len(p.markers) + p.condensed, sent: func(n int) bool {
		if n >= len(p.heads) || n < p.summary && (n > 0 || !p.fronted) {
			return false
		}
		h := p.heads[n]
		if at, ok := p.markers[h.truncated]; ok && h.truncated != "" && at >= p.summary {
			return false
		}
		return p.summary >= 0 || h.condensed == "" || !p.summaries[h.condensed]
	}}
}

// clineCompaction says what a message's metadata tell of a compaction: the
// message is its "compaction_summary", or prompts that an earlier conversation
// was folded into ("compaction"), or neither.
func clineCompaction(metadata []byte) string {
	switch kind := str(field(metadata, "kind")); kind {
	case "compaction", "compaction_summary":
		return kind
	}
	return ""
}

type clineDecoder struct {
	b        *builder
	n        int
	open     []clineCall // calls of the last answer
	document bool        // all calls are native
}

type clineCall struct {
	id, name string
	sent     bool
}

func (d *clineDecoder) head(key string, v []byte) {
	switch s := d.b.sess; key {
	case "sessionId":
		set(&s.ID, v)
	case "system_prompt":
		if text := str(v); strings.TrimSpace(text) != "" {
			s.System = []string{text}
		}
	case "updated_at":
		d.b.seen(clock(v))
	}
}

func (d *clineDecoder) record(v []byte) {
	n := d.n
	d.n++
	var role, body, id, at, summary, marker, encrypted, model, metrics, metadata []byte
	read(v,
		member{"role", &role}, member{"content", &body}, member{"id", &id}, member{"ts", &at}, member{"isSummary", &summary},
		member{"isTruncationMarker", &marker}, member{"encrypted_content", &encrypted}, member{"modelInfo", &model},
		member{"metrics", &metrics}, member{"metadata", &metadata},
	)
	m := Message{ID: str(id), Time: clock(at), Model: cmp.Or(str(field(model, "modelId")), str(field(model, "id")))}
	m.Usage = clineUsage(metrics)
	switch {
	case isTrue(summary), clineCompaction(metadata) == "compaction_summary":
		text, _ := content(body)
		d.b.addText(m, Summary, text)
	case isTrue(marker):
		text, _ := content(body)
		d.b.addText(m, Meta, text)
	case is(role, "user"):
		d.user(m, body)
	case is(role, "assistant"):
		m.Kind = Answer
		d.open = d.open[:0]
		m.ID = "" // the provider's, which parts of an answer share by chance only

		if hidden := strLen(encrypted); hidden > 0 { // reasoning between the messages
			m.Blocks = append(m.Blocks, Block{Type: Thinking, Opaque: hidden})
		}
		m.Blocks = append(m.Blocks, d.answer(n, body)...)
		d.b.add(m)
	default:
		d.b.sess.Skipped++
	}
}

func (d *clineDecoder) answer(n int, body []byte) (blocks []Block) {
	for _, x := range answerBlocks(body) {
		switch {
		case x.Type == Thinking && x.Opaque == 0:
			continue // unsigned: no provider takes it back
		case x.Type == Other && is(field(x.Raw, "type"), "reasoning"):
			if n := strLen(field(x.Raw, "encrypted_content")); n > 0 {
				blocks = append(blocks, Block{Type: Thinking, Opaque: n, Raw: x.Raw})
			}
			continue
		case x.Type == Call: // whose result may be text all the same
			d.open = append(d.open, clineCall{x.ID, x.Name, d.b.sent})
		case x.Type == Text && !d.document:
			blocks = append(blocks, d.calls(n, x.Text)...)
			continue
		}
		blocks = append(blocks, x)
	}
	return blocks
}

// clineResult is the heading of a result that is text.
var clineResult = lazy.Regexp(`^\[([a-z][a-z_]*)(?:[ \n][^\n]*)?\] Result:`)

// clineRefused is the result of a second call in a message.
var clineRefused = lazy.Regexp(`^Tool \[([a-z][a-z_]*)\] was not executed`)

// clineMeta begins what the client puts into a user message.
var clineMeta = []string{"<environment_details>", "# task_progress", "# TO" + "DO", "# todo", "[ERROR]", "[TASK RESUMPTION]", "[SYSTEM]", "<explicit_instructions", "<system-reminder>"}

func (d *clineDecoder) user(m Message, body []byte) {
	s := splitter{b: d.b, like: m}
	open := -1     // index of the call whose result goes on
	stray := false // within the result of a call that is not there
	done := make([]bool, len(d.open))
	text := func(x Block) {
		t := strings.TrimLeft(x.Text, " \t\r\n")
		if h := clineRefused().FindStringSubmatch(t); h != nil {
			if i := d.answered(h[1], done); i >= 0 {
				open, done[i] = -1, true
				s.part(Results, Block{Type: Result, ID: d.open[i].id, Name: d.open[i].name, Text: x.Text, Failed: true})
				return
			}
		}
		if h := clineResult().FindStringSubmatch(t); h != nil {
			if i := d.answered(h[1], done); i >= 0 {
				open, done[i] = i, true
				s.part(Results, Block{Type: Result, ID: d.open[i].id, Name: d.open[i].name, Text: x.Text})
				return
			}
		}
		kind := clineSaid(t)
		late := clineResult().MatchString(t)
		if stray = late || stray && kind == Prompt && !clineAsked(t); stray { // its call was condensed away
			open = -1
			s.part(Meta, x)
			return
		}
		switch {
		case strings.HasPrefix(t, clineFolded):
			open = -1
			s.part(Summary, x)
		case kind == Meta:
			open = -1
			s.part(Meta, x)
		case clineAsked(t):
			open = -1
			if d.b.sess.Title == "" && strings.HasPrefix(t, "<task>") {
				d.b.sess.Title = clineTitle(t)
			}
			s.part(Prompt, x)
		case open >= 0 && len(s.cur.Blocks) > 0 && s.cur.Kind == Results:
			last := &s.cur.Blocks[len(s.cur.Blocks)-1]
			last.Text += "\n" + x.Text
		default:
			s.part(kind, x)
		}
	}
	if isString(body) {
		text(Block{Type: Text, Text: str(body)})
	}
	for it := walk(body); it.next(); {
		x, ok := userBlock(it.val)
		switch {
		case !ok:
		case x.Type == Text:
			text(x)
		case is(field(it.val, "type"), "file") && isString(field(it.val, "content")):
			// A file that the user mentions, as the client shows it.
			open, stray = -1, false
			s.part(Meta, Block{Type: Text, Text: "<file_content path=\"" + str(field(it.val, "path")) + "\">\n" + str(field(it.val, "content")) + "\n</file_content>"})
		case x.Type == Result:
			open, stray = -1, false
			if i := slices.IndexFunc(d.open, func(c clineCall) bool { return c.id == x.ID }); i >= 0 {
				done[i] = true
			}
			s.part(Results, x)
		case x.Type == Image && open >= 0 && len(s.cur.Blocks) > 0 && s.cur.Kind == Results:
			s.cur.Blocks[len(s.cur.Blocks)-1].Images++
		default:
			s.part(Prompt, x)
		}
	}
	s.flush()
}

// answered returns the index of the call that a heading with this name answers:
// the first open one of the name, else the first open one, since some headings
// name the tool otherwise; -1 if all are answered.
func (d *clineDecoder) answered(name string, done []bool) int {
	any := -1
	for i, c := range d.open {
		if done[i] || c.sent != d.b.sent { // the text stays where its call was condensed away
			continue
		}
		if c.name == name {
			return i
		}
		if any < 0 {
			any = i
		}
	}
	return any
}

// clineFolded begins what a compaction of Cline's puts behind a prompt.
const clineFolded = "<SYSTEM_NOTICE>\nEarlier context was compacted."

// clineAsked reports whether text is a person's, in a frame of the client's.
func clineAsked(text string) bool {
	frames := []string{"<task>", "<feedback>", "<user_message>", "<answer>", "<user_input", "New instructions for task continuation:"}
	return slices.ContainsFunc(frames, func(p string) bool { return strings.HasPrefix(text, p) })
}

func clineSaid(text string) Kind {
	if slices.ContainsFunc(clineMeta, func(p string) bool { return strings.HasPrefix(text, p) }) {
		return Meta
	}
	return said(text, false)
}

// clineTitle is the first line of a task.
func clineTitle(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "<task>"))
	if i := strings.Index(text, "</task>"); i >= 0 {
		text = text[:i]
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// clineUsage reads {tokens{prompt,completion,cached}}, or what Cline counts since
// it stands on its SDK. The cache is part of the prompt, but for providers whose
// prompt is smaller than their cache.
func clineUsage(v []byte) *Usage {
	t := field(v, "tokens")
	u := Usage{Input: num(field(t, "prompt")), Output: num(field(t, "completion")), CacheRead: num(field(t, "cached"))}
	if t == nil {
		u = Usage{Input: num(field(v, "inputTokens")), Output: num(field(v, "outputTokens")),
			CacheRead: num(field(v, "cacheReadTokens")), CacheWrite: num(field(v, "cacheWriteTokens"))}
	}
	u.Input = fresh(u.Input, u.CacheRead, u.CacheWrite)
	return u.known()
}

// fresh returns the tokens of a prompt without those read from the cache or written
// to it. Clients count some of both into the prompt, which changed from version to
// version and shows only in the sizes.
func fresh(prompt, read, write int) int {
	switch {
	case prompt >= read+write:
		return prompt - read - write
	case prompt >= read:
		return prompt - read
	}
	return prompt
}
