package ctxmgr_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/ctxmgr"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// A source is a provider of a test.
type source struct {
	name   string
	budget int
	gather func(ctx context.Context, query string) ([]ctxmgr.ContextItem, error)
}

func (s *source) Name() string        { return s.name }
func (s *source) Description() string { return "a test" }
func (s *source) TokenBudget() int    { return s.budget }
func (s *source) Gather(ctx context.Context, query string) ([]ctxmgr.ContextItem, error) {
	return s.gather(ctx, query)
}

// says is a source that always gives the same items.
func says(name string, budget int, items ...ctxmgr.ContextItem) *source {
	for i := range items {
		items[i].Source = name
	}
	return &source{name, budget, func(context.Context, string) ([]ctxmgr.ContextItem, error) { return slices.Clone(items), nil }}
}

func titles(items []ctxmgr.ContextItem) (out []string) {
	for _, it := range items {
		out = append(out, it.Source+"/"+it.Title)
	}
	return out
}

func TestGatherAll(t *testing.T) {
	cm := ctxmgr.NewContextManager(100)
	if items, err := cm.GatherAll(t.Context(), "x"); err != nil || items != nil {
		t.Errorf("without providers: %v, %v", items, err)
	}
	cm.Register(says("a", 0,
		ctxmgr.ContextItem{Title: "first", Content: "some words", Relevance: 0.9, TokenCount: 40},
		ctxmgr.ContextItem{Title: "second", Content: "more words", Relevance: 0.8, TokenCount: 40}))
	cm.Register(says("b", 0, ctxmgr.ContextItem{Title: "third", Content: "other words", Relevance: 0.1, TokenCount: 40}))
	cm.Register(&source{"fails", 0, func(context.Context, string) ([]ctxmgr.ContextItem, error) { return nil, errors.New("no luck") }})
	cm.Register(&source{"panics", 0, func(context.Context, string) ([]ctxmgr.ContextItem, error) { panic("oh") }})
	cm.Register(&source{"asks", 0, func(_ context.Context, query string) ([]ctxmgr.ContextItem, error) {
		return []ctxmgr.ContextItem{{Source: "asks", Title: query, Content: "key AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzTRUEKEYabc", Relevance: 0.05}}, nil
	}})
	items, err := cm.GatherAll(t.Context(), "the query")
	if err != nil {
		t.Fatal(err)
	}
	// One of each source comes before a second one of any.
	if diff := cmp.Diff([]string{"a/first", "b/third"}, titles(items)[:2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cm.TotalBudget = 1_000
	items, err = cm.GatherAll(t.Context(), "the query")
	if diff := cmp.Diff([]string{"a/first", "a/second", "b/third", "asks/the query"}, titles(items)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if last := items[3]; strings.Contains(last.Content, "wJalrXUtnFEMI") || last.TokenCount <= 0 {
		t.Errorf("not redacted, or not counted: %+v", last)
	}
	if items[0].TokenCount != 40 {
		t.Errorf("a provider's own count is not believed: %+v", items[0])
	}

	cm = ctxmgr.NewContextManager(100)
	cm.Register(&source{"fails", 0, func(context.Context, string) ([]ctxmgr.ContextItem, error) { return nil, errors.New("no luck") }})
	if items, err := cm.GatherAll(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no luck") || items != nil {
		t.Errorf("if all fail: %v, %v", items, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hangs := &source{"hangs", 0, func(ctx context.Context, _ string) ([]ctxmgr.ContextItem, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	cm.Register(hangs)
	if _, err := cm.GatherAll(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}

	// Several calls at once, of which one provider fails and one waits for its deadline.
	synctest.Test(t, func(t *testing.T) {
		cm := ctxmgr.NewContextManager(100)
		cm.Register(&source{"fails", 0, func(context.Context, string) ([]ctxmgr.ContextItem, error) { return nil, errors.New("no luck") }})
		cm.Register(hangs)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				cm.Register(says(fmt.Sprint(i), 10))
				_, _ = cm.GatherAll(t.Context(), "")
			})
		}
		wg.Wait()
	})
}

// TestGatherAllLosesNothingThatFits: the total was divided by what providers might
// say before any had answered.
func TestGatherAllLosesNothingThatFits(t *testing.T) {
	ten := func(title string) ctxmgr.ContextItem {
		return ctxmgr.ContextItem{Title: title, Content: "one two three four five six seven eight nine", Relevance: 0.5, TokenCount: 10}
	}
	cm := ctxmgr.NewContextManager(30)
	for _, name := range []string{"a", "b", "c", "d"} {
		cm.Register(says(name, 500, ten(name)))
	}
	items, err := cm.GatherAll(t.Context(), "")
	if diff := cmp.Diff([]string{"a/a", "b/b", "c/c"}, titles(items)); err != nil || diff != "" {
		t.Errorf("four items of 10 tokens in 30: %v (-want +got):\n%s", err, diff)
	}
	cm = ctxmgr.NewContextManager(40)
	cm.Register(says("idle", 10_000))
	cm.Register(says("busy", 100, ten("1"), ten("2"), ten("3"), ten("4"), ten("5")))
	items, err = cm.GatherAll(t.Context(), "")
	if diff := cmp.Diff([]string{"busy/1", "busy/2", "busy/3", "busy/4"}, titles(items)); err != nil || diff != "" {
		t.Errorf("beside a provider that says nothing: %v (-want +got):\n%s", err, diff)
	}
}

func TestPrioritizeItems(t *testing.T) {
	item := func(source, title string, relevance float64, tokens int) ctxmgr.ContextItem {
		return ctxmgr.ContextItem{Source: source, Title: title, Content: "two words", Relevance: relevance, TokenCount: tokens}
	}
	items := []ctxmgr.ContextItem{item("a", "1", 0.9, 10), item("a", "2", 0.8, 10), item("a", "huge", 0.7, 1_000), item("b", "3", 0.1, 10), item("a", "counted", 0.6, 0)}
	for _, tt := range []struct {
		budget int
		want   []string
	}{
		{-5, nil}, {0, nil}, {9, []string{"a/counted"}}, {10, []string{"a/1"}}, {20, []string{"a/1", "b/3"}}, {22, []string{"a/1", "a/counted", "b/3"}}, {30, []string{"a/1", "a/2", "b/3"}},
		{5_000, []string{"a/1", "a/2", "a/huge", "a/counted", "b/3"}},
	} {
		if diff := cmp.Diff(tt.want, titles(ctxmgr.PrioritizeItems(items, tt.budget))); diff != "" {
			t.Errorf("%d tokens (-want +got):\n%s", tt.budget, diff)
		}
	}
	if got := ctxmgr.PrioritizeItems(nil, 10); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	want := "## Relevant Context\n\n### [Source: git] branch\nmain\n\n### [Source: a] odd\\u{1b}\ntext\n"
	if diff := cmp.Diff(want, ctxmgr.FormatContextItems([]ctxmgr.ContextItem{{Source: "git", Title: "branch", Content: "main\n"}, {Source: "a", Title: "odd\x1b", Content: "text"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := ctxmgr.FormatContextItems(nil); got != "" {
		t.Errorf("no items are %q", got)
	}
}

// repository is a git repository with a Go module, a commit, and something that
// is not committed.
func repository(t *testing.T) string {
	t.Helper()
	dir := folder(t, map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.26\n\nrequire example.com/proxy v1.2.3\n", "main.go": "package main\n", "docs/readme.md": "# App\n",
		".gitignore": "out/\n*.log\n", "out/made.go": "package out\n", "build.log": "all is well\n--- FAIL: TestProxy (0.00s)\n    proxy_test.go:12: got 1, want 2\nFAIL\n",
	})
	gittest.At(t, dir).Commit("proxy: give up after a minute")
	write(t, filepath.Join(dir, "proxy.go"), "package main\n\nfunc proxy() {}\n")
	return dir
}

func all(items []ctxmgr.ContextItem) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%s\n%s\n", it.Title, it.Content)
	}
	return b.String()
}

// TestProviders asks every provider about a repository.
func TestProviders(t *testing.T) {
	dir := repository(t)
	t.Chdir(dir)
	for _, tt := range []struct {
		p    ctxmgr.ContextProvider
		name string
		want []string
	}{
		{&ctxmgr.GitContextProvider{RepoDir: dir}, "git", []string{"main", "proxy.go", "proxy: give up after a minute"}},
		{&ctxmgr.FileContextProvider{RepoDir: dir}, "files", []string{"proxy.go"}},
		{&ctxmgr.ErrorContextProvider{LogDir: dir}, "errors", []string{"build.log", "--- FAIL: TestProxy"}},
		{&ctxmgr.DependencyContextProvider{ProjectDir: dir}, "dependencies", []string{"example.com/proxy", "v1.2.3"}},
		{&ctxmgr.EnvironmentContextProvider{}, "environment", []string{"go"}},
	} {
		items, err := tt.p.Gather(t.Context(), "")
		if err != nil || len(items) == 0 {
			t.Errorf("%s: %v, %v", tt.name, items, err)
		}
		tokens := 0
		for _, it := range items {
			tokens += it.TokenCount
			if it.Source != tt.name || it.Title == "" || it.Relevance <= 0 || it.Relevance > 1 || it.TokenCount <= 0 {
				t.Errorf("%s: item %+v", tt.name, it)
			}
		}
		if tt.p.Name() != tt.name || tt.p.Description() == "" || tokens > tt.p.TokenBudget() {
			t.Errorf("%s: name %q, description %q, %d of %d tokens", tt.name, tt.p.Name(), tt.p.Description(), tokens, tt.p.TokenBudget())
		}
		for _, want := range tt.want {
			if !strings.Contains(all(items), want) {
				t.Errorf("%s does not tell %q:\n%s", tt.name, want, all(items))
			}
		}
	}
	// Together, and twice the same.
	cm := ctxmgr.NewContextManager(2_000)
	for _, p := range []ctxmgr.ContextProvider{&ctxmgr.GitContextProvider{}, &ctxmgr.FileContextProvider{}, &ctxmgr.ErrorContextProvider{LogDir: "."}, &ctxmgr.DependencyContextProvider{}, &ctxmgr.EnvironmentContextProvider{}} {
		cm.Register(p)
	}
	first, err := cm.GatherAll(t.Context(), "why does the proxy test fail")
	if err != nil {
		t.Fatal(err)
	}
	again, err := cm.GatherAll(t.Context(), "why does the proxy test fail")
	if diff := cmp.Diff(first, again); err != nil || diff != "" {
		t.Errorf("asked again: %v\n%s", err, diff)
	}
	for _, name := range []string{"git", "files", "errors", "dependencies", "environment"} {
		if !slices.ContainsFunc(first, func(it ctxmgr.ContextItem) bool { return it.Source == name }) {
			t.Errorf("%s is missing from %v", name, titles(first))
		}
	}
	if _, err := (&ctxmgr.GitContextProvider{RepoDir: filepath.Join(dir, "none")}).Gather(t.Context(), ""); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

// (11) With "." as its folder the provider of files found nothing, as it took the
// root for a hidden folder; it told ignored files, and heeded no context.
func TestDefect11FilesOfDot(t *testing.T) {
	t.Chdir(repository(t))
	for _, dir := range []string{".", ""} {
		items, err := (&ctxmgr.FileContextProvider{RepoDir: dir}).Gather(t.Context(), "")
		if got := all(items); err != nil || !strings.Contains(got, "proxy.go") || strings.Contains(got, "made.go") {
			t.Errorf("in %q: %v\n%s", dir, err, got)
		}
	}
	plain := folder(t, map[string]string{"x/y.go": "package y\n"})
	t.Chdir(plain) // outside git, too
	items, err := (&ctxmgr.FileContextProvider{RepoDir: "."}).Gather(t.Context(), "")
	if err != nil || !strings.Contains(all(items), "x/y.go") {
		t.Errorf("in a plain folder: %v, %v", items, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&ctxmgr.FileContextProvider{RepoDir: "."}).Gather(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// (15) No provider read the query, every relevance was a constant, and an item
// that was too large was left out instead of cut.
func TestDefect15QueryCounts(t *testing.T) {
	dir := repository(t)
	relevance := func(query string) float64 {
		items, err := (&ctxmgr.DependencyContextProvider{ProjectDir: dir}).Gather(t.Context(), query)
		if err != nil || len(items) == 0 {
			t.Fatalf("%q: %v, %v", query, items, err)
		}
		return items[0].Relevance
	}
	about, other := relevance("update example.com/proxy"), relevance("paint the bikeshed")
	if !(about > other) {
		t.Errorf("relevance %v of a query about it, %v of another", about, other)
	}
	cm := ctxmgr.NewContextManager(1_000)
	cm.Register(says("long", 50, ctxmgr.ContextItem{Title: "log", Content: strings.Repeat("a line of a log\n", 500), Relevance: 1}))
	items, err := cm.GatherAll(t.Context(), "")
	if err != nil || len(items) != 1 || items[0].TokenCount > 50 || !strings.HasPrefix(items[0].Content, "a line of a log\n") {
		t.Errorf("an item that is too large: %v, %v", items, err)
	}
}
