package install

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Added reports whether the settings now hold more of satchel than before.
func (r *Result) Added() bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool {
		return c.Action == Created || c.Action == Changed && len(c.After) > len(c.Before)
	})
}

// Next says what the user has to do yet, after an install.
func (r *Result) Next(getenv func(string) string) (list []string) {
	if onPath(getenv("PATH")) == "" {
		list = append(list, "put satchel on PATH; until then the hooks do nothing")
	}
	a := r.Client.row()
	if r.Scope == Project && a.FirstProject != "" {
		return append(list, a.FirstProject)
	}
	return append(list, a.First)
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
