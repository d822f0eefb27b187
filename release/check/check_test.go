//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	testSystem  = "linux/amd64"
	testArchive = "satchel_1.2.3_linux_amd64.tar.gz"
	testSBOM    = "satchel_1.2.3_linux_amd64.cdx.json"
)

// built returns the real binary of a release, which is built once.
func built(t *testing.T) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	b, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var build = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "check")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("../build.sh", dir, testSystem)
	cmd.Env = append(os.Environ(), "VERSION=v1.2.3", "COMMIT=0123456789abcdef0123456789abcdef01234567", "DATE=2026-03-04T05:06:07Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build.sh: %v\n%s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "satchel_linux_amd64"))
})

// small returns a program of a few kilobytes with the build information of another one,
// so that a release is packed and read quickly.
func small(t *testing.T, program []byte) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Section(".go.buildinfo").Data()
	if err != nil {
		t.Fatal(err)
	}
	data := append(info, "v1.2.3"...)

	var b bytes.Buffer
	const headers = 64 + 56
	for _, part := range []any{
		elf.Header64{
			Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
			Type:  uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
			Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
		},
		elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: headers, Vaddr: 1 << 16,
			Filesz: uint64(len(data)), Memsz: uint64(len(data)), Align: 16,
		},
		data,
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// A made is a release of one system, before it is written.
type made struct {
	archive    map[string][]byte // what the archive holds
	components []string          // of the SBOM, path@version
	cask       string            // with SUM for that of the archive
	files      map[string][]byte // all others
	sums       map[string]string // of checksums.txt where it shall not be right
}

// sound returns a release without a fault.
func sound(t *testing.T, program []byte) *made {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) < 10 {
		t.Fatalf("the program has %d dependencies: nothing to compare", len(info.Deps))
	}
	m := &made{archive: make(map[string][]byte), files: make(map[string][]byte), sums: make(map[string]string)}
	for _, name := range beside {
		m.archive[name] = []byte(name)
	}
	m.archive["satchel"] = program
	list := "What is linked\n\n"
	for _, d := range info.Deps {
		list += d.Path + " " + d.Version + ": MIT\n"
		m.components = append(m.components, d.Path+"@"+d.Version)
	}
	m.archive["THIRD_PARTY.txt"] = []byte(list + "\n====\n")
	m.cask = "sha256 \"SUM\"\nurl \"https://github.com/satchel-dev/satchel/releases/download/v1.2.3/satchel_#{version}_linux_amd64.tar.gz\"\n"
	m.files["satchel_1.2.3_linux_amd64.deb"] = []byte("!<arch>\n")
	m.files["satchel_1.2.3_linux_amd64.rpm"] = []byte("\xed\xab\xee\xdb")
	m.files["satchel_1.2.3_linux_amd64.apk"] = []byte("\x1f\x8b")
	return m
}

// write puts the release into a folder.
func (m *made) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := maps.Clone(m.files)
	files[testArchive] = tarball(t, m.archive)

	var bom struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name, Version string }
	}
	bom.Format = "CycloneDX"
	for _, c := range m.components {
		name, version, _ := strings.Cut(c, "@")
		bom.Components = append(bom.Components, struct{ Name, Version string }{name, version})
	}
	var err error
	if files[testSBOM], err = json.Marshal(bom); err != nil {
		t.Fatal(err)
	}

	sums := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		put(t, filepath.Join(dir, name), files[name])
		got, err := sum(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := m.sums[name]; ok {
			got = other
		}
		if got != "" {
			sums += got + "  " + name + "\n"
		}
	}
	put(t, filepath.Join(dir, "checksums.txt"), []byte(sums))

	archive, err := sum(filepath.Join(dir, testArchive))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "homebrew", "Casks"), 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, definitions[0]), []byte(strings.ReplaceAll(m.cask, "SUM", archive)))
	return dir
}

func put(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func tarball(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: int64(fs.ModePerm), Size: int64(len(files[name])), Uname: "root", Gname: "root"}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRun: a sound release has no fault, and each fault is found.
func TestRun(t *testing.T) {
	whole := built(t)
	part := small(t, whole)
	for _, tt := range []struct {
		name  string
		spoil func(*made)
		want  string // a part of the one fault; "" for none
	}{
		{"sound", func(m *made) { m.archive["satchel"] = whole }, ""},
		{"sound, and small", func(*made) {}, ""},
		{"no manual", func(m *made) { delete(m.archive, "man/satchel.1") }, "no man/satchel.1"},
		{"an empty licence", func(m *made) { m.archive["LICENSE"] = nil }, "no LICENSE"},
		{"no binary", func(m *made) { m.archive["satchel"] = []byte("#!/bin/sh\n") }, "unrecognized file format"},
		{"another version", func(m *made) { m.archive["satchel"] = bytes.ReplaceAll(part, []byte("v1.2.3"), []byte("v1.2.4")) }, "does not say that it is v1.2.3"},
		{"too large", func(m *made) { m.archive["satchel"] = append(slices.Clone(part), make([]byte, largest)...) }, "more than 35000000"},
		{"a licence is missing", func(m *made) {
			m.archive["THIRD_PARTY.txt"] = bytes.Replace(m.archive["THIRD_PARTY.txt"], []byte("\ngithub.com/spf13/cobra v"), []byte("\nexample.com/other v"), 1)
		}, "THIRD_PARTY.txt does not list github.com/spf13/cobra@v"},
		{"the SBOM is not whole", func(m *made) { m.components = m.components[1:] }, testSBOM + " does not list "},
		{"an archive that leaves its folder", func(m *made) { m.archive["../satchel"] = []byte("x") }, `holds "../satchel"`},
		{"not a package", func(m *made) { m.files["satchel_1.2.3_linux_amd64.deb"] = []byte("x") }, "satchel_1.2.3_linux_amd64.deb: not a package"},
		{"a package is missing", func(m *made) { delete(m.files, "satchel_1.2.3_linux_amd64.rpm") }, "satchel_1.2.3_linux_amd64.rpm: no such file"},
		{"a cask with another sum", func(m *made) { m.cask = strings.ReplaceAll(m.cask, "SUM", strings.Repeat("0", 64)) }, "downloads " + testArchive + ", without the sum"},
		{"a cask without a sum", func(m *made) { m.cask = strings.ReplaceAll(m.cask, "sha256", "sha") }, "1 files to download and 0 sums"},
		{"a cask of what is not there", func(m *made) {
			m.cask += strings.ReplaceAll(m.cask, "linux_amd64", "linux_mips")
		}, "downloads satchel_1.2.3_linux_mips.tar.gz, without the sum"},
		{"a wrong checksum", func(m *made) { m.sums[testSBOM] = strings.Repeat("0", 64) }, testSBOM + ": has SHA-256 "},
		{"a file without a checksum", func(m *made) { m.sums["satchel_1.2.3_linux_amd64.apk"] = "" }, "satchel_1.2.3_linux_amd64.apk: not listed in checksums.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sound(t, part)
			tt.spoil(m)
			faults, err := run(m.write(t), []string{testSystem}, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("faults %q, want none", faults)
			case tt.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tt.want)):
				t.Errorf("faults %q, want one with %q", faults, tt.want)
			}
		})
	}
}

// TestStatic: a program that needs a loader is told from one that does not.
func TestStatic(t *testing.T) {
	if faults := static(built(t)); len(faults) > 0 {
		t.Errorf("a program of a release: %q", faults)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sh)
	if err != nil {
		t.Fatal(err)
	}
	if faults := static(b); len(faults) == 0 {
		t.Errorf("%s, which is linked to libc or no ELF: no fault", sh)
	}
}

// TestMissing: a system that has no archive is a fault, and a folder without a list is an error.
func TestMissing(t *testing.T) {
	dir := sound(t, built(t)).write(t)
	faults, err := run(dir, []string{testSystem, "windows/arm64"}, io.Discard)
	got := fmt.Sprint(faults, err)
	for _, want := range []string{"satchel_1.2.3_windows_arm64_preview.zip: no such file", "windows/arm64: neither of homebrew/Casks/satchel.rb and scoop/satchel.json has it"} {
		if len(faults) != 2 || !strings.Contains(got, want) {
			t.Errorf("run = %s, want two faults, one with %q", got, want)
		}
	}
	for list, want := range map[string]string{
		"":    "names no archive",
		"x\n": "not a line of sha256sum",
		strings.Repeat("0", 64) + "  satchel_1_linux_amd64.tar.gz\n" + strings.Repeat("0", 64) + "  satchel_2_linux_amd64.tar.gz\n": "versions 1 and 2",
	} {
		put(t, filepath.Join(dir, "checksums.txt"), []byte(list))
		if _, err := run(dir, []string{testSystem}, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("checksums.txt of %q: %v, want %q", list, err, want)
		}
	}
}
