//go:build unix

// Package release tests what a release is made and installed with.
package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// An asset is what the server answers a path with.
type asset struct {
	body  []byte
	short int // how many bytes fewer than it says it sends
}

// archive returns a real archive of a release, whose program does nothing but say
// its version.
func archive(t *testing.T, version string) []byte {
	t.Helper()
	return tarOf(t, "satchel", []byte("#!/bin/sh\necho 'satchel "+version+"'\n"))
}

// tarOf returns an archive with a licence and a program.
func tarOf(t *testing.T, name string, program []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, f := range []struct {
		name string
		text []byte
	}{{"LICENSE", []byte("Be kind.\n")}, {name, program}} {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(f.text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.text); err != nil {
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

// releases returns the assets of v1.2.0, which is the latest, and v1.1.0.
func releases(t *testing.T) map[string]asset {
	t.Helper()
	all := make(map[string]asset)
	for _, version := range []string{"1.1.0", "1.2.0"} {
		sums := ""
		for _, system := range []string{"darwin_arm64", "linux_amd64", "linux_arm64"} {
			name := "satchel_" + version + "_" + system + ".tar.gz"
			b := archive(t, "v"+version)
			all["/download/v"+version+"/"+name] = asset{body: b}
			sums += fmt.Sprintf("%x  %s\n%x  %s\n", sha256.Sum256(nil), strings.Replace(name, ".tar.gz", ".cdx.json", 1), sha256.Sum256(b), name)
		}
		sums += fmt.Sprintf("%x  satchel_%s_windows_amd64_preview.zip\n", sha256.Sum256(nil), version)
		all["/download/v"+version+"/checksums.txt"] = asset{body: []byte(sums)}
		all["/latest/download/checksums.txt"] = asset{body: []byte(sums)}
	}
	return all
}

func serve(t *testing.T, assets map[string]asset) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(a.body)))
		_, _ = w.Write(a.body[:len(a.body)-a.short])
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// An install is one run of install.sh by somebody whose home is empty.
type install struct {
	home string   // its folder
	path []string // folders in PATH before those of the system
	env  []string
	only bool // nothing of the system in PATH
	as   *syscall.Credential
}

// run returns what it printed and its exit code. uname is the stand-in that says which
// system this is: the tests mean the same everywhere.
func (in *install) run(t *testing.T, shell, base, uname string) (string, int) {
	t.Helper()
	script, err := os.ReadFile("install.sh") // not by the shell alone: go test has to know of it
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(in.home, "fake")
	program(t, filepath.Join(bin, "uname"), "#!/bin/sh\ncase $1 in -s) echo "+strings.Fields(uname)[0]+" ;; -m) echo "+strings.Fields(uname)[1]+" ;; esac\n")
	path := append([]string{bin}, in.path...)
	if !in.only {
		path = append(path, os.Getenv("PATH"))
	}
	sh, err := exec.LookPath(shell)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sh)
	cmd.Stdin = bytes.NewReader(script) // as curl | sh does
	cmd.Dir = in.home
	cmd.Env = append([]string{"HOME=" + in.home, "PATH=" + strings.Join(path, ":"), "TMPDIR=" + in.home, "SATCHEL_BASE_URL=" + base, "no_proxy=*"}, in.env...)
	if in.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: in.as}
	}
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), in.home, "~"), cmd.ProcessState.ExitCode()
}

func program(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

const linux = "Linux x86_64"

// TestInstall: what is sound is installed, and of what is not nothing is, with a line
// that says why.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const name, file = "satchel_1.2.0_linux_amd64.tar.gz", "/download/v1.2.0/satchel_1.2.0_linux_amd64.tar.gz"
	ours := fmt.Sprintf("%x", sha256.Sum256(archive(t, "v1.2.0")))

	for _, tt := range []struct {
		name  string
		uname string
		spoil func(in *install, assets map[string]asset)
		want  []string // of what is printed
		made  string   // the version in ~/.local/bin afterwards, "" for none
	}{
		{"latest", linux, nil, []string{"installed satchel v1.2.0 as ~/.local/bin/satchel\n", "~/.local/bin is not in PATH", `export PATH="~/.local/bin:$PATH"`}, "v1.2.0"},
		{"a Mac", "Darwin arm64", nil, []string{"installed satchel v1.2.0"}, "v1.2.0"},
		{"ARM", "Linux aarch64", nil, []string{"installed satchel v1.2.0"}, "v1.2.0"},
		{"a Mac, in a shell that is translated", "Darwin x86_64", func(in *install, _ map[string]asset) {
			program(t, filepath.Join(in.home, "fake/sysctl"), "#!/bin/sh\necho 1\n")
		}, []string{"installed satchel v1.2.0"}, "v1.2.0"},
		{"named", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_VERSION=v1.1.0"} }, []string{"installed satchel v1.1.0"}, "v1.1.0"},
		{"named without v", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_VERSION=1.1.0"} }, []string{"installed satchel v1.1.0"}, "v1.1.0"},
		{"in PATH", linux, func(in *install, _ map[string]asset) { in.path = []string{filepath.Join(in.home, ".local/bin")} }, []string{"installed satchel v1.2.0 as ~/.local/bin/satchel\n"}, "v1.2.0"},
		{"behind another one", linux, func(in *install, _ map[string]asset) {
			program(t, filepath.Join(in.home, "other/satchel"), "#!/bin/sh\n")
			in.path = []string{filepath.Join(in.home, "other"), filepath.Join(in.home, ".local/bin")}
		}, []string{"installed satchel v1.2.0", "but the shell finds ~/other/satchel first"}, "v1.2.0"},
		{"over an older one", linux, func(in *install, _ map[string]asset) {
			program(t, filepath.Join(in.home, ".local/bin/satchel"), "#!/bin/sh\necho satchel v0.9.0\n")
		}, []string{"installed satchel v1.2.0 as ~/.local/bin/satchel: v0.9.0 -> v1.2.0\n"}, "v1.2.0"},
		{"over a broken one", linux, func(in *install, _ map[string]asset) {
			program(t, filepath.Join(in.home, ".local/bin/satchel"), "#!/nowhere\n")
		}, []string{"an unknown version -> v1.2.0\n"}, "v1.2.0"},
		{"again", linux, func(in *install, _ map[string]asset) {
			program(t, filepath.Join(in.home, ".local/bin/satchel"), "#!/bin/sh\necho satchel v1.2.0\n")
		}, []string{"installed satchel v1.2.0 again as"}, "v1.2.0"},
		{"the sum that was expected", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_SHA256=" + ours} }, []string{"installed satchel v1.2.0"}, "v1.2.0"},
		{"not the sum that was expected", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_SHA256=" + strings.Repeat("0", 64)} }, []string{"SATCHEL_SHA256 says 0000", "nothing was installed"}, ""},
		{"tampered", linux, func(_ *install, assets map[string]asset) { assets[file] = asset{body: archive(t, "v6.6.6")} }, []string{name + " has SHA-256 ", "checksums.txt says " + ours, "nothing was installed"}, ""},
		{"cut", linux, func(_ *install, assets map[string]asset) { assets[file] = asset{body: assets[file].body, short: 20} }, []string{"cannot download http", name}, ""},
		{"cut, and the server does not know", linux, func(_ *install, assets map[string]asset) { assets[file] = asset{body: assets[file].body[:99]} }, []string{name + " has SHA-256 ", "nothing was installed"}, ""},
		{"sums that are cut", linux, func(_ *install, assets map[string]asset) {
			assets["/latest/download/checksums.txt"] = asset{body: assets["/latest/download/checksums.txt"].body[:100]}
		}, []string{"the release has no archive for linux_amd64; it has: "}, ""},
		{"the sum is right, and the program another one", linux, func(_ *install, assets map[string]asset) {
			b := archive(t, "v9.9.9")
			assets[file] = asset{body: b}
			assets["/latest/download/checksums.txt"] = asset{body: fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(b), name)}
		}, []string{"does not run here, or is not v1.2.0; nothing was installed"}, ""},
		{"no archive at all", linux, func(_ *install, assets map[string]asset) {
			b := []byte("<html>Log in to the wireless network</html>")
			assets[file] = asset{body: b}
			assets["/latest/download/checksums.txt"] = asset{body: fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(b), name)}
		}, []string{"cannot unpack " + name}, ""},
		{"the sum that was expected, in capitals", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_SHA256=" + strings.ToUpper(ours)} }, []string{"installed satchel v1.2.0"}, "v1.2.0"},
		{"sums with line ends of Windows", linux, func(_ *install, assets map[string]asset) {
			assets["/latest/download/checksums.txt"] = asset{body: bytes.ReplaceAll(assets["/latest/download/checksums.txt"].body, []byte("\n"), []byte("\r\n"))}
		}, []string{"installed satchel v1.2.0"}, "v1.2.0"},
		{"a page instead of sums", linux, func(_ *install, assets map[string]asset) {
			assets["/latest/download/checksums.txt"] = asset{body: []byte("<html>log in first</html>\n")}
		}, []string{"checksums.txt of the release is no list of SHA-256 sums"}, ""},
		{"a name that leads elsewhere", linux, func(_ *install, assets map[string]asset) {
			assets["/latest/download/checksums.txt"] = asset{body: []byte(ours + "  satchel_../../x_linux_amd64.tar.gz\n")}
		}, []string{"the release has no archive for linux_amd64"}, ""},
		{"a version that leads elsewhere", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_VERSION=../x"} }, []string{"SATCHEL_VERSION is ../x, which is no version"}, ""},
		{"a folder of that name", linux, func(in *install, _ map[string]asset) {
			program(t, filepath.Join(in.home, ".local/bin/satchel/mine"), "a file")
		}, []string{"~/.local/bin/satchel is a folder; name another one"}, ""},
		{"another release than asked for", linux, func(in *install, assets map[string]asset) {
			in.env = []string{"SATCHEL_VERSION=v1.1.0"}
			assets["/download/v1.1.0/checksums.txt"] = assets["/download/v1.2.0/checksums.txt"]
		}, []string{"v1.1.0 was asked for, and checksums.txt there is of v1.2.0"}, ""},
		{"a version that is none", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_VERSION=v7.0.0"} }, []string{"cannot download http", "v7.0.0/checksums.txt"}, ""},
		{"an asset that is gone", linux, func(_ *install, assets map[string]asset) { delete(assets, file) }, []string{"cannot download http", name}, ""},
		{"no network", linux, func(in *install, _ map[string]asset) { in.env = []string{"SATCHEL_BASE_URL=http://127.0.0.1:1"} }, []string{"cannot download http://127.0.0.1:1/latest/download/checksums.txt"}, ""},
		{"another system", "FreeBSD amd64", nil, []string{"no archive for FreeBSD; there are: linux and darwin, amd64 and arm64; for Windows there is install.ps1; others: go install "}, ""},
		{"another processor", "Linux riscv64", nil, []string{"no archive for Linux on riscv64; there are: linux and darwin"}, ""},
		{"not in this release", "Darwin x86_64", nil, []string{"the release has no archive for darwin_amd64; it has: satchel_1.2.0_darwin_arm64.tar.gz, satchel_1.2.0_linux_amd64.tar.gz, satchel_1.2.0_linux_arm64.tar.gz, satchel_1.2.0_windows_amd64_preview.zip"}, ""},
		{"a folder that cannot be made", linux, func(in *install, _ map[string]asset) { program(t, filepath.Join(in.home, ".local"), "a file") }, []string{"cannot make the folder ~/.local/bin; name another one with SATCHEL_INSTALL_DIR"}, ""},
		{"no home", linux, func(in *install, _ map[string]asset) { in.env = []string{"HOME="} }, []string{"HOME is not set: say with SATCHEL_INSTALL_DIR"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := &install{home: t.TempDir()}
			assets := releases(t)
			if tt.spoil != nil {
				tt.spoil(in, assets)
			}
			out, code := in.run(t, "sh", serve(t, assets), tt.uname)

			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("printed %q, want %q", out, want)
				}
			}
			if (code == 0) != (tt.made != "") {
				t.Errorf("exit code %d", code)
			}
			if tt.made == "" && (code != 1 || strings.Count(out, "\n") != 1) {
				t.Errorf("exit code %d, printed %q: want 1 and one line", code, out)
			}
			left(t, in.home, tt.made)
		})
	}
}

// left fails if ~/.local/bin does not hold what it should, or anything else stayed.
func left(t *testing.T, home, version string) {
	t.Helper()
	got, _ := exec.Command(filepath.Join(home, ".local/bin/satchel"), "--version").Output()
	want := ""
	if version != "" {
		want = "satchel " + version + "\n"
	}
	if string(got) != want {
		t.Errorf("~/.local/bin/satchel says %q, want %q", got, want)
	}
	for _, pattern := range []string{"tmp.*", ".local/bin/.satchel*"} {
		if files, _ := filepath.Glob(filepath.Join(home, pattern)); len(files) > 0 {
			t.Errorf("left behind: %q", files)
		}
	}
}

// TestInstallFolder: any folder does, named as one likes, and is said as it is.
func TestInstallFolder(t *testing.T) {
	for name, want := range map[string]string{
		"$HOME/with space/ö":  "~/with space/ö",
		"relative/../else":    "~/else",
		"$HOME/-dash/$(date)": "~/-dash/$(date)",
	} {
		in := &install{home: t.TempDir()}
		in.env = []string{"SATCHEL_INSTALL_DIR=" + strings.Replace(name, "$HOME", in.home, 1)}
		if err := os.Mkdir(filepath.Join(in.home, "relative"), 0o755); err != nil {
			t.Fatal(err)
		}
		out, code := in.run(t, "sh", serve(t, releases(t)), linux)
		if code != 0 || !strings.HasPrefix(out, "installed satchel v1.2.0 as "+want+"/satchel\n") {
			t.Errorf("%s: exit code %d, %s", name, code, out)
		}
		if _, err := os.Stat(filepath.Join(in.home, strings.TrimPrefix(want, "~"), "satchel")); err != nil {
			t.Error(err)
		}
	}
}

// TestInstallKeepsOld: what is refused leaves the program that was there.
func TestInstallKeepsOld(t *testing.T) {
	in := &install{home: t.TempDir()}
	program(t, filepath.Join(in.home, ".local/bin/satchel"), "#!/bin/sh\necho satchel v0.9.0\n")
	assets := releases(t)
	assets["/download/v1.2.0/satchel_1.2.0_linux_amd64.tar.gz"] = asset{body: []byte("x")}
	if out, code := in.run(t, "sh", serve(t, assets), linux); code != 1 {
		t.Errorf("exit code %d, want 1: %s", code, out)
	}
	left(t, in.home, "v0.9.0")
}

// TestInstallLink: a link in the archive is refused before its target is touched, and
// so is one in the place of the file that is staged.
func TestInstallLink(t *testing.T) {
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink} {
		in := &install{home: t.TempDir()}
		target := filepath.Join(in.home, "target")
		if err := os.WriteFile(target, []byte("#!/bin/sh\necho satchel v1.2.0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: "satchel", Typeflag: kind, Linkname: target, Mode: 0o755}), w.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		out, code := in.run(t, "sh", serve(t, with(releases(t), b.Bytes())), linux)
		if info, err := os.Stat(target); code != 1 || err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("kind %c: exit code %d, mode %v, %v: %s", kind, code, info.Mode(), err, out)
		}
	}
}

// TestInstallSlow: a program that does not end is killed. The test would hang otherwise.
func TestInstallSlow(t *testing.T) {
	in := &install{home: t.TempDir()}
	fast := filepath.Join(in.home, "fake/sleep") // a tenth of a second instead of ten
	program(t, fast, "#!/bin/sh\nexec /bin/sleep 0.1\n")
	slow := tarOf(t, "satchel", []byte("#!/bin/sh\nexec /bin/sleep 100000\n"))
	out, code := in.run(t, "sh", serve(t, with(releases(t), slow)), linux)
	if code != 1 || !strings.Contains(out, "does not run here") {
		t.Errorf("exit code %d: %s", code, out)
	}
	left(t, in.home, "")
}

// with puts another archive of linux_amd64 into the latest release.
func with(assets map[string]asset, archive []byte) map[string]asset {
	const name = "satchel_1.2.0_linux_amd64.tar.gz"
	assets["/download/v1.2.0/"+name] = asset{body: archive}
	sums := asset{body: fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive), name)}
	assets["/download/v1.2.0/checksums.txt"], assets["/latest/download/checksums.txt"] = sums, sums
	return assets
}

// TestInstallReadOnly: a folder that cannot be written is named before anything is
// downloaded. Root may write everywhere, so root runs it as somebody else.
func TestInstallReadOnly(t *testing.T) {
	home := t.TempDir()
	in := &install{home: home, env: []string{"SATCHEL_INSTALL_DIR=" + filepath.Join(home, "bin")}}
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		in.as = &syscall.Credential{Uid: 65534, Gid: 65534}
		for dir := home; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		tmp := filepath.Join(home, "tmp")
		if err := os.Mkdir(tmp, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(tmp, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		in.env = append(in.env, "TMPDIR="+tmp)
	}
	out, code := in.run(t, "sh", "http://127.0.0.1:1", linux)
	if want := "satchel install: cannot write into ~/bin; name another folder with SATCHEL_INSTALL_DIR\n"; code != 1 || out != want {
		t.Errorf("exit code %d, %q, want 1, %q", code, out, want)
	}
}

// TestInstallTools: other programs that download and sum do as well, and without any
// it says which it needs.
func TestInstallTools(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, tt := range []struct {
		without []string
		want    string
	}{
		{[]string{"curl"}, "installed satchel v1.2.0"},
		{[]string{"wget", "sha256sum"}, "installed satchel v1.2.0"},
		{[]string{"sha256sum", "shasum"}, "installed satchel v1.2.0"},
		{[]string{"curl", "wget"}, "neither curl nor wget is installed"},
		{[]string{"sha256sum", "shasum", "openssl"}, "neither sha256sum, shasum nor openssl is installed: nothing is installed unchecked"},
	} {
		in := &install{home: t.TempDir(), only: true}
		tools := filepath.Join(in.home, "tools")
		if err := os.Mkdir(tools, 0o755); err != nil {
			t.Fatal(err)
		}
		have := make(map[string]bool)
		for _, tool := range []string{"awk", "cat", "chmod", "cp", "curl", "gzip", "head", "mkdir", "mktemp", "mv", "openssl", "rm", "sh", "sha256sum", "shasum", "sysctl", "tail", "tar", "wget"} {
			have[tool] = true
			for _, w := range tt.without {
				have[tool] = have[tool] && tool != w
			}
			found, err := exec.LookPath(tool)
			if have[tool] = have[tool] && err == nil; have[tool] {
				if err := os.Symlink(found, filepath.Join(tools, tool)); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := tt.want // on a machine that lacks even more than is taken away, that is said
		switch {
		case !have["curl"] && !have["wget"]:
			want = "neither curl nor wget is installed"
		case !have["sha256sum"] && !have["shasum"] && !have["openssl"]:
			want = "neither sha256sum, shasum nor openssl is installed: nothing is installed unchecked"
		}
		in.path = []string{tools}
		if out, _ := in.run(t, "sh", serve(t, releases(t)), linux); !strings.Contains(out, want) {
			t.Errorf("without %q: %q, want %q", tt.without, out, want)
		}
	}
}

// TestInstallCut: a script that arrived in part does nothing.
func TestInstallCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	script, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, releases(t))
	lines := regexp.MustCompile(`(?m)^`).FindAllIndex(script, -1)
	for _, at := range lines[:len(lines)-2] { // but for the last line, which is main
		home := t.TempDir()
		cmd := exec.Command("sh")
		cmd.Stdin = bytes.NewReader(script[:at[0]])
		cmd.Dir = home
		cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"), "SATCHEL_BASE_URL=" + base, "no_proxy=*"}
		_, _ = cmd.CombinedOutput() // it may complain
		if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
			t.Fatalf("the first %d bytes made %v, %v", at[0], entries, err)
		}
	}
}

// TestInstallShells: the script is for every sh that is there.
func TestInstallShells(t *testing.T) {
	tried := 0
	for _, shell := range []string{"dash", "bash", "ksh", "mksh", "zsh"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		tried++
		in := &install{home: t.TempDir()}
		if out, code := in.run(t, shell, serve(t, releases(t)), linux); code != 0 || !strings.Contains(out, "installed satchel v1.2.0") {
			t.Errorf("%s: exit code %d, %s", shell, code, out)
		}
	}
	if tried == 0 {
		t.Error("no shell was tried")
	}
}

// TestInstallPowerShell: no PowerShell is at hand to run install.ps1, but what it looks
// for in checksums.txt is what releases have there, and it knows the same variables.
func TestInstallPowerShell(t *testing.T) {
	script, err := os.ReadFile("install.ps1")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^ +\$pattern = "(.+)"\r?$`).FindSubmatch(script)
	if m == nil {
		t.Fatal("install.ps1 has no $pattern")
	}
	pattern := regexp.MustCompile(strings.ReplaceAll(string(m[1]), "${arch}", "arm64"))
	sum := strings.Repeat("0a", 32)
	for line, want := range map[string]string{
		sum + "  satchel_1.2.0_windows_arm64_preview.zip":      "1.2.0",
		sum + "  satchel_1.2.0-rc.1_windows_arm64_preview.zip": "1.2.0-rc.1",
		sum + "  satchel_1.2.0_windows_arm64.zip":              "1.2.0", // when it is no preview any more
		sum + "  satchel_1.2.0_windows_amd64_preview.zip":      "",
		sum + "  satchel_1.2.0_linux_arm64.tar.gz":             "",
		sum + "  satchel_1.2.0_windows_arm64.cdx.json":         "",
		sum[1:] + "  satchel_1.2.0_windows_arm64.zip":          "",
		sum + "  satchel_../../x_windows_arm64.zip":            "",
		sum + "  satchel_1.2.0/x_windows_arm64.zip":            "",
	} {
		got := ""
		if m := pattern.FindStringSubmatch(line); m != nil {
			got = m[3]
		}
		if got != want {
			t.Errorf("of %q it takes version %q, want %q", line, got, want)
		}
	}

	other, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`(?m)^#   (SATCHEL_[A-Z0-9_]+)`).FindAllSubmatch(other, -1) {
		if !bytes.Contains(script, []byte("$env:"+string(name[1]))) {
			t.Errorf("install.sh takes %s, install.ps1 does not", name[1])
		}
	}
	for _, refusal := range []string{ // what one refuses or says, so does the other
		"cannot download", "(is there such a release?)", "say with SATCHEL_INSTALL_DIR where to install to", "cannot make the folder", "is a folder; name another one than",
		"cannot write into", "which is no version such as v1.2.0", "is no list of SHA-256 sums: something else answered for", "the release has no archive for", "was asked for, and checksums.txt there is of",
		"it is damaged or not what was released; nothing was installed", "SATCHEL_SHA256 says", "cannot unpack", "does not run here, or is not", "cannot write", "an unknown version",
		"but the shell finds", "is not in PATH", "there are: ", "go install github.com/satchel-dev/satchel/cmd/satchel@latest",
	} {
		for name, text := range map[string][]byte{"install.sh": other, "install.ps1": script} {
			if !bytes.Contains(text, []byte(refusal)) {
				t.Errorf("%s does not say %q", name, refusal)
			}
		}
	}
}
