package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

func TestOpenErrors(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("plain")
	s.write("plain/file", "x")
	s.mkdir("badlink")
	s.write("badlink/.git", "gitdir: /nonexistent/\x1b[31m\n")
	s.mkdir("badfile")
	s.write("badfile/.git", "nonsense\n")
	s.init("badconfig")
	s.write("badconfig/.git/config", "[core\n")
	s.init("newformat")
	s.git("newformat", "config", "core.repositoryformatversion", "1")
	s.git("newformat", "config", "extensions.marvellous", "true")
	nonexistent := "nonexistent"
	if runtime.GOOS == "windows" {
		nonexistent = "" // git forgets to say it
	}
	for _, tc := range []struct {
		dir  string
		is   error  // errors.Is
		says string // part of the message
	}{
		{"plain", ErrNotRepository, "not a git repository"},
		{"absent", fs.ErrNotExist, "absent"},
		{"plain/file", errNotDir, "not a folder"},
		{"badlink", ErrNotRepository, nonexistent},
		{"badfile", nil, "invalid gitfile format"},
		{"badconfig", nil, "bad config line 1"},
		{"newformat", nil, "marvellous"},
	} {
		_, err := s.options().Open(t.Context(), s.path(tc.dir))
		if err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("Open(%s): %v, want %v with %q", tc.dir, err, tc.is, tc.says)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("Open(%s): error %q holds control characters", tc.dir, err)
		}
	}
}

// Without git, or with one that is too old, a plain folder is one all the same, and a
// repository is none.
func TestWithoutGit(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("plain/below")
	s.init("r")
	s.mkdir("r/below")
	s.git(".", "init", "-q", "--bare", "bare.git")
	s.mkdir("linked")
	s.write("linked/.git", "gitdir: ../r/.git\n")
	s.program("old/git", "#!/bin/sh\necho git version 2.20.1\n")
	for dir, repository := range map[string]bool{
		"plain": false, "plain/below": false, "r": true, "r/below": true, "r/.git": true, "bare.git": true, "bare.git/refs": true, "linked": true,
	} {
		o := &Options{Env: []string{"PATH=" + s.path("nothing"), "HOME=" + s.home}}
		_, err := o.Open(t.Context(), s.path(dir))
		want := ErrNotRepository
		if repository {
			want = ErrNoGit
		}
		if !errors.Is(err, want) {
			t.Errorf("Open(%s) without git: %v, want %v", dir, err, want)
		}
		if err := o.Usable(t.Context(), s.path(dir)); !errors.Is(err, ErrNoGit) {
			t.Errorf("Usable without git = %v", err)
		}
		o.Git = s.path("old/git")
		_, err = o.Open(t.Context(), s.path(dir))
		if _, old := errors.AsType[*VersionError](err); old != repository || !old && !errors.Is(err, ErrNotRepository) {
			t.Errorf("Open(%s) with an old git: %v", dir, err)
		}
	}
	if err := s.options().Usable(t.Context(), s.path("plain")); err != nil {
		t.Errorf("Usable = %v", err)
	}
	o := &Options{Env: []string{"PATH=" + s.path("old")}}
	if _, old := errors.AsType[*VersionError](o.Usable(t.Context(), s.path("plain"))); !old {
		t.Error("an old git is usable")
	}
	// What is asked of is what Open would start.
	o = &Options{Env: s.options().Env, Git: s.path("old/git")}
	if _, old := errors.AsType[*VersionError](o.Usable(t.Context(), s.path("plain"))); !old {
		t.Error("an old git that is not on PATH is usable")
	}
	o.Git = "git"
	_, opened := o.Open(t.Context(), s.path("r"))
	if err := o.Usable(t.Context(), s.path("r")); err == nil || opened == nil || err.Error() != opened.Error() {
		t.Errorf("a git without a folder: Usable = %v, Open = %v", err, opened)
	}
	t.Setenv("PATH", s.path("nothing"))
	if err := (*Options)(nil).Usable(t.Context(), s.path("plain")); !errors.Is(err, ErrNoGit) {
		t.Errorf("without options: Usable = %v", err)
	}
}

func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give a repository to someone else")
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "a\n")
	s.commit("r", "a")
	s.mkdir("bare")
	s.git("bare", "init", "-q", "--bare")
	for _, dir := range []string{"r", "bare"} {
		err := filepath.WalkDir(s.path(dir), func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, 65534, 65534))
		})
		if err != nil {
			t.Skipf("cannot change the owner: %v", err)
		}
	}
	for _, dir := range []string{"r", "bare"} {
		_, err := s.options().Open(t.Context(), s.path(dir))
		var owner *OwnerError
		if !errors.As(err, &owner) {
			t.Fatalf("Open(%s): %v, want an OwnerError", dir, err)
		}
		if owner.Dir != s.path(dir) || !strings.Contains(owner.Message, "safe.directory") {
			t.Errorf("OwnerError = %+v, want git's explanation", owner)
		}
	}
	// What a repository says about itself does not count, what the user says does.
	s.git("r", "-c", "safe.directory=*", "config", "safe.directory", "*")
	if _, err := s.options().Open(t.Context(), s.path("r")); err == nil {
		t.Error("a repository declared itself safe")
	}
	s.git("home", "config", "--global", "safe.directory", s.path("r"))
	s.git("r", "-c", "safe.directory=*", "config", "remote.origin.promisor", "true")
	r := s.open("r")
	if files, _, err := r.WorkTree(t.Context()); err != nil || len(files) != 1 || !r.partial {
		t.Errorf("WorkTree = %v, %v, want a.txt, and Partial = %v, want true", files, err, r.partial)
	}
}

func TestKindsOfRepository(t *testing.T) {
	s := newSandbox(t)
	s.init("main")
	s.write("main/a.txt", "a\n")
	s.write("main/d/b.txt", "b\n")
	first := s.commit("main", "first")
	s.write("main/a.txt", "a2\n")
	second := s.commit("main", "second")
	s.git("main", "worktree", "add", "-q", "--detach", s.path("linked"), first)
	s.git(".", "clone", "-q", "--bare", s.path("main"), "bare.git")
	s.git(".", "clone", "-q", "--depth=1", "file://"+s.path("main"), "shallow")
	s.git(".", "init", "-q", "-b", "main", "--separate-git-dir", s.path("separate.git"), "separate")
	s.write("separate/a.txt", "a2\n")
	s.commit("separate", "x")
	s.init("super")
	s.git("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("main"), "sub")
	s.commit("super", "add sub")
	newLine := "new" + lineFeed() + "line/r"
	s.mkdir(filepath.Dir(newLine))
	s.init(newLine)
	s.write(newLine+"/a.txt", "a2\n")
	s.commit(newLine, "x")

	for _, tc := range []struct {
		open, top, git, common string
		head                   string
		tree                   int // files
		revs                   int
		shallow                bool
	}{
		{"main/d", "main", "main/.git", "main/.git", second, 2, 2, false},
		{"linked", "linked", "main/.git/worktrees/linked", "main/.git", first, 2, 1, false},
		{"bare.git", "", "bare.git", "bare.git", second, 2, 2, false},
		{"shallow", "shallow", "shallow/.git", "shallow/.git", second, 2, 1, true},
		{"separate", "separate", "separate.git", "separate.git", "", 1, 1, false},
		{"super/sub", "super/sub", "super/.git/modules/sub", "super/.git/modules/sub", second, 2, 2, false},
		{newLine, newLine, newLine + "/.git", newLine + "/.git", "", 1, 1, false},
	} {
		t.Run(tc.open, func(t *testing.T) {
			ctx := t.Context()
			r := s.open(tc.open)
			want := tc.top
			if want != "" {
				want = s.path(want)
			}
			if r.Dir() != want || r.gitDir != s.path(tc.git) || r.CommonDir() != s.path(tc.common) || r.Shallow() != tc.shallow {
				t.Errorf("Dir, GitDir, CommonDir, Shallow = %q, %q, %q, %v", r.Dir(), r.gitDir, r.CommonDir(), r.Shallow())
			}
			head, err := r.Head(ctx)
			if err != nil || tc.head != "" && head != tc.head {
				t.Errorf("Head = %q, %v, want %q", head, err, tc.head)
			}
			tree, err := r.Tree(ctx, "HEAD")
			if err != nil || len(tree) != tc.tree {
				t.Errorf("Tree = %v, %v, want %d files", tree, err, tc.tree)
			}
			revs, err := r.RevList(ctx, "HEAD", 10)
			if err != nil || len(revs) != tc.revs {
				t.Errorf("RevList = %v, %v, want %d", revs, err, tc.revs)
			}
			n := 0
			if err := r.Log(ctx, revs, func(Commit) error { n++; return nil }); err != nil || n != tc.revs {
				t.Errorf("Log: %d commits, %v, want %d", n, err, tc.revs)
			}
			files, diags, err := r.WorkTree(ctx)
			if tc.top == "" {
				if !errors.Is(err, ErrNoWorkTree) {
					t.Errorf("WorkTree of a bare repository: %v", err)
				}
				if _, err := r.ReadFile("a.txt", 10); !errors.Is(err, ErrNoWorkTree) {
					t.Errorf("ReadFile of a bare repository: %v", err)
				}
			} else if err != nil || len(files) != tc.tree || len(diags) != 0 {
				t.Errorf("WorkTree = %v, %v, %v, want %d files", files, diags, err, tc.tree)
			}
		})
	}
	files, _, err := s.open("super").WorkTree(t.Context())
	want := []string{".gitmodules 100644 changed", "sub 160000 clean " + second}
	for i := range files { // whether .gitmodules is too young to be trusted does not matter here
		if files[i].Path == ".gitmodules" {
			files[i].Clean = false
		}
	}
	if d := cmp.Diff(summary(files), want); d != "" || err != nil {
		t.Errorf("WorkTree with a submodule: %v\n%s", err, d)
	}
}

func TestNoCommits(t *testing.T) {
	s := newSandbox(t)
	ctx := t.Context()
	s.init("empty")
	s.init("staged")
	s.write("staged/a.txt", "a\n")
	s.git("staged", "add", "a.txt")
	s.init("orphan")
	s.write("orphan/a.txt", "a\n")
	s.commit("orphan", "a")
	s.git("orphan", "checkout", "-q", "--orphan", "fresh")
	s.mkdir("bare")
	s.git("bare", "init", "-q", "--bare")
	for dir, files := range map[string]int{"empty": 0, "staged": 1, "orphan": 1, "bare": 0} {
		r := s.open(dir)
		if head, err := r.Head(ctx); !errors.Is(err, ErrUnborn) {
			t.Errorf("%s: Head = %q, %v, want ErrUnborn", dir, head, err)
		}
		branch, err := r.Branch(ctx)
		must(t, err)
		for _, rev := range []string{"HEAD", "@", "HEAD~2^{tree}", "HEAD:a.txt", branch, branch + "^", "heads/" + branch, "refs/heads/" + branch} {
			if _, _, err := r.Resolve(ctx, rev); !errors.Is(err, ErrUnborn) {
				t.Errorf("%s: Resolve(%s): %v, want ErrUnborn", dir, rev, err)
			}
		}
		for _, rev := range []string{"nowhere", "HEADS", "refs/heads", "@{upstream}", branch + "x", strings.Repeat("0", r.format.HexLen())} {
			var unknown *UnknownRevisionError
			if _, _, err := r.Resolve(ctx, rev); !errors.As(err, &unknown) {
				t.Errorf("%s: Resolve(%s): %v, want an UnknownRevisionError", dir, rev, err)
			}
		}
		if _, err := r.Tree(ctx, "HEAD"); !errors.Is(err, ErrUnborn) {
			t.Errorf("%s: Tree(HEAD): %v, want ErrUnborn", dir, err)
		}
		if _, err := r.RevList(ctx, "HEAD", 1); !errors.Is(err, ErrUnborn) {
			t.Errorf("%s: RevList(HEAD): %v, want ErrUnborn", dir, err)
		}
		if r.Dir() == "" {
			continue
		}
		got, diags, err := r.WorkTree(ctx)
		if len(got) != files || len(diags) != 0 || err != nil {
			t.Errorf("%s: WorkTree = %v, %v, %v, want %d files", dir, got, diags, err, files)
		}
	}
}

func TestResolve(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "a\n")
	first := s.commit("r", "first")
	s.git("r", "tag", "-a", "-m", "tag", "v1")
	s.git("r", "tag", "light")
	s.write("r/a.txt", "b\n")
	second := s.commit("r", "second")
	tree := func(c string) string { return s.git("r", "rev-parse", c+"^{tree}") }
	r := s.open("r")
	for _, tc := range []struct{ rev, commit string }{
		{"HEAD", second}, {"main", second}, {"refs/heads/main", second}, {"v1", first}, {"light", first},
		{"HEAD~1", first}, {first, first}, {first[:10], first}, {"v1^{commit}", first}, {"@", second}, {"HEAD^{/first}", first},
	} {
		commit, gotTree, err := r.Resolve(t.Context(), tc.rev)
		if commit != tc.commit || gotTree != tree(tc.commit) || err != nil {
			t.Errorf("Resolve(%q) = %q, %q, %v, want %q", tc.rev, commit, gotTree, err, tc.commit)
		}
	}
	if commit, got, err := r.Resolve(t.Context(), "HEAD^{tree}"); commit != "" || got != tree("HEAD") || err != nil {
		t.Errorf("Resolve(HEAD^{tree}) = %q, %q, %v", commit, got, err)
	}
	for _, rev := range []string{"nope", "HEAD:a.txt", "HEAD~5", strings.Repeat("0", 40), strings.Repeat("x", 5000)} {
		var unknown *UnknownRevisionError
		if commit, _, err := r.Resolve(t.Context(), rev); !errors.As(err, &unknown) {
			t.Errorf("Resolve(%.50q) = %q, %v, want an UnknownRevisionError", rev, commit, err)
		}
	}
}

func TestPartialClone(t *testing.T) {
	for _, format := range []Format{SHA1, SHA256} {
		t.Run(string(format), func(t *testing.T) {
			s := newSandbox(t)
			s.init("origin", "--object-format="+string(format))
			s.write("origin/a.txt", "old\n")
			s.write("origin/.gitattributes", "*.txt linguist-generated\n")
			first := s.commit("origin", "first")
			s.write("origin/a.txt", "new\n")
			s.commit("origin", "second")
			s.git("origin", "config", "uploadpack.allowFilter", "true")
			s.git(".", "clone", "-q", "--filter=blob:none", "file://"+s.path("origin"), "r")
			// Any attempt to fetch would now be seen: as a hang, or as a success.
			r := s.open("r")
			ctx := t.Context()
			if !r.partial {
				t.Error("Partial = false")
			}
			o := r.Objects(ctx)
			defer o.Close()
			gone := BlobID(format, []byte("old\n"))
			if data, err := o.Read(gone, 100); !errors.Is(err, ErrMissing) {
				t.Errorf("Read of a blob that was not cloned = %q, %v, want ErrMissing", data, err)
			}
			if data, err := o.Read(BlobID(format, []byte("new\n")), 100); string(data) != "new\n" || err != nil {
				t.Errorf("Read of a blob that was cloned = %q, %v", data, err)
			}
			tree, err := r.Tree(ctx, first)
			if err != nil || len(tree) != 2 || tree[1].Size != -1 || tree[0].Size != 25 {
				t.Errorf("Tree = %v, %v, want a.txt of unknown size", tree, err)
			}
			n := 0
			if err := r.LogFrom(ctx, "HEAD", 0, func(Commit) error { n++; return nil }); n != 2 || err != nil {
				t.Errorf("LogFrom: %d commits, %v, want 2", n, err)
			}
			var unknown *UnknownRevisionError
			if _, _, err := r.Resolve(ctx, strings.Repeat("1", format.HexLen())); !errors.As(err, &unknown) {
				t.Errorf("Resolve of an object that is not there: %v, want an UnknownRevisionError", err)
			}
		})
	}
}

// A clone without trees knows its commits, but not what they changed.
func TestTreelessClone(t *testing.T) {
	s := newSandbox(t)
	s.init("origin")
	for _, text := range []string{"1\n", "2\n", "3\n", "4\n"} {
		s.write("origin/d/a.txt", text)
		s.commit("origin", text)
	}
	s.git("origin", "config", "uploadpack.allowFilter", "true")
	s.git(".", "clone", "-q", "--filter=tree:0", "--depth=3", "file://"+s.path("origin"), "r")
	o := s.options()
	o.extraEnv = []string{"GIT_TRACE2_EVENT=" + s.path("trace")}
	r, err := o.Open(t.Context(), s.path("r"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	revs, err := r.RevList(t.Context(), "HEAD", 0)
	if len(revs) != 3 || err != nil {
		t.Errorf("RevList = %v, %v, want three", revs, err)
	}
	var got []Commit
	err = r.LogFrom(t.Context(), "HEAD", 0, func(c Commit) error { got = append(got, c); return nil })
	if err == nil {
		t.Errorf("LogFrom = %v without trees", got)
	}
	if _, err := r.Tree(t.Context(), "HEAD~1"); !errors.Is(err, ErrMissing) {
		t.Errorf("Tree(HEAD~1): %v, want ErrMissing", err)
	}
	s.write("r/new", "") // what git is asked about
	if files, _, err := r.WorkTree(t.Context()); len(files) != 2 || err != nil {
		t.Errorf("WorkTree = %v, %v", files, err)
	}
	text, err := os.ReadFile(s.path("trace"))
	if err != nil || !strings.Contains(string(text), `"ls-files"`) {
		t.Fatalf("no trace: %v", err)
	}
	if strings.Contains(string(text), `"child_start"`) {
		t.Error("git started a child")
	}
}

// A missing blob costs a partial clone nothing: git before 2.45 would start a
// child for each, or die.
func TestPartialCloneStartsNoFetch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := newSandbox(t)
	s.init("r")
	var ids []string
	for i := range 300 {
		s.write(fmt.Sprintf("r/f%d.txt", i), fmt.Sprintln(i))
		ids = append(ids, BlobID(SHA1, fmt.Appendln(nil, i)))
	}
	s.commit("r", "all")
	for _, id := range ids {
		s.loseID("r", id)
	}
	s.git("r", "config", "extensions.partialClone", "origin")
	s.git("r", "config", "remote.origin.promisor", "true")
	s.git("r", "config", "remote.origin.url", "file://"+s.path("nowhere"))
	trace := s.path("trace")
	r := s.open("r")
	r.run.env = append(r.run.env, "GIT_TRACE2_EVENT="+trace)
	o := r.Objects(t.Context())
	missing := 0
	err := o.ReadAll(ids, func(_ int, _ []byte, err error) {
		if errors.Is(err, ErrMissing) {
			missing++
		}
	})
	o.Close()
	if missing != len(ids) || err != nil {
		t.Errorf("ReadAll: %d missing, %v, want %d", missing, err, len(ids))
	}
	tree, err := r.Tree(t.Context(), "HEAD")
	if err != nil || len(tree) != len(ids) {
		t.Errorf("Tree: %d files, %v", len(tree), err)
	}
	text, err := os.ReadFile(trace)
	if err != nil || !strings.Contains(string(text), `"cat-file"`) {
		t.Fatalf("no trace: %v", err)
	}
	if strings.Contains(string(text), "child_start") {
		t.Error("git started a child")
	}
}

func TestDamagedRepository(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "a\n")
	s.write("r/b.txt", "b\n")
	s.commit("r", "first")
	damage := func(name string) {
		t.Helper()
		id := s.git("r", "rev-parse", name)
		file := s.path("r/.git/objects/" + id[:2] + "/" + id[2:])
		if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, []byte("\x78\x01nonsense"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	damage("HEAD:a.txt")
	r := s.open("r")
	o := r.Objects(t.Context())
	defer o.Close()
	a, b := BlobID(SHA1, []byte("a\n")), BlobID(SHA1, []byte("b\n"))
	var got []string
	err := o.ReadAll([]string{b, a, b, a, b}, func(_ int, data []byte, err error) {
		if err != nil {
			got = append(got, "error")
		} else {
			got = append(got, string(data))
		}
	})
	if d := cmp.Diff(got, []string{"b\n", "error", "b\n", "error", "b\n"}); d != "" || err != nil {
		t.Errorf("ReadAll of damaged objects: %v\n%s", err, d)
	}
	if _, err := o.Read(a, 100); err == nil {
		t.Error("Read of a damaged object succeeded")
	}
	if data, err := o.Read(b, 100); string(data) != "b\n" || err != nil {
		t.Errorf("Read after a damaged object = %q, %v", data, err)
	}
	damage("HEAD^{tree}")
	if _, err := r.Tree(t.Context(), "HEAD"); err == nil {
		t.Error("Tree of a damaged tree succeeded")
	}
	if err := r.LogFrom(t.Context(), "HEAD", 0, func(Commit) error { return nil }); err == nil {
		t.Error("LogFrom over a damaged tree succeeded")
	}
	damage("HEAD")
	if head, err := r.Head(t.Context()); err == nil || errors.Is(err, ErrUnborn) {
		t.Errorf("Head of a damaged commit = %q, %v", head, err)
	}
	if err := os.WriteFile(s.path("r/.git/index"), []byte("DIRC nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.WorkTree(t.Context()); err == nil {
		t.Error("WorkTree with a damaged index succeeded")
	}
}

func TestFindGit(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	for _, dir := range []string{"r", "r/tools", "outside", "r/sub"} {
		s.write(dir+"/"+programName, "#!/bin/sh\n")
		if err := os.Chmod(s.path(dir+"/"+programName), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shortcut := "shortcut"
	if err := fsxtest.Symlink(s.path("r/tools"), s.path(shortcut)); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		shortcut = "r/tools"
	}
	s.mkdir("nothing")
	s.mkdir("notexec")
	if executableBits {
		s.write("notexec/git", "x")
	}
	for _, tc := range []struct{ path, dir, want string }{
		{"outside", "r", "outside"},
		{"r:r/tools:outside", "r", "outside"},
		{"r/tools:outside", "r/sub", "outside"}, // above the folder, but in the repository
		{shortcut + ":outside", "r", "outside"},
		{"nothing:notexec:outside", "r", "outside"},
		{"r/tools", "r", ""},
		{"", "r", ""},
	} {
		var list []string
		for _, p := range strings.Split(tc.path, ":") {
			if p != "" {
				list = append(list, s.path(p))
			}
		}
		list = append([]string{"", ".", "outside"}, list...) // relative ones do not count
		got, err := findGit(strings.Join(list, string(filepath.ListSeparator)), s.path(tc.dir))
		want := tc.want
		if want != "" {
			want = filepath.Join(s.path(want), programName)
		}
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrNoGit) {
			t.Errorf("findGit(%q, %s) = %q, %v, want %q", tc.path, tc.dir, got, err, want)
		}
	}
}

func TestOldGit(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	for text, ok := range map[string]bool{
		"git version 2.36.0": true, "git version 2.39.5 (Apple Git-154)": true, "git version 3.0.0-rc1": true,
		"git version 2.35.8": false, "git version 1.9.1": false, "hello": false,
	} {
		if v, _ := parseVersion([]byte(text + "\n")); v.atLeast(minMajor, minMinor) != ok {
			t.Errorf("parseVersion(%q) = %v", text, v)
		}
	}
	s.program("old/git", "#!/bin/sh\necho git version 2.20.1\n")
	o := s.options()
	o.Git = s.path("old/git")
	_, err := o.Open(t.Context(), s.path("r"))
	var old *VersionError
	if !errors.As(err, &old) || !strings.Contains(err.Error(), "2.20.1, need 2.36") {
		t.Errorf("Open with git 2.20.1: %v, want a VersionError", err)
	}
}

// A FIFO is not waited for, wherever git looks for a file.
func TestFIFOWhereGitReads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, name := range []string{".gitignore", "d/.gitignore", ".git/info/exclude", ".git/index", ".git/HEAD", ".git/packed-refs", ".git/config"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.init("r")
			s.write("r/d/a", "a\n")
			s.commit("r", "a")
			os.Remove(s.path("r/" + name))
			fsxtest.Fifo(t, s.path("r/"+name))
			o := s.options()
			o.Timeout = 300 * time.Millisecond
			r, err := o.Open(t.Context(), s.path("r"))
			if err != nil {
				return
			}
			defer r.Close()
			_, err = r.Head(t.Context())
			if _, _, listErr := r.WorkTree(t.Context()); err == nil && listErr == nil {
				t.Errorf("neither Head nor WorkTree noticed")
			}
		})
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "a\n")
	s.commit("r", "a")
	r := s.open("r")
	r.run.timeout = 300 * time.Millisecond
	id := blob1("a\n")
	s.loseID("r", id)
	fsxtest.Fifo(t, s.path("r/.git/objects/"+id[:2]+"/"+id[2:]))
	o := r.Objects(t.Context())
	defer o.Close()
	if _, err := o.Read(id, 10); err == nil || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("Read of an object that is a FIFO: %v", err)
	}
}

// A git that hangs ends with the context, and with the time limit.
func TestHangingGit(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("slow/git", "#!/bin/sh\nexec sleep 100\n")
	if err := os.Chmod(s.path("slow/git"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Git = s.path("slow/git")
	o.Timeout = 50 * time.Millisecond
	if _, err := o.Open(t.Context(), s.path("r")); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("Open with a hanging git: %v", err)
	}
	r := s.open("r")
	r.run.git = o.Git
	r.run.timeout = o.Timeout
	if err := r.LogFrom(t.Context(), strings.Repeat("1", 40), 0, nil); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("LogFrom with a hanging git: %v", err)
	}
	objects := r.Objects(t.Context())
	if _, err := objects.Read(strings.Repeat("1", 40), 1); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("Read with a hanging git: %v", err)
	}
	objects.Close()
	r.run.timeout = time.Hour
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	objects = r.Objects(ctx)
	for name, call := range map[string]func() error{
		"WorkTree": func() error { _, _, err := r.WorkTree(ctx); return err },
		"Tree":     func() error { _, err := r.Tree(ctx, "HEAD"); return err },
		"Resolve":  func() error { _, _, err := r.Resolve(ctx, "HEAD"); return err },
		"LogFrom": func() error {
			return r.LogFrom(ctx, strings.Repeat("1", 40), 0, func(Commit) error { return nil })
		},
		"Read":    func() error { _, err := objects.Read(strings.Repeat("1", 40), 1); return err },
		"ReadAll": func() error { return objects.ReadAll([]string{strings.Repeat("1", 40)}, func(int, []byte, error) {}) },
	} {
		done := make(chan error)
		go func() { done <- call() }()
		select {
		case err := <-done:
			t.Errorf("%s with a hanging git: %v before the context ended", name, err)
		default:
		}
		cancel(why)
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("%s after the context ended: %v, want its cause", name, err)
		}
		ctx, cancel = context.WithCancelCause(t.Context())
		objects = r.Objects(ctx)
	}
	cancel(nil)
}
