package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPush pushes two versions of a marketplace into a repository on this machine.
func TestPush(t *testing.T) {
	dir := t.TempDir()
	command := func(in string, argv ...string) (string, error) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	must := func(in string, argv ...string) string {
		t.Helper()
		out, err := command(in, argv...)
		if err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, out)
		}
		return out
	}
	script, err := filepath.Abs("../../../release/plugin/push.sh")
	if err != nil {
		t.Fatal(err)
	}
	src, err := readSource("../../..", "")
	if err != nil {
		t.Fatal(err)
	}
	repository := filepath.Join(dir, "marketplace.git")
	must(dir, "git", "init", "-q", "--bare", "-b", "main", repository)
	for _, version := range []string{"1.2.2", "1.2.3"} {
		files := marketplace(src, version)
		if version == "1.2.2" {
			files["gone.txt"] = file{text: []byte("of an older release\n")}
		}
		if err := files.write(filepath.Join(dir, version)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // again, as when a release is run again
			if out := must(dir, "bash", script, version, repository, "v"+version); out[strings.LastIndex(out, "\n")+1:] != "push: v"+version+" is there" {
				t.Errorf("%s: %s", version, out)
			}
		}
	}
	if log := must(repository, "git", "log", "--format=%s %d", "main"); log != "satchel 1.2.3  (HEAD -> main, tag: v1.2.3)\nsatchel 1.2.2  (tag: v1.2.2)" {
		t.Errorf("the branch holds\n%s", log)
	}
	if out := must(repository, "git", "ls-tree", "-r", "--name-only", "main"); strings.Contains(out, "gone.txt") || !strings.Contains(out, "plugins/satchel/hooks/hooks.json") {
		t.Errorf("the newest version holds\n%s", out)
	}
	if out, err := command(dir, "bash", script, "1.2.3", repository, "1.2.2"); err == nil || !strings.Contains(out, "v1.2.2 is in "+repository+" with other files") {
		t.Errorf("other files under an old version: %v\n%s", err, out)
	}
}
