package agents

import (
	"slices"
	"strings"
	"testing"
)

// TestRows: a row says everything, or names what it does not say on purpose.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	for _, a := range All {
		if names[a.Name] {
			t.Errorf("%s: there are two of it", a.Name)
		}
		names[a.Name] = true
		for _, what := range a.missing() {
			t.Errorf("%s: the row lacks %s", a.Name, what)
		}
	}
}

// TestMissing: what is taken out of a row is named, and so is what it says it lacks
// and has.
func TestMissing(t *testing.T) {
	for what, spoil := range map[string]func(*Agent){
		"a name":   func(a *Agent) { a.Name = "" },
		"a title":  func(a *Agent) { a.Title = "" },
		"a format": func(a *Agent) { a.Format = "" },
		"a program, or a folder that tells of it": func(a *Agent) { a.Program = "" },
		"tools": func(a *Agent) { a.Tools = nil },
		"a tool that edits": func(a *Agent) {
			a.Tools = slices.DeleteFunc(slices.Clone(a.Tools), func(t tool) bool { return t.Does == edits })
		},
		"settings":                        func(a *Agent) { a.Settings = nil },
		"what to do first":                func(a *Agent) { a.First = "" },
		"hooks":                           func(a *Agent) { a.Hooks = nil },
		"an answer to PreCompact":         func(a *Agent) { a.Hooks.Events[3].Answer = 0 },
		"an event of a prompt":            func(a *Agent) { a.Hooks.Events = slices.Delete(a.Hooks.Events, 1, 2) },
		"a handler of its hooks":          func(a *Agent) { a.Hooks.Handler = nil },
		"a line of its hooks for Windows": func(a *Agent) { a.Hooks.Windows = nil },
		"a start":                         func(a *Agent) { a.Start = nil },
		"a resume":                        func(a *Agent) { a.Resume = nil },
		"(not) a resume, which it has":    func(a *Agent) { a.Lacks = []string{"a resume"} },
	} {
		a, hooks := claude, *claude.Hooks
		hooks.Events = slices.Clone(hooks.Events)
		a.Hooks = &hooks
		spoil(&a)
		if got := a.missing(); !slices.Contains(got, what) {
			t.Errorf("%s is not named: %q", what, got)
		}
	}
}

func TestResume(t *testing.T) {
	for name, want := range map[string]string{
		"claude":   "claude -p --output-format stream-json --verbose --resume ID",
		"codex":    "codex exec resume ID --json -",
		"gemini":   "gemini --output-format stream-json --resume ID",
		"pi":       "pi -p --mode json --session ID",
		"qwen":     "qwen --output-format stream-json --resume ID",
		"opencode": "opencode run --format json --session ID",
	} {
		a := ByName(name)
		before := strings.Join(a.Start, " ")
		if got := strings.Join(a.Resume(a.Start, "ID"), " "); got != want {
			t.Errorf("%s resumes with %q, want %q", name, got, want)
		}
		if got := strings.Join(a.Start, " "); got != before {
			t.Errorf("resuming changed the start of %s to %q", name, got)
		}
	}
	if ByName("sh") != nil || ByFormat("") != nil {
		t.Error("sh is an agent, or one has sessions of no format")
	}
}
