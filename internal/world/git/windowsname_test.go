package git

import (
	"path/filepath"
	"strings"
	"testing"
)

// The names that git's own tests of Windows paths accept and refuse (t0060), but for
// those that no tree can hold: ../hello.txt and one with the letter of a drive.
func TestWindowsNamesOfGit(t *testing.T) {
	for _, path := range []string{"win32", "win32 x", "comm", "conout.c", "com0.c", "lptN"} {
		if !validPathOn(path, true) {
			t.Errorf("%q is refused", path)
		}
	}
	for _, path := range []string{
		"win32 ", "win32 /x ", "win32.", "win32 . .", ".../hello.txt", "colon:test",
		"AUX.c", "abc/conOut$  .xyz/test", "lpt8", "com9.c", "lpt*", "Nul", "PRN./abc",
	} {
		if validPathOn(path, true) {
			t.Errorf("%q is accepted", path)
		}
	}
}

// What git keeps out of an index for the sake of Windows, on every system, is no path
// on Windows: the aliases of .git.
func TestAliasesOfGitFolder(t *testing.T) {
	var paths []string
	for _, stem := range []string{".git", ".GiT", "git~1", "GIT~1", "git~2", ".gitx", "git", "gi~1", "..git", ".git~1"} {
		for _, end := range []string{"", " ", ".", " . .", "x", " x", ":", "::$INDEX_ALLOCATION", ".:$DATA", "\\x", " \\x"} {
			name := stem + end
			paths = append(paths, name, name+"/config", "a/"+name, "b\\"+name, "b/c\\"+name+"/x")
		}
	}
	s := newSandbox(t)
	s.init("r")
	cmd := s.command("r", "-c", "core.protectNTFS=true", "update-index", "--force-remove", "-z", "--stdin")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git update-index: %v\n%s", err, out)
	}
	printed := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "Ignoring path ")
		if !ok {
			t.Fatalf("git update-index printed %q", line)
		}
		printed[path] = true
	}
	refused := func(path string) bool { return printed[filepath.ToSlash(path)] } // git on Windows prints slashes
	many := 0
	for _, path := range paths {
		if !refused(path) {
			continue
		}
		many++
		if validPathOn(path, true) {
			t.Errorf("git refuses %q, and it is a path on Windows", path)
		}
	}
	if many < 100 {
		t.Errorf("git refuses %d paths: this test sees nothing", many)
	}
	for _, path := range []string{"git~2", ".gitx", "gi~1", "..git", ".git~1", "a/.git~1"} {
		if refused(path) || !validPathOn(path, true) {
			t.Errorf("%q is refused: by git %v", path, refused(path))
		}
	}
}
