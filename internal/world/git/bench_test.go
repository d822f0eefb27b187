package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// benchRepo makes a repository of n files of about 5 kB in folders of twelve,
// about the shape of a large Go program.
func benchRepo(b *testing.B, n int) *Repo {
	b.Helper()
	s := newSandbox(b)
	s.init("r")
	for i := range n {
		text := strings.Repeat(fmt.Sprintf("func f%d() int { return %d }\n", i, i*i), 150)
		s.write(fmt.Sprintf("r/internal/p%d/q%d/file%d.go", i/144, i/12%12, i), text)
	}
	old := time.Now().Add(-time.Hour)
	for i := range n {
		os.Chtimes(s.path(fmt.Sprintf("r/internal/p%d/q%d/file%d.go", i/144, i/12%12, i)), old, old)
	}
	s.commit("r", "all")
	s.git("r", "repack", "-q", "-a", "-d")
	return s.open("r")
}

// BenchmarkRepository reads a repository in every way. Sub-benchmarks share it,
// since making it takes longer than all of them.
func BenchmarkRepository(b *testing.B) {
	for _, n := range []int{100, 5000} {
		r := benchRepo(b, n)
		ctx := b.Context()
		files, _, err := r.WorkTree(ctx)
		if err != nil || len(files) != n || !files[0].Clean {
			b.Fatal(len(files), err)
		}
		var paths, ids []string
		var size int64
		for _, f := range files {
			paths, ids, size = append(paths, f.Path), append(ids, f.OID), size+f.Size
		}
		attributes := func(b *testing.B) {
			for b.Loop() {
				_, err := r.attributes(ctx, paths, "linguist-generated", "linguist-vendored", "linguist-documentation", "binary", "diff")
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, bench := range []struct {
			name string
			fn   func(b *testing.B)
		}{
			{"Open", func(b *testing.B) {
				for b.Loop() {
					o, err := Open(ctx, r.Dir())
					if err != nil {
						b.Fatal(err)
					}
					o.Close()
				}
			}},
			{"WorkTree", func(b *testing.B) {
				for b.Loop() {
					if _, _, err := r.WorkTree(ctx); err != nil {
						b.Fatal(err)
					}
				}
			}},
			{"Tree", func(b *testing.B) {
				for b.Loop() {
					if _, err := r.Tree(ctx, "HEAD"); err != nil {
						b.Fatal(err)
					}
				}
			}},
			{"ReadAll", func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					o := r.Objects(ctx)
					if err := o.ReadAll(ids, func(_ int, _ []byte, err error) {
						if err != nil {
							b.Fatal(err)
						}
					}); err != nil {
						b.Fatal(err)
					}
					o.Close()
				}
			}},
			{"Read", func(b *testing.B) {
				o := r.Objects(ctx)
				defer o.Close()
				for b.Loop() {
					if _, err := o.Read(ids[0], 1<<20); err != nil {
						b.Fatal(err)
					}
				}
			}},
			{"ReadFile", func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					for _, p := range paths {
						if _, err := r.ReadFile(p, 1<<20); err != nil {
							b.Fatal(err)
						}
					}
				}
			}},
			{"Folder", func(b *testing.B) {
				for b.Loop() {
					if _, _, err := r.folder.Files(); err != nil {
						b.Fatal(err)
					}
				}
			}},
			{"Attributes/none", attributes},
			{"Attributes/some", func(b *testing.B) {
				name := filepath.Join(r.Dir(), ".gitattributes")
				if err := os.WriteFile(name, []byte("p1/** linguist-generated\n*.lock -diff\n"), 0o644); err != nil {
					b.Fatal(err)
				}
				defer os.Remove(name)
				attributes(b)
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", bench.name, n), bench.fn)
		}
	}
}
