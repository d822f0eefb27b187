package agents

import (
	"encoding/json"
	"path/filepath"
	"time"
)

// qwen is Qwen Code, a fork of Gemini CLI with the hooks and the tree of records of
// Claude Code. The row follows its documentation (docs/users/features: hooks,
// headless, mcp) and its source.
var qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Format: "qwen", Program: "qwen",
	Sessions: &Sessions{
		Homes: func(e *Env) []string { return []string{e.Getenv("QWEN_RUNTIME_DIR"), qwenFolder(e)} },
		Files: []Files{{Pattern: "projects/*/chats/*.jsonl", Folder: dashed, ID: stem}},
		Line:  qwenLine,
		Copy:  &Copy{Beside: true, Name: func(_, id string, _ time.Time) string { return id + ".jsonl" }},
	},
	Slipped: []string{"<qwen:user-prompt-submit-context>"},
	Tools:   qwenTools,
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"UserPromptSubmit", Prompt, HookOutput, "", 10},
			{"PostToolUse", AfterTool, HookOutput, matcher(qwenTools), 5},
			{"PreCompact", BeforeCompact, HookOutput, "", 10}, // added to the instructions of the summarizer
		},
		Handler: groupedMillis,
		Windows: cmdShell, // or Git Bash, if it is started from one
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		return []File{{
			Path:    e.either(s, filepath.Join(qwenFolder(e), "settings.json"), ".qwen/settings.json"),
			Entries: append(a.HookEntries(e.GOOS), mcp("mcpServers", `{"command":"satchel","args":["mcp"],"trust":true}`)),
		}}
	},
	Off: []Switch{{[]string{"disableAllHooks"}, true}},

	First:        "start qwen in your project: /hooks and /mcp list satchel",
	FirstProject: "trust the folder when qwen asks; it ignores the settings of untrusted folders",

	Start:  []string{"qwen", "--output-format", "stream-json"},
	Resume: flag("--resume"),
}

var qwenTools = []tool{
	{"read_file", reads}, {"write_file", edits}, {"edit", edits}, {"run_shell_command", runs}, {"grep_search", searches}, {"glob", searches}, {"list_directory", searches},
}

// qwenFolder is where Qwen Code keeps its settings, and its sessions, unless
// QWEN_RUNTIME_DIR takes them elsewhere.
func qwenFolder(e *Env) string { return e.Folder("QWEN_HOME", ".qwen") }

func qwenLine(x *Line, h *Head) {
	var r struct {
		SystemPayload struct{ CustomTitle string }
		Message       struct{ Parts []struct{ Text string } }
	}
	if json.Unmarshal(x.Original, &r) != nil {
		return
	}
	if t := r.SystemPayload.CustomTitle; t != "" {
		h.Title = t
	}
	if x.Type == "user" {
		for _, p := range r.Message.Parts {
			h.prompt([]string{p.Text})
		}
	}
}
