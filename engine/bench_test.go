package engine_test

import (
	"context"
	"fmt"
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
