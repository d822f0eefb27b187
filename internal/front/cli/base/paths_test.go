package base

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRootPath(t *testing.T) {
	top := writeTree(t, map[string]string{".git/HEAD": "", "sub/deep/a.go": "", "a.go": ""})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(top, link); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct{ dir, arg, want string }{
		{"", "a.go", "a.go"},
		{"sub", "a.go", "a.go"}, // relative to the root, as receipts print it
		{"sub", "./deep/a.go", "sub/deep/a.go"},
		{"sub/deep", "../../a.go", "a.go"},
		{"sub", ".", "sub"},
		{"sub", "./", "sub/"},
		{"sub", "..", "."},
		{"", "sub/", "sub/"},
		{"", "sub//deep/../deep/a.go", "sub/deep/a.go"},
		{"", filepath.Join(top, "a.go"), "a.go"},
		{"", filepath.Join(link, "sub", "new.go"), "sub/new.go"},
		{"sub", "../../a.go", ""},
		{"", "../a.go", ""},
		{"", "sub/../../a.go", ""},
		{"", "/etc/passwd", ""},
		{"", "", ""},
	} {
		a := NewApp(Env{})
		a.Dir = filepath.Join(top, tt.dir)
		got, err := a.RootPath(tt.arg)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("in %q: rootPath(%q) = %q, %v, want %q", tt.dir, tt.arg, got, err, tt.want)
		}
	}
}
