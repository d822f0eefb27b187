package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestUninstallAllStays checks that uninstall --all follows no link and keeps files that
// satchel did not write.
func TestUninstallAllStays(t *testing.T) {
	home := gittest.Isolate(t)
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	r.Commit("first")
	hash := strings.Repeat("1", 32)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "satchel")
	kept := []string{
		filepath.Join(home, "elsewhere", "manifest"),
		filepath.Join(r.Dir, ".git", "satchel", "later", "1"),
		filepath.Join(cache, "mine.txt"),
		filepath.Join(cache, hash, "notes-v2.db"),
		filepath.Join(cache, "clones", hash, "url"),
		filepath.Join(cache, "clones", hash, "clone", "mine.go"),
	}
	gone := []string{
		filepath.Join(r.Dir, ".git", "satchel", "last", "1"),
		filepath.Join(cache, hash, "manifest"),
		filepath.Join(cache, hash, "state.db"),
		filepath.Join(cache, "vectors", "vectors.db"),
		filepath.Join(cache, "clones", strings.Repeat("2", 32), "url"),
	}
	for _, name := range append(append(gone, kept...), filepath.Join(cache, "clones", hash, "clone", ".git", "HEAD")) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("0123456789"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(r.Dir, ".git", "satchel", "index"), filepath.Join(cache, strings.Repeat("3", 32))} {
		if err := os.Symlink(filepath.Join(home, "elsewhere"), name); err != nil {
			t.Skip(err)
		}
	}

	env := base.Env{Dir: r.Dir, Environ: append(os.Environ(), "HOME="+home)}
	code, out, errs := suite.Run(t, env, "uninstall", "--all", "--yes", "--notes", "--snapshots")
	if code != base.ExitOK {
		t.Errorf("exit code %d, %s", code, errs)
	}
	for _, name := range kept {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
	for _, name := range gone {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range []string{"mine.txt", "notes-v2.db", "later", "files of others"} {
		if !strings.Contains(out, name) {
			t.Errorf("%s is not listed:\n%s", name, out)
		}
	}
}
