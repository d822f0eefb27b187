package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// The same clones give the same commit, and each clone is a folder of it.
func TestJoin(t *testing.T) {
	var clones []string
	for _, name := range []string{"a", "b"} {
		r := gittest.New(t)
		for _, text := range []string{"one\n", "two\n"} {
			r.Write(name+".txt", text)
			r.Commit(text)
		}
		clone := filepath.Join(t.TempDir(), name)
		if b, err := exec.Command("git", "clone", "-q", "--bare", r.Dir, clone).CombinedOutput(); err != nil {
			t.Fatalf("clone: %v\n%s", err, b)
		}
		if b, err := exec.Command("git", "-C", clone, "repack", "-adq").CombinedOutput(); err != nil {
			t.Fatalf("repack: %v\n%s", err, b)
		}
		clones = append(clones, clone)
	}
	var heads []string
	for _, name := range []string{"x", "y"} {
		out := filepath.Join(t.TempDir(), name)
		if err := join(out, clones, 10, 10); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(out, "b", "b.txt"))
		if err != nil || string(b) != "two\n" {
			t.Errorf("b/b.txt is %q, %v, want the newest text", b, err)
		}
		log, err := exec.Command("git", "-C", out, "log", "--format=%H", "main").Output()
		if err != nil || strings.Count(string(log), "\n") != 3 {
			t.Errorf("%v: commits %q, want that of all and one of each clone", err, log)
		}
		heads = append(heads, string(log))
	}
	if heads[0] != heads[1] {
		t.Errorf("the same clones gave %q and %q", heads[0], heads[1])
	}
}
