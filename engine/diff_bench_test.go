package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/render"
)

// changedRepository makes two commits of Go files, of which the second changes
// some lines of each of the first n.
func changedRepository(b *testing.B, files, n, lines int) *gittest.Repo {
	b.Helper()
	r := newRepository(b)
	text := func(i, change int) string {
		var s strings.Builder
		fmt.Fprintf(&s, "package p%d\n", i%40)
		for k := range lines {
			v := 0
			if k%7 == 0 {
				v = change
			}
			fmt.Fprintf(&s, "\n// Step%d does step %d of file %d.\nfunc Step%d(in []string, limit int) (out []string, err error) {\n\tfor i := %d; i < limit; i++ {\n\t\tout = append(out, in[i])\n\t}\n\treturn out, nil\n}\n", k, k, i, k, v)
		}
		return s.String()
	}
	for change := range 2 {
		all := map[string]string{}
		for i := range files {
			c := change
			if i >= n {
				c = 0
			}
			all[fmt.Sprintf("p%d/file%d.go", i%40, i)] = text(i, c)
		}
		r.WriteAll(all)
		r.Commit(fmt.Sprint("change ", change))
	}
	return r
}

// BenchmarkDiff measures a whole diff with a warm index: a change of ten files
// listed, and one of 600 files packed to 16,000 tokens.
func BenchmarkDiff(b *testing.B) {
	for _, c := range []struct {
		name    string
		files   int
		changed int
		lines   int
		req     engine.DiffRequest
	}{
		{"summary of 10 files", 400, 10, 20, engine.DiffRequest{}},
		{"600 files in 16k", 800, 600, 40, engine.DiffRequest{Detail: engine.DiffStandard, Budget: 16_000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := changedRepository(b, c.files, c.changed, c.lines)
			c.req.Range = "HEAD~1..HEAD"
			if _, err := open(b, engine.Options{Dir: r.Dir}).Diff(context.Background(), c.req); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				e, err := engine.Open(context.Background(), &engine.Options{Dir: r.Dir})
				if err != nil {
					b.Fatal(err)
				}
				d, err := e.Diff(context.Background(), c.req)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(render.DiffText(d))))
				e.Close()
			}
		})
	}
}
