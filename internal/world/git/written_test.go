package git

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a disk cannot express is as the index has it.
func TestWrittenMode(t *testing.T) {
	all := []Mode{ModeFile, modeExecutable, ModeSymlink, ModeDir, modeSpecial}
	for _, test := range []struct {
		how         written
		disk, index Mode
		want        Mode
	}{
		{written{}, ModeFile, modeExecutable, ModeFile},
		{written{}, modeExecutable, ModeFile, modeExecutable},
		{written{}, ModeFile, ModeSymlink, ModeFile},
		{written{noExec: true}, ModeFile, modeExecutable, modeExecutable},
		{written{noExec: true}, modeExecutable, ModeFile, ModeFile},
		{written{noExec: true}, ModeFile, ModeSymlink, ModeFile},
		{written{noExec: true}, modeExecutable, ModeSymlink, ModeFile},
		{written{noExec: true}, modeExecutable, 0, ModeFile},
		{written{noExec: true}, ModeSymlink, 0, ModeSymlink},
		{written{}, modeExecutable, 0, modeExecutable},
		{written{noLinks: true}, modeExecutable, 0, modeExecutable},
		{written{noExec: true}, ModeSymlink, modeExecutable, ModeSymlink},
		{written{noLinks: true}, ModeFile, ModeSymlink, ModeSymlink},
		{written{noLinks: true}, ModeFile, modeExecutable, ModeFile},
		{written{noLinks: true}, ModeSymlink, ModeFile, ModeSymlink},
		{written{noLinks: true, noExec: true}, ModeFile, ModeSymlink, ModeSymlink},
		{written{noLinks: true, noExec: true}, modeSpecial, ModeSymlink, modeSpecial},
	} {
		if got := test.how.mode(test.disk, test.index); got != test.want {
			t.Errorf("%+v: %v on disk, %v in the index: %v, want %v", test.how, test.disk, test.index, got, test.want)
		}
	}
	for _, m := range all { // whatever the disk says of what is the same there stays
		if got := (written{noExec: true, noLinks: true}).mode(m, m); got != m {
			t.Errorf("%v stays not: %v", m, got)
		}
	}
}

// A work tree as Git for Windows writes it: without executable bits, and with links
// as files that hold the target. What git has nothing to say about has not changed.
func TestWorkTreeOfWindows(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.git("r", "config", "core.fileMode", "false")
	s.git("r", "config", "core.symlinks", "false")
	s.write("r/run", "#!/bin/sh\n")
	s.write("r/plain", "plain\n")
	target := s.gitIn("r", "d/target", "hash-object", "-w", "--stdin")
	for _, name := range []string{"link", "moved"} {
		s.git("r", "update-index", "--add", "--cacheinfo", "120000,"+target+","+name)
	}
	s.git("r", "add", "run", "plain")
	s.git("r", "update-index", "--chmod=+x", "run")
	s.git("r", "commit", "-qm", "one")
	s.git("r", "checkout", "-q", "--", "link", "moved")
	if fi, err := os.Lstat(s.path("r/link")); err != nil || !fi.Mode().IsRegular() {
		t.Fatalf("git wrote the link as %v, %v", fi, err)
	}
	s.write("r/moved", "elsewhere")
	s.age("r")
	for _, portable := range []bool{false, true} {
		r := s.open("r")
		r.folder.portable = portable
		files, diags, err := r.WorkTree(t.Context())
		if err != nil || len(diags) > 0 {
			t.Fatal(err, diags)
		}
		want := []string{
			"link 120000 clean " + target, "moved 120000 changed",
			"plain 100644 clean " + blob1("plain\n"), "run 100755 clean " + blob1("#!/bin/sh\n"),
		}
		if d := cmp.Diff(summary(files), want); d != "" {
			t.Errorf("portable=%v: the work tree (-got +want):\n%s", portable, d)
		}
		set, err := r.Diff(t.Context(), DiffSpec{Source: SourceWorkTree})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Files) != 1 || set.Files[0].Path != "moved" || set.Files[0].NewMode != 0o120000 || len(set.Files[0].Hunks) != 1 {
			t.Errorf("portable=%v: the change is %+v", portable, set.Files)
		}
	}
	if got := s.git("r", "status", "--porcelain"); got != " M moved" {
		t.Errorf("to git the change is %q", got)
	}
}

// Without executable bits what git adds is a plain file, whatever the disk says: a
// file that it does not know, and one in the place of a link.
func TestNewFilesWithoutExecutableBits(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.git("r", "config", "core.fileMode", "false")
	target := s.gitIn("r", "target", "hash-object", "-w", "--stdin")
	s.git("r", "update-index", "--add", "--cacheinfo", "120000,"+target+",link")
	s.git("r", "commit", "-qm", "one")
	for _, name := range []string{"link", "new"} {
		s.write("r/"+name, "#!/bin/sh\n")
		if err := os.Chmod(s.path("r/"+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := s.open("r")
	files, diags, err := r.WorkTree(t.Context())
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	for _, f := range files {
		if f.Mode != ModeFile {
			t.Errorf("%s: the mode is %v", f.Path, f.Mode)
		}
	}
	s.git("r", "add", "link", "new")
	if got := s.git("r", "ls-files", "--stage"); strings.Count("\n"+got, "\n100644 ") != 2 {
		t.Errorf("git adds %q", got)
	}
	if len(files) != 2 {
		t.Errorf("the files are %+v", files)
	}
}

// A work tree as Git for Windows has it by default, where the installer says of all
// repositories that line ends are converted and links are files, and each repository
// that there are no executable bits and that case does not count. What has changed is
// what has changed to git.
func TestDefaultsOfGitForWindows(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("system", "[core]\n\tsymlinks = false\n\tautocrlf = TRUE\n\tfscache = true\n")
	s.git("r", "config", "core.fileMode", "false")
	s.git("r", "config", "core.ignoreCase", "true")
	env := append(slices.DeleteFunc(s.env(), func(kv string) bool { return kv == "GIT_CONFIG_NOSYSTEM=1" }), "GIT_CONFIG_SYSTEM="+s.path("system"))
	git := func(args ...string) string {
		t.Helper()
		cmd := s.command("r", args...)
		cmd.Env = env
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %s: %v", args, err)
		}
		return string(out)
	}
	target := s.gitIn("r", "touched.txt", "hash-object", "-w", "--stdin")
	git("update-index", "--add", "--cacheinfo", "120000,"+target+",link")
	s.write("r/.gitattributes", "*.BIN binary\r\n*.SH eol=lf\r\nKEPT* -text\r\n")
	for _, name := range []string{"touched.txt", "edited.txt", "new line.txt", "tool.sh", "a.bin", "kept.txt"} {
		s.write("r/"+name, "one\r\ntwo\r\nthree\r\n")
	}
	git("add", "-A", "--", ".", ":!link")
	git("update-index", "--chmod=+x", "tool.sh")
	git("commit", "-qm", "one")
	git("checkout", "-q", "--", "link")
	s.write("r/edited.txt", "one\r\nTWO\r\nthree\r\n")
	s.write("r/new line.txt", "one\r\ntwo\r\nthree\r\nfour\n")
	s.write("r/a.bin", "one\r\ntwo\r\n")
	s.write("r/kept.txt", "one\ntwo\nthree\n")
	s.write("r/untracked.txt", "x\r\n")
	s.write("r/Edited.txt2", "case\n")
	for _, name := range []string{"touched.txt", "tool.sh", "link"} {
		if err := os.Chtimes(s.path("r/"+name), time.Now(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for _, portable := range []bool{false, true} {
		r, err := (&Options{Env: env}).Open(t.Context(), s.path("r"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		r.folder.portable = portable
		set, err := r.Diff(t.Context(), DiffSpec{Source: sourceUnstaged})
		if err != nil {
			t.Fatal(err)
		}
		want := git("diff", "--numstat", "-z")
		if d := cmp.Diff(strings.Split(numstatOf(set), "\x00"), strings.Split(want, "\x00")); d != "" {
			t.Errorf("portable=%v: the change (-got +want):\n%s", portable, d)
		}
		if n := strings.Count(want, "\x00"); n != 4 {
			t.Errorf("to git %d files have changed: %q", n, want)
		}
		files, diags, err := r.WorkTree(t.Context())
		if err != nil || len(diags) > 0 {
			t.Fatal(err, diags)
		}
		for _, f := range files {
			index := strings.Fields(git("ls-files", "--stage", "--", f.Path))
			if f.Untracked != (len(index) == 0) || !f.Untracked && modeName(f.Mode) != index[0] {
				t.Errorf("portable=%v: %s has mode %v and is untracked: %v; the index has %q", portable, f.Path, f.Mode, f.Untracked, index)
			}
		}
	}
}
