package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// untracked returns what WorkTree lists as untracked.
func untracked(t testing.TB, r *Repo) (paths []string) {
	t.Helper()
	files, _, err := r.WorkTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Untracked {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// listedByGit returns what git lists as untracked if it looks everywhere.
func listedByGit(t testing.TB, r *Repo) (paths []string) {
	t.Helper()
	all, _, err := r.others(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		paths = append(paths, f.Path)
	}
	return paths
}

// newSpy makes a git that appends its arguments to the file calls in the home folder.
func newSpy(t testing.TB) string {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s := newSandbox(t)
	s.program("git", fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$@\" -end- >>\"$HOME/calls\"\nexec %q \"$@\"\n", real))
	return s.path("git")
}

// spied returns options with a spy for git, and what ls-files --others was asked about:
// "-" if it was not called, "all" if it had no paths.
func (s *sandbox) spied(spy string) (*Options, func() string) {
	o := s.options()
	o.Git = spy
	return o, func() string {
		calls, _ := os.ReadFile(s.path("home/calls"))
		about := []string{}
		for call := range strings.SplitSeq(string(calls), "\n-end-\n") {
			if _, paths, ok := strings.Cut(call, "\n--others\n--exclude-standard"); ok {
				_, paths, ok = strings.Cut(paths, "\n--\n")
				if !ok {
					paths = "all"
				}
				about = append(about, strings.ReplaceAll(paths, "\n", " "))
			}
		}
		if len(about) == 0 {
			return "-"
		}
		return strings.Join(about, " and ")
	}
}

// Every way in which something can be untracked, tracked or ignored: git is asked
// about the strays alone and must say the same as among all files.
func TestStraysAreWhatGitLists(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	spy := newSpy(t) // shared, so that it is asked for its version once
	for _, test := range []struct {
		name  string
		make  func(s *sandbox) // in the repository r, which has a/f, a/b/g, c/h committed
		asked string           // the arguments that git gets; "-" if none, "all" if it lists everything
		want  string
	}{
		{"nothing", func(s *sandbox) {}, "-", ""},
		{"a file", func(s *sandbox) { s.write("r/new", "") }, "new", "new"},
		{"a file in a folder", func(s *sandbox) { s.write("r/a/b/new", ""); s.write("r/a/b.txt", "") }, "a/b.txt a/b/new", "a/b.txt a/b/new"},
		{"names around a slash", func(s *sandbox) {
			for _, n := range []string{"a-", "a.", "a0", "a!", "a/b-/x", "a/b0", "a/b./y"} {
				s.write("r/"+n, "")
			}
		}, "a! a- a. a/b- a/b. a/b0 a0", "a! a- a. a/b-/x a/b./y a/b0 a0"},
		{"a folder", func(s *sandbox) { s.write("r/n/o/p", ""); s.write("r/n/q", ""); s.mkdir("r/empty") }, "empty n", "n/o/p n/q"},
		{"ignored", func(s *sandbox) {
			s.write("r/.gitignore", "*.o\n/build/\n!keep.o\n")
			s.write("r/a/x.o", "")
			s.write("r/build/y", "")
			s.write("r/n/z.o", "")
			s.write("r/n/keep.o", "")
		}, ".gitignore a/x.o build n", ".gitignore n/keep.o"},
		{"in an ignored folder with tracked files", func(s *sandbox) { s.write("r/.git/info/exclude", "/a/\n"); s.write("r/a/new", "") }, "a/new", ""},
		{"deleted", func(s *sandbox) { os.RemoveAll(s.path("r/a")) }, "-", ""},
		{"a folder became a file", func(s *sandbox) { os.RemoveAll(s.path("r/a")); s.write("r/a", "") }, "a", "a"},
		{"a folder became a link", func(s *sandbox) { os.RemoveAll(s.path("r/a")); os.Symlink("c", s.path("r/a")) }, "a", "a"},
		{"a file became a folder", func(s *sandbox) { os.Remove(s.path("r/c/h")); s.write("r/c/h/i", "") }, "c/h", "c/h/i"},
		{"a link", func(s *sandbox) { os.Symlink("/", s.path("r/root")); os.Symlink("nowhere", s.path("r/a/dead")) }, "a/dead root", "a/dead root"},
		{"a repository in it", func(s *sandbox) { s.init("r/n/sub"); s.write("r/n/sub/x", ""); s.commit("r/n/sub", "one") }, "n", "n/sub"},
		{"a repository around tracked files", func(s *sandbox) { s.init("r/a"); s.write("r/a/x", "") }, "a/x", "a/x"},
		{"a submodule", func(s *sandbox) {
			s.init("r/c/sub")
			s.write("r/c/sub/x", "")
			s.commit("r/c/sub", "one")
			s.git("r", "add", "c/sub")
			s.write("r/c/sub/new", "")
		}, "-", ""},
		{"a submodule alone in a folder", func(s *sandbox) {
			s.init("r/m/sub")
			s.write("r/m/sub/x", "")
			s.commit("r/m/sub", "one")
			s.git("r", "add", "m/sub")
			s.write("r/m/new", "")
		}, "m/new", "m/new"},
		{"a submodule that became a file", func(s *sandbox) {
			s.init("r/m/sub")
			s.write("r/m/sub/x", "")
			s.commit("r/m/sub", "one")
			s.git("r", "add", "m/sub")
			os.RemoveAll(s.path("r/m/sub"))
			s.write("r/m/sub", "")
		}, "-", ""},
		{"strange names", func(s *sandbox) {
			for _, n := range []string{"-x", ":(glob)*", "*", "a\nb", "\x80", "a/[b]/c", " "} {
				s.write("r/"+n, "")
			}
		}, "", " \x00*\x00-x\x00:(glob)*\x00a\nb\x00a/[b]/c\x00\x80"},
		{"another case", func(s *sandbox) {
			s.git("r", "config", "core.ignorecase", "true")
			s.write("r/A/F", "")
			s.write("r/A/new", "")
		}, "A", "A/new"},
		{"added, and deleted from the index", func(s *sandbox) {
			s.write("r/new", "")
			s.git("r", "add", "-N", "new")
			s.git("r", "rm", "-q", "--cached", "c/h")
		}, "c", "c/h"},
		{"many", func(s *sandbox) {
			for i := range mostStrays + 1 {
				s.write(fmt.Sprintf("r/a/%03d", i), "")
			}
		}, "all", ""},
		{"long", func(s *sandbox) {
			for i := range 60 {
				s.write(fmt.Sprintf("r/n/%03d%s/x", i, strings.Repeat("n", 200)), "")
			}
			s.write("r/n/f", "")
			s.git("r", "add", "n/f")
			for i := range 60 {
				s.write(fmt.Sprintf("r/n/%03d%s/y", i, strings.Repeat("n", 200)), "")
			}
		}, "", ""},
		{"an ignore file that is a link", func(s *sandbox) { s.write("r/rules", "*\n"); os.Symlink("../rules", s.path("r/a/.gitignore")) }, "all", "a/.gitignore rules"},
		{"an ignore file that is a folder", func(s *sandbox) { s.write("r/a/.gitignore/x", "") }, "all", ""},
		{"a split index", func(s *sandbox) { s.git("r", "update-index", "--split-index"); s.write("r/a/new", "") }, "all", "a/new"},
		{"nothing tracked", func(s *sandbox) { s.git("r", "rm", "-rq", "--cached", ".") }, "all", "a/b/g a/f c/h"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSandbox(t)
			s.init("r")
			for _, f := range []string{"a/f", "a/b/g", "c/h"} {
				s.write("r/"+f, f)
			}
			s.commit("r", "one")
			test.make(s)
			opts, asked := s.spied(spy)
			r, err := opts.Open(t.Context(), s.path("r"))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := untracked(t, r)
			about := asked()
			want := listedByGit(t, r)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("untracked (-git +here):\n%s", diff)
			}
			sep := " "
			if strings.Contains(test.want, "\x00") {
				sep = "\x00"
			}
			if test.want != "" && strings.Join(got, sep) != test.want {
				t.Errorf("untracked %q, want %q", strings.Join(got, sep), test.want)
			}
			if test.asked != "" && about != test.asked {
				t.Errorf("git was asked about %q, want %q", about, test.asked)
			}
		})
	}
}

// A random work tree beside a random index, with rules.
func TestStraysOfRandomTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	s := newSandbox(t)
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		dir := fmt.Sprintf("r%d", seed)
		s.init(dir)
		names := []string{"a", "b", "a.b", "a-b", "ab", "A", ".x"}
		path := func() string {
			p := make([]string, 1+rnd.IntN(4))
			for i := range p {
				p[i] = names[rnd.IntN(len(names))]
			}
			return dir + "/" + strings.Join(p, "/")
		}
		plant := func(n int) {
			for range n {
				p := path()
				os.MkdirAll(s.path(p[:strings.LastIndexByte(p, '/')]), 0o755) // a file may be in the way
				switch rnd.IntN(12) {
				case 0:
					os.Symlink("a", s.path(p))
				case 1:
					os.WriteFile(s.path(p[:strings.LastIndexByte(p, '/')]+"/.gitignore"), []byte([]string{"a\n", "a/\n", "*b\n!ab\n", "/A\n"}[rnd.IntN(4)]), 0o644)
				default:
					os.WriteFile(s.path(p), nil, 0o644)
				}
			}
		}
		plant(40)
		s.git(dir, "add", "-A")
		plant(12)
		for range 8 {
			os.RemoveAll(s.path(path()))
		}
		plant(6)
		if rnd.IntN(3) == 0 {
			s.git(dir, "config", "core.ignorecase", "true")
		}
		r := s.open(dir)
		got, want := untracked(t, r), listedByGit(t, r)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("seed %d: untracked (-git +here):\n%s", seed, diff)
		}
	}
}

// What git complains about is told, though git is not asked about all folders.
func TestComplaintsAreNotLost(t *testing.T) {
	for name, make := range map[string]func(s *sandbox){
		"a link for an ignore file": func(s *sandbox) { os.Symlink("../f", s.path("r/a/.gitignore")) },
		"an ignore file unreadable": func(s *sandbox) { s.write("r/a/.gitignore", ""); os.Chmod(s.path("r/a/.gitignore"), 0) },
		"a folder unreadable":       func(s *sandbox) { os.Chmod(s.path("r/a"), 0o100) },
		"the user's rules unreadable": func(s *sandbox) {
			s.write("home/.config/git/ignore", "")
			os.Chmod(s.path("home/.config/git/ignore"), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasSuffix(name, "unreadable") && os.Getuid() == 0 {
				t.Skip("root reads everything")
			}
			s := newSandbox(t)
			s.init("r")
			s.write("r/f", "")
			s.write("r/a/g", "")
			s.commit("r", "one")
			make(s)
			defer os.Chmod(s.path("r/a"), 0o755)
			_, diags, err := s.open("r").WorkTree(t.Context())
			if err != nil || len(diags) != 1 || !strings.HasPrefix(diags[0].Text, "git ls-files: ") {
				t.Errorf("diagnostics %v, error %v", diags, err)
			}
		})
	}
}

// BenchmarkUntracked lists a work tree of 5,000 files in 420 folders, without and
// with something untracked.
func BenchmarkUntracked(b *testing.B) {
	r := benchRepo(b, 5000)
	for _, n := range []int{0, 3, mostStrays + 1} {
		for i := range n {
			if err := os.WriteFile(fmt.Sprintf("%s/internal/p3/new%d", r.Dir(), i), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("strays=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := r.WorkTree(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
