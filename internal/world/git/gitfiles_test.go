package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// An index that is read here holds what git ls-files says of it, and one that
// needs more than its own file is left to git.
func TestIndexFile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	long := strings.Repeat("deep/", 12) + strings.Repeat("n", 200)
	for _, c := range []struct {
		name string
		do   [][]string
		left bool // to git
	}{
		{name: "version 2"},
		{name: "version 3", do: [][]string{{"add", "-N", "intended"}, {"update-index", "--skip-worktree", "a.txt"}, {"update-index", "--assume-unchanged", "b.txt"}}},
		{name: "version 4", do: [][]string{{"update-index", "--index-version", "4"}, {"add", "-N", "intended"}}},
		{name: "conflict", do: [][]string{{"checkout", "-q", "-b", "x"}, {"rm", "-q", "b.txt"}, {"commit", "-q", "-m", "x"}, {"checkout", "-q", "main"},
			{"-c", "core.editor=true", "commit", "-q", "--allow-empty", "-m", "y"}, {"mv", "b.txt", "c.txt"}, {"commit", "-q", "-m", "z"}, {"merge", "-q", "x"}}},
		{name: "extensions", do: [][]string{{"update-index", "--untracked-cache"}, {"status"}}},
		{name: "without a check sum", do: [][]string{{"config", "index.skipHash", "true"}, {"add", "intended"}}},
		{name: "split", do: [][]string{{"update-index", "--split-index"}, {"add", "intended"}}, left: true},
		{name: "sparse", do: [][]string{{"sparse-checkout", "set", "--cone", "--sparse-index", "other"}}, left: true},
	} {
		for _, format := range []Format{SHA1, SHA256} {
			t.Run(c.name+"/"+string(format), func(t *testing.T) {
				s := newSandbox(t)
				s.init("r", "--object-format="+string(format))
				s.git("r", "config", "core.longPaths", "true") // which Windows takes for the last name
				s.write("r/a.txt", "a\n")
				s.write("r/b.txt", "b\n")
				s.write("r/other/c", "c\n")
				s.write("r/more/c", "d\n")
				s.write("r/"+long, "long\n")
				s.write("r/line"+lineFeed()+"feed", "")
				s.commit("r", "all")
				s.write("r/intended", "i\n")
				for _, args := range c.do {
					s.tryGit("r", args...)
				}
				data, err := os.ReadFile(s.path("r/.git/index"))
				if err != nil {
					t.Fatal(err)
				}
				got, ok := decodeIndex(data, format)
				if ok == c.left {
					t.Fatalf("decodeIndex: %v, want %v", ok, !c.left)
				}
				r := s.open("r")
				var want []indexEntry
				_, err = r.run.stream(t.Context(), nil, maxListing, func(br *bufio.Reader) (err error) {
					want, err = parseIndex(br)
					return err
				}, "ls-files", "-z", "--stage", "--debug")
				if err != nil {
					t.Fatal(err)
				}
				listed, plain := r.readIndex()
				if !plain {
					if listed, err = r.askIndex(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				entries := cmp.AllowUnexported(indexEntry{}, stamp{})
				if diff := cmp.Diff(want, listed, entries); diff != "" {
					t.Errorf("the index differs from git ls-files (-git +here):\n%s", diff)
				}
				if !c.left {
					if diff := cmp.Diff(want, got, entries); diff != "" {
						t.Errorf("decodeIndex differs from git ls-files (-git +here):\n%s", diff)
					}
					for n := range data { // a torn file is git's to complain about
						if got, ok := decodeIndex(data[:n], format); ok && len(got) != len(want) {
							t.Fatalf("decodeIndex of the first %d bytes of %d: %d entries", n, len(data), len(got))
						}
					}
				}
			})
		}
	}
}

// Head says what git says, however the reference is stored and whatever it was
// before.
func TestHeadFile(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "1")
	first := s.commit("r", "first")
	s.write("r/a", "2")
	second := s.commit("r", "second")
	r := s.open("r")
	for _, step := range []struct {
		name string
		do   []string
		file bool // answered without git
	}{
		{"loose", nil, true},
		{"detached", []string{"checkout", "-q", "--detach", first}, true},
		{"back", []string{"checkout", "-q", "main"}, true},
		{"packed", []string{"pack-refs", "--all"}, true},
		{"packed, and loose again", []string{"reset", "-q", "--hard", first}, true},
		{"a branch that another one's name ends with", []string{"checkout", "-q", "-b", "x/main", second}, true},
		{"the shorter name", []string{"checkout", "-q", "main"}, true},
		{"symbolic", []string{"symbolic-ref", "refs/heads/alias", "refs/heads/x/main"}, true},
		{"by a symbolic one", []string{"symbolic-ref", "HEAD", "refs/heads/alias"}, false},
		{"elsewhere", []string{"symbolic-ref", "HEAD", "refs/tags/v1"}, false},
		{"unborn", []string{"symbolic-ref", "HEAD", "refs/heads/unborn"}, false},
		{"a linked work tree", []string{"worktree", "add", "-q", "../linked", first}, false},
	} {
		if step.do != nil {
			s.git("r", step.do...)
		}
		out, wantErr := s.command("r", "rev-parse", "--verify", "--quiet", "HEAD^{commit}").Output()
		want := strings.TrimSuffix(string(out), "\n")
		cold := s.open("r")
		for _, r := range []*Repo{r, r, cold, cold} {
			got, err := r.Head(t.Context())
			if got != want || (err == nil) != (wantErr == nil) {
				t.Errorf("%s: Head() = %s, %v, want %s, %v", step.name, got, err, want, wantErr)
			}
		}
		if got, _ := r.headFile(); (got != "") != step.file {
			t.Errorf("%s: headFile() = %q, want an answer: %v", step.name, got, step.file)
		}
	}
	if got, _ := s.open("linked").headFile(); got != first {
		t.Errorf("linked work tree: headFile() = %q, want %s", got, first)
	}
	// What is no plain file is left to git.
	for name, make := range map[string]func(head string) error{
		"link":   func(head string) error { return os.Symlink(s.path("elsewhere"), head) },
		"folder": func(head string) error { return os.Mkdir(head, 0o755) },
		"junk":   func(head string) error { return os.WriteFile(head, []byte("ref: refs/heads/../../x\n"), 0o644) },
	} {
		s.write("elsewhere", first+"\n")
		head := filepath.Join(s.path("r"), ".git", "HEAD")
		if err := os.RemoveAll(head); err != nil {
			t.Fatal(err)
		}
		if err := make(head); err != nil {
			t.Fatal(err)
		}
		if got, _ := r.headFile(); got != "" {
			t.Errorf("%s: headFile() = %q, want none", name, got)
		}
	}
}

// A commit and a tree count only if their files hold what their ids say. All others are
// left to git.
func TestLooseCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	formats(t, func(t *testing.T, s *sandbox, r *Repo) {
		commit := chain(t, r, 1, "")
		tree := s.git("r", "rev-parse", commit+"^{tree}")
		s.write("r/.git/refs/heads/main", commit+"\n")
		packed := func(text string) string {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			z.Write([]byte(text))
			z.Close()
			return b.String()
		}
		body := s.git("r", "cat-file", "commit", commit) + "\n"
		for _, id := range []string{commit, tree} {
			name := "r/.git/objects/" + id[:2] + "/" + id[2:]
			whole, err := os.ReadFile(s.path(name))
			must(t, err)
			if !r.looseCommit(commit) {
				t.Fatalf("looseCommit(%s) = false", commit)
			}
			for what, make := range map[string]func(){
				"nothing":        func() {},
				"half of it":     func() { s.write(name, string(whole[:len(whole)/2])) },
				"no zlib":        func() { s.write(name, "commit 1\x00x") },
				"another commit": func() { s.write(name, packed(fmt.Sprintf("commit %d\x00%s", len(body)+1, body+"x"))) },
				"another length": func() { s.write(name, packed(fmt.Sprintf("commit %d\x00%s", len(body)+1, body))) },
				"a blob":         func() { s.write(name, packed(fmt.Sprintf("blob %d\x00%s", len(body), body))) },
				"a bomb":         func() { s.write(name, packed("commit 2000000\x00"+strings.Repeat("x", 2_000_000))) },
				"a link":         func() { s.write("elsewhere", string(whole)); fsxtest.Link(t, s.path("elsewhere"), s.path(name)) },
				"a folder":       func() { s.mkdir(name) },
			} {
				must(t, os.RemoveAll(s.path(name)))
				make()
				if r.looseCommit(commit) {
					t.Errorf("looseCommit with %s for %s = true", what, id)
				}
				r.ForgetObjects()
				_, _, want := r.Resolve(t.Context(), "HEAD")
				r.lastHead.Store(nil)
				if got, err := r.Head(t.Context()); (got == commit) != (want == nil) {
					t.Errorf("Head with %s for %s = %q, %v; git says %v", what, id, got, err, want)
				}
			}
			must(t, os.RemoveAll(s.path(name)))
			s.write(name, string(whole))
		}
	})
}

// A reference is what git says, wherever it is stored.
func TestRefFile(t *testing.T) {
	formats(t, func(t *testing.T, s *sandbox, r *Repo) {
		a, b := chain(t, r, 1, ""), chain(t, r, 2, "")
		for _, step := range []struct {
			name string
			do   []string
			ref  string
			file bool // answered without git
		}{
			{"loose", []string{"update-ref", "refs/satchel/x", a}, "refs/satchel/x", true},
			{"packed", []string{"pack-refs", "--all"}, "refs/satchel/x", true},
			{"loose and packed", []string{"update-ref", "refs/satchel/x", b}, "refs/satchel/x", true},
			{"longer", []string{"update-ref", "refs/satchel/x/y", b}, "refs/satchel/x/y", false}, // refused
			{"symbolic", []string{"symbolic-ref", "refs/satchel/s", "refs/satchel/x"}, "refs/satchel/s", false},
			{"none", nil, "refs/satchel/none", false},
			{"a branch", []string{"update-ref", "refs/heads/b", b}, "refs/heads/b", true},
			{"a tag", []string{"update-ref", "refs/tags/t", b}, "refs/tags/t", false},
			{"of one work tree", []string{"update-ref", "refs/worktree/w", b}, "refs/worktree/w", false},
		} {
			if step.do != nil {
				s.tryGit("r", step.do...)
			}
			out, _ := s.command("r", "rev-parse", "--verify", "--quiet", step.ref).Output() // it fails if there is none
			if got, err := r.Ref(t.Context(), step.ref); got != strings.TrimSuffix(string(out), "\n") || err != nil {
				t.Errorf("%s: Ref() = %q, %v, want %q", step.name, got, err, out)
			}
			if got := r.refFile(step.ref); (got != "") != step.file {
				t.Errorf("%s: refFile() = %q, want an answer: %v", step.name, got, step.file)
			}
		}
	})
}

// Whatever decodeIndex accepts has entries of the file, within its bounds.
func FuzzDecodeIndex(f *testing.F) {
	plain, err := encodeIndex(SHA1, []TreeFile{
		{Path: "a", Mode: ModeFile, OID: blob1("a")}, {Path: "dir/b", Mode: modeExecutable, OID: blob1("b")},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	third := append([]byte(nil), plain...)
	binary.BigEndian.PutUint32(third[4:], 3)
	f.Add(third)
	fourth := append([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"), make([]byte, indexStat+20)...)
	f.Add(append(fourth, append([]byte("\x00\x01\x00a\x00TREE\x00\x00\x00\x00"), make([]byte, 20)...)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, ok := decodeIndex(data, SHA1)
		if !ok {
			return
		}
		if len(entries)*(indexStat+22) > len(data) {
			t.Fatalf("%d entries in %d bytes", len(entries), len(data))
		}
		for _, e := range entries {
			if e.path == "" || strings.Contains(e.path, "\x00") || len(e.oid) != 40 || e.stage < 0 || e.stage > 3 {
				t.Fatalf("entry %+v", e)
			}
		}
	})
}
