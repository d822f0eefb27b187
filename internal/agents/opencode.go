package agents

import (
	_ "embed" // the plugin
	"path/filepath"
)

//go:embed files/opencode.js
var opencodePlugin string

// opencode is opencode. Its sessions are rows of a database: package sessions reads
// them.
var opencode = Agent{
	Name: "opencode", Title: "opencode", Format: "opencode", Program: "opencode", Folder: ".local/share/opencode",
	Lacks: []string{"sessions in files"},
	Tools: []tool{{"read", reads}, {"edit", edits}, {"write", edits}, {"bash", runs}, {"grep", searches}, {"glob", searches}, {"list", searches}},
	Hooks: &Hooks{
		Events: []Event{
			{"session.created", Start, PluginContext, "", 0},
			{"chat.message", Prompt, PluginContext, "", 0},
			{"tool.execute.after", AfterTool, PluginContext, "", 0},
			{"experimental.session.compacting", BeforeCompact, PluginContext, "", 0},
			{"session.compacted", AfterCompact, silent, "", 0},
		},
		Pends: true,
	},
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		dir := e.Folder("XDG_CONFIG_HOME", ".config")
		config := e.either(s, filepath.Join(dir, "opencode", "opencode.json"), "opencode.json")
		if e.Exists(config + "c") { // opencode.jsonc, which is read as well
			config += "c"
		}
		return []File{
			{Path: config, Entries: []Entry{mcp("mcp", `{"type":"local","command":["satchel","mcp"],"enabled":true}`)}},
			{Path: e.either(s, filepath.Join(dir, "opencode", "plugins", "satchel.js"), ".opencode/plugins/satchel.js"), Whole: opencodePlugin},
		}
	},
	First: "start opencode in your project: it has the tools satchel_pack, satchel_search and more",

	Start:  []string{"opencode", "run", "--format", "json"},
	Resume: flag("--session"),
}
