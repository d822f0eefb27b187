package index

import (
	"slices"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// # Views that are asked for again
//
// A server asks for the same View with every call, and mostly nothing changed
// meanwhile. Whether that is so is found out anew each time, by listing the tree
// and reading what git has not recorded as unchanged; no clock and no event is
// trusted instead. What a View says of a listing, however, is a function of that
// listing and of the Options, so that an equal listing gets the View that was made
// of the first one. The same holds for the history of a commit, and for whatever
// others derive from a View; see [View.Derived].

// Limits of what is kept for the next call.
const (
	// recentViews is how many Views are kept: a server is asked about the work
	// tree, about the same with pinned files, and about a revision or two.
	recentViews = 4

	// recentChunks is how many chunks all but the newest of them may have, about
	// 100 MB with what is derived from them.
	recentChunks = 200_000

	// recentHistories is how many histories are kept.
	recentHistories = 2
)

// A recent is what an Index keeps of Views that were made, the newest use last.
type recent struct {
	mu        sync.Mutex
	views     []*seen
	histories []*seenHistory
}

// seen is all that a View depends on but its history, and what it came to.
type seen struct {
	tree     Tree
	commit   string
	workTree bool
	pinned   []string
	outputs  []string
	entries  []entry     // with the ids of their bytes
	excluded []exclusion // by their names, or because they cannot be read
	diags    []satchel.Diagnostic

	body  *body
	views []*View // with different histories, the newest last
}

type seenHistory struct {
	repo *git.Repo
	name string // see tipName
	*History
}

// matches reports whether the view, up to where it needs the segments, came
// to the same.
func (s *seen) matches(m *viewBuilder) bool {
	l := &m.listing
	return s.tree == m.source.tree && s.commit == l.commit && s.workTree == l.workTree &&
		slices.Equal(s.pinned, m.pinned) && slices.Equal(s.outputs, m.outputs) && slices.Equal(s.excluded, m.excluded) && slices.Equal(s.diags, m.diags) &&
		slices.EqualFunc(s.entries, l.entries, func(a, b entry) bool {
			a.stat, b.stat = stat{}, stat{} // the bytes are the same
			return a == b
		})
}

// known returns the View, without its history, of an equal listing, or nil.
func (x *Index) known(m *viewBuilder) *seen {
	x.recent.mu.Lock()
	defer x.recent.mu.Unlock()
	for i := len(x.recent.views) - 1; i >= 0; i-- {
		if s := x.recent.views[i]; s.matches(m) {
			x.recent.views = append(slices.Delete(x.recent.views, i, i+1), s)
			return s
		}
	}
	return nil
}

// keep remembers a View for the next that asks.
func (x *Index) keep(s *seen) {
	r := &x.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	r.views = append(r.views, s)
	chunks, from := 0, len(r.views)-1
	for from > 0 && len(r.views)-from < recentViews {
		if chunks += len(r.views[from-1].body.chunks); chunks > recentChunks {
			break
		}
		from--
	}
	r.views = slices.Delete(r.views, 0, from)
}

// with returns the View with a history.
func (x *Index) with(s *seen, h *History, diags []satchel.Diagnostic) *View {
	x.recent.mu.Lock()
	defer x.recent.mu.Unlock()
	for _, v := range s.views {
		if v.history == h {
			return v
		}
	}
	v := &View{body: s.body, history: h}
	v.diags = slices.Concat(s.body.diags, diags)
	sortDiagnostics(v)
	s.views = append(s.views, v)
	if len(s.views) > 2 { // with its history, and without
		s.views = slices.Delete(s.views, 0, 1)
	}
	return v
}

// knownHistory returns the history that a name stood for, or nil.
func (x *Index) knownHistory(repo *git.Repo, name string) *History {
	x.recent.mu.Lock()
	defer x.recent.mu.Unlock()
	for _, s := range x.recent.histories {
		if s.repo == repo && s.name == name {
			return s.History
		}
	}
	return nil
}

// keepHistory remembers a whole history.
func (x *Index) keepHistory(repo *git.Repo, name string, h *History) {
	r := &x.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	r.histories = append(r.histories, &seenHistory{repo, name, h})
	if len(r.histories) > recentHistories {
		r.histories = slices.Delete(r.histories, 0, 1)
	}
}

// close forgets everything.
func (r *recent) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.views, r.histories = nil, nil
}

// A derivation is something that was made of a View once.
type derivation struct {
	once  sync.Once
	value any
}

// Derived returns what make returns, which is called once for a View and a key: it
// must depend on the View alone, and be safe for concurrent use. The key is of a
// type of the caller's own, as with context.WithValue, and there are few of them:
// what is derived lives as long as the View.
func (v *View) Derived(key any, make func() any) any {
	d, ok := v.derived.Load(key)
	if !ok {
		d, _ = v.derived.LoadOrStore(key, new(derivation))
	}
	x := d.(*derivation)
	x.once.Do(func() { x.value = make() })
	return x.value
}
