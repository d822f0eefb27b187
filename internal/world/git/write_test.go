package git

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// formats runs a test in a repository of each object format.
func formats(t *testing.T, test func(t *testing.T, s *sandbox, r *Repo)) {
	for _, f := range []Format{SHA1, SHA256} {
		t.Run(string(f), func(t *testing.T) {
			s := newSandbox(t)
			s.init("r", "--object-format="+string(f))
			test(t, s, s.open("r"))
		})
	}
}

var someone = Signature{Name: "S", Email: "s@example.com", Time: 1700000000}

// chain stores a commit of n files on top of parent.
func chain(t *testing.T, r *Repo, n int, parent string) string {
	t.Helper()
	objects := r.NewObjects()
	var entries []TreeEntry
	for i := range n {
		id := objects.Blob([]byte(fmt.Sprintf("text %d of %s\n", i, parent)))
		entries = append(entries, TreeEntry{ModeFile, fmt.Sprintf("f%d", i), id})
	}
	items, err := objects.Tree(entries)
	if err != nil {
		t.Fatal(err)
	}
	// A folder sorts as if its name ended with a slash: after "items.txt".
	top, err := objects.Tree([]TreeEntry{{ModeDir, "items", items}, {ModeFile, "items.txt", objects.Blob(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	var parents []string
	if parent != "" {
		parents = []string{parent}
	}
	commit := objects.Commit(top, parents, someone, "snapshot\n")
	if err := objects.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	return commit
}

func TestStore(t *testing.T) {
	formats(t, func(t *testing.T, s *sandbox, r *Repo) {
		small := chain(t, r, 3, "")
		large := chain(t, r, 500, small)
		kept := chain(t, r, 5, large)
		if again := chain(t, r, 3, ""); again != small {
			t.Errorf("the same objects are %s and %s", small, again)
		}
		if err := r.UpdateRefs(t.Context(), RefUpdate{Name: "refs/satchel/x", New: kept}); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Ref(t.Context(), "refs/satchel/x"); got != kept || err != nil {
			t.Errorf("Ref = %q, %v, want %q", got, err, kept)
		}
		if out := s.git("r", "fsck", "--strict", "--full"); strings.Contains(out, "error") {
			t.Errorf("git fsck says %s", out)
		}
		if got := s.git("r", "show", "refs/satchel/x~2:items/f1"); got != "text 1 of " {
			t.Errorf("the blob reads %q", got)
		}
		if names := s.git("r", "count-objects", "-v"); !strings.Contains(names, "packs: 1") {
			t.Errorf("want a pack for many objects, got %s", names)
		}
		if n, err := r.Ref(t.Context(), "refs/satchel/none"); n != "" || err != nil {
			t.Errorf("Ref of nothing = %q, %v", n, err)
		}
	})
}

func TestTreeRefuses(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	n := s.open("r").NewObjects()
	id := n.Blob([]byte("x"))
	for _, bad := range [][]TreeEntry{
		{{ModeFile, "a/b", id}}, {{ModeFile, "..", id}}, {{ModeFile, ".git", id}}, {{ModeFile, "", id}},
		{{ModeFile, "a", "12"}}, {{ModeFile, "a", strings.Repeat("g", 40)}}, {{ModeFile, "a", id}, {ModeDir, "a", id}},
	} {
		if got, err := n.Tree(bad); err == nil {
			t.Errorf("Tree(%v) = %s, want an error", bad, got)
		}
	}
}

func TestUpdateRefs(t *testing.T) {
	formats(t, func(t *testing.T, s *sandbox, r *Repo) {
		a := chain(t, r, 1, "")
		b := chain(t, r, 1, a)
		const name = "refs/satchel/x"
		other := strings.Repeat("1", r.Format().HexLen())
		for _, step := range []struct {
			update RefUpdate
			moved  bool
			want   string
		}{
			{RefUpdate{name, a, b}, true, ""}, // it does not exist
			{RefUpdate{name, a, ""}, false, a},
			{RefUpdate{name, b, ""}, true, a}, // it does exist
			{RefUpdate{name, a, b}, true, a},
			{RefUpdate{name, b, a}, false, b},
			{RefUpdate{name, "", other}, true, b},
			{RefUpdate{name, "", b}, false, ""},
		} {
			err := r.UpdateRefs(t.Context(), step.update)
			var moved *RefMovedError
			if errors.As(err, &moved) != step.moved || err != nil && !step.moved {
				t.Errorf("UpdateRefs(%v) = %v, want moved %v", step.update, err, step.moved)
			}
			if got, err := r.Ref(t.Context(), name); got != step.want || err != nil {
				t.Errorf("after %v the reference is %q, %v, want %q", step.update, got, err, step.want)
			}
		}
		// All or none.
		if err := r.UpdateRefs(t.Context(), RefUpdate{"refs/satchel/y", a, ""}, RefUpdate{name, a, b}); err == nil {
			t.Error("an update with a wrong old id went through")
		}
		if got, _ := r.Ref(t.Context(), "refs/satchel/y"); got != "" {
			t.Errorf("half an update was made: %s", got)
		}
		for _, bad := range []string{"HEAD", "refs/", "refs/a..b", "refs/a b", "refs/a\nb", "refs/a.lock", "refs/.a", "-refs/x"} {
			if err := r.UpdateRefs(t.Context(), RefUpdate{bad, a, ""}); err == nil {
				t.Errorf("UpdateRefs takes the name %q", bad)
			}
		}
	})
}

// Many writers that each look again when they were too slow lose nothing.
func TestUpdateRefsTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	s := newSandbox(t)
	s.init("r")
	r := s.open("r")
	const name, writers = "refs/satchel/x", 16
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				old, err := r.Ref(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				next := chain(t, r, 2, old)
				err = r.UpdateRefs(t.Context(), RefUpdate{name, next, old})
				var moved *RefMovedError
				if !errors.As(err, &moved) {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	wg.Wait()
	if n := strings.TrimSpace(s.git("r", "rev-list", "--count", name)); n != fmt.Sprint(writers) {
		t.Errorf("%s commits, want %d", n, writers)
	}
}

// No hook of the repository runs, and nothing is collected behind the user's
// back.
func TestWriteRunsNothing(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	canary := s.path("canary")
	for _, hook := range []string{"reference-transaction", "post-update", "update", "pre-receive", "post-receive", "pre-auto-gc", "post-rewrite"} {
		name := s.path("r/.git/hooks/" + hook)
		if err := os.WriteFile(name, []byte("#!/bin/sh\necho $0 >>'"+canary+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.git("r", "config", "gc.auto", "1")
	r := s.open("r")
	c := chain(t, r, 300, "")
	if err := r.UpdateRefs(t.Context(), RefUpdate{"refs/satchel/x", c, ""}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(canary); err == nil {
		t.Errorf("these hooks ran: %s", text)
	}
	s.git("r", "update-ref", "refs/satchel/y", c) // the trap itself works
	if _, err := os.Stat(canary); err != nil {
		t.Fatal("the trap does not work")
	}
}

func BenchmarkStore(b *testing.B) {
	for _, n := range []int{1, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newSandbox(b)
			s.init("r")
			r := s.open("r")
			text := strings.Repeat("a line of a file that was shown\n", 60)
			for i := 0; b.Loop(); i++ {
				objects := r.NewObjects()
				for k := range n {
					objects.Blob([]byte(fmt.Sprint(i, k, text)))
				}
				if err := objects.Store(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
