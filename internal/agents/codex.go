package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"
)

// codex is Codex.
var codex = Agent{
	Name: "codex", Title: "Codex", Format: "codex", Program: "codex",
	Sessions: &Sessions{
		Homes: func(e *Env) []string { return []string{codexFolder(e)} },
		Files: []Files{
			{Pattern: "sessions/rollout-*.jsonl", ID: lastUUID}, // formerly
			{Pattern: "sessions/*/rollout-*.jsonl", ID: lastUUID},
			{Pattern: "sessions/*/*/rollout-*.jsonl", ID: lastUUID},
			{Pattern: "sessions/*/*/*/rollout-*.jsonl", ID: lastUUID}, // year, month, day
			{Pattern: "archived_sessions/rollout-*.jsonl", ID: lastUUID},
		},
		Line: codexLine,
		Copy: &Copy{Dated: "sessions/2006/01/02", Name: func(_, id string, at time.Time) string {
			return "rollout-" + at.Format("2006-01-02T15-04-05") + "-" + id + ".jsonl"
		}},
	},
	Slipped: []string{
		"<environment_context", "<user_instructions", "<turn_aborted", "<permissions", "<collaboration_mode", "<skill", "<subagent_notification",
		"<apps_instructions", "<plugins_instructions", "<app-context", "<INSTRUCTIONS>", "# AGENTS.md instructions",
	},
	Tools: []tool{{"shell", runs}, {"exec_command", runs}, {"apply_patch", edits}, {"view_image", reads}},
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"UserPromptSubmit", Prompt, HookOutput, "", 10},
			{"PostToolUse", AfterTool, HookOutput, "", 5},
			{"PreCompact", BeforeCompact, silent, "", 10},
			{"PostCompact", Nothing, silent, "", 10},
		},
		Handler: grouped, Trusted: true,
		Windows: anyShell, Beside: true, // the shell of the session, mostly PowerShell; cmd.exe if that is not known
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		dir := codexFolder(e)
		return []File{
			{Path: e.either(s, filepath.Join(dir, "hooks.json"), ".codex/hooks.json"), Entries: a.HookEntries(e.GOOS)},
			{Path: e.either(s, filepath.Join(dir, "config.toml"), ".codex/config.toml"), Table: "[mcp_servers.satchel]\ncommand = \"satchel\"\nargs = [\"mcp\"]\n"},
		}
	},
	Plugin: Mark{In: 1, List: "plugins"},
	First:  "start codex and trust the hooks in /hooks; until then it silently skips them",

	Start: []string{"codex", "exec", "--json", "-"},
	Resume: func(command []string, session string) []string { // codex exec resume ID FLAGS -
		at := cmp.Or(slices.Index(command, "exec")+1, len(command))
		return slices.Insert(slices.Clone(command), at, "resume", session)
	},
}

// codexFolder is where Codex keeps its files.
func codexFolder(e *Env) string { return e.Folder("CODEX_HOME", ".codex") }

func codexLine(x *Line, h *Head) {
	var p struct {
		ID, CWD, Role   string
		Content, Source json.RawMessage
	}
	if json.Unmarshal(x.Payload, &p) != nil {
		return
	}
	switch {
	case x.Type == "session_meta" && h.own():
		h.Dir, h.ID = p.CWD, p.ID
		h.Side = bytes.Contains(p.Source, []byte("subagent"))
	case x.Type == "response_item" && p.Role == "user":
		h.prompt(texts(p.Content))
	}
}
