package agents

import (
	"encoding/json"
	"strings"
)

// A Scope says whose settings are meant.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // of the user, in all projects
	Project Scope = "project" // of one project, shared with those who work on it
)

// A File is one settings file and satchel's part of it: Entries in a JSON file, a
// Table at the end of a TOML file, or Whole, its complete text.
type File struct {
	Path    string
	Entries []Entry
	Table   string
	Whole   string
	Plain   string // the agent that takes nothing from a JSON file with comments or final commas
}

// An Entry is satchel's value in a JSON settings file.
type Entry struct {
	Path  []string // names from the root; the last is the member or the array
	List  bool     // the value is an element of the array at Path
	Value string   // compact JSON
	What  string   // for people
	Lines Lines    // of its commands, if it has a line for a shell
	Wraps bool     // our status line runs an existing one
	Frame bool     // what a file of this kind has to begin with: any value will do
}

// A Switch is a setting that keeps an agent from running hooks.
type Switch struct {
	Path []string
	When bool // the value that does
}

// A Mark says where an agent notes that satchel is there as a plugin that is
// switched on: a list in its settings file number In whose names begin with
// satchel@, or a file Beside that one.
type Mark struct {
	In     int
	List   string
	Beside string
}

// None reports whether the agent has no plugins that are known.
func (m Mark) None() bool { return m.List == "" && m.Beside == "" }

// PluginMark begins the text of files that are satchel's own.
const PluginMark = "// Written by satchel install"

// The MCP server as most clients have it, as VS Code's kin want it spelled out, and
// for the folder that an editor has open, where its documentation says how that is
// written.
const (
	server     = `{"command":"satchel","args":["mcp"]}`
	serverHere = `{"command":"satchel","args":["mcp","--dir","${workspaceFolder}"]}`
)

// mcp is the entry of the MCP server, below a name that depends on the agent.
func mcp(under, value string) Entry {
	return Entry{Path: []string{under, "satchel"}, Value: value, What: "MCP server satchel"}
}

// one is the only file of an agent, with its only entry.
func one(path string, e Entry) []File { return []File{{Path: path, Entries: []Entry{e}}} }

// compact writes a value of ours as JSON on one line.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // structs of strings and numbers always can
	return strings.TrimSpace(b.String())
}

// HookEntries returns the entries of an agent's hooks, as its settings hold them on a
// system.
func (a *Agent) HookEntries(goos string) (list []Entry) {
	for _, ev := range a.Hooks.Events {
		if ev.Seconds == 0 {
			continue
		}
		sh, windows := a.HookLine(&ev), a.WindowsLine(&ev)
		line, beside := sh, ""
		switch {
		case a.Hooks.Beside:
			beside = windows
		case goos == windowsGOOS:
			line = windows
		}
		list = append(list, Entry{
			Path: []string{"hooks", ev.Name}, List: true, What: "hook " + ev.Name,
			Value: a.HookValue(&ev, line, beside), Lines: linesOf(goos, sh, windows),
		})
	}
	return list
}

// HookValue is the hook of an event as a settings file holds it: with a line, and, if
// the agent has a field for it, another one for Windows.
func (a *Agent) HookValue(ev *Event, line, windows string) string {
	return compact(a.Hooks.Handler(line, windows, ev))
}

// A handler is a hook in a settings file.
type handler struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command,omitempty"`
	Windows string `json:"commandWindows,omitempty"` // of Codex
	Bash    string `json:"bash,omitempty"`
	Power   string `json:"powershell,omitempty"`
	Timeout int    `json:"timeout,omitempty"`
	Seconds int    `json:"timeoutSec,omitempty"`
}

// A group is handlers and the tools that they are for.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

// grouped is a hook of Claude Code and of those who followed it.
func grouped(line, windows string, ev *Event) any {
	return group{ev.Matcher, []handler{{Type: "command", Command: line, Windows: windows, Timeout: ev.Seconds}}}
}

// groupedMillis is a hook of Gemini CLI and its kin, which count milliseconds.
func groupedMillis(line, _ string, ev *Event) any {
	return group{ev.Matcher, []handler{{Name: "satchel", Type: "command", Command: line, Timeout: 1000 * ev.Seconds}}}
}
