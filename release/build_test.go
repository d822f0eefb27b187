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
	"testing"
)

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
			if name != ".." && (strings.HasPrefix(base, ".") || base == "testdata" || slices.Contains([]string{"../lab", "../tools", "../bin", "../dist"}, name)) {
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

// TestSameBytes: two builds in folders of different names and depths are the same,
// whatever the environment says, and carry what they were told and no path.
func TestSameBytes(t *testing.T) {
	const version, commit, date = "v1.2.3", "0123456789abcdef0123456789abcdef01234567", "2026-03-04T05:06:07Z"
	var binaries [2][]byte
	for i, build := range []struct {
		folder string
		env    []string
	}{
		{"one", nil},
		{"another/folder/deep below", []string{"CGO_ENABLED=1", "GOFLAGS=-buildvcs=true", "GOAMD64=v3", "GOOS=plan9"}},
	} {
		dir := filepath.Join(t.TempDir(), build.folder)
		copySources(t, dir)
		out := t.TempDir()
		cmd := exec.Command(filepath.Join(dir, "release", "build.sh"), out, "linux/amd64")
		cmd.Env = append(append(os.Environ(), build.env...), "VERSION="+version, "COMMIT="+commit, "DATE="+date)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build.sh: %v\n%s", err, text)
		}
		b, err := os.ReadFile(filepath.Join(out, "satchel_linux_amd64"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(dir)) {
			t.Errorf("the binary names the folder it was built in, %s", dir)
		}
		for _, want := range []string{version, commit, date} {
			if !bytes.Contains(b, []byte(want)) {
				t.Errorf("the binary does not hold %s", want)
			}
		}
		binaries[i] = b
	}
	if !bytes.Equal(binaries[0], binaries[1]) {
		t.Errorf("the builds differ: SHA-256 %x and %x", sha256.Sum256(binaries[0]), sha256.Sum256(binaries[1]))
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
