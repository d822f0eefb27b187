package git

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// bombTree stores trees that name each other wide times, levels deep, and returns the
// topmost: wide^levels files.
func bombTree(t *testing.T, o *NewObjects, levels, wide int) string {
	t.Helper()
	id, mode := o.Blob([]byte("x\n")), ModeFile
	for range levels {
		var entries []TreeEntry
		for i := range wide {
			entries = append(entries, TreeEntry{mode, fmt.Sprintf("n%d", i), id})
		}
		var err error
		if id, err = o.Tree(entries); err != nil {
			t.Fatal(err)
		}
		mode = ModeDir
	}
	return id
}

// Ten trees that describe 10^10 files are listed and compared as far as is asked for,
// and the history says where it ends.
func TestTreeBomb(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("bomb")
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/x", "y\n")
	first := s.commit("r", "first")
	r := s.open("r")
	o := r.NewObjects()
	by := Signature{"A", "a@b", 1}
	bomb := o.Commit(bombTree(t, o, 10, 10), []string{first}, by, "bomb\n")
	last := o.Commit(bombTree(t, o, 1, 1), []string{bomb}, by, "last\n")
	if err := o.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	files, more, err := r.TreeWithin(t.Context(), bomb, 1000)
	if len(files) != 1000 || !more || err != nil || strings.Count(files[0].Path, "/") != 9 || files[0].Size != 2 {
		t.Fatalf("TreeWithin = %d files, %v, %v; want 1000 of the tenth level, and more", len(files), more, err)
	}
	if files, more, err := r.TreeWithin(t.Context(), last, 1000); len(files) != 1 || more || err != nil {
		t.Errorf("TreeWithin of one file = %v, %v, %v", files, more, err)
	}
	scratch, err := r.newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.remove()
	d := &differ{Repo: r, s: scratch, most: 5}
	if err := d.states(t.Context(), DiffSpec{Commit: bomb}); err != nil {
		t.Fatal(err)
	}
	if err := d.compare(t.Context()); err != nil || len(d.set.Files) != 5 || !strings.Contains(fmt.Sprint(d.set.Diagnostics), "at least 199995 more files differ") {
		t.Errorf("diff = %d files, %v, %v; want 5, and a note about more", len(d.set.Files), d.set.Diagnostics, err)
	}
	if set, err := r.Diff(t.Context(), DiffSpec{Rev: bomb + ".." + bomb}); err != nil || len(set.Files) != 0 {
		t.Errorf("diff with itself = %v, %v", set, err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// Folders that are too deep to be read are not said to be the same.
func TestDeepTree(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	r := s.open("r")
	o := r.NewObjects()
	deep := o.Commit(bombTree(t, o, maxDepth+2, 1), nil, Signature{"A", "a@b", 1}, "deep\n")
	if err := o.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, more, err := r.TreeWithin(t.Context(), deep, 10); len(files) != 0 || !more || err != nil {
		t.Errorf("TreeWithin = %v, %v, %v; want no file, and more", files, more, err)
	}
	set, err := r.Diff(t.Context(), DiffSpec{Commit: deep})
	if err != nil || len(set.Diagnostics) != 1 || !strings.Contains(set.Diagnostics[0].Text, "other files may differ") {
		t.Errorf("Diff = %+v, %v", set, err)
	}
}

// A commit that changes more files than fit the memory or the limit ends the history.
func TestHistoryBomb(t *testing.T) {
	s := newSandbox(t)
	s.program("git", "#!/bin/sh\necho 'fatal: Out of memory, realloc failed' >&2; exit 128\n")
	r := &runner{git: s.path("git"), dir: s.dir, env: []string{"PATH=/usr/bin:/bin"}, timeout: time.Minute, memory: historyMemory}
	if _, err := r.run(t.Context(), nil, "log"); err == nil || err.Error() != "git log: Out of memory, realloc failed; a git may hold 160 MiB" {
		t.Errorf("run = %v", err)
	}
	record := "\x00" + strings.Repeat("a", 40) + " \x000\x00message\x00\n" + strings.Repeat("f\x00", mostChanged+1)
	err := parseLog(reader(record), SHA1, func(Commit) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "changes more than 200000 files") {
		t.Errorf("parseLog = %v", err)
	}
}

// A git that is never silent, and never done, ends with a message.
func TestOverdue(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	s := newSandbox(t)
	s.program("git", "#!/bin/sh\nwhile :; do echo x; sleep 0.01; done\n")
	var silent *SilentError
	for limit := 50 * time.Millisecond; limit < time.Minute; limit *= 2 {
		r := &runner{git: s.path("git"), dir: s.dir, env: []string{"PATH=/usr/bin:/bin"}, timeout: limit}
		_, err := r.run(t.Context(), nil, "log")
		if errors.As(err, &silent) { // on a busy machine
			continue
		}
		want := fmt.Sprintf("not done within %v, the limit for one call (10 times git-timeout)", 10*limit)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("run = %v, want %s", err, want)
		}
		return
	}
	t.Error("git was silent for a minute")
}
