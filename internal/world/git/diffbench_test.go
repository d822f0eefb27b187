package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// diffRepo makes a repository with two commits between which n files of about
// the given number of lines change, a tenth of their lines each, and dirty of
// them differ on disk as well.
func diffRepo(b *testing.B, n, lines, dirty int) (*sandbox, *Repo) {
	b.Helper()
	s := newSandbox(b)
	s.init("r")
	name := func(i int) string { return fmt.Sprintf("r/internal/p%d/q%d/file%d.go", i/144, i/12%12, i) }
	text := func(i, version int) string {
		var t strings.Builder
		for l := range lines {
			v := 0
			if l%100 < 10 {
				v = version
			}
			fmt.Fprintf(&t, "\tresult[%d] = compute(%d, %d, %q)\n", l, i*l, v, "some words of text")
		}
		return t.String()
	}
	for version := range 2 {
		for i := range n {
			s.write(name(i), text(i, version))
		}
		s.commit("r", "all")
	}
	s.git("r", "repack", "-q", "-a", "-d")
	for i := range dirty {
		s.write(name(i), text(i, 2))
	}
	s.age("r")
	return s, s.open("r")
}

// BenchmarkDiff compares with git diff, which is run beside it: the metric
// x-git is how many times longer this package takes.
func BenchmarkDiff(b *testing.B) {
	for _, bench := range []struct {
		name            string
		n, lines, dirty int
		spec            DiffSpec
		git             []string
	}{
		{"commit/10", 10, 300, 0, DiffSpec{Commit: "HEAD"}, []string{"diff", "HEAD~", "HEAD"}},
		{"commit/600", 600, 500, 0, DiffSpec{Commit: "HEAD"}, []string{"diff", "HEAD~", "HEAD"}},
		{"worktree/10", 1000, 100, 10, DiffSpec{Source: SourceWorkTree}, []string{"diff", "HEAD"}},
		{"worktree/600", 1000, 500, 600, DiffSpec{Source: SourceWorkTree}, []string{"diff", "HEAD"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s, r := diffRepo(b, bench.n, bench.lines, bench.dirty)
			var ours, gits time.Duration
			var size int
			for b.Loop() {
				start := time.Now()
				set, err := r.Diff(b.Context(), bench.spec)
				ours += time.Since(start)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if size == 0 {
					size = len(patchOf(set))
				}
				start = time.Now()
				s.git("r", bench.git...)
				gits += time.Since(start)
				b.StartTimer()
			}
			b.SetBytes(int64(size))
			b.ReportMetric(float64(ours)/float64(gits), "x-git")
		})
	}
}

// BenchmarkDiffRange compares two revisions of a real repository, which
// SATCHEL_BENCH_REPO and SATCHEL_BENCH_RANGE name.
func BenchmarkDiffRange(b *testing.B) {
	dir, rev := os.Getenv("SATCHEL_BENCH_REPO"), os.Getenv("SATCHEL_BENCH_RANGE")
	if dir == "" {
		b.Skip("SATCHEL_BENCH_REPO is not set")
	}
	s := newSandbox(b)
	r, err := s.options().Open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var ours, gits time.Duration
	for b.Loop() {
		start := time.Now()
		set, err := r.Diff(b.Context(), DiffSpec{Commit: rev})
		ours += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		held := 0
		for _, f := range set.Files {
			held += len(f.Header)
			for _, h := range f.Hunks {
				held += len(h.Body)
			}
		}
		start = time.Now()
		cmd := exec.Command("git", "-C", filepath.Clean(dir), "diff", rev)
		cmd.Env = s.env()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		gits += time.Since(start)
		b.ReportMetric(float64(len(set.Files)), "files")
		b.ReportMetric(float64(held)/1e6, "MB-held")
		b.StartTimer()
	}
	b.ReportMetric(float64(ours)/float64(gits), "x-git")
	reportPeak(b)
}
