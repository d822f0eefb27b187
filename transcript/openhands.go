package transcript

import (
	"slices"
	"strings"
	"time"
)

// OpenHands since version 1 (read from the source of its software-agent-sdk): a
// folder of events, one file each, and base_state.json. Package
// internal/world/sessions joins them to {"state":…,"events":[…]}. Each action is a
// call of its own; actions of one response share its id. A condensation names the
// events to forget, and puts its summary at an offset of the remaining ones. The
// usage of single calls is not recorded.
var openHandsLayout = layout{
	format:  OpenHands,
	records: "events",
	sniff: func(p *probe) bool {
		elems := p.elems[""]
		if !p.array {
			elems = p.elems["events"]
		}
		return len(elems) > 0 && field(elems[0], "source") != nil && field(elems[0], "kind") != nil
	},
	plan: func() planner { return &openHandsPlan{forgotten: map[string]bool{}} },
	open: func(b *builder) decoder { return &openHandsDecoder{b: b} },
}

// An openHandsPlan finds the events that condensations forgot.
type openHandsPlan struct {
	ids       []string // of the records
	forgotten map[string]bool
	summary   string // of the last condensation that has one
	offset    int    // of the summary in the remaining events
	count     int    // condensations
}

func (p *openHandsPlan) skim(_ int, v []byte) {
	p.ids = append(p.ids, str(field(v, "id")))
	if !is(field(v, "kind"), "Condensation") {
		return
	}
	p.count++
	for it := walk(field(v, "forgotten_event_ids")); it.next(); {
		p.forgotten[str(it.val)] = true
	}
	if text := str(field(v, "summary")); text != "" {
		p.summary, p.offset = text, num(field(v, "summary_offset"))
	}
}

func (p *openHandsPlan) plan() plan {
	return plan{compactions: p.count, sent: func(n int) bool { return n < len(p.ids) && !p.forgotten[p.ids[n]] }}
}

type openHandsDecoder struct {
	b      *builder
	plan   *openHandsPlan
	kept   int  // events that were sent so far
	summed bool // the summary was added
}

func (d *openHandsDecoder) follow(p planner) { d.plan, _ = p.(*openHandsPlan) }

func (d *openHandsDecoder) head(key string, v []byte) {
	if s := d.b.sess; key == "state" {
		set(&s.ID, field(v, "id"))
		set(&s.Dir, path(v, "workspace", "working_dir"))
		set(&s.Model, path(v, "agent", "llm", "model"))
	}
}

func (d *openHandsDecoder) finish() { d.addSummary(int(^uint(0) >> 1)) }

// addSummary adds the summary of a condensation in front of the event at an offset.
func (d *openHandsDecoder) addSummary(at int) {
	if d.plan == nil || d.plan.summary == "" || d.summed || at < d.plan.offset {
		return
	}
	d.summed = true
	sent := d.b.sent
	d.b.sent = true
	d.b.addText(Message{}, Summary, d.plan.summary)
	d.b.sent = sent
}

func (d *openHandsDecoder) record(v []byte) {
	kind := str(field(v, "kind"))
	at := localClock(field(v, "timestamp"))
	d.b.seen(at)
	m := Message{ID: str(field(v, "id")), Time: at}
	result := Block{Type: Result, ID: str(field(v, "tool_call_id")), Name: str(field(v, "tool_name"))}
	switch kind {
	case "SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation":
		if d.b.sent {
			d.addSummary(d.kept)
			d.kept++
		}
	}
	switch kind {
	case "":
		d.b.sess.Skipped++
	case "SystemPromptEvent":
		for _, key := range []string{"system_prompt", "dynamic_context"} {
			if text := str(path(v, key, "text")); text != "" {
				d.b.sess.System = append(d.b.sess.System, text)
			}
		}
	case "MessageEvent":
		d.message(m, v)
	case "ActionEvent":
		d.action(m, v)
	case "ObservationEvent":
		o := field(v, "observation")
		text, images := content(field(o, "content"))
		result.Text, result.Images = openHandsRun(text, field(o, "metadata")), images
		if more, _ := content(field(v, "extended_content")); more != "" {
			result.Text += "\n" + more
		}
		result.Failed = isTrue(field(o, "is_error"))
		d.b.addOne(m, Results, result)
	case "AgentErrorEvent":
		result.Text, result.Failed = str(field(v, "error")), true
		d.b.addOne(m, Results, result)
	case "UserRejectObservation":
		result.Text, result.Failed = "Action rejected: "+str(field(v, "rejection_reason")), true
		d.b.addOne(m, Results, result)
	}
}

// message adds a message of the user, of the agent, or of a hook.
func (d *openHandsDecoder) message(m Message, v []byte) {
	said, source := field(v, "llm_message"), field(v, "source")
	if is(source, "agent") {
		m.Kind, m.ID = Answer, str(field(v, "llm_response_id"))
		m.Blocks = append(openHandsThinking(said), answerBlocks(field(said, "content"))...)
		d.b.add(m)
		return
	}
	s := splitter{b: d.b, like: m}
	for it := walk(field(said, "content")); it.next(); {
		if x, ok := userBlock(it.val); ok {
			kind := Meta
			if is(source, "user") {
				kind = Prompt
			}
			s.part(kind, x)
		}
	}
	for it := walk(field(v, "extended_content")); it.next(); {
		s.part(Meta, Block{Type: Text, Text: str(field(it.val, "text"))})
	}
	s.flush()
}

// action adds a call, with the thoughts that preceded it.
func (d *openHandsDecoder) action(m Message, v []byte) {
	call := field(v, "tool_call")
	arguments := field(call, "arguments")
	if arguments == nil { // of earlier versions
		arguments = path(call, "function", "arguments")
	}
	m.Kind, m.ID = Answer, str(field(v, "llm_response_id"))
	m.Blocks = append(openHandsThinking(v), answerBlocks(field(v, "thought"))...)
	m.Blocks = append(m.Blocks, Block{Type: Call, ID: str(field(v, "tool_call_id")), Name: str(field(v, "tool_name")), Input: input(arguments)})
	d.b.add(m)
}

// openHandsThinking returns the reasoning of an answer: Anthropic's blocks, which
// repeat its text, or the text alone.
func openHandsThinking(v []byte) (blocks []Block) {
	for it := walk(field(v, "thinking_blocks")); it.next(); {
		if x, ok := answerBlock(it.val); ok && x.Type == Thinking {
			blocks = append(blocks, x)
		}
	}
	if text := str(field(v, "reasoning_content")); len(blocks) == 0 && strings.TrimSpace(text) != "" {
		blocks = append(blocks, Block{Type: Thinking, Text: text})
	}
	return slices.Clip(blocks)
}

// openHandsRun returns a command's output as the agent sees it.
func openHandsRun(text string, meta []byte) string {
	if meta == nil {
		return text
	}
	out := str(field(meta, "prefix")) + text + str(field(meta, "suffix"))
	if dir := str(field(meta, "working_dir")); dir != "" {
		out += "\n[Current working directory: " + dir + "]"
	}
	if py := str(field(meta, "py_interpreter_path")); py != "" {
		out += "\n[Python interpreter: " + py + "]"
	}
	if code := field(meta, "exit_code"); !isNull(code) && num(code) != -1 {
		out += "\n[Command finished with exit code " + string(code) + "]"
	}
	return out
}

// localClock reads a time that may lack its zone: then it is UTC.
func localClock(v []byte) time.Time {
	if t := clock(v); !t.IsZero() || !isString(v) {
		return t
	}
	t, err := time.Parse("2006-01-02T15:04:05.999999999", str(v))
	if err != nil {
		return time.Time{}
	}
	return t
}
