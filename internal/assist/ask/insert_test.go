package ask

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

const aLog = "## x\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n"

func TestInsertLog(t *testing.T) {
	for _, tt := range []struct{ name, file, version, want string }{
		{"keep a changelog", "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Soon.\n\n## [1.0.0] - 2020-01-02\n\n- First.\n\n[1.0.0]: https://x.example\n", "1.1.0",
			"# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Soon.\n\n«## [1.1.0] - 2021-03-04\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n\n»## [1.0.0] - 2020-01-02\n\n- First.\n\n[1.0.0]: https://x.example\n"},
		{"unreleased", "# Changelog\n\n## [Unreleased]\n\n## 1.0.0\n", "", "# Changelog\n\n## [Unreleased]\n«\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n»\n## 1.0.0\n"},
		{"no unreleased section", "# Changelog\n\n## 1.0.0\n", "", "# Changelog\n\n«## Unreleased\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n\n»## 1.0.0\n"},
		{"bullets and levels", "# v2.0.0 (2020-01-02)\n\n* x\n", "v2.1.0", "«# v2.1.0 (2021-03-04)\n\n## Added\n\n* One.\n\n## Fixed\n\n* Two.\n\n»# v2.0.0 (2020-01-02)\n\n* x\n"},
		{"a link is not copied", "# Changelog\n\n## [2.0.0](https://x.example/a...b) (2020-01-02)\n", "2.1.0", "# Changelog\n\n«## [2.1.0] (2021-03-04)\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n\n»## [2.0.0](https://x.example/a...b) (2020-01-02)\n"},
		{"underlined", "2.0.0 / 2020-01-02\n==================\n\n  * x\n", "2.1.0", "«# 2.1.0 / 2021-03-04\n\n## Added\n\n- One.\n\n## Fixed\n\n- Two.\n\n»2.0.0 / 2020-01-02\n==================\n\n  * x\n"},
		{"to be done, underlined", "TBD\n===\nSoon.\n\n1.0.0\n=====\n", "", "TBD\n===\n«\n## Added\n\n- One.\n\n## Fixed\n\n- Two.\n\n»Soon.\n\n1.0.0\n=====\n"},
		{"ends of lines", "# Changelog\r\n\r\n## 1.0.0\r\n", "1.1.0", "# Changelog\r\n\r\n«## 1.1.0\r\n\r\n### Added\r\n\r\n- One.\r\n\r\n### Fixed\r\n\r\n- Two.\r\n\r\n»## 1.0.0\r\n"},
		{"a title alone, no end of line", "# Release notes", "1.0", "# Release notes«\n\n## [1.0] - 2021-03-04\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n»"},
		{"empty", "", "1.0", "«## [1.0] - 2021-03-04\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n»"},
		{"what only looks like a heading", "# Changelog\n\n```\n## 9.9.9\n```\n<!--\n## 8.8.8\n-->\n\n## 1.0.0\n", "1.1.0",
			"# Changelog\n\n```\n## 9.9.9\n```\n<!--\n## 8.8.8\n-->\n\n«## 1.1.0\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n\n»## 1.0.0\n"},
		{"by package", "# Changes\n\n## [clap 4.5.0]\n", "4.6.0", "# Changes\n\n«## [clap 4.6.0]\n\n### Added\n\n- One.\n\n### Fixed\n\n- Two.\n\n»## [clap 4.5.0]\n"},
	} {
		in, err := InsertLog(tt.file, aLog, tt.version, "2021-03-04")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := tt.file[:in.At] + "«" + in.Text + "»" + tt.file[in.At:]; got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if _, err := InsertLog(in.Into(tt.file), aLog, tt.version, "2021-03-04"); !errors.Is(err, ErrThere) {
			t.Errorf("%s: the second time: %v", tt.name, err)
		}
		checkPatch(t, tt.name, tt.file, in)
	}
	for name, file := range map[string]string{
		"a program": "package x\n", "a readme": "# App\n\n## Install\n\n## Go 1.22 support\n\n## 3 ways to use it\n", "binary": "# Changelog\x00", "no UTF-8": "# Changelog\xff\n",
		"a list of versions": "1.0.0 first\n",
	} {
		if in, err := InsertLog(file, aLog, "1.0", ""); err == nil {
			t.Errorf("%s: inserted %+v", name, in)
		}
	}
}

// checkPatch has git make the same of a file by the patch.
func checkPatch(t *testing.T, name, file string, in Insertion) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "LOG.md")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(in.Patch("LOG.md", file)), append(gittest.Env(t.TempDir()), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s\n%s", name, err, out, in.Patch("LOG.md", file))
		return
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != in.Into(file) {
		t.Errorf("%s: git apply makes %q, want %q (%v)", name, got, in.Into(file), err)
	}
}

// FuzzInsertLog holds that an insertion begins a line, ends one, has all entries, and
// is not made twice.
func FuzzInsertLog(f *testing.F) {
	f.Add("# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2020-01-02\n", "1.1.0")
	f.Add("# v2.0.0\r\n\r\n* x", "")
	f.Add("1.0 / x\n---\n", "v2")
	f.Add("<!-- ## 1.0 -->\n~~~\n# Changelog\n", "1")
	f.Fuzz(func(t *testing.T, file, version string) {
		if strings.ContainsAny(version, "\r\n") || strings.TrimSpace(version) != version {
			return
		}
		in, err := InsertLog(file, aLog, version, "2021-03-04")
		if err != nil {
			return
		}
		if in.At > 0 && file[in.At-1] != '\n' && in.At != len(file) {
			t.Errorf("%q: inserted within a line, at %d", file, in.At)
		}
		if !strings.HasSuffix(in.Text, "\n") || in.At > 0 && file[in.At-1] != '\n' && in.Text[0] != '\n' && !strings.HasPrefix(in.Text, "\r\n") {
			t.Errorf("%q: %q does not stand on lines of its own", file, in.Text)
		}
		for _, entry := range []string{"Added", "One.", "Fixed", "Two."} {
			if strings.Count(in.Text, entry) != 1 {
				t.Errorf("%q: no %s in %q", file, entry, in.Text)
			}
		}
		whole := in.Into(file)
		if rest, ok := strings.CutPrefix(whole, file[:in.At]); !ok || !strings.HasSuffix(rest, file[in.At:]) {
			t.Errorf("%q: the rest is not as it was: %q", file, whole)
		}
	})
}

func TestGrouped(t *testing.T) {
	list := []Export{
		{"a.go", "A", "removes function A"}, {"a.go", "B", "removes function S.B"}, {"a.go", "C", "renames function C to D"},
		{"b.go", "E", "removes function E"}, {"a.go", "F", "changes signature of F"}, {"a.go", "C", "renames function C to G"},
	}
	want := "# x\n\n- `a.go` removes function A, S.B\n- `a.go` renames function C to D\n- `b.go` removes function E\n- `a.go` changes signature of F\n- `a.go` renames function C to G\n"
	if got := Append("", "# x", list); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
