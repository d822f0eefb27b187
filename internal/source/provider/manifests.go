package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// maxDependencies bounds what one manifest may name.
const maxDependencies = 5000

// goMod reads the requirements of a go.mod file that are not indirect.
func goMod(text []byte) ([]dependency, error) {
	var out []dependency
	block := false
	n := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		n++
		code, comment, _ := strings.Cut(line, "//")
		f := strings.Fields(code)
		switch {
		case len(f) == 0:
			continue
		case block && f[0] == ")":
			block = false
			continue
		case !block && f[0] == "require" && len(f) == 2 && f[1] == "(":
			block = true
			continue
		case !block && f[0] == "require":
			f = f[1:]
		case !block && (f[0] == "go" || f[0] == "toolchain"):
			continue
		case !block:
			continue
		}
		if len(f) >= 2 && !slices.Contains(strings.FieldsFunc(comment, func(r rune) bool { return r == ' ' || r == ';' || r == '\t' || r == '\r' }), "indirect") && len(out) <= maxDependencies {
			out = append(out, dependency{name: strings.Trim(f[0], "\"`"), version: strings.Trim(f[1], "\"`"), line: n})
		}
	}
	return bounded(out)
}

// packageJSON reads the dependencies of a package.json file.
func packageJSON(text []byte) ([]dependency, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	var out []dependency
	var bad error
	for _, g := range []struct{ key, group string }{
		{"dependencies", ""}, {"peerDependencies", "peer"}, {"optionalDependencies", "optional"}, {"devDependencies", "dev"},
	} {
		if m[g.key] == nil {
			continue
		}
		var deps map[string]any
		if err := json.Unmarshal(m[g.key], &deps); err != nil {
			bad = fmt.Errorf("%s: not names with versions", g.key)
			continue
		}
		at := section(text, `"`+g.key+`"`)
		for _, name := range sortedKeys(deps) {
			version, _ := deps[name].(string)
			out = append(out, dependency{name, version, g.group, lineOf(text, at, `"`+name+`"`)})
		}
	}
	out, err := bounded(out)
	return out, cmp.Or(bad, err)
}

// bounded returns as many dependencies as one manifest may name, and an error that
// says so if there are more.
func bounded(list []dependency) ([]dependency, error) {
	if len(list) > maxDependencies {
		return list[:maxDependencies], fmt.Errorf("it names more than %d dependencies: the others are left out", maxDependencies)
	}
	return list, nil
}

// section returns where a key stands in a text, or 0.
func section(text []byte, key string) int { return max(bytes.Index(text, []byte(key)), 0) }

// lineOf returns the line on which a name stands, at or after an offset; 0 if it
// does not.
func lineOf(text []byte, from int, name string) int {
	i := bytes.Index(text[from:], []byte(name))
	if i < 0 {
		return 0
	}
	return bytes.Count(text[:from+i], []byte{'\n'}) + 1
}

func sortedKeys[V any](m map[string]V) []string {
	keys := slices.Sorted(maps.Keys(m))
	return keys[:min(len(keys), maxDependencies+1)]
}

// requirement is the start of a PEP 508 requirement: a name, extras, and what
// limits the version.
var requirement = lazy.Regexp(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*((?:(?:===|==|~=|!=|<=|>=|<|>)[^;#]*|@\s*\S+)?)`)

// requirements reads a requirements.txt file. It skips options and references to other
// files.
func requirements(text []byte) ([]dependency, error) {
	var out []dependency
	n := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		n++
		line = strings.TrimSpace(line)
		m := requirement().FindStringSubmatch(line)
		if m == nil || len(out) > maxDependencies {
			continue
		}
		if rest := strings.TrimSpace(line[len(m[0]):]); rest != "" && rest[0] != ';' && rest[0] != '#' && rest[0] != '\\' && rest[0] != '-' {
			continue // an address or a path, not a name
		}
		out = append(out, dependency{name: m[1], version: strings.TrimRight(strings.TrimSpace(m[2]), ` \`), line: n})
	}
	return bounded(out)
}

// pyproject reads the dependencies of a pyproject.toml file: of PEP 621, PEP 735
// and Poetry.
func pyproject(text []byte) ([]dependency, error) {
	m, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	var out []dependency
	project := table(m, "project")
	add := func(list any, group string) {
		items, _ := list.([]any)
		for _, it := range items {
			s, _ := it.(string)
			if f := requirement().FindStringSubmatch(strings.TrimSpace(s)); f != nil {
				out = append(out, dependency{f[1], strings.TrimSpace(f[2]), group, lineOf(text, 0, s)})
			}
		}
	}
	add(project["dependencies"], "")
	optional := table(project, "optional-dependencies")
	for _, g := range sortedKeys(optional) {
		add(optional[g], g)
	}
	groups := table(m, "dependency-groups")
	for _, g := range sortedKeys(groups) {
		add(groups[g], g)
	}
	poetry := table(table(m, "tool"), "poetry")
	out = append(out, tomlDependencies(text, poetry, "dependencies", "", "[tool.poetry.dependencies]")...)
	out = append(out, tomlDependencies(text, poetry, "dev-dependencies", "dev", "[tool.poetry.dev-dependencies]")...)
	more := table(poetry, "group")
	for _, g := range sortedKeys(more) {
		out = append(out, tomlDependencies(text, table(more, g), "dependencies", g, "[tool.poetry.group."+g+".dependencies]")...)
	}
	out = slices.DeleteFunc(out, func(d dependency) bool { return d.name == "python" })
	return bounded(out)
}

// cargo reads the dependencies of a Cargo.toml file.
func cargo(text []byte) ([]dependency, error) {
	m, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	var out []dependency
	for _, g := range []struct{ key, group string }{{"dependencies", ""}, {"build-dependencies", "build"}, {"dev-dependencies", "dev"}} {
		out = append(out, tomlDependencies(text, m, g.key, g.group, "["+g.key)...)
	}
	out = append(out, tomlDependencies(text, table(m, "workspace"), "dependencies", "workspace", "[workspace.dependencies")...)
	targets := table(m, "target")
	for _, t := range sortedKeys(targets) {
		out = append(out, tomlDependencies(text, table(targets, t), "dependencies", t, "[target.")...)
	}
	return bounded(out)
}

// readTOML reads a TOML document. The library has no limits of its own on nesting.
func readTOML(text []byte) (m map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not TOML: %v", r)
		}
	}()
	const deepest = 200
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		if bytes.Count(line, []byte{'['})+bytes.Count(line, []byte{'{'})+bytes.Count(line, []byte{'.'}) > 20*deepest {
			return nil, errors.New("not TOML: nested too deeply")
		}
	}
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	return m, nil
}

func table(m map[string]any, key string) map[string]any {
	t, _ := m[key].(map[string]any)
	return t
}

// tomlDependencies reads a table of names with versions, or with tables that hold
// them.
func tomlDependencies(text []byte, m map[string]any, key, group, heading string) []dependency {
	deps := table(m, key)
	at := section(text, heading)
	var out []dependency
	for _, name := range sortedKeys(deps) {
		version := ""
		switch v := deps[name].(type) {
		case string:
			version = v
		case map[string]any:
			for _, k := range []string{"version", "git", "path"} {
				if s, ok := v[k].(string); ok && version == "" {
					version = s
				}
			}
			if w, _ := v["workspace"].(bool); w && version == "" {
				version = "workspace"
			}
		}
		out = append(out, dependency{name, version, group, lineOf(text, at, name)})
	}
	return out
}
