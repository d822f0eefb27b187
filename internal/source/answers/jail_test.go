package answers

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzJail: what an agent may ask for is a local path without git's own files.
func FuzzJail(f *testing.F) {
	for _, s := range []string{"a/b.go", "../x", "/etc/passwd", "a/../../x", ".git/config", "a/.GIT./x", "C:\\x", "~/x", "./a", "a//b", ".env", "..", "", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, locator string) {
		name, err := jail(locator)
		if err != nil {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) || path.IsAbs(name) || name != path.Clean(name) {
			t.Errorf("%q leads to %q", locator, name)
		}
		for part := range strings.SplitSeq(name, "/") {
			if part == ".." || strings.EqualFold(part, ".git") {
				t.Errorf("%q leads to %q", locator, name)
			}
		}
	})
}
