package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

func (s *sandbox) workTree(dir string) ([]string, []string) {
	s.t.Helper()
	files, diags, err := s.open(dir).WorkTree(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if !slices.IsSortedFunc(files, func(a, b WorkFile) int { return strings.Compare(a.Path, b.Path) }) {
		s.t.Errorf("WorkTree is not sorted: %q", summary(files))
	}
	var said []string
	for _, n := range diags {
		said = append(said, n.Path+": "+n.Text)
	}
	return summary(files), said
}

func blob1(text string) string { return BlobID(SHA1, []byte(text)) }

func TestWorkTreeStates(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	for _, name := range []string{"clean", "changed", "deleted", "folder", "linked", "fifo", "assumed", "skipped", "executable", "emptied", "touched", "empty"} {
		s.write("r/"+name, name+"\n")
	}
	s.write("r/empty", "")
	s.write("r/behind/x", "x\n")
	s.write("r/gone/deep/x", "x\n")
	if err := os.Symlink("clean", s.path("r/link")); err != nil {
		t.Fatal(err)
	}
	s.commit("r", "all")
	s.git("r", "update-index", "--assume-unchanged", "assumed")
	s.git("r", "update-index", "--skip-worktree", "skipped")
	s.write("r/intended", "")
	s.git("r", "add", "-N", "intended")
	s.age("r")

	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.write("r/changed", "CHANGED\n") // same size
	s.write("r/assumed", "other\n")
	s.write("r/skipped", "SKIPPED\n")
	s.write("r/emptied", "")
	later := time.Now().Add(time.Hour)
	do(os.Chtimes(s.path("r/touched"), later, later))
	do(os.Chmod(s.path("r/executable"), 0o755))
	for _, name := range []string{"deleted", "folder", "linked", "fifo"} {
		do(os.Remove(s.path("r/" + name)))
	}
	do(os.RemoveAll(s.path("r/gone")))
	s.write("r/folder/inside", "x\n")
	do(os.Symlink("/etc/passwd", s.path("r/linked")))
	fsxtest.Fifo(t, s.path("r/fifo"))
	fsxtest.Fifo(t, s.path("r/untracked-fifo"))
	do(os.Symlink(s.home, s.path("r/untracked-link")))
	// A tracked file behind a folder that has become a link out of the tree.
	s.write("home/x", "secret\n")
	do(os.RemoveAll(s.path("r/behind")))
	do(os.Symlink(s.home, s.path("r/behind")))

	got, notes := s.workTree("r")
	want := []string{
		"assumed 100644 changed",
		"behind 120000 untracked",
		"changed 100644 changed",
		"clean 100644 clean " + blob1("clean\n"),
		"emptied 100644 changed",
		"empty 100644 clean " + blob1(""),
		"executable 100755 changed",
		"fifo 000000 changed",
		"folder/inside 100644 untracked",
		"intended 100644 changed",
		"link 120000 clean " + blob1("clean"),
		"linked 120000 changed",
		"skipped 100644 changed",
		"touched 100644 changed",
		"untracked-link 120000 untracked",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("WorkTree (-got +want):\n%s", d)
	}
	if d := cmp.Diff(notes, []string{"fifo: not a regular file"}); d != "" {
		t.Errorf("notes (-got +want):\n%s", d)
	}
	r := s.open("r")
	for _, name := range []string{"fifo", "link", "linked", "behind/x", "behind", "folder", "untracked-fifo"} {
		if data, err := r.ReadFile(name, 100); !errors.Is(err, ErrNotRegular) {
			t.Errorf("ReadFile(%s) = %q, %v, want ErrNotRegular", name, data, err)
		}
	}
}

// A file that changes in the tick in which it was recorded looks unchanged. git
// calls such an entry racy, and so do we.
func TestRacyEntryIsNotTrusted(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "one\n")
	same, tick := time.Unix(1700000000, 123456789), time.Nanosecond
	if runtime.GOOS == "windows" {
		tick *= 100
	}
	set := func(name string, at time.Time) {
		t.Helper()
		if err := os.Chtimes(s.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	set("r/a", same)
	s.git("r", "config", "core.trustctime", "false")
	s.git("r", "add", "a")
	for _, tc := range []struct {
		written time.Time
		clean   bool
	}{
		{same.Add(-time.Second), false},
		{same, false},
		{same.Add(tick), true},
		{same.Add(time.Second), true},
	} {
		set("r/.git/index", tc.written)
		files, _, err := s.open("r").WorkTree(t.Context())
		if err != nil || len(files) != 1 || files[0].Clean != tc.clean {
			t.Errorf("index written %v after the file: %+v, %v, want Clean = %v", tc.written.Sub(same), files, err, tc.clean)
		}
	}
}

func TestFilteredFilesAreTheirRawBytes(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.git("r", "config", "filter.upper.clean", "tr a-z A-Z")
	s.git("r", "config", "filter.upper.smudge", "tr A-Z a-z")
	s.write("r/.gitattributes", "*.up filter=upper\n*.crlf text eol=crlf\n")
	s.write("r/a.up", "abc\n")
	s.write("r/b.crlf", "b\r\n")
	s.commit("r", "filtered")
	s.age("r")
	// Unchanged on disk: the objects are what the commit has, and what counts.
	got, _ := s.workTree("r")
	want := []string{
		".gitattributes 100644 clean " + blob1("*.up filter=upper\n*.crlf text eol=crlf\n"),
		"a.up 100644 clean " + blob1("ABC\n"),
		"b.crlf 100644 clean " + blob1("b\n"),
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("WorkTree (-got +want):\n%s", d)
	}
	s.write("r/a.up", "abcd\n")
	if got, _ := s.workTree("r"); got[1] != "a.up 100644 changed" {
		t.Errorf("WorkTree = %q, want a.up changed", got)
	}
	if data, err := s.open("r").ReadFile("a.up", 100); string(data) != "abcd\n" || err != nil {
		t.Errorf("ReadFile = %q, %v, want the bytes on disk", data, err)
	}
}

func TestConflicts(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a", "base\n")
	s.write("r/removed", "base\n")
	s.commit("r", "base")
	s.git("r", "checkout", "-q", "-b", "other")
	s.write("r/a", "theirs\n")
	s.write("r/removed", "theirs\n")
	s.commit("r", "theirs")
	s.git("r", "checkout", "-q", "main")
	s.write("r/a", "ours\n")
	s.git("r", "rm", "-q", "removed")
	s.commit("r", "ours")
	s.git("r", "-c", "merge.renames=false", "read-tree", "-m", "HEAD~1", "HEAD", "other") // a merge that leaves its stages
	got, notes := s.workTree("r")
	if d := cmp.Diff(got, []string{"a 100644 conflict"}); d != "" {
		t.Errorf("WorkTree (-got +want):\n%s", d)
	}
	if d := cmp.Diff(notes, []string{"removed: conflict: the file is not on disk"}); d != "" {
		t.Errorf("notes (-got +want):\n%s", d)
	}
}

func TestSparseCheckout(t *testing.T) {
	for _, cone := range []string{"--cone", "--no-cone", "--sparse-index"} {
		s := newSandbox(t)
		s.init("r")
		s.write("r/a/x", "ax\n")
		s.write("r/b/x", "bxx\n")
		s.write("r/b/c/x", "bcxxx\n")
		s.write("r/top", "top\n")
		s.commit("r", "all")
		s.git("r", "sparse-checkout", "init", "--cone")
		if cone != "--cone" {
			s.git("r", "sparse-checkout", "init", cone)
		}
		s.git("r", "sparse-checkout", "set", "a")
		s.age("r")
		if cone == "--no-cone" {
			s.write("r/top", "top\n")
		}
		files, diags, err := s.open("r").WorkTree(t.Context())
		if err != nil || len(diags) != 0 {
			t.Fatalf("%s: %v, %v", cone, diags, err)
		}
		var got []string
		for _, f := range files {
			if f.Path != "top" {
				got = append(got, fmt.Sprintf("%s sparse=%v clean=%v size=%d %s", f.Path, f.Sparse, f.Clean, f.Size, f.OID))
			}
		}
		want := []string{
			"a/x sparse=false clean=true size=3 " + blob1("ax\n"),
			"b/c/x sparse=true clean=true size=6 " + blob1("bcxxx\n"),
			"b/x sparse=true clean=true size=4 " + blob1("bxx\n"),
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s: WorkTree (-got +want):\n%s", cone, d)
		}
	}
}

func TestIgnoreRules(t *testing.T) {
	untracked := func(t *testing.T, o *Options, dir string) string {
		t.Helper()
		r, err := o.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		files, _, err := r.WorkTree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			if f.Untracked {
				names = append(names, f.Path)
			}
		}
		return strings.Join(names, " ")
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/.gitignore", "by-file\n/sub/*\n!/sub/kept\n")
	s.write("r/sub/.gitignore", "nested\n")
	s.write("r/tracked.log", "x")
	s.commit("r", "rules")
	s.write("r/.git/info/exclude", "by-info\n")
	for _, name := range []string{"by-file", "by-info", "by-user", "by-config", "by-local", "plain", "sub/x", "sub/kept", "sub/nested"} {
		s.write("r/"+name, "x")
	}
	const always = "by-config by-local by-user plain sub/kept"
	without := func(name string) string { return strings.Replace(always, name+" ", "", 1) }
	if got := untracked(t, s.options(), s.path("r")); got != always {
		t.Errorf("without rules of the user: %q, want %q", got, always)
	}
	s.write("home/.config/git/ignore", "by-user\ntracked.log\n")
	if got, want := untracked(t, s.options(), s.path("r")), without("by-user"); got != want {
		t.Errorf("with ~/.config/git/ignore: %q, want %q", got, want)
	}
	xdg := s.options()
	xdg.Env = append(xdg.Env, "XDG_CONFIG_HOME="+s.path("xdg"))
	s.write("xdg/git/ignore", "by-config\n")
	if got, want := untracked(t, xdg, s.path("r")), without("by-config"); got != want {
		t.Errorf("with XDG_CONFIG_HOME: %q, want %q", got, want)
	}
	s.write("home/my-ignore", "by-config\n")
	for _, name := range []string{"~/my-ignore", s.path("home/my-ignore")} {
		s.git("home", "config", "--global", "core.excludesFile", name)
		if got, want := untracked(t, s.options(), s.path("r")), without("by-config"); got != want {
			t.Errorf("with core.excludesFile %s: %q, want %q", name, got, want)
		}
	}
	s.git("home", "config", "--global", "--unset", "core.excludesFile")
	s.write("home/more", "[core]\n\texcludesFile = ~/my-ignore\n")
	s.git("home", "config", "--global", "include.path", "~/more")
	if got, want := untracked(t, s.options(), s.path("r")), without("by-config"); got != want {
		t.Errorf("with an included file: %q, want %q", got, want)
	}
	s.write("local-ignore", "by-local\n")
	s.git("r", "config", "core.excludesFile", s.path("local-ignore"))
	if got, want := untracked(t, s.options(), s.path("r")), without("by-local"); got != want {
		t.Errorf("with the repository's own core.excludesFile: %q, want %q, as git has it", got, want)
	}
}

// strangeNames are file names that git would quote, split or take for something
// else.
var strangeNames = []string{
	"-", "--", "--output=x", "-rf", "a b", "a\tb", "a\nb", "\n", "\"quoted\"", "back\\slash", "\x1b[31mred", "inv\xff\xfealid",
	":(glob)*", ":!x", "*", "?", "[a]", "~", "$HOME", "`id`", "'", "x\rname", "ü", "e\u0301", "\u202egpj.exe", " lead", "trail ", ".gitignor", "...", "..x", ".git-", "HEAD",
	"d/-x", "d/\n/x", "\x01" + strings.Repeat("1", 40) + " x", strings.Repeat("n", 255),
}

func TestStrangeNames(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	want := slices.Clone(strangeNames)
	slices.Sort(want)
	for _, name := range want {
		s.write("r/"+name, "text of "+name)
	}
	names := func(files []WorkFile) (out []string) {
		for _, f := range files {
			out = append(out, f.Path)
		}
		return out
	}
	ctx := t.Context()
	r := s.open("r")
	files, diags, err := r.WorkTree(ctx)
	if d := cmp.Diff(names(files), want); d != "" || err != nil || len(diags) != 0 {
		t.Errorf("WorkTree, untracked: %v, %v (-got +want):\n%s", diags, err, d)
	}
	s.write("r/.gitattributes", "* linguist-generated=yes\n")
	s.commit("r", "strange")
	want = append(want, ".gitattributes")
	slices.Sort(want)
	files, diags, err = r.WorkTree(ctx)
	if d := cmp.Diff(names(files), want); d != "" || err != nil || len(diags) != 0 {
		t.Errorf("WorkTree, tracked: %v, %v (-got +want):\n%s", diags, err, d)
	}
	for _, name := range strangeNames {
		if data, err := r.ReadFile(name, 1000); string(data) != "text of "+name || err != nil {
			t.Errorf("ReadFile(%q) = %q, %v", name, data, err)
		}
	}
	tree, err := r.Tree(ctx, "HEAD")
	var got []string
	for _, f := range tree {
		got = append(got, f.Path)
	}
	if d := cmp.Diff(got, want); d != "" || err != nil {
		t.Errorf("Tree: %v (-got +want):\n%s", err, d)
	}
	if err := r.LogFrom(ctx, "HEAD", 0, func(c Commit) error { got = c.Files; return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("LogFrom (-got +want):\n%s", d)
	}
	attrs, err := r.attributes(ctx, want, "linguist-generated")
	if len(attrs) != len(want) || err != nil {
		t.Errorf("Attributes: %d paths, %v, want %d", len(attrs), err, len(want))
	}
}

// An index can be written by hand, with paths that git itself would refuse.
func TestHostileIndex(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/ok", "ok\n")
	s.write("outside", "secret\n")
	s.write("r/.git/secret", "secret\n")
	var entries []TreeFile
	paths := []string{"../outside", "/etc/passwd", ".GIT/secret", ".git/secret", "a/../../outside", "ok", "x//y"}
	for _, p := range paths {
		entries = append(entries, TreeFile{Path: p, Mode: ModeFile, OID: blob1("x")})
	}
	index, err := encodeIndex(SHA1, entries)
	if err != nil {
		t.Fatal(err)
	}
	s.write("r/.git/index", string(index))
	r := s.open("r")
	files, diags, err := r.WorkTree(t.Context())
	if err != nil {
		return // newer versions of git refuse such an index as a whole
	}
	if got := summary(files); len(got) != 1 || got[0] != "ok 100644 changed" {
		t.Errorf("WorkTree = %q, want ok", got)
	}
	if len(diags) != len(paths)-1 {
		t.Errorf("notes = %v, want one for each hostile path", diags)
	}
	for _, p := range append(paths, "", ".", "..", "ok/", "ok\x00", filepath.Join(s.dir, "outside")) {
		if p == "ok" {
			continue
		}
		if data, err := r.ReadFile(p, 100); err == nil {
			t.Errorf("ReadFile(%q) = %q", p, data)
		}
	}
}

func TestNestedRepositoryIsListed(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.init("r/nested")
	s.write("r/nested/x", "x\n")
	s.commit("r/nested", "x")
	s.write("r/nested-too", "x\n")
	got, notes := s.workTree("r")
	want := []string{"nested 160000 untracked", "nested-too 100644 untracked"}
	if d := cmp.Diff(got, want); d != "" || len(notes) != 0 {
		t.Errorf("WorkTree: notes %v (-got +want):\n%s", notes, d)
	}
}
