//go:build unix

package release

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The release that tests build.
const version, commit, date = "v1.2.3", "0123456789abcdef0123456789abcdef01234567", "2026-03-04T05:06:07Z"

// build runs build.sh of a folder and returns the program for a system.
func build(t *testing.T, folder, system string, env ...string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	out := t.TempDir()
	cmd := exec.Command(filepath.Join(folder, "release", "build.sh"), out, system)
	cmd.Env = append(append(os.Environ(), env...), "VERSION="+version, "COMMIT="+commit, "DATE="+date)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build.sh: %v\n%s", err, text)
	}
	b, err := os.ReadFile(filepath.Join(out, "satchel_"+strings.Replace(system, "/", "_", 1)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// programs holds what released has built, by system.
var programs struct {
	sync.Mutex
	of map[string][]byte
}

// released returns the program that this checkout makes for a system. It builds each
// system once.
func released(t *testing.T, system string) []byte {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	if programs.of == nil {
		programs.of = make(map[string][]byte)
	}
	if programs.of[system] == nil {
		programs.of[system] = build(t, "..", system)
	}
	return programs.of[system]
}

// sources are what a binary is made of, by the endings of files.
var sources = []string{".go", ".mod", ".sum", ".bin", ".txt", ".ts", ".js", ".md", ".png", ".sh", ".s", ".tmpl", ".json"}

// copySources copies what a binary is made of into another folder.
func copySources(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		if d.IsDir() {
			if strings.HasPrefix(base, ".") && filepath.Dir(name) == ".." || base == "testdata" || slices.Contains([]string{"../lab", "../tools", "../bin", "../dist"}, name) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name[2:]), 0o755)
		}
		for _, ending := range sources {
			if strings.HasSuffix(name, ending) && !strings.HasSuffix(name, "_test.go") {
				b, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(to, name[2:]), b, 0o755)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSameBytes: a build in a folder of another name and depth gives the same bytes,
// whatever the environment says. They hold the version and no path.
func TestSameBytes(t *testing.T) {
	const system = "linux/amd64"
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "another/folder/deep below")
	copySources(t, other)

	one := released(t, system)
	two := build(t, other, system, "CGO_ENABLED=1", "GOFLAGS=-buildvcs=true", "GOAMD64=v3", "GOOS=plan9")
	if !bytes.Equal(one, two) {
		t.Errorf("the builds differ: SHA-256 %x and %x", sha256.Sum256(one), sha256.Sum256(two))
	}
	for _, folder := range []string{here, other} {
		if bytes.Contains(one, []byte(folder)) || bytes.Contains(two, []byte(folder)) {
			t.Errorf("a binary names the folder %s", folder)
		}
	}
	for _, want := range []string{version, commit, date} {
		if !bytes.Contains(one, []byte(want)) {
			t.Errorf("the binary does not hold %s", want)
		}
	}
}

// TestSame: what another machine built otherwise, or not at all, stops a release.
func TestSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "satchel")
	if err := os.WriteFile(file, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	const unset = "-"
	for _, tt := range []struct{ os, expected, want string }{
		{"linux", unset, ""},
		{"linux", "", "same: the other machine has built no satchel_linux_amd64\n"},
		{"linux", strings.Repeat("0", 64) + "  satchel_linux_arm64\n" + abc + "  satchel_linux_amd64", "same: satchel_linux_amd64\n"},
		{"windows", abc + "  satchel_windows_amd64.exe\n", "same: satchel_windows_amd64.exe\n"},
		{"linux", abc + "  satchel_linux_arm64\n", "same: the other machine has built no satchel_linux_amd64\n"},
		{"linux", strings.Repeat("0", 64) + "  satchel_linux_amd64\n", "same: satchel_linux_amd64 has SHA-256 " + abc + " here, " + strings.Repeat("0", 64) + " on the other machine\n"},
	} {
		cmd := exec.Command("./same.sh", tt.os, "amd64", file)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "EXPECTED=") })
		if tt.expected != unset {
			cmd.Env = append(cmd.Env, "EXPECTED="+tt.expected)
		}
		out, err := cmd.CombinedOutput()
		if string(out) != tt.want || (err == nil) == strings.Contains(tt.want, "machine") {
			t.Errorf("same.sh with %q: %q, %v, want %q", tt.expected, out, err, tt.want)
		}
	}
}
