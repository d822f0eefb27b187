package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// everyDiff are comparisons of every kind.
var everyDiff = []DiffSpec{
	{}, {Source: SourceStaged}, {Source: sourceUnstaged}, {Source: SourceWorkTree}, {Source: sourceUntracked},
	{Rev: "HEAD"}, {Commit: "HEAD"}, {Rev: "HEAD~..HEAD"}, {Rev: "HEAD~...HEAD"}, {Base: "HEAD~"}, {From: "HEAD~"}, {Commit: "stash"},
}

// TestDiffWritesNothing compares in every way and looks for traces: in the
// repository, and in the temporary folder, also if the context ends.
func TestDiffWritesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := newSandbox(t)
	tmp := s.mkdir("tmp")
	t.Setenv("TMPDIR", tmp)
	s.init("r")
	s.write("r/a.txt", "1\n")
	s.write("r/.gitattributes", "*.txt text\n")
	s.commit("r", "1")
	s.write("r/a.txt", "2\n")
	s.commit("r", "2")
	s.write("r/a.txt", "3\r\n")
	s.write("r/b/new.txt", "4\n")
	r := s.open("r")
	before := snapshotOf(t, s.path("r"))
	for _, spec := range everyDiff {
		if _, err := r.Diff(t.Context(), spec); err != nil && spec.Commit != "stash" {
			t.Errorf("%+v: %v", spec, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		spec.Want = func(*change.File) bool { cancel(stop); return true }
		if _, err := r.Diff(ctx, spec); err != nil && !errors.Is(err, stop) && spec.Commit != "stash" {
			t.Errorf("%+v: cancelled: %v", spec, err)
		}
		ctx, cancel2 := context.WithCancel(t.Context())
		cancel2()
		if _, err := r.Diff(ctx, spec); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: cancelled before: %v", spec, err)
		}
	}
	if after := snapshotOf(t, s.path("r")); after != before {
		t.Errorf("the repository changed:\n%s\nwas\n%s", after, before)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}

// snapshotOf lists all files below dir with their sizes and times.
func snapshotOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + fi.ModTime().String() + " " + fi.Mode().String() + "\n")
		return nil
	}))
	return b.String()
}

func TestDiffErrors(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "1\n")
	first := s.commit("r", "1")
	s.git("r", "checkout", "-q", "--orphan", "other")
	s.write("r/a.txt", "2\n")
	s.commit("r", "2")
	s.init("empty")
	s.git("r", "clone", "-q", "--bare", ".", s.path("bare"))
	ctx := t.Context()
	r, empty, bare := s.open("r"), s.open("empty"), s.open("bare")

	var unknown *UnknownRevisionError
	for _, spec := range []DiffSpec{{Rev: "nope"}, {Commit: "nope"}, {Rev: "nope..HEAD"}, {Rev: "HEAD...nope"}, {Rev: "..nope"}, {Base: "nope"}, {From: "nope"},
		{From: "HEAD", To: "nope"}, {Commit: "stash@{3}"}, {Commit: "HEAD^{tree}"}, {Rev: "HEAD~5"}, {Rev: "--output=x"}, {Rev: "HEAD..--output=x"},
		{Rev: strings.Repeat("1", 40)}, {Rev: strings.Repeat("1", 40) + "..HEAD"}} {
		if _, err := r.Diff(ctx, spec); !errors.As(err, &unknown) {
			t.Errorf("%+v: %v, want an UnknownRevisionError", spec, err)
		}
	}
	var none *noMergeBaseError
	for _, spec := range []DiffSpec{{Rev: "main...other"}, {Base: "main"}} {
		if _, err := r.Diff(ctx, spec); !errors.As(err, &none) || none.A != "main" || none.Shallow {
			t.Errorf("%+v: %v, want a NoMergeBaseError", spec, err)
		}
	}
	if _, err := r.Diff(ctx, DiffSpec{To: "HEAD"}); !errors.Is(err, ErrToWithoutFrom) {
		t.Errorf("to without from: %v", err)
	}
	for _, spec := range []DiffSpec{{Rev: "HEAD", Base: "main"}, {Source: "nonsense"}, {Source: SourceStaged, From: "HEAD"}} {
		if _, err := r.Diff(ctx, spec); err == nil {
			t.Errorf("%+v: no error", spec)
		}
	}
	for _, spec := range everyDiff[:5] {
		if _, err := bare.Diff(ctx, spec); !errors.Is(err, ErrNoWorkTree) {
			t.Errorf("bare, %+v: %v, want ErrNoWorkTree", spec, err)
		}
		if set, err := empty.Diff(ctx, spec); err != nil || len(set.Files) != 0 {
			t.Errorf("empty, %+v: %v, %v", spec, set, err)
		}
	}
	if set, err := bare.Diff(ctx, DiffSpec{Commit: first}); err != nil || len(set.Files) != 1 {
		t.Errorf("bare: %v, %v", set, err)
	}
	for _, spec := range []DiffSpec{{Commit: "HEAD"}, {Rev: "HEAD~"}, {Base: "HEAD"}, {Rev: "HEAD~..HEAD"}, {Source: SourceAmend}} {
		if _, err := empty.Diff(ctx, spec); !errors.Is(err, ErrUnborn) {
			t.Errorf("empty, %+v: %v, want ErrUnborn", spec, err)
		}
	}
	s.write("empty/a.txt", "1\n")
	s.git("empty", "add", "a.txt")
	s.write("empty/a.txt", "2\n")
	for _, rev := range []string{"HEAD", "@"} {
		if set, err := empty.Diff(ctx, DiffSpec{Rev: rev}); err != nil || strings.Join(describe(set), " ") != "added a.txt 100644 +1" || set.From != "" {
			t.Errorf("empty, %s: %v, %v", rev, set, err)
		}
	}
	if set, err := r.Diff(ctx, DiffSpec{From: "main^{tree}", To: "other^{tree}"}); err != nil || len(set.Files) != 1 || set.From != "" {
		t.Errorf("trees: %v, %v", set, err)
	}
}

// TestDiffElsewhere compares in linked work trees, submodules and shallow clones.
func TestDiffElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "1\n")
	s.commit("r", "1")
	s.write("r/a.txt", "2\n")
	s.commit("r", "2")
	s.git("r", "worktree", "add", "-q", s.path("linked"))
	s.git("r", "clone", "-q", "--depth", "1", "file://"+s.path("r"), s.path("shallow"))
	odd := "co:lon \"q"
	if runtime.GOOS == "windows" {
		odd = "co;lon 'q"
	}
	s.git("r", "clone", "-q", "--reference", s.path("r"), "file://"+s.path("r"), s.path(odd))
	for _, dir := range []string{"r", "linked", "shallow", odd} {
		s.write(dir+"/a.txt", "3\n")
		s.git(dir, "add", "a.txt")
		s.write(dir+"/a.txt", "4\n")
		x := &diffScript{s: s, dir: dir}
		for _, line := range []string{"diff staged\nX\nlaw --cached", "diff unstaged\nX\nlaw", "diff worktree\nX\nlaw HEAD"} {
			x.run(strings.ReplaceAll(line, "X", "modified a.txt 100644 100644 +1 -1"))
		}
	}
	x := &diffScript{s: s, dir: "shallow"}
	x.run("diff HEAD^!\nadded a.txt 100644 +1\nnote : compared with nothing: the commit has no parent in this clone")
	if _, err := s.open("shallow").Diff(t.Context(), DiffSpec{Commit: "HEAD~"}); err == nil {
		t.Error("HEAD~ of a shallow clone: no error")
	}
}

// TestDiffWithoutObjects compares what a damaged or partial clone still has.
func TestDiffWithoutObjects(t *testing.T) {
	s := newSandbox(t)
	for _, partial := range []bool{false, true} {
		dir := map[bool]string{false: "damaged", true: "partial"}[partial]
		s.init(dir)
		s.write(dir+"/a.txt", "1\n")
		s.write(dir+"/b.txt", "1\n2\n3\n")
		s.commit(dir, "1")
		s.write(dir+"/a.txt", "2\n")
		s.write(dir+"/b.txt", "1\n2\n4\n")
		s.commit(dir, "2")
		s.lose(dir, "HEAD:a.txt")
		if partial {
			s.git(dir, "config", "core.repositoryformatversion", "1")
			s.git(dir, "config", "extensions.partialClone", "origin")
			s.git(dir, "config", "remote.origin.promisor", "true")
			s.git(dir, "config", "remote.origin.url", "ext::false")
		}
		x := &diffScript{s: s, dir: dir}
		x.run("diff HEAD^!\nmodified a.txt 100644 100644 +1 -1\nmodified b.txt 100644 100644 +1 -1") // a.txt is on disk
		s.write(dir+"/b.txt", "5\n")
		x.run("diff worktree\nmodified b.txt 100644 100644 +1 -3")
		s.write(dir+"/a.txt", "3\n")
		get := "git fetch --refetch"
		if partial {
			get = "git diff --stat " + s.git(dir, "rev-parse", "HEAD~") + " " + s.git(dir, "rev-parse", "HEAD")
		}
		x.run("diff HEAD^!\nmodified a.txt 100644 100644 unread\nmodified b.txt 100644 100644 +1 -1\nnote a.txt: " + satchel.WhyMissing + "\nnote : objects are missing: " + get + " fetches them")
		s.lose(dir, "HEAD~^{tree}")
		if _, err := s.open(dir).Diff(t.Context(), DiffSpec{Commit: "HEAD"}); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %v, want ErrMissing", dir, err)
		}
	}
}

// TestDiffUnread marks exactly the files whose change cannot be known.
func TestDiffUnread(t *testing.T) {
	s := newSandbox(t)
	for i, tt := range []struct{ do, lose, want string }{
		{"write a old\\n\ncommit 1\nwrite a new\\n\ncommit 2", "HEAD~:a", "modified a 100644 100644 unread  new|"},
		{"write a old\\n\ncommit 1\nwrite a +new\\nend\ncommit 2", "HEAD~:a", "modified a 100644 100644 unread  +new| end|\\ No newline at end of file|"},
		{"write a old\\n\ncommit 1\nwrite a new\\n\ncommit 2\nwrite a else\\n", "HEAD:a", "modified a 100644 100644 unread"},
		{"write a old\\n\ncommit 1\nwrite a new\\n\ncommit 2\nwrite a old\\n", "HEAD~:a", "modified a 100644 100644 +1 -1"},
		{"write a old\\n\ncommit 1\nwrite a new\\n\ncommit 2\nwrite a else\\n", "HEAD~:a HEAD:a", "modified a 100644 100644 unread"},
		{"write a old\\n\ncommit 1\nwrite b \\x00\nrm a\ncommit 2", "HEAD~:a", "deleted a 100644 unread\nadded b 100644 binary"},
		{"write a old\\n\ncommit 1\nwrite b new\\n\ncommit 2\nrm b", "HEAD:b", "added b 100644 unread"},
		{"write a old\\n\nwrite empty \ncommit 1\nwrite a \\x00\nwrite void \ncommit 2", "HEAD~:a", "modified a 100644 100644 binary unread\nadded void 100644"},
		{"write a old\\n\ncommit 1\nwrite a \ncommit 2", "HEAD~:a", "modified a 100644 100644 unread"},
		{"write a old\\n\ncommit 1\ngit mv a b\ncommit 2\nwrite b else\\n", "HEAD:b", "renamed b from a 100% 100644 100644"},
		{"write b old\\n\ncommit 1\ngit mv b a\ncommit 2\nwrite a else\\n", "HEAD:a", "renamed a from b 100% 100644 100644"},
		{"write a old\\n\ncommit 1\nexec a\ncommit 2\nwrite a else\\n", "HEAD:a", "modified a 100644 100755"},
		{"write a old\ncommit 1\nrm a\nlink a old\ncommit 2", "HEAD:a", "type changed a 100644 120000 unread"},
		{"write a old\\n\ncommit 1\nrm a\nlink a x\ncommit 2", "HEAD~:a", "type changed a 100644 120000 unread"},
	} {
		dir := fmt.Sprint(i)
		s.init(dir)
		x := &diffScript{s: s, dir: dir}
		x.run(tt.do)
		for name := range strings.FieldsSeq(tt.lose) {
			s.lose(dir, name)
		}
		got := strings.Join(slices.DeleteFunc(describe(x.diff(DiffSpec{Commit: "HEAD"})), func(line string) bool { return strings.HasPrefix(line, "note ") }), "\n")
		if got != tt.want {
			t.Errorf("%q without %s: got\n%s\nwant\n%s", tt.do, tt.lose, got, tt.want)
		}
		if text := fmt.Sprintf("%+v", x.diff(DiffSpec{Commit: "HEAD"})); strings.Contains(text, os.TempDir()) {
			t.Errorf("%q without %s: a stand-in is shown:\n%s", tt.do, tt.lose, text)
		}
	}
}

// TestDiffLarge compares files of absurd sizes, none of which is held.
func TestDiffLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	s := newSandbox(t)
	s.init("r")
	s.git("r", "config", "core.compression", "0")           // which is slow and changes nothing here
	line := bytes.Repeat([]byte(`{"key":"value"},`), 1<<16) // 1 MiB
	s.write("r/one.json", string(bytes.Repeat(line, 6)))
	s.write("r/huge.json", string(bytes.Repeat(line, 20)))
	s.write("r/sparse.bin", "x")
	s.write("r/small.txt", "1\n")
	s.commit("r", "1")
	s.write("r/one.json", string(bytes.Repeat(line, 6))+"\n")
	s.write("r/huge.json", string(bytes.Repeat(line, 20))+"\n")
	must(t, os.Truncate(s.path("r/sparse.bin"), 10<<30))
	s.write("r/small.txt", "2\n")
	r := s.open("r")
	set, err := r.Diff(t.Context(), DiffSpec{Source: SourceWorkTree})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"modified huge.json 100644 100644 unread",
		"modified one.json 100644 100644 +1 -1 elided 12582956",
		"modified small.txt 100644 100644 +1 -1",
		"modified sparse.bin 100644 100644 unread",
		"note huge.json: too large: 20971521 bytes, too many to compare lines (limit 16777216)",
		"note sparse.bin: too large: 10737418240 bytes, too many to compare lines (limit 16777216)"}, "\n")
	if got := strings.Join(describe(set), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	os.Remove(s.path("r/sparse.bin"))
	s.commit("r", "2")
	set, err = r.Diff(t.Context(), DiffSpec{Commit: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	want = strings.Join([]string{
		"modified huge.json 100644 100644 unread",
		"modified one.json 100644 100644 +1 -1 elided 12582956",
		"modified small.txt 100644 100644 +1 -1",
		"deleted sparse.bin 100644 -1",
		"note huge.json: too large: 20971520 bytes, too many to compare lines (limit 16777216)"}, "\n")
	if got := strings.Join(describe(set), "\n"); got != want {
		t.Errorf("committed: got\n%s\nwant\n%s", got, want)
	}
}

// TestDiffKeep drops patches that are not wanted or too large, and counts them
// all the same.
func TestDiffKeep(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	x := &diffScript{s: s, dir: "r"}
	x.run("lines a.go 10\nlines b.go 200\nlines d.lock 10\nlines old.lock 10\ncommit 1\nlines a.go 12\nlines b.go 1\nlines c.go 3\nlines d.lock 20\nrm old.lock\nlink e.lock x\ncommit 2")
	r := s.open("r")
	var asked []string
	set, err := r.Diff(t.Context(), DiffSpec{Commit: "HEAD", Keep: Keep{MaxPatch: 2000, Want: func(f *change.File) bool {
		asked = append(asked, string(f.Status)+" "+f.Path)
		return !strings.HasSuffix(f.Path, ".lock")
	}}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Diff(t.Context(), DiffSpec{Commit: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(describe(set), "\n")
	want := fmt.Sprintf("modified a.go 100644 100644 +2\nmodified b.go 100644 100644 -199 elided %d\nadded c.go 100644 +3\n"+
		"modified d.lock 100644 100644 +10 elided %d\nadded e.lock 120000 +1 elided %d\ndeleted old.lock 100644 -10 elided %d",
		hunkBytes(all, 1), hunkBytes(all, 3), hunkBytes(all, 4), hunkBytes(all, 5))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := strings.Join(asked, ", "), "modified a.go, modified b.go, added c.go, modified d.lock, added e.lock, deleted old.lock"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	for _, f := range set.Files {
		if f.Elided > 0 && (len(f.Hunks) > 0 || strings.Contains(f.Header, "@@")) {
			t.Errorf("%s: held all the same", f.Path)
		}
	}
	set, err = r.Diff(t.Context(), DiffSpec{Commit: "HEAD", Keep: Keep{MaxTotal: 1500}})
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			held += len(h.Body)
		}
	}
	if n := len(set.Diagnostics); held > 1500 || held == 0 || n != 1 {
		t.Errorf("%d bytes held, diagnostics %v", held, set.Diagnostics)
	}
}

// hunkBytes is the length of the i-th file's patch without its header.
func hunkBytes(set *change.Set, i int) int {
	return len(set.Files[i].AppendPatch(nil)) - len(set.Files[i].Header)
}

// TestDiffSubmoduleElsewhere makes sure that a submodule whose .git leads to
// another repository does not lend its commit.
func TestDiffSubmoduleElsewhere(t *testing.T) {
	s := newSandbox(t)
	s.init("other")
	other := s.commit("other", "secret")
	s.init("r")
	s.write("r/a.txt", "1\n")
	s.git("r", "update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,m")
	s.git("r", "add", "a.txt")
	s.git("r", "commit", "-q", "-m", "1")
	check := func(what string) {
		t.Helper()
		set, err := s.open("r").Diff(t.Context(), DiffSpec{Source: SourceWorkTree})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(patchOf(set)); strings.Contains(text, other) {
			t.Errorf("%s: the commit of another repository is shown:\n%s", what, text)
		}
	}
	s.mkdir("r/m")
	fsxtest.Link(t, s.path("other/.git"), s.path("r/m/.git"))
	s.git("other", "config", "core.worktree", s.path("other"))
	check(".git is a link")
	must(t, os.RemoveAll(s.path("r/m")))
	fsxtest.Link(t, s.path("other"), s.path("r/m"))
	check("the submodule is a link")
	must(t, os.Remove(s.path("r/m")))
	s.write("r/m/.git", "gitdir: /nonexistent\n")
	check(".git leads nowhere")
}

// TestDiffNotes sums up what would be said about too many files.
func TestDiffDiagnostics(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	for i := range 30 {
		s.write(fmt.Sprintf("r/%02d", i), fmt.Sprint(i))
	}
	s.commit("r", "1")
	for i := range 30 {
		s.lose("r", fmt.Sprintf("HEAD:%02d", i))
		s.write(fmt.Sprintf("r/%02d", i), "x")
	}
	set, err := s.open("r").Diff(t.Context(), DiffSpec{Commit: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(set.Diagnostics); len(set.Files) != 30 || n != maxAlike+2 || set.Diagnostics[n-1].Text != "object missing: 10 more files" {
		t.Errorf("%d files, %d notes, the last %v", len(set.Files), n, set.Diagnostics[n-1])
	}
}
