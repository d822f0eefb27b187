package git

import (
	"os"
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
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "x")
	blob := s.git("r", "hash-object", "-w", "a")
	refused := func(path string) bool {
		_ = os.Remove(s.path("r/.git/index")) // what it holds may be in the way
		cmd := s.command("r", "-c", "core.protectNTFS=true", "update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
		return cmd.Run() != nil
	}
	var names []string
	for _, stem := range []string{".git", ".GiT", "git~1", "GIT~1", "git~2", ".gitx", "git", "gi~1", "..git", ".git~1"} {
		for _, end := range []string{"", " ", ".", " . .", "x", " x", ":", "::$INDEX_ALLOCATION", ".:$DATA", "\\x", " \\x"} {
			names = append(names, stem+end)
		}
	}
	many := 0
	for _, name := range names {
		for _, path := range []string{name, name + "/config", "a/" + name, "b\\" + name, "b/c\\" + name + "/x"} {
			if !refused(path) {
				continue
			}
			many++
			if validPathOn(path, true) {
				t.Errorf("git refuses %q, and it is a path on Windows", path)
			}
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
