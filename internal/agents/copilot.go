package agents

import (
	"encoding/json"
	"path"
	"path/filepath"
)

// copilot is Copilot CLI.
var copilot = Agent{
	Name: "copilot", Title: "Copilot CLI", Format: "copilot", Program: "copilot",
	Lacks: []string{"a start", "a resume", "copies of sessions"},
	Sessions: &Sessions{
		Homes: copilotHomes,
		Files: []Files{
			{Pattern: "session-state/*/events.jsonl", ID: inFolder},
			{Pattern: "session-state/*.jsonl", ID: stem}, // formerly
			{Pattern: "history-session-state/*/events.jsonl", ID: inFolder},
			{Pattern: "history-session-state/*.jsonl", ID: stem},
		},
		Line: copilotLine,
	},
	Tools: []tool{{"view", reads}, {"create", edits}, {"edit", edits}, {"bash", runs}, {"grep", searches}, {"glob", searches}},
	Hooks: &Hooks{
		Events: []Event{
			{"sessionStart", Start, Additional, "", 10},
			{"userPromptSubmitted", Prompt, Additional, "", 10},
			{"preToolUse", BeforeTool, Additional, "", 5},
			{"postToolUse", AfterTool, Additional, "", 5},
			{"preCompact", BeforeCompact, silent, "", 10},
		},
		Handler: func(line, windows string, ev *Event) any {
			return handler{Type: "command", Bash: line, Power: windows, Seconds: ev.Seconds}
		},
		Windows: powerShell, Beside: true,
		Unnamed: true, Warned: true,
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		dir := copilotFolder(e)
		version := Entry{Path: []string{"version"}, Value: "1", Frame: true}
		list := []File{{Path: e.either(s, filepath.Join(dir, "hooks", "satchel.json"), ".github/hooks/satchel.json"), Entries: append([]Entry{version}, a.HookEntries(e.GOOS)...)}}
		if s == User { // a project has no place for it
			server := mcp("mcpServers", `{"type":"local","command":"satchel","args":["mcp"],"tools":["*"]}`)
			list = append(list, one(filepath.Join(dir, "mcp-config.json"), server)...)
		}
		return list
	},
	First:        "start copilot in your project: /mcp lists satchel",
	FirstProject: "note that Copilot CLI runs project hooks only in interactive sessions; --user covers all sessions",
}

// copilotFolder is where Copilot CLI keeps its files.
func copilotFolder(e *Env) string { return e.Folder("COPILOT_HOME", ".copilot") }

func copilotHomes(e *Env) []string {
	dirs := []string{copilotFolder(e)}
	if s := e.Getenv("XDG_STATE_HOME"); s != "" {
		dirs = append(dirs, filepath.Join(s, ".copilot"), filepath.Join(s, "copilot"))
	}
	return dirs
}

// inFolder is the id of a session whose folder has its name.
func inFolder(name string) (id string, side bool) { return path.Base(path.Dir(name)), false }

func copilotLine(x *Line, h *Head) {
	var p struct {
		Content, Title, Source string
		Context                struct{ CWD string }
	}
	if json.Unmarshal(x.Data, &p) != nil {
		return
	}
	switch x.Type {
	case "session.start":
		if h.own() {
			h.Dir = p.Context.CWD
		}
	case "session.title_changed":
		h.Title = p.Title
	case "user.message":
		if h.Title == "" && (p.Source == "" || p.Source == "user") {
			h.Title = p.Content
		}
	}
}
