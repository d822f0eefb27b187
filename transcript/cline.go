package transcript

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	plan: func() planner {
		return &clinePlan{summary: -1, summaries: map[string]bool{}, markers: map[string]int{}}
	},
	open:  func(b *builder) decoder { b.join = true; return &clineDecoder{b: b} },
	write: writeCline,
}

type clinePlan struct {
	heads     []clineHead
	summary   int // the last one
	summaries map[string]bool
	markers   map[string]int // id → record
}

type clineHead struct{ condensed, truncated string }

func (p *clinePlan) skim(n int, v []byte) {
	var h clineHead
	var condense, truncation string
	summary, marker := false, false
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "isSummary":
			summary = isTrue(it.val)
		case "condenseId":
			condense = str(it.val)
		case "condenseParent":
			h.condensed = str(it.val)
		case "isTruncationMarker":
			marker = isTrue(it.val)
		case "truncationId":
			truncation = str(it.val)
		case "truncationParent":
			h.truncated = str(it.val)
		}
	}
	if summary {
		p.summary = n
		p.summaries[condense] = true
	}
	if marker && truncation != "" {
		p.markers[truncation] = n
	}
	p.heads = append(p.heads, h)
}

func (p *clinePlan) plan() plan {
	return plan{compactions: len(p.summaries) + len(p.markers), sent: func(n int) bool {
		if n >= len(p.heads) || n < p.summary {
			return false
		}
		h := p.heads[n]
		if at, ok := p.markers[h.truncated]; ok && h.truncated != "" && at >= p.summary {
			return false
		}
		return p.summary >= 0 || h.condensed == "" || !p.summaries[h.condensed]
	}}
}

type clineDecoder struct {
	b    *builder
	n    int
	open []clineCall // calls of the last answer
}

type clineCall struct{ id, name string }

func (d *clineDecoder) head(string, []byte) {}

func (d *clineDecoder) record(v []byte) {
	n := d.n
	d.n++
	var role, body []byte
	m := Message{}
	summary, marker, hidden := false, false, 0
	var own Kind // as our writer says: nothing is to be taken apart
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "role":
			role = it.val
		case "content":
			body = it.val
		case "id":
			m.ID = str(it.val)
		case "ts":
			m.Time = clock(it.val)
		case "isSummary":
			summary = isTrue(it.val)
		case "isTruncationMarker":
			marker = isTrue(it.val)
		case "encrypted_content":
			hidden = strLen(it.val) // reasoning between the messages
		case "modelInfo":
			m.Model = str(field(it.val, "modelId"))
		case "metrics":
			m.Usage = clineUsage(field(it.val, "tokens"))
		case "satchel":
			own = marked(it.val)
		}
	}
	switch {
	case own != "":
		d.literal(m, own, body)
	case summary:
		text, _ := content(body)
		m.Kind, m.Blocks = Summary, []Block{{Type: Text, Text: text}}
		d.b.add(m)
	case marker:
		text, _ := content(body)
		m.Kind, m.Blocks = Meta, []Block{{Type: Text, Text: text}}
		d.b.add(m)
	case is(role, "user"):
		d.user(m, body)
	case is(role, "assistant"):
		m.Kind = Answer
		d.open = d.open[:0]
		m.ID = "" // the provider's, which parts of an answer share by chance only
		if hidden > 0 {
			m.Blocks = append(m.Blocks, Block{Type: Thinking, Opaque: hidden})
		}
		m.Blocks = append(m.Blocks, d.answer(n, body)...)
		d.b.add(m)
	default:
		d.b.sess.Skipped++
	}
}

// literal adds a message that our writer wrote.
func (d *clineDecoder) literal(m Message, kind Kind, body []byte) {
	m.Kind, m.ID = kind, ""
	d.open = d.open[:0]
	if kind == Answer {
		m.Blocks = answerBlocks(body)
	} else {
		for it := walk(body); it.next(); {
			if x, ok := userBlock(it.val); ok {
				m.Blocks = append(m.Blocks, x)
			}
		}
	}
	for i := range m.Blocks {
		if x := &m.Blocks[i]; x.Type == Call {
			d.open = append(d.open, clineCall{x.ID, x.Name})
		}
	}
	d.b.add(m)
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
			d.open = append(d.open, clineCall{x.ID, x.Name})
		case x.Type == Text:
			blocks = append(blocks, d.calls(n, x.Text)...)
			continue
		}
		blocks = append(blocks, x)
	}
	return blocks
}

// clineTools are the tools that Cline and Roo offer as XML.
var clineTools = map[string]bool{
	"execute_command": true, "read_file": true, "write_to_file": true, "replace_in_file": true, "apply_diff": true,
	"insert_content": true, "search_and_replace": true, "search_files": true, "list_files": true, "edit_file": true,
	"list_code_definition_names": true, "browser_action": true, "use_mcp_tool": true, "access_mcp_resource": true,
	"ask_followup_question": true, "attempt_completion": true, "new_task": true, "switch_mode": true, "condense": true,
	"plan_mode_respond": true, "act_mode_respond": true, "load_mcp_documentation": true, "fetch_instructions": true,
	"codebase_search": true, "update_todo_list": true, "web_fetch": true, "web_search": true, "generate_image": true,
	"run_slash_command": true, "new_rule": true, "report_bug": true, "use_skill": true, "focus_chain": true,
}

var xmlOpen = regexp.MustCompile(`<([a-z][a-z_]*)>`)

// calls takes the text of an answer apart. The XML of a call becomes its Raw.
func (d *clineDecoder) calls(n int, text string) (blocks []Block) {
	rest := text
	var ends xmlEnds
	for from := 0; ; {
		at := xmlOpen.FindStringSubmatchIndex(rest[from:])
		if at == nil {
			break
		}
		start, name := from+at[0], rest[from+at[2]:from+at[3]]
		inner := from + at[1]
		if !clineTools[name] {
			from = inner
			continue
		}
		end := ends.find(rest[inner:], name)
		if end < 0 {
			from = inner
			continue
		}
		stop := inner + end + len("</"+name+">")
		call := clineCall{"xml" + strconv.Itoa(n) + "-" + strconv.Itoa(len(d.open)), name}
		d.open = append(d.open, call)
		if start > 0 {
			blocks = append(blocks, Block{Type: Text, Text: rest[:start]})
		}
		blocks = append(blocks, Block{Type: Call, ID: call.id, Name: name, Input: xmlInput(rest[inner : inner+end]), Raw: quote(rest[start:stop])})
		rest, from = rest[stop:], 0
	}
	if rest != "" {
		blocks = append(blocks, Block{Type: Text, Text: rest})
	}
	return blocks
}

// xmlEnds finds where elements end. It remembers of which names no end is left,
// so that a text full of beginnings is gone through once.
type xmlEnds map[string]bool

// find returns where the closing tag of an element begins whose content begins
// with s, or -1. Content is not escaped and may hold tags of the same name: it
// ends at the last closing tag before the next opening one, else at the last.
func (e *xmlEnds) find(s, name string) int {
	if (*e)[name] {
		return -1
	}
	if next := strings.Index(s, "<"+name+">"); next >= 0 {
		if end := strings.LastIndex(s[:next], "</"+name+">"); end >= 0 {
			return end
		}
	}
	end := strings.LastIndex(s, "</"+name+">")
	if end < 0 {
		if *e == nil {
			*e = xmlEnds{}
		}
		(*e)[name] = true
	}
	return end
}

// maxParameters bounds the parameters of one call, whose names anybody may make
// up; tools have up to six.
const maxParameters = 64

// xmlInput reads the parameters of a call: its elements.
func xmlInput(s string) json.RawMessage {
	var in object
	seen := map[string]bool{}
	var ends xmlEnds
	for len(seen)+len(ends) < maxParameters {
		at := xmlOpen.FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		name := s[at[2]:at[3]]
		end := ends.find(s[at[1]:], name)
		if end < 0 {
			s = s[at[1]:]
			continue
		}
		if !seen[name] {
			seen[name] = true
			in.str(name, strings.TrimSuffix(strings.TrimPrefix(s[at[1]:at[1]+end], "\n"), "\n"))
		}
		s = s[at[1]+end+len("</"+name+">"):]
	}
	return in.bytes()
}

// clineResult is the heading of a result that is text.
var clineResult = regexp.MustCompile(`^\[([a-z][a-z_]*)(?:[ \n][^\n]*)?\] Result:`)

// clineRefused is the result of a second call in a message.
var clineRefused = regexp.MustCompile(`^Tool \[([a-z][a-z_]*)\] was not executed`)

// clineMeta begins what the client puts into a user message.
var clineMeta = []string{"<environment_details>", "# task_progress", "# TO" + "DO", "# todo", "[ERROR]", "[TASK RESUMPTION]", "[SYSTEM]", "<explicit_instructions", "<system-reminder>"}

func (d *clineDecoder) user(m Message, body []byte) {
	s := splitter{b: d.b, like: m}
	open := -1 // index of the call whose result goes on
	done := make([]bool, len(d.open))
	text := func(x Block) {
		t := strings.TrimLeft(x.Text, " \t\r\n")
		if h := clineRefused.FindStringSubmatch(t); h != nil {
			if i := d.answered(h[1], done); i >= 0 {
				open, done[i] = -1, true
				s.part(Results, Block{Type: Result, ID: d.open[i].id, Name: d.open[i].name, Text: x.Text, Failed: true})
				return
			}
		}
		if h := clineResult.FindStringSubmatch(t); h != nil {
			if i := d.answered(h[1], done); i >= 0 {
				open, done[i] = i, true
				s.part(Results, Block{Type: Result, ID: d.open[i].id, Name: d.open[i].name, Text: x.Text})
				return
			}
		}
		switch kind := clineSaid(t); {
		case kind == Meta:
			open = -1
			s.part(Meta, x)
		case strings.HasPrefix(t, "<task>"), strings.HasPrefix(t, "<feedback>"), strings.HasPrefix(t, "<user_message>"), strings.HasPrefix(t, "<answer>"):
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
		case x.Type == Result:
			open = -1
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
		if done[i] {
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

func clineSaid(text string) Kind {
	for _, p := range clineMeta {
		if strings.HasPrefix(text, p) {
			return Meta
		}
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

// clineUsage reads {prompt,completion,cached}. The cache is part of the prompt,
// but for providers whose prompt is smaller than their cache.
func clineUsage(v []byte) *Usage {
	u := Usage{Input: num(field(v, "prompt")), Output: num(field(v, "completion")), CacheRead: num(field(v, "cached"))}
	if u == (Usage{}) {
		return nil
	}
	if u.Input >= u.CacheRead {
		u.Input -= u.CacheRead
	}
	return &u
}
