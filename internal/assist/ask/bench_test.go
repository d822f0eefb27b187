package ask_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// thousand makes a repository of 1,000 files, of which the newest commit changed
// some.
func thousand(tb testing.TB, changed int) *gittest.Repo {
	tb.Helper()
	r := gittest.New(tb)
	text := func(i, v int) string {
		var s strings.Builder
		fmt.Fprintf(&s, "// Package p%d has steps.\npackage p%d\n", i%40, i%40)
		for k := range 30 {
			n := 0
			if k%5 == 0 {
				n = v
			}
			fmt.Fprintf(&s, "\n// Step%dOf%d does step %d.\nfunc Step%dOf%d(in []string, limit int) (out []string, err error) {\n\tfor i := %d; i < limit; i++ {\n\t\tout = append(out, in[i])\n\t}\n\treturn Step%dOf%d(out, %d)\n}\n", k, i, k, k, i, n, (k+1)%30, (i+1)%1000, n)
		}
		return s.String()
	}
	for v := range 2 {
		files := map[string]string{}
		for i := range 1000 {
			n := v
			if i >= changed {
				n = 0
			}
			files[fmt.Sprintf("p%d/file%d.go", i%40, i)] = text(i, n)
		}
		r.WriteAll(files)
		r.Commit(fmt.Sprint("change ", v))
	}
	return r
}

// BenchmarkContexts measures our own time before a model is asked, with an index that
// is up to date: from the repository to the messages.
func BenchmarkContexts(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{10, 300} {
		r := thousand(b, n)
		e, err := engine.Open(ctx, &engine.Options{Dir: r.Dir, CacheDir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		defer e.Close()
		commit := func() (*ask.Ask, error) {
			d, err := e.Change(ctx, engine.DiffRequest{Range: "HEAD~1..HEAD"})
			if err != nil {
				return nil, err
			}
			return ask.Commit(d, ask.CommitOptions{})
		}
		review := func() (*ask.Ask, error) {
			d, err := e.Change(ctx, engine.DiffRequest{Range: "HEAD~1..HEAD"})
			if err != nil {
				return nil, err
			}
			return ask.ReviewAround(ctx, e, d, "HEAD~1..HEAD", ask.ReviewOptions{})
		}
		for name, make := range map[string]func() (*ask.Ask, error){"commit": commit, "review": review} {
			if _, err := make(); err != nil { // builds the index
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s of %d of 1000 files", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := make(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// What stands beside a small change fills the room that it leaves, with its lines
// numbered.
func TestReviewAround(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	r.WriteAll(map[string]string{
		"lib.go": "package p\n\n// ParseThing parses.\nfunc ParseThing(s string) int {\n\treturn len(s)\n}\n",
		"use.go": "package p\n\nfunc useThing() int {\n\treturn ParseThing(\"x\")\n}\n",
	})
	r.Commit("one")
	r.Write("lib.go", "package p\n\n// ParseThing parses.\nfunc ParseThing(s string, n int) int {\n\treturn len(s) + n\n}\n")
	r.Commit("two")
	e, err := engine.Open(ctx, &engine.Options{Dir: r.Dir, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d, err := e.Change(ctx, engine.DiffRequest{Commit: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := ask.ReviewAround(ctx, e, d, "HEAD^!", ask.ReviewOptions{Budget: 4000})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 -func ParseThing(s string) int {\n", "4 +func ParseThing(s string, n int) int {\n", "use.go:", "4  \treturn ParseThing(\"x\")\n"} {
		if !strings.Contains(a.Shared, want) {
			t.Errorf("no %q in\n%s", want, a.Shared)
		}
	}
	if a.Receipt.Tokens > 4000 {
		t.Errorf("%d tokens of 4000", a.Receipt.Tokens)
	}
}
