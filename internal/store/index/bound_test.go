package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
)

// Of too many files the deepest are left out, and of those that no rule keeps
// anyway before others; a note says how many.
func TestTooManyFiles(t *testing.T) {
	r := newRepo(t)
	r.Write("top.go", "package top\n")
	r.Write("pinned/deep/down/p.go", "package down\n")
	for i := range 6 {
		r.Write(fmt.Sprintf("a/f%d.go", i), fmt.Sprintf("package a%d\n", i))
		r.Write(fmt.Sprintf("a/b/g%d.go", i), fmt.Sprintf("package b%d\n", i))
		r.Write(fmt.Sprintf("vendor/v%d.go", i), fmt.Sprintf("package v%d\n", i))
	}
	r.Commit("many")
	for i := range 9 {
		r.Write(fmt.Sprintf("out/u%d.go", i), fmt.Sprintf("package u%d\n", i))
	}
	x := openIndex(t, Options{MaxFiles: 12})
	for _, test := range []struct {
		rev   string
		want  string
		notes []string
	}{
		// 12 of 20: what is pinned, the top, six of a/, four of a/b.
		{"HEAD", "a/b/g0.go a/b/g1.go a/b/g2.go a/b/g3.go a/f0.go a/f1.go a/f2.go a/f3.go a/f4.go a/f5.go pinned/deep/down/p.go top.go",
			[]string{"8 of 20 files are not read, the deepest ones: max-files is 12"}},
		// Of nine untracked ones three, which are as deep as a/.
		{"", "a/b/g0.go a/f0.go a/f1.go a/f2.go a/f3.go a/f4.go a/f5.go out/u0.go out/u1.go out/u2.go pinned/deep/down/p.go top.go",
			[]string{"6 of 9 untracked files are not read, the deepest ones: max-files is 3",
				"11 of 23 files are not read, the deepest ones: max-files is 12"}},
	} {
		v, err := x.View(t.Context(), r.open(), test.rev, "pinned/deep/down/p.go")
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for i := range v.Files() {
			paths = append(paths, v.Files()[i].Path)
		}
		slices.Sort(paths)
		if got := strings.Join(paths, " "); got != test.want {
			t.Errorf("rev %q: files %s\nwant %s", test.rev, got, test.want)
		}
		for _, want := range test.notes {
			if !slices.ContainsFunc(v.Diagnostics(), func(n satchel.Diagnostic) bool { return n.Text == want }) {
				t.Errorf("rev %q: diagnostics %v, want %s", test.rev, v.Diagnostics(), want)
			}
		}
	}
}
