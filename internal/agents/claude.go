package agents

import (
	"path"
	"path/filepath"
	"strings"
	"time"
)

// claudeVariable makes Claude Code keep its files elsewhere.
const claudeVariable = "CLAUDE_CONFIG_DIR"

// claude is Claude Code.
var claude = Agent{
	Name: "claude", Title: "Claude Code", Format: "claude-code", Program: "claude",
	Sessions: &Sessions{
		Homes: func(e *Env) []string {
			dirs := []string{e.Folder(claudeVariable, ".claude")}
			if e.Getenv(claudeVariable) == "" {
				dirs = append(dirs, filepath.Join(e.Config(), "claude"))
			}
			return dirs
		},
		Files: []Files{
			{Pattern: "projects/*/*.jsonl", Folder: claudeDashed, ID: claudeID},
			{Pattern: "projects/*/*/subagents/*.jsonl", Folder: claudeDashed, ID: claudeID, Sides: true},
		},
		Line: claudeLine,
		Copy: &Copy{Beside: true, Name: func(_, id string, _ time.Time) string { return id + ".jsonl" }},
	},
	Slipped: []string{
		"<command-name", "<command-message", "<command-args", "<local-command", "<bash-stdout", "<bash-stderr", "<bash-input",
		"<system-reminder", "<task-notification", "<user-prompt-submit-hook", "Caveat: The messages below", "[Request interrupted",
	},
	Tools: claudeTools,
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"UserPromptSubmit", Prompt, HookOutput, "", 10},
			{"PostToolUse", AfterTool, HookOutput, matcher(claudeTools), 5},
			{"PreCompact", BeforeCompact, PlainText, "", 10}, // added to the instructions of the summarizer
			{"PostCompact", Nothing, silent, "", 10},
		},
		Handler: grouped, Echoes: true,
		Windows: anyShell, // Git Bash, else PowerShell; formerly cmd.exe
	},
	Settings: claudeSettings,
	Off:      []Switch{{[]string{"disableAllHooks"}, true}},
	Plugin:   Mark{List: "enabledPlugins"},
	Folders:  []string{"CLAUDE_PROJECT_DIR"},

	First:        "start claude in your project: /hooks and /mcp list satchel",
	FirstProject: "start claude in the project, and allow the MCP server satchel when it asks",

	Start:  []string{"claude", "-p", "--output-format", "stream-json", "--verbose"},
	Resume: flag("--resume"),
}

var claudeTools = []tool{
	{"Read", reads}, {"Edit", edits}, {"Write", edits}, {"MultiEdit", edits}, {"NotebookEdit", edits}, {"Bash", runs}, {"Grep", searches}, {"Glob", searches},
}

func claudeSettings(a *Agent, e *Env, s Scope) []File {
	dir := e.Folder(claudeVariable, ".claude")
	state := e.Home(".claude.json")
	if filepath.IsAbs(e.Getenv(claudeVariable)) {
		state = filepath.Join(dir, ".claude.json")
	}
	line := StatusLine
	if e.GOOS == windowsGOOS {
		line = windowsStatusLine
	}
	status := Entry{Path: []string{"statusLine"}, Wraps: true, What: "status line", Lines: linesOf(e.GOOS, StatusLine, windowsStatusLine),
		Value: compact(struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Padding int    `json:"padding"`
		}{"command", line, 0})}
	server := mcp("mcpServers", `{"type":"stdio","command":"satchel","args":["mcp"],"env":{}}`)
	return []File{
		{Path: e.either(s, filepath.Join(dir, "settings.json"), ".claude/settings.json"), Entries: append(a.HookEntries(e.GOOS), status), Plain: a.Title},
		{Path: e.either(s, state, ".mcp.json"), Entries: []Entry{server}, Plain: a.Title},
	}
}

// claudeID: files of subagents, agent-*.jsonl, lie beside the sessions or below them.
func claudeID(name string) (id string, side bool) {
	id, _ = stem(name)
	return id, strings.HasPrefix(path.Base(name), "agent-")
}

// claudeDashed is how Claude Code names the folder of a project: longer names are
// cut and get a hash.
func claudeDashed(root string) string {
	const most = 200
	name := dashed(root)
	return name[:min(len(name), most)]
}

func claudeLine(x *Line, h *Head) {
	switch {
	case x.Type == "summary" && x.Summary != "":
		h.Title = x.Summary
	case x.Type == "user" && !x.IsMeta:
		h.message(x.Message)
	}
}
