package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// program returns the text of a Go file with n functions that differ by seed.
func program(seed, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package p%d is generated for a test.\npackage p%d\n\nimport (\n\t\"fmt\"\n\t\"example.org/m/p%d\"\n)\n", seed, seed, seed/2)
	words := []string{"parse", "token", "stream", "resource", "plan", "graph", "provider", "state", "lock", "retry", "HTTPHeader", "cache_entry"}
	w := func(i int) string { return words[(seed*7+i*5)%len(words)] }
	for i := range n {
		fmt.Fprintf(&b, "\n// %s%d handles the %s of a %s.\nfunc %s%d(%s int) error {\n", w(i), i, w(i+1), w(i+2), w(i), i, w(i+3))
		for k := range (seed + i) % 9 {
			fmt.Fprintf(&b, "\tfmt.Println(%q, %s%d)\n", w(k), w(k+i), k)
		}
		b.WriteString("\treturn nil\n}\n")
	}
	return b.String()
}

// states prepares a repository with several commits and an edited work tree.
func states(t testing.TB) (r *repo, revs []string) {
	r = sample(t)
	for i := range 40 {
		r.Write(fmt.Sprintf("p%d/p.go", i), program(i, i%13))
	}
	revs = append(revs, r.Git("rev-parse", "HEAD"), r.Commit("add packages"))
	for i := range 40 {
		if i%3 == 0 {
			r.Write(fmt.Sprintf("p%d/p.go", i), program(i+100, i%7))
		}
	}
	r.Git("mv", "p1/p.go", "p1/moved.go")
	r.Git("rm", "-q", "p2/p.go")
	revs = append(revs, r.Commit("change packages, fix a bug"))
	r.Git("checkout", "-q", "-b", "side", revs[1])
	r.Write("side.go", program(500, 4), "p5/p.go", program(501, 3))
	revs = append(revs, r.Commit("a branch"))
	r.Git("checkout", "-q", "main")
	r.Git("merge", "-q", "-m", "merge the branch", "side")
	revs = append(revs, r.Git("rev-parse", "HEAD"))
	r.Write("p7/p.go", program(700, 5), "new.go", program(701, 2), "dist/out.js", "x()\n")
	return r, append(revs, "")
}

// A View does not depend on how the index came to be.
func TestSameViewFromAnyIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, revs := states(t)
	g := r.open()
	want := map[string]string{}
	for _, rev := range revs {
		want[rev] = dumped(view(t, openIndex(t, Options{}), g, rev))
	}
	check := func(how string, x *Index, rev string) {
		t.Helper()
		if diff := cmp.Diff(want[rev], dumped(view(t, x, g, rev))); diff != "" {
			t.Errorf("%s, revision %q (-cold +got):\n%s", how, rev, diff)
		}
	}
	dir := t.TempDir()
	memory := openIndex(t, Options{})
	for _, rev := range revs {
		check("incremental in memory", memory, rev)
		check("incremental on disk", openIndex(t, Options{Dir: dir}), rev)
	}
	warm := openIndex(t, Options{Dir: dir})
	for _, rev := range slices.Backward(revs) {
		check("warm", warm, rev)
	}
	check("backwards", openIndex(t, Options{Dir: t.TempDir()}), "")
	for _, n := range []int{1, 16} {
		old := runtime.GOMAXPROCS(n)
		check(fmt.Sprintf("GOMAXPROCS %d", n), openIndex(t, Options{}), "")
		runtime.GOMAXPROCS(old)
	}
	if err := warm.compactTo(view(t, warm, g, "")); err != nil {
		t.Fatal(err)
	}
	check("compacted", warm, "")
	check("compacted", warm, revs[0])
	check("compacted and opened", openIndex(t, Options{Dir: dir}), "")
	if n := warm.Diagnostics(); len(n) > 0 {
		t.Errorf("notes: %v", n)
	}
}

// Many small steps make the index merge segments, and stay the same.
func TestManySteps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := newRepo(t)
	g := r.open()
	dir := t.TempDir()
	x := openIndex(t, Options{Dir: dir})
	for i := range 40 {
		r.Write(fmt.Sprintf("f%d.go", i%30), program(i, 3))
		rev := ""
		if i%2 == 0 {
			rev = r.Commit(fmt.Sprint("step ", i))
		}
		got := dumped(view(t, x, g, rev))
		if diff := cmp.Diff(dumped(view(t, openIndex(t, Options{}), g, rev)), got); diff != "" {
			t.Fatalf("step %d (-cold +got):\n%s", i, diff)
		}
	}
	disk := 0
	for _, s := range x.segs {
		if s.name == "" {
			t.Errorf("a segment is in memory only")
		}
		if !s.passing {
			disk++
		}
	}
	if disk > maxSegments || len(x.segs) > disk+1 || len(x.commits) > maxSegments+1 {
		t.Errorf("%d segments, %d of them lasting, %d of commits", len(x.segs), disk, len(x.commits))
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if max := len(x.segs) + len(x.commits) + 2 + maxCaches; len(files) > max {
		t.Errorf("%d files, want at most %d", len(files), max)
	}
}

// excluded lists what a View left out.
func excluded(v *View) []string {
	var out []string
	for _, o := range v.Excluded() {
		out = append(out, o.Ref.Path+": "+o.Why)
	}
	return out
}

func paths(v *View) []string {
	var out []string
	for _, f := range v.Files() {
		out = append(out, f.Path)
	}
	return out
}

func TestExclusions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := newRepo(t)
	r.Write(
		".gitignore", "ignored/\n*.log\n",
		"a.go", "package a\n",
		"build/tool.go", "package build\n",
		"dist/bundle.js", "x()\n",
		"dist/main.go", "package dist\n",
		"pkg/.cache/x", "x\n",
		"vendor/a/a.go", "package a\n",
		"js/node_modules/b/index.js", "x\n",
		"go.sum", "example.org/x v1.0.0 h1:abc=\n",
		"app.min.js", "var a=1;\n",
		"logo.png", "\x89PNG\r\n\x1a\n\x00\x00",
		"null.txt", "a\x00b",
		"large.txt", strings.Repeat("x\n", 600<<10),
		"gen.pb.go", "// Code generated by protoc. DO NOT EDIT.\npackage a\n",
		"biggen.pb.go", "// Code generated by protoc. DO NOT EDIT.\npackage a\n"+strings.Repeat("// x\n", 20<<10),
		"marked.go", "package a\n"+strings.Repeat("// x\n", 20<<10),
		"third/x.go", "package x\n",
		".gitattributes", "marked.go linguist-generated\nthird/** linguist-vendored=true\n",
		"secret/s.txt", "x\n",
		"docs/draft.md", "x\n",
	)
	if err := os.Symlink("a.go", filepath.Join(r.Dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	r.Commit("all")
	r.Write("ignored/x.go", "package x\n", "dist/new.go", "package x\n", "build/new.go", "package x\n", "x.log", "x\n")
	x := openIndex(t, Options{Exclude: []string{"secret/", "draft.*"}})
	v := view(t, x, r.open(), "")
	want := []string{
		"app.min.js: minified", "biggen.pb.go: generated", "build/new.go: generated", "dist/bundle.js: generated",
		"dist/new.go: generated", "docs/draft.md: ignored", "go.sum: lock file", "js/node_modules/: vendored", "large.txt: too large",
		"link.go: symbolic link", "logo.png: binary", "marked.go: generated", "null.txt: binary", "pkg/.cache/: ignored",
		"secret/: ignored", "third/x.go: vendored", "vendor/: vendored",
	}
	if diff := cmp.Diff(want, excluded(v)); diff != "" {
		t.Errorf("excluded (-want +got):\n%s", diff)
	}
	want = []string{".gitattributes", ".gitignore", "a.go", "build/tool.go", "dist/main.go", "gen.pb.go"}
	if diff := cmp.Diff(want, paths(v)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	// What is asked for by name overrides all that leaves text.
	x = openIndex(t, Options{Exclude: []string{"secret/"}, Unignore: []string{"vendor/", "large.txt", "secret/s.txt", "null.txt", "app.min.js", "dist/", "marked.go"}})
	v = view(t, x, r.open(), "")
	for _, p := range []string{"vendor/a/a.go", "large.txt", "secret/s.txt", "app.min.js", "dist/new.go", "dist/bundle.js", "marked.go"} {
		if _, ok := v.File(p); !ok {
			t.Errorf("%s was asked for and is left out", p)
		}
	}
	if _, ok := v.File("null.txt"); ok {
		t.Error("a binary file is shown")
	}

	x = openIndex(t, Options{Exclude: []string{"secret/"}})
	before := dumped(view(t, x, r.open(), ""))
	v, err := x.View(context.Background(), r.open(), "", "vendor/", "secret/s.txt", "dist/bundle.js", "large.txt", "go", "x.log", ".git/config", "nothing.go", "link.go/x")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"vendor/a/a.go", "secret/s.txt", "dist/bundle.js", "large.txt", "x.log"} {
		if _, ok := v.File(p); !ok {
			t.Errorf("%s was pinned and is left out", p)
		}
	}
	for _, p := range []string{"go.sum", ".git/config", "nothing.go", "link.go/x"} {
		if _, ok := v.File(p); ok {
			t.Errorf("%s is there", p)
		}
	}
	if diff := cmp.Diff(before, dumped(view(t, x, r.open(), ""))); diff != "" {
		t.Errorf("pins last (-before +after):\n%s", diff)
	}
}

func TestDirty(t *testing.T) {
	r := sample(t)
	g := r.open()
	x := openIndex(t, Options{Dir: t.TempDir()})
	clean := dumped(view(t, x, g, ""))

	// A file that was only touched, or rewritten as it was, is not dirty.
	p := filepath.Join(r.Dir, "main.go")
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	r.Write("main.go", "package main\n\n// Zebra is new.\nfunc Zebra() {}\n")
	v := view(t, x, g, "")
	i, _ := v.File("main.go")
	if f := v.Files()[i]; !f.Dirty {
		t.Errorf("%+v is not dirty", f)
	}
	if ps := v.Postings(nil, terms.Def("Zebra")); len(ps) != 1 || ps[0].Def != 1 {
		t.Errorf("postings of an uncommitted definition: %v", ps)
	}
	got, err := v.Text(context.Background(), i)
	if err != nil || !strings.Contains(string(got), "Zebra") {
		t.Errorf("Text = %q, %v", got, err)
	}

	r.Write("main.go", string(text))
	if diff := cmp.Diff(clean, dumped(view(t, x, g, ""))); diff != "" {
		t.Errorf("changed back (-clean +got):\n%s", diff)
	}

	r.Write("later.go", "package main\n")
	v = view(t, x, g, "")
	if i, ok := v.File("later.go"); !ok || !v.Files()[i].Dirty {
		t.Error("an untracked file is missing or not dirty")
	}
	os.Remove(filepath.Join(r.Dir, "README.md"))
	if _, ok := view(t, x, g, "").File("README.md"); ok {
		t.Error("a deleted file is there")
	}
}

// A view shows what it indexed, or says that it cannot.
func TestTextAfterChange(t *testing.T) {
	r := sample(t)
	g := r.open()
	r.Write("main.go", "package main // one\n")
	x := openIndex(t, Options{})
	v := view(t, x, g, "")
	r.Write("main.go", "package main // two\n", "README.md", "changed too\n")
	i, _ := v.File("main.go")
	if got, err := v.Text(context.Background(), i); string(got) != "package main // one\n" || err != nil {
		t.Errorf("a file that was dirty: %q, %v", got, err)
	}
	i, _ = v.File("README.md")
	if got, err := v.Text(context.Background(), i); !strings.HasPrefix(string(got), "# Greet") || err != nil {
		t.Errorf("a file that was clean: %q, %v", got, err)
	}
	v.source.held = nil
	i, _ = v.File("main.go")
	var changed *changedError
	if _, err := v.Text(context.Background(), i); !errors.As(err, &changed) || changed.Path != "main.go" {
		t.Errorf("a dirty file that was too large to hold: %v", err)
	}
}

func TestReadTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, revs := states(t)
	g := r.open()
	for _, rev := range revs {
		v := view(t, openIndex(t, Options{}), g, rev)
		var order []int
		for i := range v.Files() {
			order = append(order, (i*7)%len(v.Files()))
		}
		var got []int
		err := v.ReadTexts(context.Background(), order, func(i int, text []byte, err error) error {
			if err != nil {
				t.Errorf("%s: %v", v.Files()[i].Path, err)
			}
			if id := git.BlobID(git.SHA1, text); id != v.Files()[i].Blob {
				t.Errorf("%s: text of blob %s, want %s", v.Files()[i].Path, id, v.Files()[i].Blob)
			}
			got = append(got, i)
			return nil
		})
		if err != nil || !slices.Equal(got, order) {
			t.Errorf("ReadTexts: %v, order %v, want %v", err, got, order)
		}
		stop := errors.New("stop")
		n := 0
		err = v.ReadTexts(context.Background(), order, func(int, []byte, error) error { n++; return stop })
		if err != stop || n != 1 {
			t.Errorf("ReadTexts after an error: %v after %d calls", err, n)
		}
	}
}

func TestKindsOfTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Run("folder", func(t *testing.T) {
		r := &repo{gittest.In(t, t.TempDir(), t.TempDir()), t}
		r.Write("a.go", "package a\n\nfunc A() {}\n", "vendor/x.go", "package x\n", "sub/b.md", "# B\n")
		f, err := git.OpenFolder(r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		dir := t.TempDir()
		want := dumped(view(t, openIndex(t, Options{Dir: dir}), f, ""))
		x := openIndex(t, Options{Dir: dir})
		v := view(t, x, f, "")
		if got := strings.Join(paths(v), " "); got != "a.go sub/b.md" {
			t.Errorf("files %s", got)
		}
		if diff := cmp.Diff(want, dumped(v)); diff != "" {
			t.Errorf("warm (-cold +got):\n%s", diff)
		}
		if len(v.History().Commits) > 0 || v.Commit() != "" {
			t.Error("a folder has history")
		}
		var unknown *git.UnknownRevisionError
		if _, err := x.View(context.Background(), f, "HEAD"); !errors.As(err, &unknown) {
			t.Errorf("a revision of a folder: %v", err)
		}
	})
	t.Run("unborn", func(t *testing.T) {
		r := newRepo(t)
		r.Write("a.go", "package a\n")
		v := view(t, openIndex(t, Options{}), r.open(), "")
		if len(v.Files()) != 1 || v.Commit() != "" {
			t.Errorf("files %v of commit %q", paths(v), v.Commit())
		}
	})
	t.Run("empty", func(t *testing.T) {
		v := view(t, openIndex(t, Options{}), newRepo(t).open(), "")
		if len(v.Files()) != 0 || len(v.Postings(nil, 1)) != 0 {
			t.Errorf("files %v", paths(v))
		}
	})
	t.Run("unknown revision", func(t *testing.T) {
		var unknown *git.UnknownRevisionError
		_, err := openIndex(t, Options{}).View(context.Background(), sample(t).open(), "nope")
		if !errors.As(err, &unknown) {
			t.Errorf("error %v, want an *UnknownRevisionError", err)
		}
	})
	t.Run("bare", func(t *testing.T) {
		r := sample(t)
		bare := &repo{gittest.In(t, filepath.Join(t.TempDir(), "b.git"), t.TempDir()), t}
		r.Git("clone", "-q", "--bare", r.Dir, bare.Dir)
		want := dumped(view(t, openIndex(t, Options{}), r.open(), "HEAD"))
		if diff := cmp.Diff(want, dumped(view(t, openIndex(t, Options{}), bare.open(), ""))); diff != "" {
			t.Errorf("bare (-want +got):\n%s", diff)
		}
	})
	t.Run("sha256", func(t *testing.T) {
		r := &repo{gittest.In(t, t.TempDir(), t.TempDir()), t}
		r.Git("init", "-q", "-b", "main", "--object-format=sha256")
		r.Write("a.go", "package a\n\nfunc A() {}\n")
		r.Commit("first")
		r.Write("b.go", "package a\n")
		dir := t.TempDir()
		want := dumped(view(t, openIndex(t, Options{}), r.open(), ""))
		for range 2 {
			if diff := cmp.Diff(want, dumped(view(t, openIndex(t, Options{Dir: dir}), r.open(), ""))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
	t.Run("submodule", func(t *testing.T) {
		r := sample(t)
		r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Git("rev-parse", "HEAD")+",sub")
		r.Git("commit", "-q", "-m", "sub")
		v := view(t, openIndex(t, Options{}), r.open(), "HEAD")
		if !slices.Contains(excluded(v), "sub: submodule") {
			t.Errorf("excluded %v", excluded(v))
		}
	})
	t.Run("filtered", func(t *testing.T) {
		// Bytes in the work tree differ from the blob: the blob counts.
		r := newRepo(t)
		r.Write(".gitattributes", "*.txt eol=crlf\n", "a.txt", "one\r\ntwo\r\n")
		r.Commit("first")
		os.Remove(filepath.Join(r.Dir, "a.txt"))
		r.Git("checkout", "-q", "--", "a.txt")
		// An index as old as the files cannot tell them clean.
		r.Git("update-index", "--refresh")
		x := openIndex(t, Options{})
		v := view(t, x, r.open(), "HEAD")
		i, _ := v.File("a.txt")
		if text, err := v.Text(context.Background(), i); string(text) != "one\ntwo\n" || err != nil {
			t.Errorf("text %q, %v", text, err)
		}
		view(t, x, r.open(), "") // whatever git thinks of it, it is read
	})
}

func TestMissingObject(t *testing.T) {
	r := sample(t)
	blob := r.Git("rev-parse", "HEAD:main.go")
	if err := os.Remove(filepath.Join(r.Dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	v := view(t, openIndex(t, Options{}), r.open(), "HEAD")
	if !slices.Contains(excluded(v), "main.go: object missing") {
		t.Errorf("excluded %v", excluded(v))
	}
	if len(v.Files()) != 6 {
		t.Errorf("files %v", paths(v))
	}
}

func TestSpecialFiles(t *testing.T) {
	r := sample(t)
	fifo := filepath.Join(r.Dir, "main.go")
	os.Remove(fifo)
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skip("no mkfifo")
	}
	sparse := filepath.Join(r.Dir, "huge.txt")
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(10 << 30); err != nil {
		t.Skip("no sparse files")
	}
	f.Close()
	r.Write("line.txt", strings.Repeat("word ", 190<<10), "bad.go", "package \xff\xfe\n\nfunc \xc3( {\n", "new\nline.go", "package n\n")
	v := view(t, openIndex(t, Options{}), r.open(), "")
	got := excluded(v)
	for _, want := range []string{"huge.txt: too large", "main.go: not a regular file"} {
		if !slices.Contains(got, want) {
			t.Errorf("excluded %q, want %q among them", got, want)
		}
	}
	for _, want := range []string{"bad.go", "new\nline.go"} {
		if _, ok := v.File(want); !ok {
			t.Errorf("files %q, want %q among them", paths(v), want)
		}
	}
}

func TestHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, revs := states(t)
	g := r.open()
	dir := t.TempDir()
	for _, rev := range slices.Backward(revs) {
		x := openIndex(t, Options{Dir: dir, Commits: 4})
		name := rev
		if name == "" {
			name = "HEAD"
		}
		want := strings.Split(r.Git("log", "-4", "--format=%H", name), "\n")
		var got []string
		for _, c := range view(t, x, g, rev).History().Commits {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("history of %q (-want +got):\n%s", rev, diff)
		}
	}
	h := view(t, openIndex(t, Options{}), g, revs[2]).History()
	c := h.Commits[0]
	if c.Changed != 17 || len(c.Files) != 17 {
		t.Errorf("commit %+v", c)
	}
	var files []string
	for _, f := range c.Files {
		files = append(files, h.Paths[f])
	}
	if !slices.Contains(files, "p2/p.go") || !slices.Contains(files, "p1/moved.go") {
		t.Errorf("files %v", files)
	}
	none := view(t, openIndex(t, Options{Commits: -1}), g, "").History()
	if len(none.Commits) != 0 {
		t.Errorf("%d commits, want none", len(none.Commits))
	}
}

func TestLargeCommit(t *testing.T) {
	r := newRepo(t)
	for i := range maxChanged + 1 {
		r.Write(fmt.Sprintf("f%d", i), "x\n")
	}
	r.Commit("everything at once")
	c := view(t, openIndex(t, Options{}), r.open(), "").History().Commits[0]
	if c.Changed != maxChanged+1 || c.Files != nil {
		t.Errorf("commit %+v", c)
	}
}

func TestShallow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, _ := states(t)
	clone := &repo{gittest.In(t, filepath.Join(t.TempDir(), "c"), t.TempDir()), t}
	r.Git("clone", "-q", "--depth", "2", "file://"+r.Dir, clone.Dir)
	dir := t.TempDir()
	v := view(t, openIndex(t, Options{Dir: dir}), clone.open(), "")
	shallow := len(v.History().Commits)
	if !slices.ContainsFunc(v.Diagnostics(), func(n satchel.Diagnostic) bool { return strings.Contains(n.Text, "shallow clone") }) {
		t.Errorf("diagnostics %v", v.Diagnostics())
	}
	clone.Git("fetch", "-q", "--unshallow")
	v = view(t, openIndex(t, Options{Dir: dir}), clone.open(), "")
	if got := len(v.History().Commits); got <= shallow {
		t.Errorf("%d commits after fetching the rest of %d", got, shallow)
	}
}

func TestCanceled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, _ := states(t)
	g := r.open()
	x := openIndex(t, Options{Dir: t.TempDir()})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.View(ctx, g, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	// Canceled in the middle of the work.
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	x2 := openIndex(t, Options{Progress: func(string, int, int) { cancel() }})
	if _, err := x2.View(ctx, g, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	view(t, x2, g, "") // nothing stays locked
}

func TestConcurrentViews(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r, revs := states(t)
	g := r.open()
	x := openIndex(t, Options{Dir: t.TempDir()})
	want := map[string]string{}
	for _, rev := range revs {
		want[rev] = dumped(view(t, openIndex(t, Options{}), g, rev))
	}
	done := make(chan string)
	for i := range 3 * len(revs) {
		go func() {
			rev := revs[i%len(revs)]
			v, err := x.View(context.Background(), g, rev)
			if err != nil {
				done <- err.Error()
				return
			}
			done <- cmp.Diff(want[rev], dumped(v))
		}()
	}
	for range 3 * len(revs) {
		if diff := <-done; diff != "" {
			t.Error(diff)
		}
	}
}

// crowd is a plain folder of so many files.
type crowd struct {
	*git.Folder
	n       int
	entered []string
}

func (c *crowd) FilesIn(enter func(string) bool, most int) ([]git.WorkFile, []satchel.Diagnostic, bool, error) {
	for _, dir := range []string{"src", "src/node_modules", "vendor", "build", "docs"} {
		if enter(dir) {
			c.entered = append(c.entered, dir)
		}
	}
	return nil, nil, c.n > most, nil
}

// A plain folder of very many files is not looked at in passing, nor those folders
// in any that are left out by their names.
func TestCrowded(t *testing.T) {
	f, err := git.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := openIndex(t, Options{})
	for _, tt := range []struct {
		n    int
		want bool
	}{{mostHasty, false}, {mostHasty + 1, true}} {
		c := &crowd{Folder: f, n: tt.n}
		var crowded *CrowdedError
		if _, err := x.ViewReady(t.Context(), c, 0); errors.As(err, &crowded) != tt.want {
			t.Errorf("%d files: %v", tt.n, err)
		}
		if got := x.Crowded(c) != nil; got != tt.want {
			t.Errorf("%d files: crowded %v", tt.n, got)
		}
		if want := []string{"src", "docs", "src", "docs"}; !slices.Equal(c.entered, want) {
			t.Errorf("entered %q", c.entered)
		}
		if _, err := x.View(t.Context(), c, ""); err != nil {
			t.Errorf("%d files that were asked for: %v", tt.n, err)
		}
	}
}

// A plain folder that is not known is not read by one who cannot wait.
func TestHastyFolder(t *testing.T) {
	r := &repo{gittest.In(t, t.TempDir(), t.TempDir()), t}
	for i := range manyUnclean + 10 {
		r.Write(fmt.Sprintf("d%d/f%d.go", i%9, i), program(i, 2))
	}
	f, err := git.OpenFolder(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := &countingTree{Folder: f}
	var behind *BehindError
	if _, err := openIndex(t, Options{Dir: t.TempDir()}).ViewReady(t.Context(), c, 0); !errors.As(err, &behind) || behind.Missing != manyUnclean+10 || c.reads > 0 {
		t.Errorf("%v, %d files were read", err, c.reads)
	}
}

// Many unclean files are not read again unless they changed.
func TestManyUncleanFiles(t *testing.T) {
	r := &repo{gittest.In(t, t.TempDir(), t.TempDir()), t}
	for i := range manyUnclean + 10 {
		r.Write(fmt.Sprintf("d%d/f%d.go", i%9, i), program(i, 2))
	}
	f, err := git.OpenFolder(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	reads := func() (*View, int) {
		c := &countingTree{Folder: f}
		return view(t, openIndex(t, Options{Dir: dir}), c, ""), c.reads
	}
	v, n := reads()
	want := dumped(v)
	if n < manyUnclean {
		t.Errorf("%d files were read at first", n)
	}
	// Files as young as the first View are read again, and remembered then.
	reads()
	v, n = reads()
	if n > 0 {
		t.Errorf("%d files were read although none changed", n)
	}
	if diff := cmp.Diff(want, dumped(v)); diff != "" {
		t.Errorf("(-read +remembered):\n%s", diff)
	}
	if text, err := v.Text(context.Background(), 3); err != nil || git.BlobID(git.SHA1, text) != v.Files()[3].Blob {
		t.Errorf("text of a remembered file: %v", err)
	}

	// A change that keeps the size and the time of modification is noticed.
	name := filepath.Join(r.Dir, "d0", "f0.go")
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-3] ^= 1
	r.Write("d0/f0.go", string(text))
	if err := os.Chtimes(name, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	v, n = reads()
	i, _ := v.File("d0/f0.go")
	if n == 0 || v.Files()[i].Blob != git.BlobID(git.SHA1, text) {
		t.Errorf("%d files were read after a change", n)
	}
}

// A countingTree counts the files that are read.
type countingTree struct {
	*git.Folder
	reads int
}

func (c *countingTree) ReadFile(path string, limit int64) ([]byte, error) {
	text, err := c.Folder.ReadFile(path, limit)
	if err == nil { // files of rules are looked for and are not there
		c.reads++
	}
	return text, err
}

// compactTo drops the documents that none of the views needs, and merges the
// rest. It fails if another process is writing.
func (x *Index) compactTo(views ...*View) error {
	docs := map[docKey]bool{}
	for _, v := range views {
		for _, h := range v.homes {
			docs[v.parts[h.part].seg.doc(int(h.doc)).key] = true
		}
	}
	x.building.Lock()
	defer x.building.Unlock()
	unlock, err := x.lock()
	if err != nil {
		return fmt.Errorf("compact %s: %w", x.opts.Dir, plain(err))
	}
	defer unlock()
	var disk []*segment
	for _, s := range x.snapshot() {
		if s.name != "" && !s.passing {
			disk = append(disk, s)
		}
	}
	if len(disk) == 0 {
		return nil
	}
	return x.replace(disk, true, wanted{doc: func(k docKey) bool { return docs[k] }})
}
