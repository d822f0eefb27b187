package transcript

import (
	"cmp"
	"strings"
)

// Claude Code appends one line for each content block: the lines of one answer
// share message.id and repeat its usage. Lines form a tree by parentUuid; a
// compaction is a boundary line and a summary line behind it.
var claudeLayout = layout{
	format: ClaudeCode,
	family: "claude",
	naming: &naming{members: []string{"sessionId"}, always: true},
	sniff: func(p *probe) bool {
		return p.any(func(l []byte) bool {
			var session, parent, kind []byte
			read(l, member{"sessionId", &session}, member{"parentUuid", &parent}, member{"type", &kind})
			return session != nil && (parent != nil || is(kind, "user") || is(kind, "assistant") || is(kind, "system") ||
				is(kind, "attachment") || is(kind, "queue-operation") || is(kind, "summary") || is(kind, "progress")) ||
				is(kind, "file-history-snapshot") && field(l, "snapshot") != nil ||
				is(kind, "summary") && field(l, "leafUuid") != nil
		})
	},
	open:  func(b *builder) decoder { return &claude{b: b} },
	plan:  func() planner { return newClaudePlan() },
	write: writeClaude,
}

type claude struct{ b *builder }

func (c *claude) head(string, []byte) {}

func (c *claude) record(raw []byte) {
	var kind, subtype, uuid, parent, side, agent, message, content, at, attachment, rendered []byte
	var meta, compact, hidden, display, failed, id, dir, branch, version []byte
	read(raw,
		member{"type", &kind}, member{"subtype", &subtype}, member{"uuid", &uuid}, member{"parentUuid", &parent},
		member{"isSidechain", &side}, member{"agentId", &agent}, member{"message", &message}, member{"content", &content},
		member{"attachment", &attachment}, member{"rendered", &rendered}, member{"timestamp", &at},
		member{"isMeta", &meta}, member{"isCompactSummary", &compact}, member{"isVisibleInTranscriptOnly", &hidden},
		member{"isDisplayOnly", &display}, member{"isApiErrorMessage", &failed},
		member{"sessionId", &id}, member{"cwd", &dir}, member{"gitBranch", &branch}, member{"version", &version},
	)
	isHidden := isTrue(hidden) || isTrue(display)
	s := c.b.sess
	set(&s.ID, id)
	set(&s.Dir, dir)
	set(&s.Branch, branch)
	set(&s.Version, version)
	like := Message{Parent: str(parent), Time: clock(at)}
	switch {
	case is(kind, "assistant"):
	case is(kind, "user"):
	case is(kind, "system"), is(kind, "attachment"):
	case is(kind, "summary"):
		set(&s.Title, field(raw, "summary"))
		return
	case is(kind, "custom-title"):
		set(&s.Title, field(raw, "customTitle"))
		return
	case is(kind, "ai-title"):
		set(&s.Title, field(raw, "aiTitle"))
		return
	default:
		return // progress, snapshots, queue operations and the like
	}
	c.b.seen(like.Time)
	if isTrue(side) && !c.b.sent { // one that is sent is the conversation of a subagent's own file
		c.b.side(str(agent))
	}
	switch {
	case is(kind, "assistant"):
		if !isTrue(failed) {
			c.answer(message, like)
		}
	case is(kind, "user"):
		like.ID = str(uuid)
		if !isHidden || isTrue(compact) {
			c.user(message, like, isTrue(meta), isTrue(compact))
		}
	case is(kind, "attachment"):
		like.ID = str(uuid)
		c.attachment(attachment, rendered, like)
	case is(subtype, "local_command"):
		if isHidden {
			return // the screen has shown it, the model is told in other words
		}
		like.ID = str(uuid)
		c.b.addText(like, Meta, str(content))
	}
}

// set overwrites a string of the session if the record has a better one.
func set(dst *string, v []byte) {
	if len(v) > 2 && v[0] == '"' && (len(v) != len(*dst)+2 || string(v[1:len(v)-1]) != *dst) {
		*dst = str(v)
	}
}

func (c *claude) answer(message []byte, m Message) {
	m.Kind = Answer
	var id, model, usage, body []byte
	read(message, member{"id", &id}, member{"model", &model}, member{"usage", &usage}, member{"content", &body})
	m.ID, m.Model, m.Usage = str(id), str(model), anthropicUsage(usage)
	if m.Model == "<synthetic>" {
		return // the client's own words: an error of the API, an interruption
	}
	m.Blocks = answerBlocks(body)
	c.b.add(m)
}

// anthropicUsage decodes usage as the Messages API reports it, or returns nil.
func anthropicUsage(v []byte) *Usage {
	var u Usage
	readNumbers(v,
		number{"input_tokens", &u.Input}, number{"cache_creation_input_tokens", &u.CacheWrite},
		number{"cache_read_input_tokens", &u.CacheRead}, number{"output_tokens", &u.Output},
	)
	u.Reasoning = num(path(v, "output_tokens_details", "thinking_tokens"))
	return u.known()
}

func (c *claude) user(message []byte, like Message, meta, compact bool) {
	body := field(message, "content")
	if compact {
		text, _ := content(body)
		c.b.addText(like, Summary, text)
		return
	}
	userTurn(c.b, body, like, meta)
}

// userTurn adds what the content of a user message holds: results, and runs of
// text and images of one kind each.
func userTurn(b *builder, body []byte, like Message, meta bool) {
	if isString(body) {
		text := str(body)
		b.addText(like, said(text, meta), text)
		return
	}
	s := splitter{b: b, like: like}
	kind := Prompt
	if meta {
		kind = Meta
	}
	for it := walk(body); it.next(); {
		x, ok := userBlock(it.val)
		if !ok {
			continue
		}
		k := kind
		switch x.Type {
		case Result:
			k = Results
		case Text:
			k = said(x.Text, meta)
		}
		s.part(k, x)
	}
	s.flush()
}

// Attachments that only the client looks at.
var claudeUnseen = map[string]bool{
	"hook_success": true, "hook_non_blocking_error": true, "hook_system_message": true, "hook_cancelled": true,
	"hook_error_during_execution": true, "hook_stopped_continuation": true, "hook_permission_decision": true,
	"command_permissions": true, "prompt_snapshot": true, "already_read_file": true, "structured_output": true,
	"max_turns_reached": true, "dynamic_skill": true, "edited_image_file": true,
}

// attachment adds what the client attached to the conversation, as the
// system reminder that the model gets. Newer versions record the reminder
// itself; of older ones the text is put together from the fields.
func (c *claude) attachment(v, rendered []byte, m Message) {
	kind := str(field(v, "type"))
	if kind == "prompt_snapshot" {
		var system []string
		for it := walk(field(v, "systemPrompt")); it.next(); {
			if text, _ := part(it.val); text != "" {
				system = append(system, text)
			}
		}
		if len(system) > 0 && c.b.sent {
			c.b.sess.System = system
		}
		return
	}
	if kind == "queued_command" {
		text, _ := content(field(v, "prompt"))
		c.b.addText(m, said(text, !is(field(v, "commandMode"), "prompt") && !isNull(field(v, "commandMode"))), text)
		return
	}
	m.Kind = Meta
	if isArray(rendered) {
		for it := walk(rendered); it.next(); {
			text, _ := content(field(it.val, "content"))
			m.Blocks = append(m.Blocks, Block{Type: Text, Text: text})
		}
		c.b.add(m)
		return
	}
	if claudeUnseen[kind] {
		return
	}
	if text := attached(kind, v); text != "" {
		m.Blocks = []Block{{Type: Text, Text: "<system-reminder>\n" + text + "\n</system-reminder>"}}
		c.b.add(m)
	}
}

// attached puts the text of an attachment together, as far as its fields tell.
func attached(kind string, v []byte) string {
	var out []string
	say := func(v []byte) {
		if text, _ := content(v); text != "" {
			out = append(out, text)
		}
	}
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "hookName":
			if kind == "hook_additional_context" {
				out = append(out, str(it.val)+" hook additional context:")
			}
		case "filename":
			out = append(out, "Note: "+str(it.val)+" was modified, either by the user or by a linter.")
		case "newDate":
			out = append(out, "The date has changed. Today's date is now "+str(it.val)+".")
		case "content":
			if kind == "task_reminder" || kind == "todo_reminder" || kind == "todo" {
				tasks(it.val, &out)
				continue
			}
			say(it.val)
		case "text", "snippet", "addedBlocks", "addedLines", "message", "planContent", "context":
			if isString(it.val) || isArray(it.val) {
				say(it.val)
			} else {
				for in := walk(it.val); in.next(); {
					say(in.val)
				}
			}
		}
	}
	return strings.Join(out, "\n")
}

// tasks says a list of tasks, one a line.
func tasks(v []byte, out *[]string) {
	for it := walk(v); it.next(); {
		if text := cmp.Or(str(field(it.val, "content")), str(field(it.val, "subject"))); text != "" {
			*out = append(*out, "- ["+str(field(it.val, "status"))+"] "+text)
		}
	}
}
