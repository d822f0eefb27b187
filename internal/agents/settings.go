package agents

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Scope says whose settings are meant.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // of the user, in all projects
	Project Scope = "project" // of one project, shared with those who work on it
)

// A File is one settings file, and what of satchel stands in it: Entries in a JSON
// file, a Table at the end of a TOML file, or Whole, all of its text.
type File struct {
	Path    string
	Entries []Entry
	Table   string
	Whole   string
	Plain   string // the agent that takes nothing from a JSON file with comments or final commas
}

// An Entry is one thing that stands in a JSON settings file for satchel's sake.
type Entry struct {
	Path  []string // names from the root; the last is the member, or that of the array
	List  bool     // the value is an element of the array at Path
	Value string   // compact JSON
	What  string   // for people
	Wraps bool     // a status line that stands in its place is run by ours
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

// HookEntries returns the entries of an agent's hooks.
func (a *Agent) HookEntries() (list []Entry) {
	for _, ev := range a.Hooks.Events {
		if ev.Seconds == 0 {
			continue
		}
		list = append(list, Entry{
			Path: []string{"hooks", ev.Name}, List: true, What: "hook " + ev.Name,
			Value: compact(a.Hooks.Handler(a.HookLine(&ev), &ev)),
		})
	}
	return list
}

// A handler is a hook in a settings file.
type handler struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command,omitempty"`
	Bash    string `json:"bash,omitempty"`
	Timeout int    `json:"timeout,omitempty"`
	Seconds int    `json:"timeoutSec,omitempty"`
}

// A group is handlers and the tools that they are for.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

// grouped is a hook of Claude Code and of those who followed it.
func grouped(line string, ev *Event) any {
	return group{ev.Matcher, []handler{{Type: "command", Command: line, Timeout: ev.Seconds}}}
}

// groupedMillis is a hook of Gemini CLI and its kin, which count milliseconds.
func groupedMillis(line string, ev *Event) any {
	return group{ev.Matcher, []handler{{Name: "satchel", Type: "command", Command: line, Timeout: 1000 * ev.Seconds}}}
}

// HookLine is the command line that an agent runs at an event, or, if ev is nil,
// at any.
//
// It must never keep a prompt from the model, and in three agents an exit code
// of 2 does, which is what a Go program that dies of a fatal error ends with; in
// Gemini every code from 2 on does, 127 of a missing program included. So the
// line ends with 0 if satchel is gone, too old to know hooks, or killed. It must
// never change from version to version either: Codex trusts a line by its hash.
//
// An agent that EndsShell would wait for what the shell started. So there the
// shell ends satchel with itself.
func (a *Agent) HookLine(ev *Event) string {
	const there = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; "
	if a.Hooks.EndsShell {
		return there + fmt.Sprintf(`exec 3<&0; satchel hook %s <&3 & p=$!; trap "kill $p 2>/dev/null; exit 0" TERM INT HUP; wait $p || exit 0'`, a.Name)
	}
	call := "satchel hook " + a.Name
	if a.Hooks.Unnamed && ev != nil {
		call += " " + ev.Name
	}
	return there + call + " || exit 0'"
}

// StatusLine is the command line of Claude Code's status line.
const StatusLine = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; satchel statusline || exit 0'"
