package install

import (
	"path/filepath"
	"runtime"
	"slices"

	"github.com/satchel-dev/satchel/internal/agents"
)

// A Client is an agent that satchel can be installed into, or an editor with one:
// the name of a row of package agents that has settings.
type Client string

// Clients lists the agents in display order.
var Clients = clients()

func clients() (list []Client) {
	for _, a := range agents.All {
		if a.Settings != nil {
			list = append(list, Client(a.Name))
		}
	}
	return list
}

// Known reports whether satchel knows the agent.
func (c Client) Known() bool { return slices.Contains(Clients, c) }

// Title returns the common name of the agent.
func (c Client) Title() string { return c.row().Title }

// row is what is known about the agent.
func (c Client) row() *agents.Agent { return agents.ByName(string(c)) }

// The scopes.
const (
	User    = agents.User
	Project = agents.Project
)

// A file is one settings file and satchel's part of it.
type file struct {
	agents.File
	off []agents.Switch // the settings that disable all hooks
}

// entries are satchel's values in a JSON file.
func (f *file) entries() []entry { return entriesOf(f.Entries) }

func entriesOf(list []agents.Entry) (out []entry) {
	for _, e := range list {
		out = append(out, entry(e))
	}
	return out
}

// Present reports whether the client seems to be on this machine: its program is
// on PATH, or the folder of its settings is there.
func (o Options) Present(c Client) bool {
	a := c.row()
	if a.Program != "" && lookPath(o.Getenv("PATH"), a.Program) != "" || a.Folder != "" && exists(filepath.Join(o.Home(), a.Folder)) {
		return true
	}
	o.Scope = User
	return slices.ContainsFunc(o.files(c), func(f file) bool {
		dir := filepath.Dir(f.Path)
		return dir != o.Home() && exists(dir)
	})
}

// files returns the settings files of an agent.
func (o *Options) files(c Client) (list []file) {
	a := c.row()
	e := &agents.Env{Getenv: o.Getenv, GOOS: runtime.GOOS, Exists: exists, Dir: o.Project}
	for _, f := range a.Settings(a, e, o.Scope) {
		list = append(list, file{f, a.Off})
	}
	return list
}
