package agents

import "path/filepath"

// gemini is Gemini CLI.
var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Format: "gemini", Program: "gemini",
	Tools: geminiTools,
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"BeforeAgent", Prompt, HookOutput, "", 10},
			{"AfterTool", AfterTool, HookOutput, matcher(geminiTools), 5},
			{"PreCompress", MaybeCompact, HookOutput, "", 10},
			{"AfterAgent", MaybeCompact, HookOutput, "", 10},
		},
		Handler: groupedMillis, EndsShell: true, Pends: true, Quiet: true,
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		return []File{{
			Path:    e.either(s, filepath.Join(geminiFolder(e), "settings.json"), ".gemini/settings.json"),
			Entries: append(a.HookEntries(), mcp("mcpServers", `{"command":"satchel","args":["mcp"],"trust":true}`)),
		}}
	},
	Off:    []Switch{{[]string{"hooksConfig", "enabled"}, false}},
	Plugin: Mark{Beside: "extensions/satchel/gemini-extension.json"},

	First:        "start gemini in your project: /hooks and /mcp list satchel",
	FirstProject: "trust the folder when gemini asks: it ignores the settings of others",

	Start:  []string{"gemini", "--output-format", "stream-json"},
	Resume: flag("--resume"),
}

var geminiTools = []Tool{
	{"read_file", Reads}, {"read_many_files", Reads}, {"write_file", Edits}, {"replace", Edits}, {"run_shell_command", Runs}, {"search_file_content", Searches}, {"glob", Searches},
}

// geminiFolder is where Gemini CLI keeps its files.
func geminiFolder(e *Env) string { return filepath.Join(e.Folder("GEMINI_CLI_HOME"), ".gemini") }
