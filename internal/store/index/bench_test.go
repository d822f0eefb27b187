package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// corpus makes a repository of one commit with n Go files.
func corpus(b *testing.B, n int) *git.Repo {
	b.Helper()
	r := newRepo(b)
	var s strings.Builder
	s.WriteString("commit refs/heads/main\ncommitter a <a@example.org> 1700000000 +0000\ndata 3\nall\n")
	for i := range n {
		text := program(i, 4+i%9)
		fmt.Fprintf(&s, "M 100644 inline d%d/f%d.go\ndata %d\n%s\n", i/50, i, len(text), text)
	}
	r.Input(s.String(), "fast-import", "--quiet")
	return r.open()
}

var sizes = []int{100, 10_000}

func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := corpus(b, n)
			var bytes int64
			for b.Loop() {
				x, err := Open(Options{})
				if err != nil {
					b.Fatal(err)
				}
				v, err := x.View(context.Background(), f, "HEAD")
				if err != nil {
					b.Fatal(err)
				}
				bytes = 0
				for _, d := range v.Docs() {
					bytes += int64(d.Bytes)
				}
			}
			b.SetBytes(bytes)
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := corpus(b, n)
			dir := b.TempDir()
			x, err := Open(Options{Dir: dir})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := x.View(context.Background(), f, "HEAD"); err != nil {
				b.Fatal(err)
			}
			x.Close()
			for b.Loop() {
				x, err := Open(Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
		})
	}
}

// BenchmarkPostings asks for 100 terms, as a long task does.
func BenchmarkPostings(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, err := Open(Options{})
			if err != nil {
				b.Fatal(err)
			}
			v, err := x.View(context.Background(), corpus(b, n), "HEAD")
			if err != nil {
				b.Fatal(err)
			}
			var terms []uint64
			r := rand.New(rand.NewPCG(1, 2))
			for len(terms) < 100 {
				ts := v.DocTerms(nil, int32(r.IntN(len(v.Docs()))))
				terms = append(terms, ts[r.IntN(len(ts))].Term)
			}
			var ps []Posting
			found := 0
			for b.Loop() {
				found = 0
				for _, t := range terms {
					ps = v.Postings(ps[:0], t)
					found += len(ps)
				}
			}
			b.ReportMetric(float64(found), "postings/op")
			b.ReportAllocs()
		})
	}
}
