package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/source/search"
)

// TestSaysSo checks what the engine says about a task that nothing matches and
// about a folder that is pinned.
func TestSaysSo(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lib", "cart.go"), []byte("package lib\n\nfunc Total() int { return 1 }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := Open(context.Background(), &Options{Dir: dir, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for task, want := range map[string]bool{"zzzqqq": true, "total": false} {
		p, err := e.Pack(context.Background(), satchel.Request{Task: task, Budget: 2000})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Search(context.Background(), search.Request{Query: task})
		if err != nil {
			t.Fatal(err)
		}
		for what, m := range map[string]satchel.Match{"Pack": p.Match, "Search": r.Match} {
			if (m == satchel.MatchNone) != want {
				t.Errorf("%s of %q: match %s, want none: %v", what, task, m, want)
			}
		}
	}
	_, err = e.Pack(context.Background(), satchel.Request{Task: "total", Pinned: []string{"lib"}, Budget: 2000})
	if err == nil || !strings.Contains(err.Error(), "a folder") {
		t.Errorf("pinning a folder: %v, want it called a folder", err)
	}
}
