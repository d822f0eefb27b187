package index

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		os.Exit(writerMain(dir))
	}
	os.Exit(m.Run())
}

// A repo is a temporary git repository with a work tree.
type repo struct {
	*gittest.Repo
	t testing.TB
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	return &repo{gittest.New(t), t}
}

func (r *repo) open() *git.Repo {
	r.t.Helper()
	g, err := git.Open(context.Background(), r.Dir)
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
		line := []byte(" terms [")
		for k, t := range ts {
			all[t.Term] = true
			line = appendList(line, k, 16, t.Term, uint64(t.N))
		}
		w.Write(append(line, "]\n"...))
	}
	for i, c := range v.Chunks() {
		fmt.Fprintf(w, "chunk %d %+v %q\n", i, c, chunkName(v, c))
	}
	for _, t := range sortedTerms(v, all) {
		line := fmt.Appendf(nil, "term %x [", t)
		for k, p := range v.Postings(nil, t) {
			line = appendList(line, k, 10, uint64(p.Chunk), uint64(p.Body), uint64(p.Def), uint64(p.Comment))
		}
		w.Write(append(line, "]\n"...))
	}
	h := v.History()
	for _, c := range h.Commits {
		fmt.Fprintf(w, "commit %s %d changed=%d len=%d %x", c.ID, c.Time, c.Changed, c.Len, c.Terms)
		for _, f := range c.Files {
			fmt.Fprintf(w, " %q", h.Paths[f])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "paths %q\n", h.Paths)
}

// appendList appends element k of a list, a struct of numbers, as package fmt writes it.
// Package fmt takes a third of the time of these tests.
func appendList(b []byte, k, base int, fields ...uint64) []byte {
	if k > 0 {
		b = append(b, ' ')
	}
	b = append(b, '{')
	for i, n := range fields {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, n, base)
	}
	return append(b, '}')
}

func dumped(v *View) string {
	var b strings.Builder
	dump(&b, v)
	return b.String()
}

// sample is a small repository with files of several kinds.
func sample(t testing.TB) *repo {
	r := newRepo(t)
	r.Write(
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
	r.Commit("first: greet people")
	r.Write("greet/greet.go", "package greet\n\nimport \"fmt\"\n\n// Hello prints a greeting for the name.\nfunc Hello(name string) {\n\tfmt.Printf(\"hello %s\\n\", name)\n}\n")
	r.Commit("greet: fix the crash on long names")
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
