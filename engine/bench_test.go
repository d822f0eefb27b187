package engine_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// BenchmarkPack measures whole requests with an index that is up to date:
// listing, ranking, choosing and rendering.
func BenchmarkPack(b *testing.B) {
	ctx := context.Background()
	const task = "retry with backoff times out behind a proxy"
	for _, n := range []int{100, 10_000} {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("d%d/f%d.go", i/20, i%20)] = fmt.Sprintf("// Package d%d retries.\npackage d%d\n\n"+
				"// F%d times out after a backoff of %d.\nfunc F%d(proxy%d int) int {\n\treturn proxy%d * %d\n}\n", i/20, i/20, i, i%37, i, i%101, i%101, i)
		}
		e := open(b, engine.Options{Dir: write(b, files), CacheDir: b.TempDir()})
		for _, c := range []struct {
			name string
			req  satchel.Request
		}{
			{"task", satchel.Request{Task: task, Budget: 16_000}},
			{"whole", satchel.Request{Budget: 16_000}},
			{"everything", satchel.Request{}},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Pack(ctx, c.req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("search/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Search(ctx, engine.SearchRequest{Query: task, Limit: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWarmQuery measures a ranked query of an engine that is held open, as
// a server answers it: whether anything changed is checked, nothing did. With
// SATCHEL_BENCH_REPO it asks that repository, else 1,200 files made up.
func BenchmarkWarmQuery(b *testing.B) {
	ctx := context.Background()
	dir := os.Getenv("SATCHEL_BENCH_REPO")
	if dir == "" {
		r := newRepository(b)
		files := map[string]string{}
		for i := range 1200 {
			files[fmt.Sprintf("d%d/f%d.go", i/20, i%20)] = fmt.Sprintf("// Package d%d retries.\npackage d%d\n\nimport \"example.org/x/d%d\"\n\n"+
				"// F%d times out after a backoff of %d.\nfunc F%d(proxy%d int) int {\n\treturn d%d.F%d(proxy%d * %d)\n}\n",
				i/20, i/20, i*7%60, i, i%37, i, i%101, i*7%60, i*7%1200, i%101, i)
		}
		r.WriteAll(files)
		r.Commit("retry with backoff")
		dir = r.Dir
	}
	e := open(b, engine.Options{Dir: dir, CacheDir: b.TempDir()})
	for _, task := range []struct{ name, text string }{
		{"words", "retry with backoff times out behind a proxy"},
		{"report", "Retry with backoff times out behind a proxy\n\n`Client.Connect` gives up although the proxy answers: see `retry_with_backoff` in d3/f7.go.\n\n" +
			"```\npanic: backoff of 7 exceeded\n\td3/f7.go:8 +0x1d\n```\n\nExpected the timeout of the config to be honoured for each request.\n"},
	} {
		b.Run(task.name, func(b *testing.B) {
			b.ReportAllocs()
			if _, err := e.Search(ctx, engine.SearchRequest{Query: task.text, Limit: 20}); err != nil { // builds the index
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := e.Search(ctx, engine.SearchRequest{Query: task.text, Limit: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
