package ctxmgr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/hawk"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/store/state"
)

// A ReadOnlyContext is files that an agent may read and must not change. Secrets
// are redacted in what is kept of them.
type ReadOnlyContext struct {
	// Files are copies of what is kept, by path as it was given. Pinned,
	// AutoRefresh and AddedAt may be changed while no method runs; other changes
	// have no effect. Use RemoveFile to remove one.
	Files map[string]*ContextFile

	// Patterns are those that AddPattern was given.
	Patterns []string

	// MaxTokenBudget is how many tokens the files may have together; 0 means
	// 16,000.
	MaxTokenBudget int

	mu    sync.Mutex
	rules []state.ContextRule
	kept  []state.ContextFile
	names map[string]string // by path below the root of the disk: as the caller writes it
}

// A ContextFile is one file.
type ContextFile struct {
	Path          string
	Content       string
	TokenCount    int
	AddedAt       time.Time
	LastRefreshed time.Time
	AutoRefresh   bool
	Pinned        bool
}

// A ContextFileOption says how a file is kept.
type ContextFileOption func(*ContextFile)

// WithAutoRefresh has RefreshStale read the file again.
func WithAutoRefresh() ContextFileOption { return func(f *ContextFile) { f.AutoRefresh = true } }

// WithPinned keeps the file from being evicted.
func WithPinned() ContextFileOption { return func(f *ContextFile) { f.Pinned = true } }

// ContextStats say how full a ReadOnlyContext is.
type ContextStats struct {
	TotalFiles, TotalTokens int
	BudgetUsed              float64 // percent
	PinnedCount             int
}

// NewReadOnlyContext returns an empty ReadOnlyContext; see MaxTokenBudget.
func NewReadOnlyContext(maxBudget int) *ReadOnlyContext {
	return &ReadOnlyContext{Files: make(map[string]*ContextFile), MaxTokenBudget: maxBudget}
}

// with runs fn on the set of files, and takes over what fn made of it.
func (rc *ReadOnlyContext) with(fn func(*readonly.Set, *readonly.Anywhere) error) error {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	disk, err := readonly.OpenAnywhere()
	if err != nil {
		return err
	}
	defer disk.Close()
	rc.adopt()
	set := readonly.New(disk, state.ContextSet{Budget: rc.MaxTokenBudget, Rules: rc.rules, Files: rc.kept})
	err = fn(set, disk)
	rc.rules, rc.kept = set.Rules, set.Files
	rc.publish()
	return err
}

// adopt takes over what the caller changed in Files.
func (rc *ReadOnlyContext) adopt() {
	rc.rules, rc.kept = slices.Clone(rc.rules), slices.Clone(rc.kept)
	for i := range rc.kept {
		k := &rc.kept[i]
		f := rc.Files[rc.names[k.Path]]
		if f == nil {
			continue
		}
		if k.Pinned != f.Pinned || k.AutoRefresh != f.AutoRefresh {
			k.Pinned, k.AutoRefresh = f.Pinned, f.AutoRefresh
			rc.rules = slices.DeleteFunc(rc.rules, func(r state.ContextRule) bool { return r.Pattern == k.Path })
			rc.rules = append(rc.rules, state.ContextRule{Pattern: k.Path, ReadOnly: true, Pinned: f.Pinned, AutoRefresh: f.AutoRefresh})
		}
		if !f.AddedAt.Equal(k.Added) {
			k.Added, k.Used = f.AddedAt, f.AddedAt
		}
	}
}

// publish fills Files.
func (rc *ReadOnlyContext) publish() {
	rc.Files = make(map[string]*ContextFile, len(rc.kept))
	for i := range rc.kept {
		k := &rc.kept[i]
		if name, known := rc.names[k.Path]; known && !k.Evicted {
			rc.Files[name] = &ContextFile{
				Path: name, Content: k.Text, TokenCount: k.Tokens, AddedAt: k.Added, LastRefreshed: k.Refreshed,
				AutoRefresh: k.AutoRefresh, Pinned: k.Pinned,
			}
		}
	}
}

// name notes down how the caller writes the paths that are new.
func (rc *ReadOnlyContext) name(set *readonly.Set, write func(path string) string) {
	if rc.names == nil {
		rc.names = make(map[string]string)
	}
	for i := range set.Files {
		if p := set.Files[i].Path; rc.names[p] == "" {
			rc.names[p] = write(p)
		}
	}
}

// AddFile reads a file and keeps it. Adding it again reads it again and loses
// nothing that was said of it. It is an error if the file cannot be read, is no
// text, or is too much for the budget; then nothing has changed.
func (rc *ReadOnlyContext) AddFile(path string, opts ...ContextFileOption) error {
	var f ContextFile
	for _, o := range opts {
		o(&f)
	}
	return rc.with(func(set *readonly.Set, disk *readonly.Anywhere) error {
		name, err := disk.Name(path)
		if err == nil {
			_, err = set.Add(context.Background(), []state.ContextRule{{Pattern: name, ReadOnly: true, AutoRefresh: f.AutoRefresh, Pinned: f.Pinned}}, readonly.Options{Now: time.Now()})
		}
		if err != nil {
			return adding(path, err)
		}
		rc.name(set, func(string) string { return filepath.Clean(path) })
		return nil
	})
}

// adding says what could not be added.
func adding(what string, err error) error {
	var over *satchel.OverflowError
	if errors.As(err, &over) {
		return fmt.Errorf("readonly context: adding %s would exceed budget: %w", what, err)
	}
	return fmt.Errorf("readonly context: adding %s: %w", what, err)
}

// AddPattern keeps the files that a pattern matches, as in a .gitignore file: **
// matches any folders, and what it matches later is found by RefreshStale. It is
// an error if some of the files cannot be read, which are left out, or if all are
// too much for the budget, and then nothing has changed.
func (rc *ReadOnlyContext) AddPattern(pattern string) error {
	return rc.with(func(set *readonly.Set, disk *readonly.Anywhere) error {
		rule, err := disk.Pattern(pattern)
		var rep *readonly.Report
		if err == nil {
			rep, err = set.Add(context.Background(), []state.ContextRule{{Pattern: rule, Glob: true, ReadOnly: true, AutoRefresh: true}}, readonly.Options{Now: time.Now(), Empty: true})
		}
		if err != nil {
			return adding(pattern, err)
		}
		if !slices.Contains(rc.Patterns, pattern) {
			rc.Patterns = append(rc.Patterns, pattern)
		}
		rc.name(set, rc.like(disk, pattern))
		return problems(rep.Diagnostics)
	})
}

// like writes paths as a pattern does: absolute, or from where the program
// stands.
func (rc *ReadOnlyContext) like(disk *readonly.Anywhere, pattern string) func(string) string {
	return func(p string) string {
		abs := filepath.Join(disk.Root(), filepath.FromSlash(p))
		if here, err := filepath.Abs("."); err == nil && !filepath.IsAbs(pattern) {
			if rel, err := filepath.Rel(here, abs); err == nil {
				return rel
			}
		}
		return abs
	}
}

// problems makes an error of notes, nil of none.
func problems(diags []satchel.Diagnostic) error {
	var all []error
	for _, n := range diags {
		all = append(all, fmt.Errorf("readonly context: %s: %s", n.Path, n.Text))
	}
	return errors.Join(all...)
}

// RemoveFile removes a file. One that a pattern brings in is only left out of
// the text: the pattern still protects it.
func (rc *ReadOnlyContext) RemoveFile(path string) {
	_ = rc.with(func(set *readonly.Set, disk *readonly.Anywhere) error { // what is not there is removed
		name, err := disk.Name(path)
		if err != nil {
			return err
		}
		if _, err := set.Remove(name); err != nil && !set.EvictFile(name) {
			return err
		}
		set.EvictFile(name) // if a pattern brings it in, too
		return nil
	})
}

// IsReadOnly reports whether a file may not be changed, under whatever path it is
// asked for: relative or absolute, through links, or as another name of the same
// file. Where that cannot be told the answer is yes. A file that was evicted is
// still protected.
func (rc *ReadOnlyContext) IsReadOnly(path string) bool {
	protected := false
	err := rc.with(func(set *readonly.Set, disk *readonly.Anywhere) error {
		here, err := filepath.Abs(".")
		if err != nil {
			return err
		}
		p, err := set.Protects(context.Background(), path, here)
		protected = p.Protected
		set.Touch(time.Now(), p.File)
		return err
	})
	return protected || err != nil && path != ""
}

// RefreshStale reads the files with AutoRefresh again that have other bytes than
// when they were read last, and looks again at what patterns match. If that is
// too much for the budget, or a file is gone, what was kept stays and the error
// says so.
func (rc *ReadOnlyContext) RefreshStale() error {
	return rc.with(func(set *readonly.Set, disk *readonly.Anywhere) error {
		rep, err := set.Refresh(context.Background(), readonly.Options{Now: time.Now(), Automatic: true})
		if err != nil {
			return fmt.Errorf("readonly context: refresh: %w", err)
		}
		rc.name(set, rc.like(disk, rc.style()))
		return problems(rep.Diagnostics)
	})
}

// style is how paths that patterns bring in later are written.
func (rc *ReadOnlyContext) style() string {
	if len(rc.Patterns) > 0 {
		return rc.Patterns[0]
	}
	return ""
}

// Evict evicts files that are not pinned, the least recently used first, until
// the others fit into the budget, and returns their paths in that order. A file
// is used when it is added and when somebody asks whether it may be changed.
func (rc *ReadOnlyContext) Evict() []string {
	var out []string
	_ = rc.with(func(set *readonly.Set, _ *readonly.Anywhere) error { // without a disk nothing can have been added
		for _, p := range set.Evict(set.Limit()) {
			out = append(out, rc.names[p])
		}
		return nil
	})
	return out
}

// BuildContextBlock returns all files for a system prompt, by path.
func (rc *ReadOnlyContext) BuildContextBlock() string {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	files := make([]hawk.File, 0, len(rc.Files))
	for _, name := range slices.Sorted(maps.Keys(rc.Files)) {
		f := rc.Files[name]
		files = append(files, hawk.File{Path: filepath.ToSlash(f.Path), Text: f.Content})
	}
	return hawk.Files(files)
}

// Stats says how full the budget is.
func (rc *ReadOnlyContext) Stats() ContextStats {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	var s ContextStats
	for _, f := range rc.Files {
		s.TotalFiles++
		s.TotalTokens += f.TokenCount
		if f.Pinned {
			s.PinnedCount++
		}
	}
	limit := readonly.New(nil, state.ContextSet{Budget: rc.MaxTokenBudget}).Limit()
	s.BudgetUsed = percentage(s.TotalTokens, limit)
	return s
}

// SuggestFiles returns the paths of the files in a folder that usually are worth
// keeping at hand.
func SuggestFiles(projectDir string) []string {
	var out []string
	for _, name := range readonly.Usual(projectDir) {
		out = append(out, filepath.Join(projectDir, name))
	}
	return out
}
