package transcript

import (
	"cmp"
	"strconv"
	"strings"
)

// SWE-agent: one document, *.traj, whose "history" is the conversation. With
// function calling, an assistant item has "tool_calls" and the items of role
// tool answer them by "tool_call_ids". Before that the answer is text with one
// command in it, recorded as "thought" and "action" too, and the next user item
// is what the command printed.
//
// Demonstrations (is_demo) are part of what is sent if they name the agent. The
// items of other agents than the first are sidechains: each agent is sent its own.
var sweLayout = layout{
	format:  SWEAgent,
	records: "history",
	sniff: func(p *probe) bool {
		if p.array || !p.has("history") {
			return false
		}
		for _, e := range p.elems["history"] {
			return field(e, "role") != nil && field(e, "content") != nil
		}
		return p.has("trajectory")
	},
	open: func(b *builder) decoder { return &sweDecoder{b: b} },
}

type sweDecoder struct {
	b       *builder
	agent   string // the main one
	n       int
	pending sweCall
}

// A sweCall is the last action, until its output is read.
type sweCall struct {
	id    string // derived; empty if no action waits
	agent string
	demo  bool // of a demonstration
}

func (d *sweDecoder) head(key string, v []byte) {
	s := d.b.sess
	switch key {
	case "environment":
		s.Title = str(v)
	case "replay_config":
		// The configuration is JSON in a string. Processors change what is sent,
		// not what is recorded.
		config := v
		if isString(v) {
			config = []byte(str(v))
		}
		s.Model = str(path(config, "agent", "model", "name"))
		for it := walk(path(config, "agent", "history_processors")); it.next(); {
			if t := str(field(it.val, "type")); t != "" && t != "cache_control" && t != "default" {
				d.b.diagnose("the agent's history processor %s is not applied", t)
			}
		}
	}
}

func (d *sweDecoder) record(v []byte) {
	n := d.n
	d.n++
	var role, body, thought, action, calls, ids, agent, blocks, isDemo []byte
	read(v,
		member{"role", &role}, member{"content", &body}, member{"thought", &thought}, member{"action", &action}, member{"tool_calls", &calls},
		member{"tool_call_ids", &ids}, member{"agent", &agent}, member{"is_demo", &isDemo}, member{"thinking_blocks", &blocks},
	)
	demo := isTrue(isDemo)
	if a := str(agent); a != "" {
		d.agent = cmp.Or(d.agent, a)
		if a != d.agent {
			d.b.side(a)
		}
	}
	text, images := content(body)
	switch {
	case is(role, "system"):
		if d.b.chain == "" {
			d.b.sess.System = append(d.b.sess.System, text)
		}
	case is(role, "assistant"):
		d.answer(n, sweReply{text: text, thought: thought, action: action, calls: calls, blocks: blocks, call: sweCall{agent: str(agent), demo: demo}})
	case is(role, "tool") || isArray(ids) && len(ids) > 2:
		id := ""
		for it := walk(ids); it.next(); {
			id = str(it.val)
			break
		}
		d.result(Block{ID: id, Text: text, Images: images})
	case is(role, "user") && d.pending.id != "" && d.pending.agent == str(agent) && d.pending.demo == demo:
		// The last action of a demonstration has no output: the task follows it.
		d.result(Block{ID: d.pending.id, Text: text, Images: images})
		d.pending = sweCall{}
	case is(role, "user"):
		d.prompt(text, body, demo)
	default:
		d.b.sess.Skipped++
	}
}

// A sweReply holds the members of a record with an answer of the agent.
type sweReply struct {
	text                           string
	thought, action, calls, blocks []byte
	call                           sweCall // of the action, without its id
}

// answer adds the answer of record n.
func (d *sweDecoder) answer(n int, a sweReply) {
	m := Message{Kind: Answer}
	for it := walk(a.blocks); it.next(); {
		if x, ok := answerBlock(it.val); ok && x.Type == Thinking {
			m.Blocks = append(m.Blocks, x)
		}
	}
	d.pending = a.call
	if calls := chatCalls(a.calls); isArray(a.calls) && len(calls) > 0 {
		// The thought is the content.
		m.Blocks = append(m.Blocks, Block{Type: Text, Text: a.text})
		m.Blocks = append(m.Blocks, calls...)
	} else if act := str(a.action); strings.TrimSpace(act) != "" {
		if isString(a.thought) { // blank if the answer was the command alone
			a.text = str(a.thought)
		}
		d.pending.id = "act" + strconv.Itoa(n)
		m.Blocks = append(m.Blocks, Block{Type: Text, Text: a.text},
			Block{Type: Call, ID: d.pending.id, Name: "bash", Input: wrap("command", act)})
	} else {
		m.Blocks = append(m.Blocks, Block{Type: Text, Text: a.text})
	}
	d.b.add(m)
}

// prompt adds a message of the user, or of a demonstration.
func (d *sweDecoder) prompt(text string, body []byte, demo bool) {
	m := Message{Kind: Prompt}
	if demo {
		m.Kind = Meta
	}
	if isString(body) {
		m.Blocks = []Block{{Type: Text, Text: text}}
	}
	for it := walk(body); it.next(); {
		if x, ok := userBlock(it.val); ok {
			if x.Type != Image {
				x = Block{Type: Text, Text: x.Text} // there are no others
			}
			m.Blocks = append(m.Blocks, x)
		}
	}
	d.b.add(m)
}

// result adds the result of a call. The format does not record failures.
func (d *sweDecoder) result(x Block) {
	x.Type = Result
	d.b.addOne(Message{}, Results, x)
}
