package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/world/git"
)

func TestGather(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": "package main\n\nfunc main() {}\n", "go.mod": "module x\n\ngo 1.26\n\nrequire example.com/y v1.2.3\n", "test.log": "ok\n--- FAIL: TestStore (0.00s)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := git.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	noted := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ctx := context.Background()
	all, diags, err := source.Gather(ctx, tree, source.GatherRequest{Query: "why does TestStore fail", Now: noted})
	if err != nil || len(diags) > 0 {
		t.Fatalf("Gather: %v, %v", diags, err)
	}
	kinds := func(list []satchel.Item) (out []string) {
		for i := range list {
			if k := string(list[i].Ref.Kind); len(out) == 0 || out[len(out)-1] != k {
				out = append(out, k)
			}
		}
		return out
	}
	if got, want := kinds(all), []string{"recent", "errors", "dependencies", "environment"}; !slices.Equal(got, want) {
		t.Errorf("all tell %v, want %v", got, want)
	}
	// In the order asked, each once.
	some, _, err := source.Gather(ctx, tree, source.GatherRequest{Providers: []string{"environment", "errors", "environment"}, Now: noted})
	if got, want := kinds(some), []string{"environment", "errors"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("some tell %v, want %v, %v", got, want, err)
	}
	for budget := range 200 {
		list, _, err := source.Gather(ctx, tree, source.GatherRequest{Query: "store", Budget: budget, Providers: []string{"errors", "dependencies", "environment"}, Now: noted})
		sum := 0
		for i := range list {
			sum += list[i].Forms[0].Tokens
		}
		if err != nil || budget > 0 && sum > budget {
			t.Fatalf("%d tokens of %d, %v", sum, budget, err)
		}
	}
	if _, _, err := source.Gather(ctx, tree, source.GatherRequest{Providers: []string{"weather"}}); err == nil {
		t.Error("the weather is told")
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, _, err := source.Gather(stopped, tree, source.GatherRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Gather when interrupted: %v", err)
	}
}
