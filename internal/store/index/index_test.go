package index

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/git"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		os.Exit(writerMain(dir))
	}
	os.Exit(m.Run())
}

// A repo is a temporary git repository with a work tree.
type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

// git runs git with nothing of the host's configuration and a fixed clock.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=1700000000 +0000",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files, given as path, text, path, text, …
func (r *repo) write(pairs ...string) {
	r.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		p := filepath.Join(r.dir, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(pairs[i+1]), 0o666); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// fastImport makes many commits or files at once.
func (r *repo) fastImport(stream string) {
	r.t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(stream)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

func (r *repo) open() *git.Repo {
	r.t.Helper()
	g, err := git.Open(context.Background(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { g.Close() })
	return g
}

func openIndex(t testing.TB, o Options) *Index {
	t.Helper()
	x, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func view(t testing.TB, x *Index, tree Tree, rev string) *View {
	t.Helper()
	v, err := x.View(context.Background(), tree, rev)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// dump writes everything that a View says. Views of the same state must have
// the same dump.
func dump(w io.Writer, v *View) {
	fmt.Fprintf(w, "commit %s\n", v.Commit())
	for _, f := range v.Files() {
		fmt.Fprintf(w, "file %q %s %s %s size=%d dirty=%v doc=%d\n", f.Path, f.Blob[:8], f.Lang, f.Class, f.Size, f.Dirty, f.Doc)
	}
	for _, o := range v.Excluded() {
		fmt.Fprintf(w, "excluded %q %s\n", o.Ref.Path, o.Why)
	}
	for _, n := range v.Diagnostics() {
		fmt.Fprintf(w, "note %q %s\n", n.Path, n.Text)
	}
	var ts []TermCount
	all := map[uint64]bool{}
	for i, d := range v.Docs() {
		fmt.Fprintf(w, "doc %d %+v\n", i, d)
		fmt.Fprintf(w, " imports %q\n", v.Imports(int32(i)))
		for _, s := range v.Symbols(int32(i)) {
			fmt.Fprintf(w, " symbol %+v\n", s)
		}
		ts = v.DocTerms(ts[:0], int32(i))
		fmt.Fprintf(w, " terms %x\n", ts)
		for _, t := range ts {
			all[t.Term] = true
		}
	}
	for i, c := range v.Chunks() {
		fmt.Fprintf(w, "chunk %d %+v %q\n", i, c, chunkName(v, c))
	}
	for _, t := range sortedTerms(v, all) {
		fmt.Fprintf(w, "term %x %v\n", t, v.Postings(nil, t))
	}
	h := v.History()
	for _, c := range h.Commits {
		fmt.Fprintf(w, "commit %s %d changed=%d fix=%v len=%d %x", c.ID, c.Time, c.Changed, c.Fix, c.Len, c.Terms)
		for _, f := range c.Files {
			fmt.Fprintf(w, " %q", h.Paths[f])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "paths %q\n", h.Paths)
}

func dumped(v *View) string {
	var b strings.Builder
	dump(&b, v)
	return b.String()
}

// sample is a small repository with files of several kinds.
func sample(t testing.TB) *repo {
	r := newRepo(t)
	r.write(
		"go.mod", "module example.org/m\n",
		"main.go", "// Package main says hello.\npackage main\n\nimport \"example.org/m/greet\"\n\n// main greets.\nfunc main() {\n\tgreet.Hello(\"world\")\n}\n",
		"greet/greet.go", "package greet\n\nimport \"fmt\"\n\n// Hello prints a greeting for the name.\nfunc Hello(name string) {\n\tfmt.Println(\"hello\", name)\n}\n",
		"greet/greet_test.go", "package greet\n\nimport \"testing\"\n\nfunc TestHello(t *testing.T) { Hello(\"x\") }\n",
		"README.md", "# Greet\n\nSays hello.\n\n## Use\n\nRun it.\n",
		"copy.go", "package greet\n\nimport \"fmt\"\n\n// Hello prints a greeting for the name.\nfunc Hello(name string) {\n\tfmt.Println(\"hello\", name)\n}\n",
		"empty.txt", "",
		"vendor/x/x.go", "package x\n",
		"web/node_modules/y/y.js", "y()\n",
		"bin.dat", "\x00\x01\x02",
		"package-lock.json", "{}\n",
	)
	r.commit("first: greet people")
	r.write("greet/greet.go", "package greet\n\nimport \"fmt\"\n\n// Hello prints a greeting for the name.\nfunc Hello(name string) {\n\tfmt.Printf(\"hello %s\\n\", name)\n}\n")
	r.commit("greet: fix the crash on long names")
	return r
}

func TestWorkTreeEqualsHead(t *testing.T) {
	r := sample(t)
	x := openIndex(t, Options{})
	v := view(t, x, r.open(), "")

	w := view(t, openIndex(t, Options{}), r.open(), "HEAD")
	if diff := cmp.Diff(dumped(v), dumped(w)); diff != "" {
		t.Error(diff)
	}
}

// chunkName returns the name of the definition that a chunk is part of, after
// its parents'.
func chunkName(v *View, c Chunk) string {
	if c.Symbol < 0 {
		return ""
	}
	s := v.Symbols(c.Doc)[c.Symbol]
	if s.Parent == "" {
		return s.Name
	}
	return s.Parent + "." + s.Name
}
