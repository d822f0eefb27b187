package state

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// An action is what a call does.
type action uint8

const (
	another action = iota
	reading
	editing
	running
	searching
	planning // writes the whole plan
	tasking  // changes one task of a list that the agent keeps
	agreeing // shows a plan that the user is to agree on
	asking   // asks the user
)

// An event is a call with its result.
type event struct {
	message  int // of the call
	action   action
	tool     string
	input    *node
	path     string
	command  string
	edits    []fileEdit
	polled   bool // it only waits for a command that runs
	answered bool
	result   string
	failed   bool // reported by the client, or by an exit status
	unwell   bool // a check whose end tells of errors, without an exit status
}

// bad reports whether the call failed, one way or the other.
func (e *event) bad() bool { return e.failed || e.unwell }

// The names that agents give their tools.
var (
	readTool    = regexp.MustCompile(`(?i)^(read|view|cat|open|fs_?read|get_?file|load_?file)|read_?file|_view$`)
	writeTool   = regexp.MustCompile(`(?i)write|edit|create|patch|replace|insert`)
	searchTool  = regexp.MustCompile(`(?i)grep|glob|search|^find|^ls$|^list|_list|codebase|query`)
	commandTool = regexp.MustCompile(`(?i)bash|shell|exec|^run|terminal|command|python|process`)
	planTool    = regexp.MustCompile(`(?i)^(todo_?write|update_?plan|todowrite|update_todo|set_plan|plan_?update|task_tracker|todo)$`)
)

var (
	pathKeys    = []string{"file_path", "filePath", "path", "filename", "notebook_path", "target_file", "absolute_path", "relative_workspace_path", "file"}
	commandKeys = []string{"command", "cmd", "script", "code"}
	contentKeys = []string{"file_text", "contents", "content"}
)

const maxPath = 300

var (
	exitStatus = regexp.MustCompile(`(?i)(?:^|\n)\s*(?:Exit code|exit code|Process exited with code|exit status|<exit_code>|\[exit code:?|Command failed with exit code|Command exited with code|exited with code)[ :]*\s*(-?\d+)`)
	runsOn     = regexp.MustCompile(`session ID:? (\S+)`)
)

// An answer is a result and the message that holds it.
type answer struct {
	message int
	block   *transcript.Block
}

// events returns the calls of a conversation, in order.
func events(ms []transcript.Message) []event {
	results := map[string][]answer{}
	for i := range ms {
		for k := range ms[i].Blocks {
			if b := &ms[i].Blocks[k]; b.Type == transcript.Result {
				results[b.ID] = append(results[b.ID], answer{i, b})
			}
		}
	}

	var out []event
	sessions := map[string]string{} // of commands that run on, by their id
	for i := range ms {
		for k := range ms[i].Blocks {
			b := &ms[i].Blocks[k]
			if b.Type != transcript.Call {
				continue
			}
			e := event{message: i, tool: b.Name, input: parse(b.Input)}
			for _, r := range results[b.ID] {
				if r.message > i {
					e.answered, e.result, e.failed = true, r.block.Text, r.block.Failed
					break
				}
			}
			status, known := statusOf(e.result)
			e.failed = e.failed || known && status != 0
			e.classify(string(b.Input), sessions)
			if e.action == running && isCheck(e.command) && !e.failed && !known {
				e.unwell = tellsError.MatchString(last(e.result, 600)) && !tellsNone.MatchString(last(e.result, 300))
			}
			out = append(out, e)
		}
	}
	return out
}

// statusOf returns the exit status that a result tells of.
func statusOf(result string) (int, bool) {
	m := exitStatus.FindStringSubmatch(first(result, 600))
	if m == nil {
		m = exitStatus.FindStringSubmatch(last(result, 300))
	}
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil || n != 0
}

// classify tells what the call does from its tool's name and its input.
func (e *event) classify(raw string, sessions map[string]string) {
	path, command := pathOf(e.input), commandOf(e.input)
	if p := e.input.patch(); p != "" {
		e.action, e.edits = editing, patched(p)
		return
	}
	switch {
	case planTool.MatchString(e.tool):
		e.action = planning
	case e.tool == "TaskCreate", e.tool == "TaskUpdate", e.tool == "TaskList", e.tool == "TaskGet":
		e.action = tasking
	case e.tool == "ExitPlanMode":
		e.action = agreeing
	case e.tool == "AskUserQuestion":
		e.action = asking
	case e.tool == "str_replace_based_edit_tool", e.tool == "str_replace_editor":
		e.editor(path)
	case commandTool.MatchString(e.tool), command != "" && path == "":
		e.shell(command, raw, sessions)
	case writeTool.MatchString(e.tool) && path != "":
		e.action, e.path = editing, path
		e.edits = []fileEdit{{path: path, hunks: hunksOf(e.input)}}
		if text, ok := e.input.str(contentKeys...); ok {
			e.edits = []fileEdit{{path: path, hunks: []hunk{{"", text}}, whole: true}}
		}
	case readTool.MatchString(e.tool) && path != "":
		e.action, e.path = reading, path
	case searchTool.MatchString(e.tool):
		e.action = searching
	}
}

// editor classifies a call of the one tool that views, creates and edits.
func (e *event) editor(path string) {
	e.path, e.action = path, editing
	switch verb, _ := e.input.str("command"); verb {
	case "view":
		e.action = reading
	case "create":
		text, _ := e.input.str("file_text")
		e.edits = []fileEdit{{path: path, hunks: []hunk{{"", text}}, whole: true}}
	default:
		hs := hunksOf(e.input)
		if len(hs) == 0 {
			hs = []hunk{{"", e.input.said("insert_text", "new_str")}}
		}
		e.edits = []fileEdit{{path: path, hunks: hs}}
	}
}

// shell classifies a call of a tool that runs commands.
func (e *event) shell(command, raw string, sessions map[string]string) {
	e.action, e.command = running, command
	if command == "" {
		if e.input.kind != object {
			e.command = raw
			return
		}
		id := e.input.said("session_id")
		if id == "" {
			id = e.input.said("sessionId")
		}
		if c, ok := sessions[id]; ok {
			e.command, e.polled = c, true
		} else {
			e.action = another
		}
		return
	}
	if m := runsOn.FindStringSubmatch(first(e.result, 400)); m != nil {
		sessions[m[1]] = command
	}
	if p := shownFile(command); p != "" {
		e.action, e.path = reading, p
	} else if findsFiles.MatchString(command) {
		e.action = searching
	}
}

func pathOf(in *node) string {
	for _, k := range pathKeys {
		if v := in.get(k); v.kind == str && len([]rune(v.text)) < maxPath && !strings.Contains(v.text, "\n") {
			return v.text
		}
	}
	return ""
}

func commandOf(in *node) string {
	for _, k := range commandKeys {
		v := in.get(k)
		if v.kind == str {
			return v.text
		}
		if words, ok := v.strings(); ok {
			if len(words) > 2 && (words[1] == "-lc" || words[1] == "-c") {
				return words[len(words)-1]
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}
