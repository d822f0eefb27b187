//go:build unix

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPreCommit runs the entry of the hook as pre-commit does, with the names of what
// is staged behind it: it fails for a file that is protected, and for no other.
func TestPreCommit(t *testing.T) {
	b, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	entries := regexp.MustCompile(`(?m)^  entry: (.+)$`).FindAllStringSubmatch(string(b), -1)
	if len(entries) != 1 {
		t.Fatalf("%d entries, want one", len(entries))
	}
	entry := strings.Fields(entries[0][1])

	satchel := filepath.Join(t.TempDir(), entry[0])
	if err := os.WriteFile(satchel, released(t, thisSystem), 0o755); err != nil {
		t.Fatal(err)
	}

	dir, home := checkout(t), t.TempDir()
	hook := func(args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(satchel, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		if _, ok := err.(*exec.ExitError); err != nil && !ok {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	staged := []string{"proxy/proxy.go", "README.md"}
	if out, code := hook(append(entry[1:], staged...)...); code != 0 {
		t.Errorf("nothing is protected: exit code %d, %s", code, out)
	}
	if out, code := hook("context", "add", "--read-only", "README.md"); code != 0 {
		t.Fatalf("exit code %d, %s", code, out)
	}
	if out, code := hook(append(entry[1:], staged...)...); code != 1 || !strings.Contains(out, "README.md: protected") {
		t.Errorf("README.md is protected: exit code %d, %s", code, out)
	}
	if out, code := hook(append(entry[1:], "--help", "README.md")...); code != 1 || !strings.Contains(out, "README.md: protected") {
		t.Errorf("behind a file that is called as an option: exit code %d, %s", code, out)
	}
	if out, code := hook(append(entry[1:], staged[:1]...)...); code != 0 {
		t.Errorf("another file: exit code %d, %s", code, out)
	}
}
