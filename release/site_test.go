//go:build unix

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSite: the pages of each tag are made of what it holds, by its own program, the
// newest last. Go is played by a script, which writes down what it was asked for.
func TestSite(t *testing.T) {
	dir, bin, out := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "out")
	script, err := os.ReadFile("site.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(dir, "release", "site.sh"): string(script),
		filepath.Join(bin, "go"):                 "#!/bin/sh\necho \"$*: $(cat page)\" >>\"$6/asked\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	do := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	must := func(args ...string) {
		t.Helper()
		if text, err := do("git", args...); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, text)
		}
	}
	site := filepath.Join(dir, "release", "site.sh")

	must("init", "-q")
	if text, err := do(site, out); err == nil || !strings.HasSuffix(text, "no version is tagged\n") {
		t.Errorf("nothing is tagged: %v\n%s", err, text)
	}
	tags := []string{"v0.9.0", "v0.10.0-rc.1", "v0.10.0"}
	for _, tag := range tags {
		if err := os.MkdirAll(filepath.Join(dir, "lab"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "lab", "page"), []byte("the page of "+tag), 0o644); err != nil {
			t.Fatal(err)
		}
		must("add", "-A")
		must("commit", "-qm", tag)
		must("tag", tag)
	}
	must("tag", "nightly")
	if text, err := do(site, out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	asked, err := os.ReadFile(filepath.Join(out, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, tag := range tags {
		want = append(want, "run ./release/site -version "+tag+" -out "+out+": the page of "+tag+"\n")
	}
	if diff := cmp.Diff(slices.Collect(strings.Lines(string(asked))), want); diff != "" {
		t.Errorf("asked of go (-got +want):\n%s", diff)
	}
	if trees, err := do("git", "worktree", "list"); err != nil || strings.Count(trees, "\n") != 1 {
		t.Errorf("work trees that are left: %v\n%s", err, trees)
	}
	if text, err := do(site, out); err == nil || !strings.HasSuffix(text, "is not empty\n") {
		t.Errorf("a folder that holds something: %v\n%s", err, text)
	}
}
