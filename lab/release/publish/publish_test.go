package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// fakes returns programs whose bytes are their platforms.
func fakes(t *testing.T) map[platform]string {
	t.Helper()
	programs := map[platform]string{}
	for _, p := range platforms {
		name := filepath.Join(t.TempDir(), p.program())
		if err := os.WriteFile(name, []byte(p.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		programs[p] = name
	}
	return programs
}

// packages returns the npm packages of a version, and their manifests.
func packages(t *testing.T, version string) (map[string]tree, map[string]manifest) {
	t.Helper()
	src, err := readSource("../../..", "../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	made := npmPackages(src, version, fakes(t))
	manifests := map[string]manifest{}
	for name, files := range made {
		var m manifest
		if err := json.Unmarshal(files["package.json"].text, &m); err != nil {
			t.Fatal(err)
		}
		manifests[name] = m
	}
	return made, manifests
}

func TestPackages(t *testing.T) {
	made, manifests := packages(t, "1.2.3")
	wrapper := manifests["satchel"]
	var names []string
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		m := manifests[name]
		if m.Version != "1.2.3" || m.License == "" || m.Repository.URL != "git+"+repoURL+".git" {
			t.Errorf("%s: version %q, licence %q, repository %q", name, m.Version, m.License, m.Repository.URL)
		}
		var text map[string]any
		if err := json.Unmarshal(made[name]["package.json"].text, &text); err != nil || text["scripts"] != nil || text["dependencies"] != nil {
			t.Errorf("%s: has scripts or dependencies (%v)", name, err)
		}
		files := slices.Sorted(maps.Keys(made[name]))
		files = slices.DeleteFunc(files, func(f string) bool { return f == "package.json" }) // which npm always takes
		if diff := cmp.Diff(m.Files, files); diff != "" {
			t.Errorf("%s: files that the manifest names, and those there are:\n%s", name, diff)
		}
		for _, want := range []string{"LICENSE", "README.md", "ARCHITECTURE.md"} {
			if slices.Contains(files, want) != (want != "ARCHITECTURE.md" || name != "satchel") { // given as -also, for the programs
				t.Errorf("%s holds %v", name, files)
			}
		}
		if name == "satchel" {
			continue
		}
		names = append(names, m.Name)
		if len(m.OS) != 1 || len(m.CPU) != 1 || m.Name != wrapper.Name+"-"+m.OS[0]+"-"+m.CPU[0] {
			t.Errorf("%s is for %v and %v", m.Name, m.OS, m.CPU)
		}
		if wrapper.Optional[m.Name] != "1.2.3" {
			t.Errorf("the wrapper wants %s in version %q", m.Name, wrapper.Optional[m.Name])
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(wrapper.Optional)), names); diff != "" {
		t.Errorf("optional dependencies of the wrapper, and packages:\n%s", diff)
	}
	if len(names) != 6 {
		t.Errorf("%d platforms, want 6", len(names))
	}
}

// TestSame makes everything twice.
func TestSame(t *testing.T) {
	programs := fakes(t)
	src, err := readSource("../../..", "")
	if err != nil {
		t.Fatal(err)
	}
	var written []map[string]string
	for range 2 {
		dir := filepath.Join(t.TempDir(), "out")
		all := tree{}
		for name, files := range npmPackages(src, "1.2.3", programs) {
			all.add(name, files)
		}
		all.add("marketplace", marketplace(src, "1.2.3"))
		all.add("gemini-extension", extension(src, "1.2.3"))
		if err := all.write(dir); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			files[name] = info.Mode().String() + " " + string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, files)
		if err := all.write(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("over the old files: %v, want a refusal", err)
		}
	}
	if diff := cmp.Diff(written[0], written[1]); diff != "" {
		t.Errorf("made twice:\n%s", diff)
	}
	if got := written[0]["satchel-linux-arm64/bin/satchel"]; got != "-rwxr-xr-x linux/arm64" {
		t.Errorf("a program is %q, want one that may be started", got)
	}
}

func TestRefuses(t *testing.T) {
	for _, version := range []string{"", "1.2", "1.2.3+more", "latest", "vv1.2.3"} {
		if err := publish("../../..", version, "x", "", t.TempDir()); err == nil || !strings.Contains(err.Error(), "want MAJOR.MINOR.PATCH") {
			t.Errorf("version %q: %v, want a refusal", version, err)
		}
	}
	dir := t.TempDir()
	if _, err := findPrograms(dir); err == nil || !strings.Contains(err.Error(), "no program for darwin/amd64, darwin/arm64, linux/amd64") {
		t.Errorf("no programs: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "satchel"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := findPrograms(dir); err == nil {
		t.Error("a script is taken for a program")
	}
}

// TestServer holds server.json to the registry's schema, a copy of which is in
// testdata, and to what the registry checks besides.
func TestServer(t *testing.T) {
	text, err := os.ReadFile("testdata/server.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.ID != serverSchema {
		t.Fatalf("testdata has the schema %s, want %s", schema.ID, serverSchema)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(text []byte) (doc map[string]any) {
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	if err := resolved.Validate(decode(serverJSON("1.2.3"))); err != nil {
		t.Error(err)
	}
	for what, breaks := range map[string]func(doc map[string]any){
		"a long description": func(doc map[string]any) { doc["description"] = strings.Repeat("x", 101) },
		"no version":         func(doc map[string]any) { delete(doc, "version") },
		"a name alone":       func(doc map[string]any) { doc["name"] = "satchel" },
		"another transport": func(doc map[string]any) {
			doc["packages"].([]any)[0].(map[string]any)["transport"] = map[string]any{"type": "pipe"}
		},
	} {
		doc := decode(serverJSON("1.2.3"))
		breaks(doc)
		if resolved.Validate(doc) == nil {
			t.Errorf("%s passes: the schema checks nothing", what)
		}
	}

	var e entry
	if err := json.Unmarshal(serverJSON("1.2.3"), &e); err != nil {
		t.Fatal(err)
	}
	_, manifests := packages(t, "1.2.3")
	if e.Schema != serverSchema || e.Name != manifests["satchel"].ServerName || e.Packages[0].Identifier != manifests["satchel"].Name {
		t.Errorf("%s names %s in %s, and npm's package is %s of %s", e.Schema, e.Name, e.Packages[0].Identifier, manifests["satchel"].Name, manifests["satchel"].ServerName)
	}
	// The registry finds the name in the image, too.
	images, err := os.ReadFile("../../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	image, _, _ := strings.Cut(e.Packages[1].Identifier, ":")
	for _, want := range []string{"\n      io.modelcontextprotocol.server.name: " + e.Name + " ", "- images: [" + image + "]\n    tags: [\"{{ .Version }}\","} {
		if !strings.Contains(string(images), want) {
			t.Errorf(".goreleaser.yaml does not hold %q", want)
		}
	}
	for _, p := range e.Packages {
		inName := strings.HasSuffix(p.Identifier, ":1.2.3")
		if (p.Version == "1.2.3") == inName {
			t.Errorf("%s %s has version %q: an image has it in its name, others in a field", p.Type, p.Identifier, p.Version)
		}
		if p.Transport["type"] != "stdio" || len(p.Arguments) != 1 || p.Arguments[0].Value != "mcp" {
			t.Errorf("%s: transport %v, arguments %v", p.Identifier, p.Transport, p.Arguments)
		}
	}
}

// TestPlugins: each manifest has the version, and what is offered is there.
func TestPlugins(t *testing.T) {
	src, err := readSource("../../..", "")
	if err != nil {
		t.Fatal(err)
	}
	market, gemini := marketplace(src, "1.2.3"), extension(src, "1.2.3")
	for name, text := range map[string][]byte{"plugin.json": market["plugins/satchel/.claude-plugin/plugin.json"].text, "gemini-extension.json": gemini["gemini-extension.json"].text} {
		var m struct{ Name, Version string }
		if err := json.Unmarshal(text, &m); err != nil || m.Name != "satchel" || m.Version != "1.2.3" {
			t.Errorf("%s: %s %s (%v)", name, m.Name, m.Version, err)
		}
	}
	var m struct {
		Plugins []struct{ Name, Source string }
	}
	if err := json.Unmarshal(market[".claude-plugin/marketplace.json"].text, &m); err != nil || len(m.Plugins) != 1 {
		t.Fatalf("marketplace.json: %v (%v)", m, err)
	}
	if p := filepath.ToSlash(filepath.Join(m.Plugins[0].Source, ".claude-plugin/plugin.json")); market[p].text == nil {
		t.Errorf("the marketplace offers %s, and %s is not there", m.Plugins[0].Source, p)
	}
	for name := range market {
		if strings.HasPrefix(name, "hooks/") {
			t.Errorf("the marketplace holds %s beside its plugins: Claude Code takes it for its own", name)
		}
	}
	for title, readme := range map[string]file{"# satchel for Claude Code and Codex\n": market["README.md"], "# satchel for Gemini CLI\n": gemini["README.md"]} {
		if !strings.HasPrefix(string(readme.text), title) {
			t.Errorf("a README begins with %.60q, want %q", readme.text, title)
		}
	}
}
