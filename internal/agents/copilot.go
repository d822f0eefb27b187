package agents

import "path/filepath"

// copilot is Copilot CLI.
var copilot = Agent{
	Name: "copilot", Title: "Copilot CLI", Format: "copilot", Program: "copilot",
	Lacks: []string{"a start", "a resume"},
	Tools: []Tool{{"view", Reads}, {"create", Edits}, {"edit", Edits}, {"bash", Runs}, {"grep", Searches}, {"glob", Searches}},
	Hooks: &Hooks{
		Events: []Event{
			{"sessionStart", Start, Additional, "", 10},
			{"userPromptSubmitted", Prompt, Additional, "", 10},
			{"preToolUse", BeforeTool, Additional, "", 5},
			{"postToolUse", AfterTool, Additional, "", 5},
			{"preCompact", BeforeCompact, Silent, "", 10},
		},
		Handler: func(line string, ev *Event) any { return handler{Type: "command", Bash: line, Seconds: ev.Seconds} },
		Unnamed: true, Warned: true,
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		dir := e.Folder("COPILOT_HOME", ".copilot")
		version := Entry{Path: []string{"version"}, Value: "1", Frame: true}
		list := []File{{Path: e.either(s, filepath.Join(dir, "hooks", "satchel.json"), ".github/hooks/satchel.json"), Entries: append([]Entry{version}, a.HookEntries()...)}}
		if s == User { // a project has no place for it
			server := mcp("mcpServers", `{"type":"local","command":"satchel","args":["mcp"],"tools":["*"]}`)
			list = append(list, one(filepath.Join(dir, "mcp-config.json"), server)...)
		}
		return list
	},
	First:        "start copilot in your project: /mcp lists satchel",
	FirstProject: "know that Copilot CLI runs the hooks of a repository in interactive sessions only; --user is for all",
}
