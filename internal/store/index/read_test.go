package index

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

func TestReadFile(t *testing.T) {
	r := newRepo(t)
	r.Write("a.go", "package a\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "first")
	r.Write("a.go", "package changed\n")
	bare := &repo{gittest.In(t, filepath.Join(t.TempDir(), "b.git"), t.TempDir()), t}
	r.Git("clone", "-q", "--bare", r.Dir, bare.Dir)
	for _, c := range []struct {
		name      string
		of        *repo
		rev, path string
		want, why string
	}{
		{"work tree", r, "", "a.go", "package changed\n", ""},
		{"commit", r, "HEAD", "a.go", "package a\n", ""},
		{"bare", bare, "", "a.go", "package a\n", ""},
		{"not in the commit", r, "HEAD", "b.go", "", "b.go: no such file in HEAD"},
		{"not in the bare", bare, "", "b.go", "", "b.go: no such file"},
	} {
		got, err := openIndex(t, Options{}).ReadFile(t.Context(), c.of.open(), c.rev, c.path)
		var path *PathError
		switch {
		case c.why == "" && (err != nil || string(got.Text) != c.want):
			t.Errorf("%s: ReadFile = %q, %v, want %q", c.name, got.Text, err, c.want)
		case c.why != "" && (!errors.As(err, &path) || err.Error() != c.why):
			t.Errorf("%s: ReadFile: %v, want %q", c.name, err, c.why)
		}
	}
}
