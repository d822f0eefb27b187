package agents

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"time"
)

// gemini is Gemini CLI.
var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Format: "gemini", Program: "gemini",
	Sessions: &Sessions{
		Homes: func(e *Env) []string { return []string{geminiFolder(e), e.Getenv("GEMINI_DIR")} },
		Files: []Files{
			{Pattern: "tmp/*/chats/session-*.json", Root: geminiRoot, ID: stem},
			{Pattern: "tmp/*/chats/session-*.jsonl", Root: geminiRoot, ID: stem},
			{Pattern: "tmp/*/chats/*/*.json", Root: geminiRoot, ID: ofSubagent, Sides: true},
			{Pattern: "tmp/*/chats/*/*.jsonl", Root: geminiRoot, ID: ofSubagent, Sides: true},
		},
		Begin: geminiBegin,
		Copy: &Copy{InProject: "chats", Name: func(from, id string, at time.Time) string {
			ext := ".jsonl" // lines, formerly one document
			if filepath.Ext(from) == ".json" {
				ext = ".json"
			}
			return "session-" + at.Format("2006-01-02T15-04") + "-" + id[:8] + ext
		}},
	},
	Slipped: []string{"<session_context>", "<state_snapshot>", "<compressed_history>"},
	Tools:   geminiTools,
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"BeforeAgent", Prompt, HookOutput, "", 10},
			{"AfterTool", AfterTool, HookOutput, matcher(geminiTools), 5},
			{"PreCompress", MaybeCompact, HookOutput, "", 10},
			{"AfterAgent", MaybeCompact, HookOutput, "", 10},
		},
		Handler: groupedMillis, EndsShell: true, Pends: true, Quiet: true,
		Windows: powerShell, // whose whole tree is ended
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		return []File{{
			Path:    e.either(s, filepath.Join(geminiFolder(e), "settings.json"), ".gemini/settings.json"),
			Entries: append(a.HookEntries(e.GOOS), mcp("mcpServers", `{"command":"satchel","args":["mcp"],"trust":true}`)),
		}}
	},
	Off:    []Switch{{[]string{"hooksConfig", "enabled"}, false}},
	Plugin: Mark{Beside: "extensions/satchel/gemini-extension.json"},

	First:        "start gemini in your project: /hooks and /mcp list satchel",
	FirstProject: "trust the folder when gemini asks; it ignores the settings of untrusted folders",

	Start:  []string{"gemini", "--output-format", "stream-json"},
	Resume: flag("--resume"),
}

var geminiTools = []tool{
	{"read_file", reads}, {"read_many_files", reads}, {"write_file", edits}, {"replace", edits}, {"run_shell_command", runs}, {"search_file_content", searches}, {"glob", searches},
}

// geminiFolder is where Gemini CLI keeps its files.
func geminiFolder(e *Env) string { return filepath.Join(e.Folder("GEMINI_CLI_HOME"), ".gemini") }

// geminiRoot holds the path of a project, beside its sessions.
const geminiRoot = ".project_root"

// ofSubagent is the id of a subagent's session whose file has its name.
func ofSubagent(name string) (id string, side bool) {
	id, _ = stem(name)
	return id, true
}

// geminiBegin reads the head of a session, one document or lines.
func geminiBegin(b []byte, h *Head) (told bool) {
	if id := Member(b, "sessionId"); id != "" {
		h.ID = id
	}
	for rest := b; ; {
		_, after, ok := bytes.Cut(rest, []byte(`"type":`))
		if !ok {
			return false
		}
		rest = after
		if !bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte(`"user"`)) {
			continue
		}
		_, after, ok = bytes.Cut(after, []byte(`"content":`))
		var raw json.RawMessage
		if !ok || json.NewDecoder(bytes.NewReader(after)).Decode(&raw) != nil {
			return false
		}
		if h.prompt(texts(raw)); h.Title != "" {
			return true
		}
	}
}
