package transcript

import (
	"cmp"
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// Codex records the items that it sends to the Responses API, one a line,
// among events for its own display. Old versions (before 0.30) had no wrapper
// {timestamp, type, payload} around the items.
var codexLayout = layout{
	format: Codex,
	family: "gpt-5",
	naming: &naming{wrapped: "payload", members: []string{"id", "session_id", "thread_id"}},
	sniff: func(p *probe) bool {
		return p.any(func(l []byte) bool {
			var kind, payload, body, legacy []byte
			read(l, member{"type", &kind}, member{"payload", &payload}, member{"content", &body}, member{"record_type", &legacy})
			switch {
			case payload != nil:
				return is(kind, "session_meta") || is(kind, "response_item") || is(kind, "event_msg") ||
					is(kind, "turn_context") || is(kind, "compacted")
			case legacy != nil, is(kind, "function_call_output"), is(kind, "function_call"), is(kind, "local_shell_call"):
				return true
			case is(kind, "message"):
				for it := walk(body); it.next(); {
					if t := field(it.val, "type"); is(t, "input_text") || is(t, "output_text") {
						return true
					}
				}
			}
			return false
		})
	},
	open:  func(b *builder) decoder { b.join = true; return &codex{b: b} },
	plan:  func() planner { return &codexPlan{} },
	write: writeCodex,
}

type codex struct {
	b *builder
}

func (c *codex) head(string, []byte) {}

func (c *codex) record(raw []byte) {
	var kind, payload, at []byte
	read(raw, member{"type", &kind}, member{"payload", &payload}, member{"timestamp", &at})
	t := clock(at)
	c.b.seen(t)
	if payload == nil {
		if kind == nil {
			c.about(raw) // the first line of old versions
		} else {
			responsesItem(c.b, raw, Message{Time: t}, "")
		}
		return
	}
	s := c.b.sess
	switch {
	case is(kind, "session_meta"):
		c.about(payload)
	case is(kind, "turn_context"):
		set(&s.Dir, field(payload, "cwd"))
		set(&s.Model, field(payload, "model"))
	case is(kind, "response_item"):
		responsesItem(c.b, payload, Message{Time: t, Model: s.Model}, "")
	case is(kind, "compacted"):
		c.compacted(payload, Message{Time: t, Model: s.Model})
	case is(kind, "event_msg"):
		c.event(payload)
	}
}

// about reads what a file says of itself.
func (c *codex) about(v []byte) {
	s := c.b.sess
	if !c.b.owns(field(v, "id")) {
		return
	}
	var dir, version, git, at, base, instructions, window []byte
	read(v,
		member{"cwd", &dir}, member{"cli_version", &version}, member{"git", &git}, member{"timestamp", &at},
		member{"base_instructions", &base}, member{"instructions", &instructions}, member{"context_window", &window},
	)
	set(&s.Dir, dir)
	set(&s.Version, version)
	set(&s.Branch, field(git, "branch"))
	c.b.seen(clock(at))
	if text := cmp.Or(str(field(base, "text")), str(instructions)); text != "" {
		s.System = []string{text} // repeated by each resume
	}
	s.Window = max(s.Window, num(window))
}

func (c *codex) event(v []byte) {
	s := c.b.sess
	switch kind := field(v, "type"); {
	case is(kind, "token_count"):
		info := field(v, "info")
		if n := num(field(info, "model_context_window")); n > 0 {
			s.Window = n
		}
		if last := field(info, "last_token_usage"); isObject(last) {
			c.b.usage(openAIUsage(last))
		}
	case is(kind, "task_started"):
		if n := num(field(v, "model_context_window")); n > 0 {
			s.Window = n
		}
	case is(kind, "thread_name_updated"):
		set(&s.Title, field(v, "thread_name"))
	}
}

// openAIUsage decodes usage as the Responses API reports it: cached tokens are
// part of the input, reasoning of the output.
func openAIUsage(v []byte) (u Usage) {
	var in, out []byte
	readNumbers(v,
		number{"input_tokens", &u.Input}, number{"prompt_tokens", &u.Input}, number{"cached_input_tokens", &u.CacheRead},
		number{"cache_write_input_tokens", &u.CacheWrite}, number{"output_tokens", &u.Output},
		number{"completion_tokens", &u.Output}, number{"reasoning_output_tokens", &u.Reasoning},
	)
	read(v,
		member{"input_tokens_details", &in}, member{"prompt_tokens_details", &in},
		member{"output_tokens_details", &out}, member{"completion_tokens_details", &out},
	)
	readNumbers(in, number{"cached_tokens", &u.CacheRead})
	readNumbers(out, number{"reasoning_tokens", &u.Reasoning})
	u.Input = max(u.Input-u.CacheRead-u.CacheWrite, 0)
	return u
}

// compacted replaces the history. Where the record holds the new history, that
// is all of it; the message alone stands behind the user's earlier prompts,
// which codexPlan keeps.
func (c *codex) compacted(v []byte, like Message) {
	history := field(v, "replacement_history")
	message := str(field(v, "message"))
	if isArray(history) {
		marked := map[int]bool{} // what our own writer says are summaries
		for it := walk(path(v, "satchel", "summaries")); it.next(); {
			marked[num(it.val)] = true
		}
		n := 0
		for it := walk(history); it.next(); n++ {
			if marked[n] {
				text, _ := content(field(it.val, "content"))
				responsesItem(c.b, it.val, like, text)
				continue
			}
			if len(marked) > 0 {
				message = ""
			}
			responsesItem(c.b, it.val, like, message)
		}
		return
	}
	c.b.addText(like, Summary, message)
}

// codexSummary begins the message that stands for the history after a
// compaction on this machine.
const codexSummary = "Another language model started to solve this problem and produced a summary"

// responsesItem adds one item of the Responses API. Summary is the text of the
// compaction that the item is part of, if any.
func responsesItem(b *builder, v []byte, m Message, summary string) {
	var kind, role, body, id, call, name, args, action, in, out, tools, encrypted, shortened, status []byte
	read(v,
		member{"type", &kind}, member{"role", &role}, member{"content", &body}, member{"id", &id},
		member{"call_id", &call}, member{"name", &name}, member{"arguments", &args}, member{"action", &action},
		member{"input", &in}, member{"output", &out}, member{"tools", &tools}, member{"encrypted_content", &encrypted},
		member{"summary", &shortened}, member{"status", &status},
	)
	if call == nil {
		call = id
	}
	switch {
	case is(kind, "message"), kind == nil && role != nil:
		responsesMessage(b, role, body, m, summary)
	case is(kind, "reasoning"):
		x := Block{Type: Thinking, Opaque: strLen(encrypted), Raw: raw(v)}
		if x.Text, _ = content(shortened); x.Text == "" {
			x.Text, _ = content(body)
		}
		b.addOne(m, Answer, x)
	case is(kind, "function_call"), is(kind, "custom_tool_call"), is(kind, "local_shell_call"), is(kind, "tool_search_call"),
		is(kind, "mcp_tool_call"):
		x := Block{Type: Call, ID: str(call), Name: cmp.Or(str(name), strings.TrimSuffix(str(kind), "_call")), Raw: raw(v)}
		switch {
		case args != nil:
			x.Input = input(args)
		case in != nil:
			x.Input = input(in)
		default:
			x.Input = input(action)
		}
		b.addOne(m, Answer, x)
	case is(kind, "function_call_output"), is(kind, "custom_tool_call_output"), is(kind, "local_shell_call_output"),
		is(kind, "tool_search_output"), is(kind, "mcp_tool_call_output"):
		if out == nil {
			out = tools
		}
		x := codexOutput(out)
		x.ID = str(call)
		x.Failed = x.Failed || is(status, "failed")
		b.addOne(m, Results, x)
	case is(kind, "compaction"), is(kind, "compaction_summary"), is(kind, "context_compaction"):
		// The provider's own summary, which only it can read.
		b.addOne(m, Summary, Block{Type: Other, Name: str(kind), Text: "[compaction]", Opaque: strLen(encrypted), Raw: raw(v)})
	case isObject(v) && strLen(kind) > 0 && !is(kind, "ghost_snapshot"):
		// web_search_call and other work of the provider: part of the answer.
		x := Block{Type: Other, Name: str(kind), Raw: raw(v)}
		if x.Raw == nil {
			x.Type, x.Name = Text, "" // malformed: it cannot go back
		}
		x.Text = "[" + strings.TrimSuffix(str(kind), "_call") + "] " + shown(action)
		b.addOne(m, Answer, x)
	}
}

// responsesMessage adds a message of the Responses API; see responsesItem.
func responsesMessage(b *builder, role, body []byte, m Message, summary string) {
	switch {
	case is(role, "assistant"):
		m.Kind = Answer
		for it := walk(body); it.next(); {
			text, _ := part(it.val)
			m.Blocks = append(m.Blocks, Block{Type: Text, Text: text})
		}
		if isString(body) {
			m.Blocks = []Block{{Type: Text, Text: str(body)}}
		}
		b.add(m)
	case is(role, "developer"), is(role, "system"):
		userTurn(b, body, m, true)
	default:
		text, _ := content(body)
		if strings.HasPrefix(text, codexSummary) || summary != "" && strings.Contains(text, summary) {
			b.addText(m, Summary, text)
			return
		}
		userTurn(b, body, m, false)
	}
}

// codexOutput makes a result of a call's output: text, parts, an object with
// content, or text that is a JSON object {output, metadata{exit_code}}.
func codexOutput(v []byte) Block {
	if isObject(v) {
		if in := field(v, "content"); !isNull(in) {
			x := resultBlock(in)
			x.Failed = string(field(v, "success")) == "false"
			return x
		}
	}
	x := resultBlock(v)
	if strings.HasPrefix(x.Text, `{"output"`) && json.Valid([]byte(x.Text)) {
		in := []byte(x.Text)
		x.Text, _ = content(field(in, "output"))
		x.Failed = num(path(in, "metadata", "exit_code")) != 0
	}
	x.Failed = x.Failed || exitCode(x.Text) != 0
	return x
}

// exitCode finds the exit code in the lines that Codex puts before a command's
// output, and 0 if there is none.
func exitCode(text string) int {
	for range 6 {
		line, rest, more := strings.Cut(text, "\n")
		for _, p := range []string{"Exit code: ", "Process exited with code "} {
			if s, ok := strings.CutPrefix(line, p); ok {
				n, _ := strconv.Atoi(s) // 0 if it is not a number
				return n
			}
		}
		if !more || line == "Output:" {
			return 0
		}
		text = rest
	}
	return 0
}

// codexPlan finds the last compaction, the prompts that one without a history
// leaves in place, and the turns that the user took back.
type codexPlan struct {
	last    int          // number of the last compaction's record
	found   bool         // there is one
	prompts []codexTurn  // since the last history, oldest first
	kept    bitset       // prompts before the last compaction that stay
	dropped []codexRange // records taken back since then, ascending, apart from each other
	n       int          // compactions
}

type codexTurn struct{ record, bytes int }

type codexRange struct{ from, to int } // to is not part of it

// codexKeep bounds the prompts that a compaction leaves in place: 20,000 tokens
// of four bytes (COMPACT_USER_MESSAGE_MAX_TOKENS of Codex).
const codexKeep = 80_000

func (p *codexPlan) skim(n int, raw []byte) {
	var kind, payload []byte
	read(raw, member{"type", &kind}, member{"payload", &payload})
	switch {
	case is(kind, "compacted"):
		p.n++
		p.last, p.found, p.dropped = n, true, nil
		if isArray(field(payload, "replacement_history")) {
			p.kept, p.prompts = nil, nil
			return
		}
		p.kept = nil
		room := codexKeep
		for i := len(p.prompts) - 1; i >= 0 && room > 0; i-- {
			p.kept.set(p.prompts[i].record)
			room -= p.prompts[i].bytes
		}
	case is(kind, "response_item"), is(kind, "message"):
		if payload == nil {
			payload = raw
		}
		if is(field(payload, "role"), "user") {
			if text, _ := content(field(payload, "content")); !agents.Slipped(text) {
				p.prompts = append(p.prompts, codexTurn{n, len(text)})
			}
		}
	case is(kind, "event_msg"):
		if is(field(payload, "type"), "thread_rolled_back") {
			turns := min(num(field(payload, "num_turns")), len(p.prompts))
			if turns <= 0 {
				return
			}
			from := p.prompts[len(p.prompts)-turns].record
			p.prompts = p.prompts[:len(p.prompts)-turns]
			for len(p.dropped) > 0 && p.dropped[len(p.dropped)-1].from >= from {
				p.dropped = p.dropped[:len(p.dropped)-1] // within the new one
			}
			p.dropped = append(p.dropped, codexRange{from, n})
		}
	}
}

func (p *codexPlan) plan() plan {
	out := plan{compactions: p.n, bound: p.last}
	if !p.found && len(p.dropped) == 0 {
		return out
	}
	out.sent = func(n int) bool {
		i := sort.Search(len(p.dropped), func(i int) bool { return n < p.dropped[i].to })
		if i < len(p.dropped) && n >= p.dropped[i].from {
			return false
		}
		return !p.found || n >= p.last || p.kept.has(n)
	}
	return out
}
