package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// largest is how many bytes a binary may have: 35 MB.
const largest = 35_000_000

// A system is what the release has for one.
type system struct {
	size, download int
	goVersion      string
	modules        []string // path@version of what is linked in
}

// archiveName is what the archive of a system is called, as the installers know it.
func (r *dist) archiveName(goos, goarch string) string {
	name := "satchel_" + r.version + "_" + goos + "_" + goarch
	if goos == "windows" {
		return name + "_preview.zip"
	}
	return name + ".tar.gz"
}

// beside are the files that every archive has beside the binary.
var beside = []string{
	"LICENSE", "README.md", "CHANGELOG.md", "THIRD_PARTY.txt",
	"completions/satchel.bash", "completions/_satchel", "completions/satchel.fish", "completions/satchel.ps1",
	"man/satchel.1", "man/satchel-pack.1", "man/satchel-session-trim.1",
}

// system checks what there is for OS/ARCH; nil if there is nothing to look at.
func (r *dist) system(name string) (s *system, faults []string) {
	goos, goarch, _ := strings.Cut(name, "/")
	archive := r.archiveName(goos, goarch)
	b, err := os.ReadFile(filepath.Join(r.folder, archive))
	if err != nil {
		return nil, []string{err.Error()}
	}
	files, err := unpack(archive, b)
	if err != nil {
		return nil, []string{err.Error()}
	}

	binary := "satchel"
	if goos == "windows" {
		binary = "satchel.exe"
	}
	for _, want := range append([]string{binary}, beside...) {
		if len(files[want]) == 0 {
			faults = append(faults, archive+": no "+want)
		}
	}
	info, err := buildinfo.Read(bytes.NewReader(files[binary]))
	if err != nil {
		return nil, append(faults, fmt.Sprintf("%s of %s: %v", binary, archive, err))
	}

	s = &system{size: len(files[binary]), download: len(b), goVersion: info.GoVersion}
	if s.size > largest {
		faults = append(faults, fmt.Sprintf("%s has %d bytes, more than %d", binary, s.size, largest))
	}
	if !bytes.Contains(files[binary], []byte("v"+r.version)) {
		faults = append(faults, fmt.Sprintf("%s does not say that it is v%s", binary, r.version))
	}
	faults = append(faults, recorded(info, goos, goarch)...)
	if goos == "linux" {
		faults = append(faults, static(files[binary])...)
	}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		s.modules = append(s.modules, d.Path+"@"+d.Version)
	}
	faults = append(faults, r.named(s, goos, goarch, string(files["THIRD_PARTY.txt"]))...)
	if goos == "linux" {
		faults = append(faults, r.packages(goarch)...)
	}
	return s, faults
}

// recorded compares what the go command recorded of a build with what it has to be.
func recorded(info *debug.BuildInfo, goos, goarch string) (faults []string) {
	const program = "github.com/satchel-dev/satchel/cmd/satchel"
	if info.Path != program {
		faults = append(faults, fmt.Sprintf("the program is %s, want %s", info.Path, program))
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
		if strings.HasPrefix(s.Key, "vcs") {
			faults = append(faults, s.Key+" is recorded: it depends on the clone")
		}
	}
	for _, want := range [][2]string{{"GOOS", goos}, {"GOARCH", goarch}, {"CGO_ENABLED", "0"}, {"-trimpath", "true"}} {
		if got := settings[want[0]]; got != want[1] {
			faults = append(faults, fmt.Sprintf("built with %s=%s, want %s", want[0], got, want[1]))
		}
	}
	return faults
}

// static looks whether a program of Linux asks for a loader or for libraries: it has to
// run on every distribution, whatever its C library is.
func static(binary []byte) (faults []string) {
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			faults = append(faults, fmt.Sprintf("the program is not static: it has %v", p.Type))
		}
	}
	return faults
}

// named looks for everything that is linked in among the licences and in the SBOM.
func (r *dist) named(s *system, goos, goarch, thirdParty string) (faults []string) {
	if len(s.modules) == 0 {
		faults = append(faults, "no module is linked in: nothing to compare with")
	}
	list, _, _ := strings.Cut(thirdParty, "\n====")
	sbom := "satchel_" + r.version + "_" + goos + "_" + goarch + ".cdx.json"
	components, err := r.components(sbom)
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, m := range s.modules {
		if !strings.Contains(list, "\n"+strings.Replace(m, "@", " ", 1)+": ") {
			faults = append(faults, "THIRD_PARTY.txt does not list "+m)
		}
		if err == nil && !slices.Contains(components, m) {
			faults = append(faults, sbom+" does not list "+m)
		}
	}
	return faults
}

// packages looks for the packages of Linux. Their first bytes are those of ar, of an
// RPM's lead and of gzip.
func (r *dist) packages(goarch string) (faults []string) {
	for ending, magic := range map[string]string{".deb": "!<arch>\n", ".rpm": "\xed\xab\xee\xdb", ".apk": "\x1f\x8b"} {
		name := "satchel_" + r.version + "_linux_" + goarch + ending
		b, err := os.ReadFile(filepath.Join(r.folder, name))
		if err != nil {
			faults = append(faults, err.Error())
		} else if !bytes.HasPrefix(b, []byte(magic)) {
			faults = append(faults, name+": not a package")
		}
	}
	slices.Sort(faults)
	return faults
}
