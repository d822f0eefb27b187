package install

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/agents"
)

// TestBundles: each agent has a file of hooks with the lines that work for it on any
// system, and Claude Code's has no field that its directory does not know.
func TestBundles(t *testing.T) {
	plugin, extension := Plugin.Files("v1.2.3"), Extension.Files("v1.2.3")
	var manifests [2]map[string]any
	for i, name := range []string{"plugins/satchel/.claude-plugin/plugin.json", "plugins/satchel/.codex-plugin/plugin.json"} {
		if err := json.Unmarshal([]byte(plugin[name]), &manifests[i]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if file, _ := manifests[1]["hooks"].(string); plugin["plugins/satchel/"+strings.TrimPrefix(file, "./")] == "" {
		t.Errorf("Codex is told of hooks in %q, which is not there", file)
	}
	delete(manifests[1], "hooks")
	if a, b := pretty(manifests[0]), pretty(manifests[1]); a != b {
		t.Errorf("the manifests differ in more than the hooks:\n%s\n%s", a, b)
	}
	for _, tt := range []struct{ agent, text, windows string }{
		{"claude", plugin["plugins/satchel/hooks/hooks.json"], ""},
		{"codex", plugin["plugins/satchel/hooks/codex/hooks.json"], "satchel hook codex ; exit 0 # || exit 0"},
		{"gemini", extension["hooks/hooks.json"], ""},
	} {
		var m struct {
			Hooks map[string][]struct{ Hooks []map[string]any }
		}
		if err := json.Unmarshal([]byte(tt.text), &m); err != nil {
			t.Fatalf("%s: %v", tt.agent, err)
		}
		for _, ev := range agents.ByName(tt.agent).Hooks.Events {
			want := pluginLine
			switch {
			case tt.agent == "gemini":
				want = "satchel hook gemini; exit 0"
			case ev.Name == "SessionStart":
				want = pluginStart
			}
			if len(m.Hooks[ev.Name]) != 1 || len(m.Hooks[ev.Name][0].Hooks) != 1 {
				t.Errorf("%s: %s has not one hook", tt.agent, ev.Name)
				continue
			}
			h := m.Hooks[ev.Name][0].Hooks[0]
			if windows, has := h["commandWindows"]; h["command"] != want || has != (tt.windows != "") || has && windows != tt.windows {
				t.Errorf("%s: %s runs %v, want %q and %q", tt.agent, ev.Name, h, want, tt.windows)
			}
		}
	}
}
