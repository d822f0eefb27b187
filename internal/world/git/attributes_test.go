package git

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

func TestAttributes(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/.gitattributes", "gen/** linguist-generated\n*.bin binary\n*.lock -diff\ndocs/* linguist-documentation=false\n[attr]mine linguist-vendored\nv/* mine\n")
	s.write("r/v/deep/.gitattributes", "* linguist-vendored=deep\n")
	s.write("r/plain.go", "x")
	s.commit("r", "old rules")
	want := map[string]map[string]string{
		"gen/a/b.go": {"linguist-generated": "set"},
		"x.bin":      {"binary": "set", "diff": "unset"},
		"go.lock":    {"diff": "unset"},
		"docs/a.md":  {"linguist-documentation": "false"},
		"v/x.go":     {"linguist-vendored": "set"},
		"v/deep/y":   {"linguist-vendored": "deep"},
	}
	names := []string{"linguist-generated", "linguist-vendored", "linguist-documentation", "binary", "diff"}
	paths := []string{"plain.go", "gen/a/b.go", "x.bin", "go.lock", "docs/a.md", "v/x.go", "v/deep/y"}
	r := s.open("r")
	got, err := r.attributes(t.Context(), paths, names...)
	if d := cmp.Diff(got, want); d != "" || err != nil {
		t.Errorf("Attributes: %v (-got +want):\n%s", err, d)
	}
	s.write("r/.gitattributes", "*.go linguist-generated\n")
	if got, err := r.attributes(t.Context(), []string{"plain.go"}, "linguist-generated"); got["plain.go"]["linguist-generated"] != "set" || err != nil {
		t.Errorf("Attributes of the changed work tree = %v, %v", got, err)
	}
	s.git(".", "clone", "-q", "--bare", s.path("r"), "bare")
	bare := s.open("bare")
	if got, err := bare.attributes(t.Context(), paths, names...); got != nil || err != nil {
		t.Errorf("Attributes of a bare repository = %v, %v, want none", got, err)
	}
	for _, name := range []string{"", "-a", "--all", "a b", "a=b", "!a", "a\x00b", "--stdin"} {
		if _, err := r.attributes(t.Context(), paths, name); err == nil {
			t.Errorf("Attributes accepted the name %q", name)
		}
	}
	// Paths that cannot be in a repository are no reason to fail.
	if _, err := r.attributes(t.Context(), []string{"../x", "/etc/passwd", "", "a\x00b", "a"}, "diff"); err != nil {
		t.Errorf("Attributes of strange paths: %v", err)
	}
}

// No attribute file, no question: an answer costs a process.
func TestAttributesAsksOnlyIfNeeded(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a/b/c.go", "x")
	s.commit("r", "x")
	r := s.open("r")
	program := r.run.git
	r.run.git = s.path("no-git")
	if got, err := r.attributes(t.Context(), []string{"a/b/c.go"}, "diff"); got != nil || err != nil {
		t.Errorf("Attributes = %v, %v", got, err)
	}
	r.run.git = program
	s.write("r/.git/info/attributes", "*.go -diff\n")
	want := map[string]map[string]string{"a/b/c.go": {"diff": "unset"}}
	got, err := r.attributes(t.Context(), []string{"a/b/c.go"}, "diff")
	if d := cmp.Diff(got, want); d != "" || err != nil {
		t.Errorf("Attributes with info/attributes: %v\n%s", err, d)
	}
	if err := os.Remove(s.path("r/.git/info/attributes")); err != nil {
		t.Fatal(err)
	}
	// git would wait for someone to write to a FIFO.
	fsxtest.Fifo(t, s.path("r/a/.gitattributes"))
	if got, err := r.attributes(t.Context(), []string{"a/b/c.go"}, "diff"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Attributes with a FIFO = %v, %v, want ErrNotRegular", got, err)
	}
}
