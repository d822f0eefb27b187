package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

//go:embed files/plugin.md
var pluginReadme string

// pluginIcon is what the directory of plugins shows: a square PNG.
//
//go:embed files/icon.png
var pluginIcon string

//go:embed files/extension.md
var extensionReadme string

// pluginLine is the hook line of the plugin that Claude Code and Codex share. Only
// Claude Code gives its hooks the project in a variable.
const (
	pluginLine = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; " + pluginCall + "'"
	pluginCall = "if [ -n \"$CLAUDE_PROJECT_DIR\" ]; then satchel hook claude; else satchel hook codex; fi || exit 0"
)

//go:embed files/absent.md
var pluginAbsent string

// pluginStart is the hook line of a session's start. Without a program satchel, it
// prints one line for the person and nothing for the model.
var pluginStart = `sh -c 'command -v satchel >/dev/null 2>&1 || { echo "{\"systemMessage\":\"` + strings.TrimSpace(pluginAbsent) + `\"}"; exit 0; }; ` + pluginCall + "'"

// pluginHook is the line of an event of the plugin. On Windows Claude Code has the sh
// of Git Bash.
func pluginHook(ev *agents.Event) (sh, windows string) {
	if ev.Means == agents.Start {
		return pluginStart, ""
	}
	return pluginLine, ""
}

// codexHook returns the lines of an event of the plugin in Codex, which has a
// separate line for Windows. They are in another file, because Claude Code's plugin
// directory rejects unknown fields.
func codexHook(ev *agents.Event) (sh, windows string) {
	sh, _ = pluginHook(ev)
	return sh, agents.ByName("codex").WindowsLine(ev)
}

// extensionHook is the line of an event of the extension, whose settings have one for
// all systems. It is the one that does on Windows: there the other one would find no sh.
func extensionHook(ev *agents.Event) (sh, windows string) {
	return agents.ByName("gemini").WindowsLine(ev), ""
}

// A Bundle is a folder that agents install by themselves.
type Bundle string

const (
	Plugin    Bundle = "plugin"    // of Claude Code and Codex, and a marketplace that offers it
	Extension Bundle = "extension" // of Gemini CLI
)

// Files returns the files of a bundle by their slash-separated names. The version is
// satchel's; agents want MAJOR.MINOR.PATCH.
func (b Bundle) Files(version string) map[string]string {
	v := plainVersion(version)
	mcp := struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{"satchel", []string{"mcp"}}
	servers := map[string]any{"satchel": mcp}
	const about = "The right context for each prompt, within a token budget, also after a compaction."
	if b == Extension {
		return map[string]string{
			"gemini-extension.json": pretty(struct {
				Name        string         `json:"name"`
				Version     string         `json:"version"`
				Description string         `json:"description"`
				Servers     map[string]any `json:"mcpServers"`
			}{"satchel", v, about, servers}),
			"hooks/hooks.json": pretty(hooksOf("gemini", extensionHook)),
			"README.md":        extensionReadme,
		}
	}
	type named struct {
		Name string `json:"name"`
	}
	type manifest struct {
		Name        string   `json:"name"`
		Version     string   `json:"version"`
		Description string   `json:"description"`
		Author      named    `json:"author"`
		License     string   `json:"license"`
		Keywords    []string `json:"keywords"`
		Hooks       string   `json:"hooks,omitempty"` // hooks/hooks.json if it is not given
	}
	plugin := manifest{"satchel", v, about, named{"The satchel authors"}, "Apache-2.0", []string{"context", "memory", "compaction"}, ""}
	codex := plugin
	codex.Hooks = "./hooks/codex/hooks.json"
	type offer struct {
		Name        string `json:"name"`
		Source      string `json:"source"`
		Description string `json:"description"`
	}
	market := struct {
		Name    string            `json:"name"`
		Owner   named             `json:"owner"`
		Meta    map[string]string `json:"metadata"`
		Plugins []offer           `json:"plugins"`
	}{"satchel", named{"The satchel authors"}, map[string]string{"description": "The right context for coding agents, within a token budget."}, []offer{{"satchel", "./plugins/satchel", about}}}
	return map[string]string{
		".claude-plugin/marketplace.json":            pretty(market),
		"plugins/satchel/.claude-plugin/plugin.json": pretty(plugin),
		"plugins/satchel/.claude-plugin/icon.png":    pluginIcon,
		"plugins/satchel/.codex-plugin/plugin.json":  pretty(codex),
		"plugins/satchel/hooks/hooks.json":           pretty(hooksOf("claude", pluginHook)),
		"plugins/satchel/hooks/codex/hooks.json":     pretty(hooksOf("codex", codexHook)),
		"plugins/satchel/.mcp.json":                  pretty(map[string]any{"mcpServers": servers}),
		"plugins/satchel/README.md":                  pluginReadme,
	}
}

// hooksOf returns the hooks of an agent for a settings file, with lines for sh and
// for Windows. Without a line for Windows, the sh line is used there too.
func hooksOf(name string, lines func(ev *agents.Event) (sh, windows string)) any {
	hooks := map[string][]json.RawMessage{}
	a := agents.ByName(name)
	for _, ev := range a.Hooks.Events {
		if ev.Seconds > 0 {
			sh, windows := lines(&ev)
			hooks[ev.Name] = append(hooks[ev.Name], json.RawMessage(a.HookValue(&ev, sh, windows)))
		}
	}
	return map[string]any{"hooks": hooks}
}

func pretty(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // structs of strings always can
	return b.String()
}

// plainVersion returns the MAJOR.MINOR.PATCH of a module's version.
func plainVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	if i := strings.IndexAny(v, "-+"); i >= 0 {
		v = v[:i]
	}
	if strings.Count(v, ".") != 2 || strings.Trim(v, "0123456789.") != "" {
		return "0.0.0"
	}
	return v
}

// Write writes a bundle into a folder, which it makes. It replaces the files of a
// bundle, recognized by the manifest, and refuses a folder with anything else.
func (b Bundle) Write(dir, version string) (names []string, err error) {
	manifest := map[Bundle]string{Plugin: ".claude-plugin/marketplace.json", Extension: "gemini-extension.json"}[b]
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		var m struct {
			Name string `json:"name"`
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(manifest)))
		if err != nil || json.Unmarshal(text, &m) != nil || m.Name != "satchel" {
			return nil, &RefusedError{dir, "the folder is not empty and has no " + string(b) + " of satchel", "name a new folder"}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files := b.Files(version)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if err := replace(root, filepath.FromSlash(name), []byte(files[name]), 0o644); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		names = append(names, name)
	}
	return names, nil
}
