package agents

import (
	"path/filepath"
	"slices"
)

// codex is Codex.
var codex = Agent{
	Name: "codex", Title: "Codex", Format: "codex", Program: "codex",
	Tools: []Tool{{"shell", Runs}, {"exec_command", Runs}, {"apply_patch", Edits}, {"view_image", Reads}},
	Hooks: &Hooks{
		Events: []Event{
			{"SessionStart", Start, HookOutput, "", 10},
			{"UserPromptSubmit", Prompt, HookOutput, "", 10},
			{"PostToolUse", AfterTool, HookOutput, "", 5},
			{"PreCompact", BeforeCompact, Silent, "", 10},
			{"PostCompact", Nothing, Silent, "", 10},
		},
		Handler: grouped, Trusted: true,
	},
	Settings: func(a *Agent, e *Env, s Scope) []File {
		dir := e.Folder("CODEX_HOME", ".codex")
		return []File{
			{Path: e.either(s, filepath.Join(dir, "hooks.json"), ".codex/hooks.json"), Entries: a.HookEntries()},
			{Path: e.either(s, filepath.Join(dir, "config.toml"), ".codex/config.toml"), Table: "[mcp_servers.satchel]\ncommand = \"satchel\"\nargs = [\"mcp\"]\n"},
		}
	},
	Plugin: Mark{In: 1, List: "plugins"},
	First:  "start codex and trust the hooks in /hooks: until then it skips them without a word",

	Start: []string{"codex", "exec", "--json", "-"},
	Resume: func(command []string, session string) []string { // codex exec resume ID FLAGS -
		at := slices.Index(command, "exec") + 1
		if at == 0 {
			at = len(command)
		}
		return slices.Insert(slices.Clone(command), at, "resume", session)
	},
}
