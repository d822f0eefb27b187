package git

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// module makes a submodule of a repository that is there.
func (s *sandbox) module(dir, name string) {
	s.t.Helper()
	s.init(dir + "/" + name)
	s.write(dir+"/"+name+"/"+name+".txt", name+"\n")
	s.commit(dir+"/"+name, "module")
	s.git(dir, "-c", "advice.addEmbeddedRepo=false", "add", name)
	s.commit(dir, "add "+name)
}

func TestWithSubmodules(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/z.txt", "z\n")
	s.module("r", "m")
	s.module("r/m", "inner")
	s.write("r/m/.gitignore", "*.log\n")
	s.write("r/m/noise.log", "x\n")
	s.write("r/m/new.txt", "x\n")
	s.module("r", "gone")
	if err := os.RemoveAll(s.path("r/gone")); err != nil {
		t.Fatal(err)
	}
	s.mkdir("r/gone")
	// One that is a link to somewhere else, and one whose .git leads there.
	s.init("else")
	s.write("else/secret.txt", "x\n")
	s.commit("else", "x")
	s.module("r", "link")
	s.module("r", "led")
	if err := os.RemoveAll(s.path("r/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.path("else"), s.path("r/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.path("r/led/.git")); err != nil {
		t.Fatal(err)
	}
	s.write("r/led/.git", "gitdir: "+s.path("else/.git")+"\n")
	s.init("r/own")
	s.write("r/own/x.txt", "x\n")
	// One that is armed.
	s.write("script", "#!/bin/sh\necho ran >>"+s.path("ran")+"\n")
	if err := os.Chmod(s.path("script"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("r/m", "config", "core.fsmonitor", s.path("script"))
	s.git("r/m", "config", "filter.x.clean", s.path("script"))
	s.write("r/m/.gitattributes", "* filter=x\n")

	r := s.open("r")
	files, _, err := r.WorkTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, diags, err := r.WithSubmodules(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		if f.Mode.IsRegular() && strings.Contains(f.Path, "/") && f.Clean {
			t.Errorf("%s is clean, and its object is elsewhere", f.Path)
		}
		got = append(got, f.Path)
	}
	want := []string{"gone", "led/led.txt", "link", "m/.gitattributes", "m/.gitignore", "m/inner/inner.txt", "m/m.txt", "m/new.txt", "own", "z.txt"}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("files (-got +want):\n%s", d)
	}
	var about []string
	for _, n := range diags {
		about = append(about, n.Path)
	}
	for _, p := range []string{"gone", "link"} {
		if !slices.Contains(about, p) {
			t.Errorf("no note about %s: %v", p, diags)
		}
	}
	if _, err := os.Stat(s.path("ran")); err == nil {
		t.Error("a program ran")
	}
}

// Files that a submodule's sparse checkout leaves out are counted.
func TestSubmoduleSparse(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.module("r", "m")
	s.write("r/m/far.txt", "x\n")
	s.commit("r/m", "far")
	s.git("r/m", "update-index", "--skip-worktree", "far.txt")
	if err := os.Remove(s.path("r/m/far.txt")); err != nil {
		t.Fatal(err)
	}
	r := s.open("r")
	files, _, err := r.WorkTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, diags, err := r.WithSubmodules(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == "m/far.txt" {
			t.Errorf("%s is listed and not on disk", f.Path)
		}
	}
	if len(diags) != 1 || diags[0].Path != "m" || !strings.Contains(diags[0].Text, "1 of its files") {
		t.Errorf("diagnostics %v", diags)
	}
}
