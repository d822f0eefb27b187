package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

const (
	npmName    = "@satchel-dev/satchel"
	serverName = "io.github.satchel-dev/satchel" // npm's mcpName must equal the registry's name, case included
	repoURL    = "https://github.com/satchel-dev/satchel"
	license    = "Apache-2.0"
)

// A manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Keywords     []string          `json:"keywords,omitempty"`
	Homepage     string            `json:"homepage"`
	Bugs         string            `json:"bugs,omitempty"`
	License      string            `json:"license"`
	Author       string            `json:"author"`
	Repository   repository        `json:"repository"`
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	Engines      map[string]string `json:"engines,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Unplugged    bool              `json:"preferUnplugged,omitempty"` // Yarn starts no program out of an archive
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	ServerName   string            `json:"mcpName,omitempty"`
	PublishHints map[string]string `json:"publishConfig"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// npmPackages returns the files of each npm package, by its folder: the wrapper and
// one for each platform, which it names in exactly its own version.
func npmPackages(src source, version string, programs map[platform]string) map[string]tree {
	packages := map[string]tree{}
	optional := map[string]string{}
	for _, p := range platforms {
		of := p.os + "-" + p.cpu
		name := npmName + "-" + of
		optional[name] = version
		m := newManifest(name, version, "The program of satchel for "+of+". Install "+npmName+", which starts it.")
		m.OS, m.CPU, m.Unplugged = []string{p.os}, []string{p.cpu}, true
		packages["satchel-"+of] = pack(m, src, tree{
			"bin/" + p.program(): {program: programs[p]},
			"README.md":          {text: fmt.Appendf(nil, "# satchel for %s\n\nThe program itself. Install [%s](https://www.npmjs.com/package/%s), which starts it.\n", of, npmName, npmName)},
		})
	}
	m := newManifest(npmName, version, "Decides what a coding agent gets to see: the context of a task, within a budget of tokens.")
	m.Keywords = []string{"context", "coding-agent", "mcp", "mcp-server", "tokens", "claude-code", "codex", "gemini-cli"}
	m.Bugs = repoURL + "/issues"
	m.Bin = map[string]string{"satchel": "launcher.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional, m.ServerName = optional, serverName
	src.also = nil // the launcher links nothing
	packages["satchel"] = pack(m, src, tree{"launcher.js": {text: src.launcher}, "README.md": {text: src.readme}})
	return packages
}

func newManifest(name, version, about string) manifest {
	return manifest{Name: name, Version: version, Description: about, Homepage: repoURL + "#readme", License: license, Author: "The satchel authors",
		Repository: repository{"git", "git+" + repoURL + ".git"}, PublishHints: map[string]string{"access": "public"}}
}

// pack adds to the files of a package the licences and a manifest that names them.
func pack(m manifest, src source, files tree) tree {
	files["LICENSE"] = file{text: src.license}
	for name, text := range src.also {
		files[name] = file{text: text}
	}
	for name := range files {
		m.Files = append(m.Files, name)
	}
	slices.Sort(m.Files)
	files["package.json"] = file{text: pretty(m)}
	return files
}

func pretty(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // structs of strings always can
	}
	return b.Bytes()
}
