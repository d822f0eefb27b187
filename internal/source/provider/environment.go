package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// Environment tells the operating system, the processor, and the versions of
// languages and tools that the project's files ask for. It runs nothing and reads
// no variable.
type Environment struct {
	Place *Place // nil: only the system is told

	// OS and Arch are those of the machine if they are empty.
	OS, Arch string
}

const (
	environmentWorth = 0.4
	machinePath      = "machine"
)

// Name implements Provider.
func (e *Environment) Name() string { return "environment" }

// Description says what the provider is for.
func (e *Environment) Description() string {
	return "the operating system, and the versions of languages that the project asks for"
}

// Budget implements Provider.
func (e *Environment) Budget() int { return 200 }

// A versionFile is a file that says which version of something a project wants.
type versionFile struct {
	path string
	read func(text []byte) []version
}

// A version is one thing that is asked for, and the line that asks.
type version struct {
	what, version string
	line          int
}

var versionFiles = []versionFile{
	{"go.mod", pattern("go", `(?m)^go\s+(\S+)`, "go toolchain", `(?m)^toolchain\s+go(\S+)`)},
	{".go-version", whole("go")},
	{"package.json", packageVersions},
	{".nvmrc", whole("node")},
	{".node-version", whole("node")},
	{"pyproject.toml", pattern("python", `(?m)^requires-python\s*=\s*["']([^"']+)`, "python", `(?m)^python\s*=\s*["']([^"']+)`)},
	{".python-version", whole("python")},
	{"runtime.txt", pattern("python", `(?m)^python-(\S+)`)},
	{"Cargo.toml", pattern("rust", `(?m)^rust-version\s*=\s*["']([^"']+)`, "rust edition", `(?m)^edition\s*=\s*["']([^"']+)`)},
	{"rust-toolchain.toml", pattern("rust", `(?m)^channel\s*=\s*["']([^"']+)`)},
	{"rust-toolchain", whole("rust")},
	{".ruby-version", whole("ruby")},
	{"Gemfile", pattern("ruby", `(?m)^ruby\s+["']([^"']+)`)},
	{".java-version", whole("java")},
	{"pom.xml", pattern("java", `<(?:maven\.compiler\.release|maven\.compiler\.source|java\.version)>\s*([\w.]+)`)},
	{"composer.json", pattern("php", `"php"\s*:\s*"([^"]+)"`)},
	{".tool-versions", toolVersions},
	{".terraform-version", whole("terraform")},
}

// Gather implements Provider.
func (e *Environment) Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	system, arch := cmp.Or(e.OS, runtime.GOOS), cmp.Or(e.Arch, runtime.GOARCH)
	items := []satchel.Item{item(satchel.KindEnvironment, machinePath, 0, 0, "os "+system+", arch "+arch+"\n")}
	var diags []satchel.Diagnostic
	if e.Place != nil && e.Place.Dir() != "" {
		for _, f := range versionFiles {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			text, err := e.Place.read(f.path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // most projects have one or two of these
			}
			if err == nil && bytes.IndexByte(text, 0) >= 0 {
				err = errBinary
			}
			if err != nil {
				diags = append(diags, satchel.Diagnostic{Path: f.path, Text: "environment: " + fsx.Cause(err).Error()})
				continue
			}
			for _, v := range f.read(text) {
				it := item(satchel.KindEnvironment, f.path, v.line, v.line, oneLine(v.what+" "+v.version)+"\n")
				it.Forms[0].Lines = nil
				items = append(items, it)
			}
		}
	}
	weigh(req.Query, items, func(int) float64 { return environmentWorth })
	return items, diags, nil
}

// longestVersion is how many bytes the version of something may have.
const longestVersion = 60

// pattern reads the first match of each of some expressions: a name, and an
// expression whose group is the version.
func pattern(pairs ...string) func([]byte) []version {
	type want struct {
		what string
		re   *regexp.Regexp
	}
	var wants []want
	for i := 0; i < len(pairs); i += 2 {
		wants = append(wants, want{pairs[i], regexp.MustCompile(pairs[i+1])})
	}
	return func(text []byte) (out []version) {
		for _, w := range wants {
			if m := w.re.FindSubmatchIndex(text); m != nil && m[3]-m[2] <= longestVersion {
				out = append(out, version{w.what, string(text[m[2]:m[3]]), bytes.Count(text[:m[2]], []byte{'\n'}) + 1})
			}
		}
		return out
	}
}

// whole reads a file that holds nothing but a version.
func whole(what string) func([]byte) []version {
	return func(text []byte) []version {
		line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		if line = strings.TrimSpace(line); line == "" || len(line) > longestVersion || strings.ContainsAny(line, "=[{") {
			return nil
		}
		return []version{{what, line, 1}}
	}
}

// packageVersions reads what a package.json asks for.
func packageVersions(text []byte) (out []version) {
	var p struct {
		Engines        map[string]any
		PackageManager any
	}
	if json.Unmarshal(text, &p) != nil {
		return nil
	}
	at := section(text, `"engines"`)
	for _, name := range sortedKeys(p.Engines) {
		if v, ok := p.Engines[name].(string); ok && len(v) <= longestVersion && len(out) < 10 {
			out = append(out, version{path.Base(name), v, lineOf(text, at, `"`+name+`"`)})
		}
	}
	if v, ok := p.PackageManager.(string); ok && len(v) <= longestVersion {
		name, number, _ := strings.Cut(v, "@")
		number, _, _ = strings.Cut(number, "+")
		out = append(out, version{name, number, lineOf(text, 0, `"packageManager"`)})
	}
	return out
}

// toolVersions reads a .tool-versions file.
func toolVersions(text []byte) (out []version) {
	n := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		n++
		code, _, _ := strings.Cut(line, "#")
		if f := strings.Fields(code); len(f) >= 2 && len(code) <= longestVersion && len(out) < 20 {
			out = append(out, version{f[0], f[1], n})
		}
	}
	return out
}
