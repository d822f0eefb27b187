package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
)

// contextTree is a plain folder with documents.
func contextTree(t *testing.T) (e *engine.Engine, dir string) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	dir = write(t, map[string]string{
		"docs/a.md": "# A\n\nThe store keeps sessions.\n", "docs/b.md": "# B\n\nOf other things.\n", "main.go": "package main\n\nfunc main() {}\n",
		"go.mod": "module x\n\ngo 1.26\n\nrequire example.com/y v1.2.3\n", "test.log": "ok\n--- FAIL: TestStore (0.00s)\n",
	})
	return open(t, engine.Options{Dir: dir}), dir
}

func TestAddContext(t *testing.T) {
	e, dir := contextTree(t)
	ctx := context.Background()
	glob := engine.ContextRule{Pattern: "docs/*.md", Glob: true, ReadOnly: true}
	rep, err := e.Context().Add(ctx, []engine.ContextRule{glob}, 200, engine.ContextOptions{Now: noted})
	if err != nil || !slices.Equal(rep.Added, []string{"docs/a.md", "docs/b.md"}) || rep.Limit != 200 {
		t.Fatalf("AddContext = %+v, %v", rep, err)
	}
	// A budget that is too small is neither kept nor does it change anything.
	var small *satchel.OverflowError
	if _, err := e.Context().Add(ctx, []engine.ContextRule{{Pattern: "main.go"}}, 5, engine.ContextOptions{Now: noted}); !errors.As(err, &small) || small.Limit != 5 {
		t.Errorf("AddContext beyond the budget: %v", err)
	}
	l, err := e.Context().List(ctx)
	if err != nil || len(l.Files) != 2 || len(l.Rules) != 1 || l.Limit != 200 || l.Tokens != rep.Tokens || l.Files[0].Stale || l.Files[1].Stale {
		t.Errorf("ContextFiles = %+v, %v", l, err)
	}
	// An engine that is opened later protects the same.
	later := open(t, engine.Options{Dir: dir})
	list, diags, err := later.Context().Protections(ctx, []string{"docs/a.md", "main.go", "docs/new.md"}, filepath.Join(dir, "docs"))
	if err != nil || len(diags) > 0 || len(list) != 3 || !list[0].Protected || list[1].Protected || !list[2].Protected {
		t.Errorf("Protections = %+v, %v, %v", list, diags, err)
	}
	if _, _, err := later.Context().Protections(ctx, []string{"docs/a.md", "a\x00b"}); err == nil || !strings.Contains(err.Error(), "cannot check") {
		t.Errorf("Protections of a NUL: %v", err)
	}
	if _, err := e.Context().Remove(ctx, "docs/*.md", "main.go"); err == nil {
		t.Error("a rule that is not there was removed")
	}
	if rep, err := e.Context().Remove(ctx, "docs/*.md"); err != nil || len(rep.Removed) != 2 {
		t.Errorf("RemoveContext = %+v, %v", rep, err)
	}
}

func TestRefreshContext(t *testing.T) {
	e, dir := contextTree(t)
	ctx := context.Background()
	if _, err := e.Context().Add(ctx, []engine.ContextRule{{Pattern: "docs/a.md", Pinned: true}, {Pattern: "docs/b.md"}}, 0, engine.ContextOptions{Now: noted}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"docs/a.md": "changed\n", "docs/b.md": "changed, too\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	req := satchel.Request{Task: "store of sessions", Budget: 1200, Now: noted}
	text, p := bytesOf(t, e, req)
	if !strings.Contains(text, "The store keeps sessions.") || !slices.ContainsFunc(p.Diagnostics, func(n satchel.Diagnostic) bool {
		return n.Path == "docs/a.md" && strings.Contains(n.Text, "shown as it was on 2026-01-05")
	}) {
		t.Errorf("before the refresh:\n%s", text)
	}
	rep, err := e.Context().Refresh(ctx, engine.ContextOptions{Now: noted.Add(time.Hour), Only: []string{"docs/a.md"}})
	if err != nil || !slices.Equal(rep.Changed, []string{"docs/a.md"}) {
		t.Errorf("RefreshContext = %+v, %v", rep, err)
	}
	if text, _ := bytesOf(t, e, req); strings.Contains(text, "The store keeps sessions.") || !strings.Contains(text, "\nchanged\n") {
		t.Errorf("after the refresh:\n%s", text)
	}
	l, err := e.Context().List(ctx)
	if err != nil || l.Files[0].Stale || !l.Files[1].Stale {
		t.Errorf("ContextFiles = %+v, %v", l, err)
	}
	var unknown *readonly.UnknownError
	if _, err := e.Context().Refresh(ctx, engine.ContextOptions{Only: []string{"main.go"}}); !errors.As(err, &unknown) {
		t.Errorf("RefreshContext of what is no context file: %v", err)
	}
}

// TestEditProtected: no pack sends an agent to edit what it must not change.
func TestEditProtected(t *testing.T) {
	e, _ := contextTree(t)
	ctx := context.Background()
	req := satchel.Request{Task: "store of sessions", Budget: 1200, Edit: []string{"main.go", "docs/new.md"}}
	if _, err := e.Pack(ctx, req); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Context().Add(ctx, []engine.ContextRule{{Pattern: "docs/**", Glob: true, ReadOnly: true}}, 0, engine.ContextOptions{Now: noted}); err != nil {
		t.Fatal(err)
	}
	var protected *engine.ProtectedError
	if _, err := e.Pack(ctx, req); !errors.As(err, &protected) || protected.Path != "docs/new.md" || protected.Rule != "docs/**" {
		t.Errorf("Pack: %v", err)
	}
	if _, err := e.Prompt(ctx, engine.PromptRequest{Request: req, Round: 1, Rounds: 1}); !errors.As(err, &protected) {
		t.Errorf("Prompt: %v", err)
	}
	req.Edit = req.Edit[:1]
	if _, err := e.Pack(ctx, req); err != nil {
		t.Errorf("Pack with a file that is free: %v", err)
	}
}
