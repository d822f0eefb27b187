// Package index makes a repository searchable: it turns the files of a revision
// or of the work tree, and the commits behind them, into terms, chunks and
// symbols that package signal measures.
//
// # Segments and views
//
// What is known about one blob in one language (its terms, chunks, symbols) is
// a document. Documents live in immutable segments, keyed by blob, so that all
// branches and worktrees of a repository share them and a blob is analysed
// once. A [View] is what one revision, or the work tree, looks like through the
// segments. Everything a View says depends only on the state of the repository,
// never on which segments its documents happen to lie in: a cold, a warm and an
// incrementally built index give the same View.
//
// # On disk
//
// Segments, one manifest and caches live in [Options.Dir]. Any of it may be
// deleted at any time. Every file carries checksums that are verified when it
// is opened; what does not verify is dropped, reported by [Index.Diagnostics], and
// built again. One process writes at a time, under a lock; a process that
// cannot write keeps its new documents in memory and goes on. Files are only
// ever replaced or unlinked, never changed in place, so readers need no lock.
//
// # Where to start
//
// [Open], then [Index.View]. Lines are counted from 1, chunks and documents
// from 0, times are unix seconds. An Index and its Views are safe for
// concurrent use. The package judges nothing: it does not rank.
package index

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Limits, where Options leaves them zero.
const (
	// defaultMaxFileBytes is the size of the largest file that is read.
	// Larger text files are data in practice.
	defaultMaxFileBytes = 1 << 20

	// DefaultMaxFiles is how many files are looked at, which take some 1.5 KB of
	// memory each while they are ranked: twice as many as Linux has.
	DefaultMaxFiles = 200_000

	// defaultCommits is how many commits the history holds.
	defaultCommits = 5000
)

// Options say where an index lives and what it covers. The zero value is an
// index in memory with the default limits and without symbols.
type Options struct {
	Dir          string   // where segments live; "" means in memory only
	MaxFileBytes int64    // larger files are excluded; 0 means DefaultMaxFileBytes
	MaxFiles     int      // of more files, some are not looked at; 0 means DefaultMaxFiles
	Commits      int      // newest commits to read; 0 means DefaultCommits, negative means none
	Exclude      []string // path patterns, as in .gitignore but without negation, that are left out
	NoAiIgnore   bool     // the ignore files of AI tools have no effect

	// Unignore are path patterns that are kept although a rule excludes them. What
	// git ignores is not listed, so that no pattern finds it: pin it by name.
	Unignore []string

	// Never are those patterns of Exclude that hold for what is pinned or matched by
	// Unignore, too.
	Never []string

	// Tree, if set, has the files and folders that patterns may be the exact names of.
	Tree Tree

	// Sealed leaves out the files that hold secrets by their nature, even if they are
	// asked for by name.
	Sealed bool

	// Submodules takes the files of submodules in, of a work tree.
	Submodules bool

	// Progress, if set, is called now and then while a View is made, from one
	// goroutine at a time.
	Progress func(stage string, done, total int)
}

// An Index holds the documents of one repository.
type Index struct {
	opts    Options
	exclude []pattern
	never   []pattern

	unignore []pattern

	version uint64 // of format and analysers

	also     atomic.Pointer[Rules] // see Also
	building sync.Mutex            // held by the View that looks at new blobs
	recent   recent

	mu      sync.Mutex // guards what follows
	store   *store     // nil if in memory only
	segs    []*segment // all known segments; the slice is replaced, never changed
	commits []*commitSegment
	objects map[*git.Repo]*git.Objects
	diags   []satchel.Diagnostic
}

// Open opens the index in o.Dir, creating it if necessary. Damaged files are
// dropped and reported by [Index.Diagnostics]; the only errors are bad patterns.
func Open(o Options) (*Index, error) {
	o.MaxFileBytes = cmp.Or(max(o.MaxFileBytes, 0), defaultMaxFileBytes)
	o.MaxFiles = cmp.Or(max(o.MaxFiles, 0), DefaultMaxFiles)
	o.Commits = cmp.Or(o.Commits, defaultCommits)
	x := &Index{opts: o, version: version()}
	var err error
	if x.exclude, err = parsePatterns(x.exact(o.Exclude)); err != nil {
		return nil, err
	}
	if x.unignore, err = parsePatterns(x.exact(o.Unignore)); err != nil {
		return nil, err
	}
	if x.never, err = parsePatterns(o.Never); err != nil {
		return nil, err
	}
	if o.Dir != "" {
		x.store = openStore(o.Dir, x.version)
		c := x.store.load(nil, x.diagnose)
		x.segs, x.commits = c.docs, c.commits
	}
	return x, nil
}

// Close releases what the index holds. Views of it must not be used afterwards.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.objects {
		o.Close()
	}
	x.segs, x.commits, x.objects = nil, nil, nil
	x.recent.close()
	if x.store != nil {
		return x.store.close()
	}
	return nil
}

// Diagnostics returns what happened to the index itself, as opposed to the
// repository: damaged files that were dropped, a directory that cannot be
// written. Views do not depend on it.
func (x *Index) Diagnostics() []satchel.Diagnostic {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := slices.Clone(x.diags)
	slices.SortStableFunc(n, func(a, b satchel.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
	})
	return n
}

// diagnose records a Diagnostic about the index. The caller holds x.mu, or is alone.
func (x *Index) diagnose(text string) {
	n := satchel.Diagnostic{Path: x.opts.Dir, Text: text}
	if !slices.Contains(x.diags, n) {
		x.diags = append(x.diags, n)
	}
}

func (x *Index) progress(stage string, done, total int) {
	if x.opts.Progress != nil {
		x.opts.Progress(stage, done, total)
	}
}
