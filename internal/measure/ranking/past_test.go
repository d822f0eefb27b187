package ranking

import (
	"testing"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/rank"
)

// TestRemovedNames checks that a document is doubtful if it mentions functions that were
// removed from the code, and not if its names were never there.
func TestRemovedNames(t *testing.T) {
	r := gittest.New(t)
	r.Write("tunnel.go", "package tunnel\n\nfunc openPool() {}\n\nfunc closePool() {}\n",
		"removed.md", "# Tunnel\n\nThe tunnel calls `openPool()` and `closePool()`.\n",
		"example.md", "# Tunnel\n\nThe tunnel calls `openExample()` and `closeExample()`.\n")
	r.Commit("add the tunnel")
	r.Write("tunnel.go", "package tunnel\n")
	r.Commit("remove the pool")

	repo, err := (&git.Options{Env: r.Env()}).Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	x, err := index.Open(index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	v, err := x.View(t.Context(), repo, "")
	if err != nil {
		t.Fatal(err)
	}

	const task = "the tunnel"
	found, err := NewReader(v).Documents(t.Context(), rank.Analyze(task), task, DocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Sections) != 2 || found.Sections[0].Doc != "example.md" {
		t.Fatalf("Documents = %+v, want example.md and then removed.md", found.Sections)
	}
	if kept, gone := found.Sections[0].Fresh, found.Sections[1].Fresh; kept < rank.Doubtful || gone >= rank.Doubtful {
		t.Errorf("freshness = %v and %v, want at least %v and less", kept, gone, rank.Doubtful)
	}
}
