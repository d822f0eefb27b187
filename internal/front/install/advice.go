package install

import (
	"fmt"
	"path/filepath"
)

// Added reports whether anything of satchel stands in the settings now that did
// not before.
func (r *Result) Added() bool {
	for _, c := range r.Changes {
		if c.Action == Created || c.Action == Changed && len(c.After) > len(c.Before) {
			return true
		}
	}
	return false
}

// Next says what the user has to do yet, after an install.
func (r *Result) Next(getenv func(string) string) (list []string) {
	if onPath(getenv("PATH")) == "" {
		list = append(list, "put satchel on PATH: until then the hooks do nothing")
	}
	switch {
	case r.Client == "codex":
		list = append(list, "start codex and trust the hooks in /hooks: until then it skips them without a word")
	case r.Client == "claude" && r.Scope == Project:
		list = append(list, "start claude in the project and allow its MCP server satchel when it asks")
	case r.Client == "copilot" && r.Scope == Project:
		list = append(list, "know that Copilot CLI runs the hooks of a repository in interactive sessions only; --user is for all")
	case r.Client == "gemini" && r.Scope == Project:
		list = append(list, "trust the folder when gemini asks: it ignores the settings of others")
	default:
		list = append(list, first[r.Client])
	}
	return list
}

// first says how one sees in each client that satchel is there, where nothing else
// has to be done.
var first = map[Client]string{
	"claude":   "start claude in your project: /hooks and /mcp list satchel",
	"gemini":   "start gemini in your project: /hooks and /mcp list satchel",
	"copilot":  "start copilot in your project: /mcp lists satchel",
	"opencode": "start opencode in your project: it has the tools satchel_pack, satchel_search and more",
	"pi":       "start pi in your project: it has the tools pack and search",
	"cursor":   "see in Cursor, under Customize and MCPs, that satchel is switched on",
	"vscode":   "run MCP: List Servers in VS Code, start satchel and say that you trust it",
	"zed":      "see in the settings of Zed's Agent Panel that satchel has a green dot",
	"windsurf": `refresh the MCP servers in Windsurf; it does not say in which folder it starts them: if satchel finds no project, put "--dir" and its path behind "mcp" in the args`,
	"continue": "use Continue in agent mode, the only one that has MCP tools",
	"jetbrains": `restart Junie; for the AI Assistant, which has no file, paste this in Settings, Tools, AI Assistant, Model Context Protocol: {"mcpServers":{"satchel":` + stdio +
		`}}; if satchel finds no project, put "--dir" and its path behind "mcp" in the args`,
}

// Next says what to do with the folder of a bundle.
func (b Bundle) Next(dir string) []string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if b == Extension {
		return []string{"gemini extensions install " + dir}
	}
	return []string{
		fmt.Sprintf("claude plugin marketplace add %s && claude plugin install satchel@satchel", dir),
		fmt.Sprintf("codex plugin marketplace add %s && codex plugin add satchel@satchel", dir),
	}
}
