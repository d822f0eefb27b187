package install

import (
	"bytes"
	"embed"
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

// bundles holds the files of each bundle but the hooks. Their version is 0.0.0.
//
//go:embed all:files/plugin all:files/extension
var bundles embed.FS

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

// pluginHook returns the line of an event of the plugin. On Windows Claude Code has the
// sh of Git Bash.
func pluginHook(ev *agents.Event) string {
	if ev.Means == agents.Start {
		return pluginStart
	}
	return pluginLine
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
	files := map[string]string{}
	top := "files/" + string(b) + "/"
	_ = fs.WalkDir(bundles, path.Clean(top), func(name string, d fs.DirEntry, _ error) error { // embedded, so without errors
		if !d.IsDir() {
			text, _ := bundles.ReadFile(name)
			files[strings.TrimPrefix(name, top)] = strings.Replace(string(text), `"version": "0.0.0"`, `"version": "`+plainVersion(version)+`"`, 1)
		}
		return nil
	})
	if b == Extension {
		// Its settings have one line for all systems: there is no sh on Windows.
		files["hooks/hooks.json"] = hooksOf("gemini", agents.ByName("gemini").WindowsLine, false)
		return files
	}
	files["plugins/satchel/hooks/hooks.json"] = hooksOf("claude", pluginHook, false)
	// Codex has its own file, because Claude Code's plugin directory rejects unknown fields.
	files["plugins/satchel/hooks/codex/hooks.json"] = hooksOf("codex", pluginHook, true)
	return files
}

// hooksOf returns the settings file with the hooks of an agent, with a line for each
// event, and a second one for Windows if beside is set.
func hooksOf(name string, line func(*agents.Event) string, beside bool) string {
	hooks := map[string][]json.RawMessage{}
	a := agents.ByName(name)
	for _, ev := range a.Hooks.Events {
		windows := ""
		if beside {
			windows = a.WindowsLine(&ev)
		}
		if ev.Seconds > 0 {
			hooks[ev.Name] = append(hooks[ev.Name], json.RawMessage(a.HookValue(&ev, line(&ev), windows)))
		}
	}
	return pretty(map[string]any{"hooks": hooks})
}

// pretty writes a value of strings, numbers and structs as JSON, and < and & as they are.
func pretty(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // such a value always can
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
