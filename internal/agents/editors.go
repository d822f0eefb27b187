package agents

import "path/filepath"

// The editors with an agent: each is given the MCP server, and no more of them is
// known. A file each would hold a path and a sentence.

// editorLacks is what rows of editors do not say.
var editorLacks = []string{"a format", "sessions in files", "a start", "a resume", "tools", "hooks"}

// cursor gives a user's server the open folder in a variable.
var cursor = Agent{
	Name: "cursor", Title: "Cursor", Program: "cursor", Lacks: editorLacks,
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		value := server
		if s == Project {
			value = serverHere
		}
		return one(e.either(s, e.Home(".cursor", "mcp.json"), ".cursor/mcp.json"), mcp("mcpServers", value))
	},
	First:   "check in Cursor, under Customize and MCPs, that satchel is enabled",
	Folders: []string{"WORKSPACE_FOLDER_PATHS"},
}

// vscode is VS Code.
var vscode = Agent{
	Name: "vscode", Title: "VS Code", Program: "code", Lacks: editorLacks,
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		dir := filepath.Join(e.Folder("XDG_CONFIG_HOME", ".config"), "Code")
		if e.GOOS == "darwin" {
			dir = e.Home("Library", "Application Support", "Code")
		}
		return one(e.either(s, filepath.Join(dir, "User", "mcp.json"), ".vscode/mcp.json"), mcp("servers", serverHere))
	},
	First: "run MCP: List Servers in VS Code, start satchel and trust it",
}

// zed is Zed.
var zed = Agent{
	Name: "zed", Title: "Zed", Program: "zed", Lacks: editorLacks,
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		dir := e.Folder("XDG_CONFIG_HOME", ".config")
		if e.GOOS == "darwin" {
			dir = e.Home(".config")
		}
		return userOnly(s, filepath.Join(dir, "zed", "settings.json"), "context_servers")
	},
	First: "check in the settings of Zed's Agent Panel that satchel has a green dot",
}

// windsurf is Windsurf.
var windsurf = Agent{
	Name: "windsurf", Title: "Windsurf", Program: "windsurf", Lacks: editorLacks,
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		return userOnly(s, e.Home(".codeium", "windsurf", "mcp_config.json"), "mcpServers")
	},
	First: `refresh the MCP servers in Windsurf; if satchel finds no project, add "--dir" and its path after "mcp" in the args`,
}

// userOnly is the file of a client whose documentation knows none of a project.
func userOnly(s Scope, path, under string) []File {
	if s == Project {
		return nil
	}
	return one(path, mcp(under, server))
}

// continues is Continue; its name is a word of Go.
var continues = Agent{
	Name: "continue", Title: "Continue", Folder: ".continue", Lacks: editorLacks,
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		return one(e.either(s, e.Home(".continue", "mcpServers", "satchel.json"), ".continue/mcpServers/satchel.json"), mcp("mcpServers", server))
	},
	First: "use Continue in agent mode, which has MCP tools",
}

// jetbrains is Junie; the AI Assistant has no file.
var jetbrains = Agent{
	Name: "jetbrains", Title: "JetBrains", Folder: ".junie", Lacks: editorLacks,
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		return one(e.either(s, e.Home(".junie", "mcp", "mcp.json"), ".junie/mcp/mcp.json"), mcp("mcpServers", server))
	},
	First: `restart Junie; for AI Assistant, paste this in Settings, Tools, AI Assistant, Model Context Protocol: {"mcpServers":{"satchel":` + server +
		`}}; if satchel finds no project, add "--dir" and its path after "mcp" in the args`,
}
