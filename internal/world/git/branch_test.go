package git

import (
	"runtime"
	"testing"
)

func TestBranch(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	r := s.open("r")
	want := func(when, branch string) {
		t.Helper()
		if got, err := r.Branch(t.Context()); err != nil || got != branch {
			t.Errorf("%s: Branch() = %q, %v, want %q", when, got, err, branch)
		}
	}
	want("without a commit", "main")
	s.write("r/a.txt", "a\n")
	first := s.commit("r", "first")
	want("with one", "main")
	s.git("r", "checkout", "-q", "-b", "fix/Größe")
	want("with a slash", "fix/Größe")
	s.git("r", "checkout", "-q", "--detach")
	want("detached", "")
	s.write("r/.git/HEAD", "ref: refs/remotes/origin/x\n")
	want("elsewhere", "refs/remotes/origin/x")
	s.write("r/.git/HEAD", first+"\n")
	want("a commit", "")
	if runtime.GOOS != "windows" {
		s.write("r/.git/refs/heads/\x1b[31mred", first+"\n") // git makes no such branch
	}
	for _, head := range []string{"ref: refs/heads/\x1b[31mred\n", "ref: ../../etc/passwd\n", "no ref\n", ""} {
		s.write("r/.git/HEAD", head)
		if got, err := r.Branch(t.Context()); err == nil && got != "" {
			t.Errorf("HEAD %q: branch %q", head, got)
		}
	}
}
