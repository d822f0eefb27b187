// Licenses writes THIRD_PARTY.txt: the licences of everything that is linked into a
// binary of satchel, on any of the systems it is released for, with their texts.
//
// It fails at a module whose licence it cannot find or does not know, or that may not
// be linked into a program under the Apache License without further duties. What a
// text says is decided by github.com/google/licensecheck, not here.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// systems are those of a release, as OS/ARCH: what is linked differs between them.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// allowed are the licences whose only duty is that their text comes with the program.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// graphs are files that also list what is not linked in: of the whole graph of their
// module, tests included. (The first section of sqlite's is what is linked.)
var graphs = []string{"modernc.org/sqlite/LICENSE-3RD-PARTY.md"}

// least is how much of a file, in percent, has to be the text of licences for it to
// count as one: what remains is names and years.
const least = 75

// A part is one thing that is linked in: a module, Go's own library, data.
type part struct {
	name     string // path and version
	licences []string
	files    []file
}

type file struct {
	name string // relative to the part
	text string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licenses ROOT >THIRD_PARTY.txt")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// run writes the licences of the program cmd/satchel of the module at root.
func run(root string, w io.Writer) error {
	dirs, err := modules(root)
	if err != nil {
		return err
	}

	var parts []part
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		p, err := read(name, dirs[name])
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}

	data, err := os.ReadFile(filepath.Join(root, "tokens", "vocabulary", "ORIGIN.txt"))
	if err != nil {
		return err
	}
	parts = append(parts, part{"vocabularies of tokens", []string{"MIT"}, []file{{"tokens/vocabulary/ORIGIN.txt", string(data)}}})

	_, err = w.Write(write(parts))
	return err
}

// modules returns the folders of what is linked in, by name and version. Go's own
// library is one of them.
func modules(root string) (map[string]string, error) {
	dirs := make(map[string]string)
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Module", "./cmd/satchel")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}

		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				ImportPath string
				Standard   bool
				Module     *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list for %s: %w", system, err)
			}
			switch {
			case p.Standard || p.Module != nil && p.Module.Main:
			case p.Module == nil:
				return nil, fmt.Errorf("%s: in no module", p.ImportPath)
			default:
				dirs[p.Module.Path+" "+p.Module.Version] = p.Module.Dir
			}
		}
	}

	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	dirs["Go standard library"] = strings.TrimSpace(string(goroot))
	return dirs, nil
}

// licenceName is how files are called that hold licences, or names that they ask for.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)\b|^(licen[cs]e|copyright)-`)

// read takes the licences of a part from its folder.
func read(name, dir string) (part, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return part{}, fmt.Errorf("%s: %w", name, err)
	}
	p := part{name: name}
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return part{}, fmt.Errorf("%s: %w", name, err)
		}
		p.files = append(p.files, file{e.Name(), string(text)})

		ids, whole := identify(text)
		for _, id := range ids {
			if !slices.Contains(allowed, id) && !slices.Contains(graphs, name[:strings.IndexByte(name, ' ')]+"/"+e.Name()) {
				return part{}, fmt.Errorf("%s: %s holds the text of %s, which is not allowed", name, e.Name(), id)
			}
			if whole && !slices.Contains(p.licences, id) {
				p.licences = append(p.licences, id)
			}
		}
	}
	if len(p.licences) == 0 {
		return part{}, fmt.Errorf("%s: no file of %s holds a licence that is known", name, dir)
	}
	slices.Sort(p.licences)
	return p, nil
}

// identify returns the names of the licences whose texts stand in a file, and whether
// they are most of it.
func identify(text []byte) (ids []string, whole bool) {
	cover := licensecheck.Scan(text)
	for _, m := range cover.Match {
		// Go's grant of patents gives, and asks for nothing.
		if !m.IsURL && m.ID != "GooglePatentsFile" && m.ID != "GooglePatentClause" && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	return ids, cover.Percent >= least
}

// write puts the list first, then the texts.
func write(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("What is linked into satchel, and the licences that it is under\n\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "%s: %s\n", p.name, strings.Join(p.licences, ", "))
	}
	for _, p := range parts {
		for _, f := range p.files {
			fmt.Fprintf(&b, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("=", 80), p.name, f.name, strings.TrimSpace(f.text))
		}
	}
	return b.Bytes()
}
