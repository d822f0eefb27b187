package install

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Client is an agent that satchel can be installed into, or an editor with one.
type Client string

// Clients lists them, in the order in which they are shown. The editors, from
// cursor on, have no hooks that are known: they get the MCP server alone.
var Clients = []Client{"claude", "codex", "gemini", "copilot", "opencode", "pi", "cursor", "vscode", "zed", "windsurf", "continue", "jetbrains"}

// Known reports whether satchel knows the agent.
func (c Client) Known() bool { return slices.Contains(Clients, c) }

// title is what the agent calls itself.
var title = map[Client]string{
	"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "copilot": "Copilot CLI", "opencode": "opencode", "pi": "pi",
	"cursor": "Cursor", "vscode": "VS Code", "zed": "Zed", "windsurf": "Windsurf", "continue": "Continue", "jetbrains": "JetBrains",
}

// Title returns the name by which people know the agent.
func (c Client) Title() string { return title[c] }

// A Scope says whose settings are meant.
type Scope string

const (
	User    Scope = "user"    // of the user, in all projects
	Project Scope = "project" // of one project, shared with those who work on it
)

// A kind is how a settings file is written.
type kind int

const (
	jsonFile  kind = iota
	tomlFile       // Codex's config.toml
	wholeFile      // a program of ours: a plugin, an extension
)

// A file is one settings file, and what of satchel stands in it.
type file struct {
	path    string
	kind    kind
	entries []entry // of a jsonFile
	plain   string  // the agent that takes nothing from a jsonFile with comments or final commas
	text    string  // of a tomlFile, our table; of a wholeFile, all of it
}

// An event is a point of a session at which an agent calls a hook.
type event struct {
	name    string
	matcher string // of tools
	seconds int    // what the agent gives the hook, more than it takes
}

// The tools that read and edit files, by the agents' names, and those that run
// commands.
const (
	claudeTools = "Read|Edit|Write|MultiEdit|NotebookEdit|Bash"
	geminiTools = "read_file|read_many_files|write_file|replace|run_shell_command"
)

// events are what satchel wants to hear of; docs/hooks.md says what it does then.
var events = map[Client][]event{
	"claude": {
		{"SessionStart", "", 10}, {"UserPromptSubmit", "", 10}, {"PostToolUse", claudeTools, 5}, {"PreCompact", "", 10}, {"PostCompact", "", 10},
	},
	"codex": {
		{"SessionStart", "", 10}, {"UserPromptSubmit", "", 10}, {"PostToolUse", "", 5}, {"PreCompact", "", 10}, {"PostCompact", "", 10},
	},
	"gemini":  {{"SessionStart", "", 10}, {"BeforeAgent", "", 10}, {"AfterTool", geminiTools, 5}, {"PreCompress", "", 10}, {"AfterAgent", "", 10}},
	"copilot": {{"sessionStart", "", 10}, {"userPromptSubmitted", "", 10}, {"preToolUse", "", 5}, {"postToolUse", "", 5}, {"preCompact", "", 10}},
}

// hookEntries returns the entries of an agent's hooks.
func hookEntries(c Client) (list []entry) {
	type handler struct {
		Name    string `json:"name,omitempty"`
		Type    string `json:"type"`
		Command string `json:"command,omitempty"`
		Bash    string `json:"bash,omitempty"`
		Timeout int    `json:"timeout,omitempty"`
		Seconds int    `json:"timeoutSec,omitempty"`
	}
	type group struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}
	for _, ev := range events[c] {
		h := handler{Type: "command", Command: hookLine(c, ""), Timeout: ev.seconds}
		var v any
		switch c {
		case "copilot": // whose input does not name the event
			v = handler{Type: "command", Bash: hookLine(c, ev.name), Seconds: ev.seconds}
		case "gemini":
			h.Name, h.Timeout = "satchel", 1000*ev.seconds
			v = group{ev.matcher, []handler{h}}
		default:
			v = group{ev.matcher, []handler{h}}
		}
		list = append(list, entry{path: []string{"hooks", ev.name}, list: true, value: compact(v), what: "hook " + ev.name})
	}
	return list
}

// program is the command that starts a client, if it is not its name; "" if it
// has none. Of those, folder is what it makes in the home folder.
var (
	program = map[Client]string{"vscode": "code", "continue": "", "jetbrains": ""}
	folder  = map[Client]string{"continue": ".continue", "jetbrains": ".junie"}
)

// Present reports whether the client seems to be on this machine: its program is
// on PATH, or the folder of its settings is there.
func (o Options) Present(c Client) bool {
	name, special := program[c]
	if !special {
		name = string(c)
	}
	if name != "" && lookPath(o.Getenv("PATH"), name) != "" || folder[c] != "" && exists(filepath.Join(o.Home(), folder[c])) {
		return true
	}
	o.Scope = User
	return slices.ContainsFunc(o.files(c), func(f file) bool {
		dir := filepath.Dir(f.path)
		return dir != o.Home() && exists(dir)
	})
}

// compact writes a value of ours as JSON on one line.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // structs of strings and numbers always can
	return strings.TrimSpace(b.String())
}

// mcp is the entry of the MCP server, below a name that depends on the agent.
func mcp(under, value string) entry {
	return entry{path: []string{under, "satchel"}, value: value, what: "MCP server satchel"}
}

// stdio is the MCP server as most clients have it, and here the same for the folder
// that an editor has open, where its documentation says how that is written.
const (
	stdio = `{"command":"satchel","args":["mcp"]}`
	here  = `{"command":"satchel","args":["mcp","--dir","${workspaceFolder}"]}`
)

const codexTable = "[" + tomlTable + "]\ncommand = \"satchel\"\nargs = [\"mcp\"]\n"

// files returns the settings files of an agent.
func (o *Options) files(c Client) []file {
	at := func(user, project string) string {
		if o.Scope == Project {
			return filepath.Join(o.Project, filepath.FromSlash(project))
		}
		return user
	}
	home := func(variable, name string) string {
		if d := o.Getenv(variable); variable != "" && filepath.IsAbs(d) {
			return d
		}
		return filepath.Join(o.Home(), name)
	}
	const full = `{"type":"stdio","command":"satchel","args":["mcp"],"env":{}}`
	switch c {
	case "claude":
		dir := home("CLAUDE_CONFIG_DIR", ".claude")
		state := filepath.Join(o.Home(), ".claude.json")
		if filepath.IsAbs(o.Getenv("CLAUDE_CONFIG_DIR")) {
			state = filepath.Join(dir, ".claude.json")
		}
		status := entry{path: []string{"statusLine"}, wraps: true, what: "status line",
			value: compact(struct {
				Type    string `json:"type"`
				Command string `json:"command"`
				Padding int    `json:"padding"`
			}{"command", statusLine, 0})}
		return []file{
			{path: at(filepath.Join(dir, "settings.json"), ".claude/settings.json"), entries: append(hookEntries(c), status), plain: c.Title()},
			{path: at(state, ".mcp.json"), entries: []entry{mcp("mcpServers", full)}, plain: c.Title()},
		}
	case "codex":
		dir := home("CODEX_HOME", ".codex")
		return []file{
			{path: at(filepath.Join(dir, "hooks.json"), ".codex/hooks.json"), entries: hookEntries(c)},
			{path: at(filepath.Join(dir, "config.toml"), ".codex/config.toml"), kind: tomlFile, text: codexTable},
		}
	case "gemini":
		dir := filepath.Join(home("GEMINI_CLI_HOME", ""), ".gemini")
		return []file{{path: at(filepath.Join(dir, "settings.json"), ".gemini/settings.json"),
			entries: append(hookEntries(c), mcp("mcpServers", `{"command":"satchel","args":["mcp"],"trust":true}`))}}
	case "copilot":
		dir := home("COPILOT_HOME", ".copilot")
		version := entry{path: []string{"version"}, value: "1", frame: true}
		list := []file{{path: at(filepath.Join(dir, "hooks", "satchel.json"), ".github/hooks/satchel.json"), entries: append([]entry{version}, hookEntries(c)...)}}
		if o.Scope == User { // a project has no place for it
			list = append(list, file{path: filepath.Join(dir, "mcp-config.json"), entries: []entry{mcp("mcpServers", `{"type":"local","command":"satchel","args":["mcp"],"tools":["*"]}`)}})
		}
		return list
	case "opencode":
		dir := filepath.Join(home("XDG_CONFIG_HOME", ".config"), "opencode")
		config := at(filepath.Join(dir, "opencode.json"), "opencode.json")
		if exists(config + "c") { // opencode.jsonc, which is read as well
			config += "c"
		}
		return []file{
			{path: config, entries: []entry{mcp("mcp", `{"type":"local","command":["satchel","mcp"],"enabled":true}`)}},
			{path: at(filepath.Join(dir, "plugins", "satchel.js"), ".opencode/plugins/satchel.js"), kind: wholeFile, text: opencodePlugin},
		}
	case "pi":
		dir := home("PI_CODING_AGENT_DIR", filepath.Join(".pi", "agent"))
		return []file{{path: at(filepath.Join(dir, "extensions", "satchel.ts"), ".pi/extensions/satchel.ts"), kind: wholeFile, text: piExtension}}
	case "cursor": // which tells a server of the user's by a variable what is open
		return []file{{path: at(filepath.Join(o.Home(), ".cursor", "mcp.json"), ".cursor/mcp.json"),
			entries: []entry{mcp("mcpServers", map[Scope]string{User: stdio, Project: here}[o.Scope])}}}
	case "vscode":
		dir := filepath.Join(home("XDG_CONFIG_HOME", ".config"), "Code")
		if runtime.GOOS == "darwin" {
			dir = filepath.Join(o.Home(), "Library", "Application Support", "Code")
		}
		return []file{{path: at(filepath.Join(dir, "User", "mcp.json"), ".vscode/mcp.json"), entries: []entry{mcp("servers", here)}}}
	case "zed":
		dir := home("XDG_CONFIG_HOME", ".config")
		if runtime.GOOS == "darwin" {
			dir = filepath.Join(o.Home(), ".config")
		}
		return userOnly(o.Scope, file{path: filepath.Join(dir, "zed", "settings.json"), entries: []entry{mcp("context_servers", stdio)}})
	case "windsurf":
		return userOnly(o.Scope, file{path: filepath.Join(o.Home(), ".codeium", "windsurf", "mcp_config.json"), entries: []entry{mcp("mcpServers", stdio)}})
	case "continue":
		return []file{{path: at(filepath.Join(o.Home(), ".continue", "mcpServers", "satchel.json"), ".continue/mcpServers/satchel.json"), entries: []entry{mcp("mcpServers", stdio)}}}
	case "jetbrains": // Junie's; the AI Assistant has no file
		return []file{{path: at(filepath.Join(o.Home(), ".junie", "mcp", "mcp.json"), ".junie/mcp/mcp.json"), entries: []entry{mcp("mcpServers", stdio)}}}
	}
	return nil
}

// userOnly is the file of a client whose documentation knows none of a project.
func userOnly(s Scope, f file) []file {
	if s == Project {
		return nil
	}
	return []file{f}
}
