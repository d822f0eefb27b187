package agents

import "path/filepath"

// claude is Claude Code.
var claude = Agent{
	Name: "claude", Title: "Claude Code", Format: "claude-code", Program: "claude",
	Tools: claudeTools,
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"UserPromptSubmit", Prompt, HookOutput, "", 10},
			{"PostToolUse", AfterTool, HookOutput, matcher(claudeTools), 5},
			{"PreCompact", BeforeCompact, PlainText, "", 10}, // added to what the summarizer is told
			{"PostCompact", Nothing, Silent, "", 10},
		},
		Handler: grouped, Echoes: true,
	},
	Settings: claudeSettings,
	Off:      []Switch{{[]string{"disableAllHooks"}, true}},
	Plugin:   Mark{List: "enabledPlugins"},
	Folders:  []string{"CLAUDE_PROJECT_DIR"},

	First:        "start claude in your project: /hooks and /mcp list satchel",
	FirstProject: "start claude in the project and allow its MCP server satchel when it asks",

	Start:  []string{"claude", "-p", "--output-format", "stream-json", "--verbose"},
	Resume: flag("--resume"),
}

var claudeTools = []Tool{
	{"Read", Reads}, {"Edit", Edits}, {"Write", Edits}, {"MultiEdit", Edits}, {"NotebookEdit", Edits}, {"Bash", Runs}, {"Grep", Searches}, {"Glob", Searches},
}

func claudeSettings(a *Agent, e *Env, s Scope) []File {
	const variable = "CLAUDE_CONFIG_DIR"
	dir := e.Folder(variable, ".claude")
	state := e.Home(".claude.json")
	if filepath.IsAbs(e.Getenv(variable)) {
		state = filepath.Join(dir, ".claude.json")
	}
	status := Entry{Path: []string{"statusLine"}, Wraps: true, What: "status line",
		Value: compact(struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Padding int    `json:"padding"`
		}{"command", StatusLine, 0})}
	server := mcp("mcpServers", `{"type":"stdio","command":"satchel","args":["mcp"],"env":{}}`)
	return []File{
		{Path: e.either(s, filepath.Join(dir, "settings.json"), ".claude/settings.json"), Entries: append(a.HookEntries(), status), Plain: a.Title},
		{Path: e.either(s, state, ".mcp.json"), Entries: []Entry{server}, Plain: a.Title},
	}
}
