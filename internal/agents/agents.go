// Package agents is the table of what satchel knows about coding agents: one row,
// and one file, an agent. A row says where an agent keeps its sessions, what its
// tools are called, which hooks it has and what they take for an answer, which of
// its settings name satchel, how it is started and resumed, and what it slips into
// the words of its user.
//
// Rows are data and small functions over names and bytes: they open no file, run
// nothing and read no environment but the one that is handed to them. So the
// package lies below all that asks it, package transcript too, and imports none of
// them. How the bytes of a session file are read and written is no part of a row:
// that is a layout of package transcript, which a row names by its Format.
//
// Start with [All] and [Agent]. A new agent is a file here and a line in All; the
// package's test says by name what its row still lacks.
package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// An Agent is one row.
type Agent struct {
	Name  string // the name that users type
	Title string // what it calls itself

	// Format names the layout of its sessions, a transcript.Format.
	Format string

	// Sessions describes where the agent keeps its sessions; nil if they are not
	// plain files or not known.
	Sessions *Sessions

	// Program is the command that starts it; "" if it has none. Folder is what it
	// makes in the home folder, of those whose settings' folder does not tell that
	// they are there.
	Program, Folder string

	Tools []tool

	Hooks *Hooks // nil if it has none that are known

	// Settings returns the files that name satchel in the user's or in a project's
	// settings; nil without a place for it.
	Settings func(a *Agent, e *Env, s Scope) []File

	Off    []Switch // what keeps its hooks from running
	Plugin Mark     // shows that satchel is installed as a plugin

	// First says what a user does first, after an install; FirstProject after one in
	// a project, if that is something else.
	First, FirstProject string

	// Folders are variables that give a server the open folder.
	Folders []string

	// Start is the command without a terminal that reads the prompt from standard
	// input and prints events which package need understands. Resume returns the
	// command that goes on with a session.
	Start  []string
	Resume func(command []string, session string) []string

	// Slipped begin what it puts into its user's words.
	Slipped []string

	// Lacks names what the row does not say on purpose, as Agent.missing does.
	Lacks []string
}

// All lists the agents in display order. The editors, from cursor on, have no known
// hooks: they get only the MCP server.
var All = []*Agent{
	&claude, &codex, &gemini, &copilot, &opencode, &pi, &qwen,
	&cursor, &vscode, &zed, &windsurf, &continues, &jetbrains,
}

// ByName returns the agent with a name, or nil.
func ByName(name string) *Agent {
	return find(func(a *Agent) bool { return a.Name == name })
}

// ByFormat returns the agent whose sessions have a format, or nil.
func ByFormat(format string) *Agent {
	return find(func(a *Agent) bool { return format != "" && a.Format == format })
}

func find(is func(*Agent) bool) *Agent {
	if i := slices.IndexFunc(All, is); i >= 0 {
		return All[i]
	}
	return nil
}

// Names lists the agents for which something holds as a sentence does, with a word
// before the last: "a, b or c".
func Names(word string, has func(*Agent) bool) string {
	var names []string
	for _, a := range All {
		if has(a) {
			names = append(names, a.Name)
		}
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// An Env is the surroundings that rows may ask about.
type Env struct {
	Getenv func(string) string
	GOOS   string
	Exists func(path string) bool
	Dir    string // the root of the project
}

// Home is a folder of the user's home.
func (e *Env) Home(names ...string) string {
	home := e.Getenv("HOME")
	if !filepath.IsAbs(home) {
		home = ""
	}
	return filepath.Join(append([]string{home}, names...)...)
}

// Folder is the folder that a variable names, if it is absolute, else one of the
// user's home.
func (e *Env) Folder(variable string, names ...string) string {
	if d := e.Getenv(variable); filepath.IsAbs(d) {
		return d
	}
	return e.Home(names...)
}

// Config is the folder of the user's settings.
func (e *Env) Config() string {
	if d := e.Getenv("XDG_CONFIG_HOME"); d != "" {
		return d
	}
	return e.Home(".config")
}

// either is a path of the user's, or one below the project.
func (e *Env) either(s Scope, user, project string) string {
	if s == Project {
		return filepath.Join(e.Dir, filepath.FromSlash(project))
	}
	return user
}

// flag returns a Resume that appends a flag.
func flag(name string) func([]string, string) []string {
	return func(command []string, session string) []string {
		return append(slices.Clone(command), name, session)
	}
}
