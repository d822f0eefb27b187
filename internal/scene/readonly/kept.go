package readonly

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Kept is a project's memory of its context files: a [Set] in its Memory. It is safe
// for concurrent use.
//
// Its methods also return the errors of the Memory, and git.ErrNoWorkTree for a
// repository without files on disk.
type Kept struct {
	disk   disk // may be nil
	bare   bool
	memory state.Memory
	view   func(context.Context) (*index.View, error)
}

// NewKept returns what is kept of a repository or a plain folder. view makes a view of
// its files on disk.
func NewKept(tree index.Tree, memory state.Memory, view func(context.Context) (*index.View, error)) *Kept {
	repo, ok := tree.(*git.Repo)
	return &Kept{disk: diskOf(tree), bare: ok && repo.Dir() == "", memory: memory, view: view}
}

// change changes the context files in one transaction.
func (k *Kept) change(ctx context.Context, change func(*Set) (*Report, error)) (rep *Report, err error) {
	if k.bare {
		return nil, git.ErrNoWorkTree
	}
	err = k.memory.Change(ctx, func(s *state.Store) error {
		return s.ChangeContext(ctx, func(kept *state.ContextSet) error {
			set := New(k.disk, *kept)
			if rep, err = change(set); err != nil {
				return err
			}
			*kept = set.ContextSet
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return rep, nil
}

// Add keeps files at hand: it adds rules, and reads what they bring in. A budget
// above zero is from now on the number of tokens that all context files may have
// together. All of it is done or nothing.
//
// The errors are *PathError, *TooManyError and *satchel.OverflowError.
func (k *Kept) Add(ctx context.Context, rules []state.ContextRule, budget int, o Options) (*Report, error) {
	return k.change(ctx, func(s *Set) (*Report, error) {
		if budget > 0 {
			s.Budget = budget
		}
		return s.Add(ctx, rules, o)
	})
}

// Refresh reads context files again and matches the patterns again. It returns
// the errors of Add, and *UnknownError for a path in o.Only that is not a context file.
func (k *Kept) Refresh(ctx context.Context, o Options) (*Report, error) {
	return k.change(ctx, func(s *Set) (*Report, error) { return s.Refresh(ctx, o) })
}

// Remove takes paths and patterns away that were added. The error is *UnknownError if
// one of them was not.
func (k *Kept) Remove(ctx context.Context, patterns ...string) (*Report, error) {
	return k.change(ctx, func(s *Set) (*Report, error) { return s.Remove(patterns...) })
}

// A Listing is all that is known of the context files; it is the JSON form of
// satchel context list.
type Listing struct {
	Version     int                  `json:"version"`
	Tokens      int                  `json:"tokens"`
	Limit       int                  `json:"limit"`
	Files       []state.ContextFile  `json:"files"` // by path
	Rules       []state.ContextRule  `json:"rules"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// List lists the context files.
func (k *Kept) List(ctx context.Context) (*Listing, error) {
	set, diags, err := k.set(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listing{Version: 2, Tokens: set.tokens(), Limit: set.Limit(), Files: append([]state.ContextFile{}, set.Files...),
		Rules: append([]state.ContextRule{}, set.Rules...), Diagnostics: append([]satchel.Diagnostic{}, diags...)}
	stale, err := set.stale(ctx)
	for i := range l.Files {
		l.Files[i].Stale = slices.Contains(stale, l.Files[i].Path)
	}
	return l, err
}

// set reads the context files.
func (k *Kept) set(ctx context.Context) (*Set, []satchel.Diagnostic, error) {
	s, err := k.memory.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s == nil {
		return New(k.disk, state.ContextSet{}), nil, nil
	}
	defer s.Close()
	kept, diags, err := s.Context(ctx)
	return New(k.disk, kept), diags, err
}

// Protections reports for each path whether an agent may change it, for any spelling,
// from the root or from one of the folders in from. An unknown answer is an error,
// and means no. The Diagnostics describe context files that cannot be read and
// protect nothing.
func (k *Kept) Protections(ctx context.Context, paths []string, from ...string) ([]Protection, []satchel.Diagnostic, error) {
	if k.bare {
		return nil, nil, git.ErrNoWorkTree
	}
	set, diags, err := k.set(ctx)
	if err != nil {
		return nil, diags, fmt.Errorf("cannot check which paths are protected: %w", err)
	}
	out := make([]Protection, 0, len(paths))
	for _, path := range paths {
		p, err := set.Protects(ctx, path, from...)
		if err != nil {
			return nil, diags, fmt.Errorf("cannot check whether %s is protected: %w", path, err)
		}
		out = append(out, p)
	}
	return out, diags, nil
}

// Shown returns the context files of a stored set as packs show them.
func (k *Kept) Shown(ctx context.Context, kept state.ContextSet, now time.Time) ([]state.ContextFile, []satchel.Diagnostic) {
	if len(kept.Files)+len(kept.Rules) == 0 || k.disk == nil {
		return nil, nil
	}
	if k.bare {
		return kept.Files, nil
	}
	set := New(k.disk, kept)
	files, diags := set.current(ctx, now)
	// What is shown may be older than what the agent finds.
	stale, err := set.stale(ctx)
	if err != nil {
		diags = append(diags, satchel.Diagnostic{Text: "context files: " + err.Error()})
	}
	for _, p := range stale {
		if f, ok := set.file(p); ok && !f.AutoRefresh {
			diags = append(diags, satchel.Diagnostic{Path: p, Text: "shown as it was on " + f.Refreshed.Format(time.DateOnly) + "; the file has changed or is gone"})
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f state.ContextFile) bool { return f.Evicted || f.Text == "" }), diags
}

// Suggest returns the files of the repository that may be worth adding as context
// files, best first, at most limit of them (0 means no limit), and Diagnostics. It
// omits existing context files.
func (k *Kept) Suggest(ctx context.Context, limit int, now time.Time) ([]Suggestion, []satchel.Diagnostic, error) {
	v, err := k.view(ctx)
	if err != nil {
		return nil, nil, err
	}
	diags := slices.Clone(v.Diagnostics())
	set, more, err := k.set(ctx)
	if err != nil {
		return nil, nil, err
	}
	have := func(path string) bool { _, ok := set.file(path); return ok }
	var at int64
	if !now.IsZero() {
		at = now.Unix()
	}
	return suggest(v, at, have, limit), append(diags, more...), nil
}
