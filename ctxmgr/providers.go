package ctxmgr

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/hawk"
	"github.com/satchel-dev/satchel/internal/source/provider"
)

// A ContextItem is a piece of context that a provider gave.
type ContextItem struct {
	Source     string
	Title      string
	Content    string
	Relevance  float64 // 0 to 1
	TokenCount int     // 0 or less means that it is counted
}

// A ContextProvider is a source of context for an agent's system prompt.
type ContextProvider interface {
	// Name is a word, such as git.
	Name() string
	// Description says what the provider is for.
	Description() string
	// Gather returns items for a task in words.
	Gather(ctx context.Context, query string) ([]ContextItem, error)
	// TokenBudget is how many tokens the items may have together; 0 is no limit.
	TokenBudget() int
}

// A ContextManager asks several providers at the same time.
type ContextManager struct {
	Providers   []ContextProvider // may be changed while no method runs
	TotalBudget int               // tokens

	mu sync.Mutex
}

// NewContextManager returns a manager without providers.
func NewContextManager(totalBudget int) *ContextManager {
	return &ContextManager{TotalBudget: totalBudget}
}

// Register adds a provider.
func (cm *ContextManager) Register(provider ContextProvider) {
	cm.mu.Lock()
	defer cm.mu.Unlock()
	cm.Providers = append(cm.Providers, provider)
}

// GatherAll asks all providers at the same time, waits for none longer than five
// seconds, and returns what fits into TotalBudget, as [PrioritizeItems] does: only
// once all have answered, so that what one does not say is room for the others.
// Items are redacted, and cut to the budget of their provider, and to TotalBudget. A provider that
// fails, hangs or panics does not affect the others; the error says what went
// wrong if none of them had an answer.
func (cm *ContextManager) GatherAll(ctx context.Context, query string) ([]ContextItem, error) {
	cm.mu.Lock()
	providers, budget := slices.Clone(cm.Providers), cm.TotalBudget
	cm.mu.Unlock()
	list := make([]provider.Provider, len(providers))
	given := make([]*adapted, len(providers))
	for i, p := range providers {
		given[i] = &adapted{provider: p}
		list[i] = given[i]
	}
	var items []ContextItem
	var failed []error
	for i, a := range provider.Gather(ctx, list, provider.Request{Query: query, Budget: max(budget, 0)}, 0) {
		if a.Err != nil {
			failed = append(failed, a.Err)
			continue
		}
		items = append(items, given[i].back(a.Items)...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(failed) == len(providers) {
		return nil, errors.Join(failed...)
	}
	return PrioritizeItems(items, budget), nil
}

// PrioritizeItems returns the items to show within so many tokens, most relevant
// first. The best item of each source that fits comes before any second one.
func PrioritizeItems(items []ContextItem, budget int) []ContextItem {
	offers := make([]provider.Offer, len(items))
	for i, it := range items {
		offers[i] = provider.Offer{Source: it.Source, Relevance: it.Relevance, Tokens: it.TokenCount}
		if it.TokenCount <= 0 {
			offers[i].Tokens = TokenEstimate(it.Content)
		}
	}
	if budget <= 0 {
		return nil
	}
	var out []ContextItem
	for _, i := range provider.Choose(offers, budget) {
		out = append(out, items[i])
	}
	return out
}

// FormatContextItems returns items as a section of a system prompt; "" for none.
func FormatContextItems(items []ContextItem) string {
	list := make([]hawk.Item, len(items))
	for i, it := range items {
		list[i] = hawk.Item{Source: it.Source, Title: it.Title, Text: it.Content}
	}
	return hawk.Items(list)
}

// adapted is a ContextProvider as package provider asks it.
type adapted struct {
	provider ContextProvider
	items    []ContextItem // of its answer
}

func (p *adapted) Name() string { return p.provider.Name() }
func (p *adapted) Budget() int  { return p.provider.TokenBudget() }

// Gather names each item by its place in the answer.
func (p *adapted) Gather(ctx context.Context, req provider.Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	items, err := p.provider.Gather(ctx, req.Query)
	if err != nil {
		return nil, nil, err
	}
	p.items = items
	out := make([]satchel.Item, len(items))
	for i, it := range items {
		out[i] = satchel.Item{
			Ref: satchel.Ref{Kind: satchel.KindSnippet, From: i + 1, To: i + 1}, Title: satchel.Clean("", it.Title),
			Forms:   []satchel.Form{{Detail: satchel.Full, Text: satchel.Clean("", it.Content)}},
			Signals: []satchel.Signal{{Name: provider.Relevance, Value: it.Relevance}},
		}
	}
	return out, nil, nil
}

// back returns the items of an answer as the provider gave them, with the texts
// that are left.
func (p *adapted) back(items []satchel.Item) []ContextItem {
	out := make([]ContextItem, len(items))
	for k := range items {
		it, f := p.items[items[k].Ref.From-1], &items[k].Forms[0]
		it.Title = items[k].Title.String()
		if text := f.Text.String(); text != it.Content || it.TokenCount <= 0 {
			it.Content, it.TokenCount = text, f.Tokens
		}
		out[k] = it
	}
	return out
}

// gather asks one of our own providers about a folder.
func gather(ctx context.Context, dir, query string, p func(*provider.Place) provider.Provider) ([]ContextItem, error) {
	place, err := provider.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	own := p(place)
	a := provider.Gather(ctx, []provider.Provider{own}, provider.Request{Query: query, Now: time.Now()}, 0)[0]
	if a.Err != nil {
		return nil, a.Err
	}
	out := make([]ContextItem, len(a.Items))
	for i := range a.Items {
		it := &a.Items[i]
		out[i] = ContextItem{Source: a.Provider, Title: it.Ref.String(), Content: it.Forms[0].Text.String(), Relevance: provider.RelevanceOf(it), TokenCount: it.Forms[0].Tokens}
		if !it.Title.IsZero() {
			out[i].Title += ", " + it.Title.String()
		}
	}
	return out, nil
}

// A GitContextProvider tells the branch, what is not committed, and the newest
// commits.
type GitContextProvider struct {
	RepoDir    string // empty means where the program stands
	MaxCommits int    // 0 or less means 10
}

func (g *GitContextProvider) own(p *provider.Place) provider.Provider {
	return &provider.Git{Place: p, Commits: g.MaxCommits}
}

// Name implements ContextProvider.
func (g *GitContextProvider) Name() string { return g.own(nil).Name() }

// Description implements ContextProvider.
func (g *GitContextProvider) Description() string { return (&provider.Git{}).Description() }

// TokenBudget implements ContextProvider.
func (g *GitContextProvider) TokenBudget() int { return g.own(nil).Budget() }

// Gather implements ContextProvider.
func (g *GitContextProvider) Gather(ctx context.Context, query string) ([]ContextItem, error) {
	return gather(ctx, g.RepoDir, query, g.own)
}

// A FileContextProvider tells which files were changed last.
type FileContextProvider struct {
	RepoDir  string // empty means where the program stands
	MaxFiles int    // 0 or less means 10
}

func (f *FileContextProvider) own(p *provider.Place) provider.Provider {
	return &provider.Recent{Place: p, Files: f.MaxFiles}
}

// Name implements ContextProvider.
func (f *FileContextProvider) Name() string { return "files" }

// Description implements ContextProvider.
func (f *FileContextProvider) Description() string { return (&provider.Recent{}).Description() }

// TokenBudget implements ContextProvider.
func (f *FileContextProvider) TokenBudget() int { return f.own(nil).Budget() }

// Gather implements ContextProvider.
func (f *FileContextProvider) Gather(ctx context.Context, query string) ([]ContextItem, error) {
	items, err := gather(ctx, f.RepoDir, query, f.own)
	for i := range items {
		items[i].Source = f.Name()
	}
	return items, err
}

// An ErrorContextProvider tells what failed lately, from the newest logs and test
// reports.
type ErrorContextProvider struct {
	LogDir string // empty means where the program stands
}

func (e *ErrorContextProvider) own(p *provider.Place) provider.Provider {
	return &provider.Errors{Place: p, Dir: e.LogDir}
}

// Name implements ContextProvider.
func (e *ErrorContextProvider) Name() string { return e.own(nil).Name() }

// Description implements ContextProvider.
func (e *ErrorContextProvider) Description() string { return (&provider.Errors{}).Description() }

// TokenBudget implements ContextProvider.
func (e *ErrorContextProvider) TokenBudget() int { return e.own(nil).Budget() }

// Gather implements ContextProvider.
func (e *ErrorContextProvider) Gather(ctx context.Context, query string) ([]ContextItem, error) {
	return gather(ctx, e.LogDir, query, e.own)
}

// A DependencyContextProvider tells the direct dependencies of a project.
type DependencyContextProvider struct {
	ProjectDir string // empty means where the program stands
}

func (d *DependencyContextProvider) own(p *provider.Place) provider.Provider {
	return &provider.Dependencies{Place: p}
}

// Name implements ContextProvider.
func (d *DependencyContextProvider) Name() string { return d.own(nil).Name() }

// Description implements ContextProvider.
func (d *DependencyContextProvider) Description() string {
	return (&provider.Dependencies{}).Description()
}

// TokenBudget implements ContextProvider.
func (d *DependencyContextProvider) TokenBudget() int { return d.own(nil).Budget() }

// Gather implements ContextProvider.
func (d *DependencyContextProvider) Gather(ctx context.Context, query string) ([]ContextItem, error) {
	return gather(ctx, d.ProjectDir, query, d.own)
}

// An EnvironmentContextProvider tells the system, and the versions of languages
// that the project asks for where the program stands. It runs nothing.
type EnvironmentContextProvider struct{}

func (e *EnvironmentContextProvider) own(p *provider.Place) provider.Provider {
	return &provider.Environment{Place: p}
}

// Name implements ContextProvider.
func (e *EnvironmentContextProvider) Name() string { return e.own(nil).Name() }

// Description implements ContextProvider.
func (e *EnvironmentContextProvider) Description() string {
	return (&provider.Environment{}).Description()
}

// TokenBudget implements ContextProvider.
func (e *EnvironmentContextProvider) TokenBudget() int { return e.own(nil).Budget() }

// Gather implements ContextProvider.
func (e *EnvironmentContextProvider) Gather(ctx context.Context, query string) ([]ContextItem, error) {
	return gather(ctx, "", query, e.own)
}
