package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/engine"
)

func TestSearchLimit(t *testing.T) {
	files := map[string]string{}
	for i := range engine.DefaultResults + 5 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package p\n\nfunc Flush%d() {}\n", i)
	}
	e := open(t, engine.Options{Dir: write(t, files)})
	for limit, want := range map[int]int{-1: engine.DefaultResults, 0: engine.DefaultResults, 3: 3} {
		for _, symbols := range []bool{false, true} {
			r, err := e.Search(t.Context(), engine.SearchRequest{Query: "flush", Symbols: symbols, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Files) + len(r.Symbols); got != want {
				t.Errorf("Search with limit %d, symbols %v: %d results, want %d", limit, symbols, got, want)
			}
		}
	}
}

// A long-lived process opens many engines: each gives back the folders it held.
func TestCloseLeavesNoFileOpen(t *testing.T) {
	held := func(dir string) (n int) {
		fds, err := filepath.Glob("/proc/self/fd/*")
		if err != nil || len(fds) == 0 {
			t.Skip("no /proc/self/fd")
		}
		return len(slices.DeleteFunc(fds, func(fd string) bool {
			name, err := os.Readlink(fd)
			return err != nil || name != dir
		}))
	}
	folder := write(t, map[string]string{"a.go": "package a\n"})
	r := newRepository(t)
	r.WriteAll(map[string]string{"a.go": "package a\n"})
	r.Commit("first")
	for name, dir := range map[string]string{"folder": folder, "repository": r.Dir} {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.Open(t.Context(), &engine.Options{Dir: dir, NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Search(t.Context(), engine.SearchRequest{Query: "a"}); err != nil {
			t.Fatal(err)
		}
		if held(dir) == 0 {
			t.Errorf("%s: no folder is open before Close: the test sees nothing", name)
		}
		if err := e.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if n := held(dir); n != 0 {
			t.Errorf("%s: %d open files after Close, want 0", name, n)
		}
	}
}
