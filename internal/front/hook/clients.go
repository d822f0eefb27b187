package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/transcript"
)

// Sources of a start.
const (
	sourceCompact = "compact"
	sourceResume  = "resume"
)

// triggerManual is the trigger of a compaction that the user asked for.
const triggerManual = "manual"

// An event is one input, as far as it is of use.
type event struct {
	kind       agents.Meaning
	answer     agents.Answer
	name       string // the agent's own
	session    string
	dir        string
	transcript string
	source     string
	trigger    string
	prompt     string
	failed     bool // the tool reported an error
	use        session.ToolUse
	messages   []json.RawMessage
}

// A client is how one agent speaks.
type client struct{ *agents.Hooks }

// Clients are the agents that have hooks, by the names that satchel gives them.
var Clients = clients()

func clients() map[string]*client {
	list := map[string]*client{}
	for _, a := range agents.All {
		if a.Hooks != nil {
			list[a.Name] = &client{a.Hooks}
		}
	}
	return list
}

// encode writes a text as the answer to an event; nothing if the event has no place
// for it.
func (ev *event) encode(text string) []byte {
	type specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	switch ev.answer {
	case agents.PlainText:
		return []byte(text)
	case agents.HookOutput:
		return encode(struct {
			Output specific `json:"hookSpecificOutput"`
		}{specific{ev.name, text}})
	case agents.Additional:
		return encode(map[string]string{"additionalContext": text})
	case agents.PluginContext:
		return encode(map[string]string{"context": text})
	}
	return nil
}

// An input holds the fields of all clients: their names differ where they mean
// different things. What is not of use is never decoded.
type input struct {
	Event      loose `json:"hook_event_name"`
	SessionID  loose `json:"session_id"`
	Session    loose `json:"session"`
	SessionID2 loose `json:"sessionId"`

	Cwd         loose `json:"cwd"`
	Transcript  loose `json:"transcript_path"`
	Transcript2 loose `json:"transcriptPath"`
	Transcript3 loose `json:"transcript"`
	Source      loose `json:"source"`
	Trigger     loose `json:"trigger"`
	Prompt      loose `json:"prompt"`

	ToolName  loose `json:"tool_name"`
	ToolName2 loose `json:"toolName"`
	Tool      loose `json:"tool"`

	ToolInput json.RawMessage `json:"tool_input"`
	ToolArgs  json.RawMessage `json:"toolArgs"`
	Args      json.RawMessage `json:"args"`

	Response json.RawMessage `json:"tool_response"`
	Result   json.RawMessage `json:"toolResult"`
	Failed   json.RawMessage `json:"failed"`

	Messages []json.RawMessage `json:"messages"`
}

// A loose string is empty where an input has something else than a string.
type loose string

// UnmarshalJSON takes a string.
func (s *loose) UnmarshalJSON(b []byte) error {
	var v string
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
	}
	*s = loose(v)
	return nil
}

func first(list ...loose) string { return string(cmp.Or(list...)) }

// decode reads an event. The given name has priority over the name in the input.
func (c *client) decode(name string, raw []byte) (*event, error) {
	var in input
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	name = cmp.Or(name, string(in.Event))
	is := c.Event(name)
	ev := &event{
		kind: is.Means, answer: is.Answer, name: name,
		session:    first(in.SessionID, in.Session, in.SessionID2),
		dir:        string(in.Cwd),
		transcript: first(in.Transcript, in.Transcript2, in.Transcript3),
		source:     string(in.Source),
		trigger:    string(in.Trigger),
		prompt:     unquoted(string(in.Prompt)),
		messages:   in.Messages,
	}
	if len(ev.session) > maxSession {
		ev.session = ""
	}
	if ev.kind == agents.AfterTool || ev.kind == agents.BeforeTool {
		ev.readTool(&in)
	}
	return ev, nil
}

// maxSession is the length of the longest id of a session. They are UUIDs, or not
// much longer.
const maxSession = 160

// unquoted undoes what opencode does to a prompt from its command line: it comes
// as a JSON string.
func unquoted(s string) string {
	var v string
	if len(s) > 1 && s[0] == '"' && json.Unmarshal([]byte(s), &v) == nil {
		return v
	}
	return s
}

// idle says why an event of a tool asks for nothing, "" if it asks for something.
// Some agents tell of every command that they run, and to open the engine takes
// three processes of git.
func (ev *event) idle() string {
	switch u := &ev.use; {
	case ev.kind == agents.AfterTool && (u.Path == "" || ev.failed):
		return "no file was read or edited"
	case ev.kind == agents.BeforeTool && (u.Path == "" || !u.Edited):
		return "no file is to be changed"
	}
	return ""
}

// readTool says what a tool did to which file.
func (ev *event) readTool(in *input) {
	args := in.ToolInput
	for _, a := range []json.RawMessage{in.ToolArgs, in.Args} {
		if len(args) == 0 {
			args = a
		}
	}
	var text string
	if json.Unmarshal(args, &text) == nil { // Copilot has sent them as a string
		args = json.RawMessage(text)
	}
	call := &transcript.Block{Type: transcript.Call, Name: first(in.ToolName, in.ToolName2, in.Tool), Input: args}
	ev.use = toolUse(call)
	ev.failed = string(in.Failed) == "true"
	var result struct {
		Type    string `json:"resultType"`
		IsError bool   `json:"is_error"`
		Error   json.RawMessage
		File    struct{ StartLine, NumLines, TotalLines int }
	}
	for _, r := range []json.RawMessage{in.Response, in.Result} {
		if len(r) == 0 || r[0] != '{' || json.Unmarshal(r, &result) != nil {
			continue
		}
		ev.failed = ev.failed || result.IsError || strings.EqualFold(result.Type, "failure") || strings.EqualFold(result.Type, "error") ||
			len(result.Error) > 0 && string(result.Error) != "null"
		if f := result.File; f.NumLines > 0 && f.StartLine > 0 && !ev.use.Edited {
			// Claude Code says which lines the model has seen.
			ev.use.From, ev.use.To = f.StartLine, f.StartLine+f.NumLines-1
			ev.use.Whole = f.StartLine == 1 && f.NumLines >= f.TotalLines
		}
	}
}
