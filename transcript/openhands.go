package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OpenHands (V0): {"events":[…]} or the array alone, of actions and
// observations. An observation answers the action whose id is its "cause". What
// the model is sent follows from the events as openhands/memory builds it: the
// answer that a call came in stands whole in tool_call_metadata.model_response,
// which every event of the call repeats; a condensation names the events to
// forget and puts its summary at an offset of those that remain.
var openHandsLayout = layout{
	format:  OpenHands,
	records: "events",
	sniff: func(p *probe) bool {
		elems := p.elems[""]
		if !p.array {
			elems = p.elems["events"]
		}
		for _, e := range elems {
			return field(e, "source") != nil && (field(e, "action") != nil || field(e, "observation") != nil)
		}
		return false
	},
	plan: func() planner { return &openHandsPlan{forgotten: map[int]bool{}} },
	open: func(b *builder) decoder {
		return &openHandsDecoder{b: b, calls: map[int]string{}, answers: map[openHandsTold]bool{}}
	},
}

type openHandsPlan struct {
	ids       []int // of the records; -1 for none
	forgotten map[int]bool
	ranges    [][2]int
	summary   string
	offset    int // in the events that remain; -1 without a summary
	count     int
	has       bool
}

func (p *openHandsPlan) skim(_ int, v []byte) {
	id := -1
	var action, args []byte
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "id":
			id = num(it.val)
		case "action":
			action = it.val
		case "args":
			args = it.val
		}
	}
	p.ids = append(p.ids, id)
	switch {
	case is(action, "condensation_request"):
		p.forgotten[id] = true
	case is(action, "condensation"):
		p.count++
		p.forgotten[id] = true
		if list := field(args, "forgotten_event_ids"); isArray(list) {
			for it := walk(list); it.next(); {
				p.forgotten[num(it.val)] = true
			}
		} else if from, to := field(args, "forgotten_events_start_id"), field(args, "forgotten_events_end_id"); !isNull(from) && !isNull(to) {
			p.ranges = append(p.ranges, [2]int{num(from), num(to)})
		}
		if s, at := field(args, "summary"), field(args, "summary_offset"); isString(s) && !isNull(at) {
			p.summary, p.offset, p.has = str(s), num(at), true
		}
	}
}

func (p *openHandsPlan) sent(n int) bool {
	if n >= len(p.ids) {
		return false
	}
	id := p.ids[n]
	return !p.forgotten[id] && !slices.ContainsFunc(p.ranges, func(r [2]int) bool { return id >= r[0] && id <= r[1] })
}

func (p *openHandsPlan) plan() plan { return plan{sent: p.sent, compactions: p.count} }

type openHandsDecoder struct {
	b       *builder
	plan    *openHandsPlan
	kept    int            // events that were sent so far
	summed  bool           // the summary was told
	calls   map[int]string // action → its call's id
	answers map[openHandsTold]bool

	total     Usage // of all calls so far
	condensed bool  // a condenser has called the model since
}

// openHandsTold is a response whose answer was told, as one that would be sent
// or not.
type openHandsTold struct {
	response string
	sent     bool
}

func (d *openHandsDecoder) follow(p planner)    { d.plan, _ = p.(*openHandsPlan) }
func (d *openHandsDecoder) head(string, []byte) {}

// tell adds the condensation's summary where it belongs.
func (d *openHandsDecoder) tell(at int) {
	if d.plan == nil || !d.plan.has || d.summed || at < d.plan.offset {
		return
	}
	d.summed = true
	sent := d.b.sent
	d.b.sent = true
	d.b.add(Message{Kind: Summary, Blocks: []Block{{Type: Text, Text: d.plan.summary}}})
	d.b.sent = sent
}

func (d *openHandsDecoder) finish() { d.tell(int(^uint(0) >> 1)) }

type openHandsEvent struct {
	id, cause                 int
	source                    string
	action, observation       string
	args, body, meta, extras  []byte
	callID, function, respond string // respond is the id of response
	response                  []byte // of the model, raw
	spent                     []byte // by all calls so far
	usage                     *Usage
	m                         Message
}

func (d *openHandsDecoder) record(v []byte) {
	e := readOpenHands(v)
	if d.b.sent {
		d.tell(d.kept)
		d.kept++
	}
	d.b.seen(e.m.Time)
	switch {
	case e.action != "":
		d.action(e)
	case e.observation != "":
		d.observation(e)
	default:
		d.b.sess.Skipped++
	}
}

func readOpenHands(v []byte) openHandsEvent {
	e := openHandsEvent{id: -1, cause: -1}
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "id":
			e.id = num(it.val)
			e.m.ID = strconv.Itoa(e.id)
		case "cause":
			e.cause = num(it.val)
		case "timestamp":
			e.m.Time = localClock(it.val)
		case "source":
			e.source = str(it.val)
		case "action":
			e.action = str(it.val)
		case "observation":
			e.observation = str(it.val)
		case "args":
			e.args = it.val
		case "content":
			e.body = it.val
		case "extras":
			e.extras = it.val
		case "tool_call_metadata":
			e.meta = it.val
		case "llm_metrics":
			e.spent = field(it.val, "accumulated_token_usage")
		}
	}
	for it := walk(e.meta); it.next(); {
		switch string(it.key) {
		case "tool_call_id":
			e.callID = str(it.val)
		case "function_name":
			e.function = str(it.val)
		case "model_response":
			e.response = it.val
			e.respond = str(field(it.val, "id"))
			e.m.Model = str(field(it.val, "model"))
			e.usage = openHandsUsage(field(it.val, "usage"))
		}
	}
	return e
}

func (d *openHandsDecoder) action(e openHandsEvent) {
	m := e.m
	if u := d.spent(e.spent); e.usage == nil {
		e.usage = u
	}
	d.condensed = d.condensed || e.action == "condensation"
	text := str(field(e.args, "content"))
	switch {
	case e.action == "system":
		d.b.sess.System = append(d.b.sess.System, text)
		return
	case e.action == "message":
		m.Kind = Prompt
		if e.source != "user" {
			m.Kind = Answer
			m.Usage = e.usage
		}
		m.Blocks = []Block{{Type: Text, Text: text}}
		for it := walk(field(e.args, "image_urls")); it.next(); {
			m.Blocks = append(m.Blocks, Block{Type: Image})
		}
	case e.action == "finish":
		thought := str(field(e.args, "thought"))
		if t := messageText(e.response); t != "" && t != thought {
			thought = strings.TrimPrefix(thought+"\n"+t, "\n")
		}
		if thought == "" {
			thought = str(field(e.args, "final_thought"))
		}
		m.Kind, m.Usage = Answer, e.usage
		if e.source == "user" {
			m.Kind = Prompt
		}
		m.Blocks = []Block{{Type: Text, Text: thought}}
	case e.action == "recall", e.action == "change_agent_state", e.action == "null",
		e.action == "condensation", e.action == "condensation_request", e.action == "loop_recovery":
		return
	case e.action == "run" && e.source == "user":
		m.Kind = Meta
		m.Blocks = []Block{{Type: Text, Text: "User executed the command:\n" + str(field(e.args, "command"))}}
	case e.source != "agent":
		return
	default:
		d.call(e)
		return
	}
	d.b.add(m)
}

// call adds the answer that an action came in. Actions of one response are one
// answer, told with the first.
func (d *openHandsDecoder) call(e openHandsEvent) {
	m := e.m
	m.Kind, m.Usage = Answer, e.usage
	id := e.callID
	if id == "" {
		id = "ev" + strconv.Itoa(e.id)
	}
	if e.id >= 0 {
		d.calls[e.id] = id
	}
	message := path(e.response, "choices")
	for it := walk(message); it.next(); {
		message = field(it.val, "message")
		break
	}
	if calls := field(message, "tool_calls"); isArray(calls) && e.respond != "" {
		// A condensation may have forgotten the first action of a response and
		// not the others.
		told := openHandsTold{e.respond, d.b.sent}
		if d.answers[told] {
			return
		}
		d.answers[told] = true
		m.ID = e.respond
		text, _ := content(field(message, "content"))
		for it := walk(field(message, "thinking_blocks")); it.next(); {
			if x, ok := answerBlock(it.val); ok && x.Type == Thinking {
				m.Blocks = append(m.Blocks, x)
			}
		}
		m.Blocks = append(m.Blocks, Block{Type: Text, Text: text})
		m.Blocks = append(m.Blocks, functionCalls(calls)...)
		d.b.add(m)
		return
	}
	// A trajectory that was stripped of the raw answers.
	if t := str(field(e.args, "thought")); t != "" {
		m.Blocks = append(m.Blocks, Block{Type: Text, Text: t})
	}
	name := e.function
	name = cmp.Or(name, e.action)
	m.ID = e.respond
	m.Blocks = append(m.Blocks, Block{Type: Call, ID: id, Name: name, Input: openHandsInput(e.args)})
	d.b.add(m)
}

// openHandsInput returns an action's arguments but for the client's own.
func openHandsInput(args []byte) json.RawMessage {
	out := map[string]json.RawMessage{}
	for it := walk(args); it.next(); {
		switch k := string(it.key); k {
		case "thought", "blocking", "is_input", "hidden", "confirmation_state", "security_risk", "keep_prompt", "is_static", "cwd", "impl_source", "llm_risk":
		default:
			if v := raw(it.val); v != nil && !isNull(v) && string(v) != `""` {
				out[k] = v
			}
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

func (d *openHandsDecoder) observation(e openHandsEvent) {
	text, images := content(e.body)
	m := e.m
	failed := false
	switch e.observation {
	case "run":
		text = openHandsRun(text, field(e.extras, "metadata"))
		if e.callID == "" && d.calls[e.cause] == "" {
			text = "\nObserved result of command executed by user:\n" + text
		}
	case "error":
		text += "\n[Error occurred in processing last action]"
		failed = true
	case "user_rejected":
		text = "OBSERVATION:\n" + text + "\n[Last action has been rejected by the user]"
		failed = true
	case "delegate":
		if t := str(path(e.extras, "outputs", "content")); t != "" {
			text = t
		}
	case "recall":
		m.Kind = Meta
		m.Blocks = []Block{{Type: Text, Text: openHandsRecall(e.extras)}}
		d.b.add(m)
		return
	case "agent_state_changed", "null", "loop_detection":
		return
	case "condense":
		m.Kind = Summary
		m.Blocks = []Block{{Type: Text, Text: text}}
		d.b.add(m)
		return
	}
	for it := walk(field(e.extras, "image_urls")); it.next(); {
		images++
	}
	id := e.callID
	if id == "" {
		id = d.calls[e.cause]
	}
	if id == "" {
		m.Kind = Meta
		m.Blocks = []Block{{Type: Text, Text: text}}
		d.b.add(m)
		return
	}
	m.Kind = Results
	m.Blocks = []Block{{Type: Result, ID: id, Name: e.function, Text: text, Images: images, Failed: failed}}
	d.b.add(m)
}

// openHandsRun dresses a command's output as the agent sees it.
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

// openHandsRecall shows what a recall put into the context. The client renders
// it through a template that the file does not hold; the texts are the same.
func openHandsRecall(extras []byte) string {
	var parts []string
	for _, key := range []string{"repo_name", "repo_directory", "repo_branch", "repo_instructions", "additional_agent_instructions", "conversation_instructions"} {
		if t := str(field(extras, key)); t != "" {
			parts = append(parts, t)
		}
	}
	for it := walk(field(extras, "microagent_knowledge")); it.next(); {
		if t := str(field(it.val, "content")); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n")
}

// messageText returns the text of the answer in a raw response.
func messageText(response []byte) string {
	for it := walk(field(response, "choices")); it.next(); {
		t, _ := content(path(it.val, "message", "content"))
		return t
	}
	return ""
}

// openHandsUsage reads OpenAI's usage as litellm gives it: the cache is part of
// the prompt, reasoning part of the completion.
func openHandsUsage(v []byte) *Usage {
	if isNull(v) {
		return nil
	}
	u := Usage{
		Input:      num(field(v, "prompt_tokens")),
		Output:     num(field(v, "completion_tokens")),
		CacheRead:  num(path(v, "prompt_tokens_details", "cached_tokens")),
		CacheWrite: num(field(v, "cache_creation_input_tokens")),
		Reasoning:  num(path(v, "completion_tokens_details", "reasoning_tokens")),
	}
	if u.CacheRead == 0 {
		u.CacheRead = num(field(v, "cache_read_input_tokens"))
	}
	u.Input = fresh(u.Input, u.CacheRead, u.CacheWrite)
	if u == (Usage{}) {
		return nil
	}
	return &u
}

// fresh returns the tokens of a prompt that were neither read from the cache nor
// written to it, for clients that count some of both into the prompt: which, has
// changed from version to version (of litellm: both; since 2025 what was read),
// and shows in the sizes only.
func fresh(prompt, read, write int) int {
	switch {
	case prompt >= read+write:
		return prompt - read - write
	case prompt >= read:
		return prompt - read
	}
	return prompt
}

// spent reads the usage of all calls so far, which newer versions record with
// each action, and returns that of the calls since the last one, nil if one of
// them was a condenser's.
func (d *openHandsDecoder) spent(v []byte) *Usage {
	if isNull(v) {
		return nil
	}
	if n := num(field(v, "context_window")); n > 0 {
		d.b.sess.Window = n
	}
	now := Usage{Input: num(field(v, "prompt_tokens")), Output: num(field(v, "completion_tokens")),
		CacheRead: num(field(v, "cache_read_tokens")), CacheWrite: num(field(v, "cache_write_tokens"))}
	was, other := d.total, d.condensed
	d.total, d.condensed = now, false
	u := Usage{Input: now.Input - was.Input, Output: now.Output - was.Output,
		CacheRead: now.CacheRead - was.CacheRead, CacheWrite: now.CacheWrite - was.CacheWrite}
	if other || min(u.Input, u.CacheRead, u.CacheWrite) < 0 || u.Output <= 0 {
		return nil
	}
	u.Input = fresh(u.Input, u.CacheRead, u.CacheWrite)
	return &u
}

// localClock reads a time that may lack its zone: it counts as UTC.
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
