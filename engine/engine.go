// Package engine runs the stages that turn a request into a pack: look at the
// repository, measure, rank, choose, render. It is the only place where their
// order is written down.
//
// Start with [Open] and [Engine.Pack]. [Engine.Search] ranks without packing,
// [Engine.Show] returns the text that a receipt points to. An Engine is safe
// for concurrent use; nothing it does changes the repository, except for its
// index and what it is told to remember, below the repository's git directory.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/snapshots"
	"github.com/satchel-dev/satchel/internal/source/answers"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/source/history"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/internal/source/search"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Options configure an [Engine]. The zero value works on the current folder.
type Options struct {
	// Dir is a folder inside the repository, or a plain folder. Empty means
	// the current one.
	Dir string

	// Exclude and Unignore are path patterns as in .gitignore, without "!". A
	// path that Exclude matches is neither shown nor sent, in a pack, a diff or
	// otherwise; exclude of the repository's .satchel.toml adds to it. Unignore brings
	// back what Exclude or a built-in rule (vendored, generated, lock, minified)
	// leaves out.
	Exclude, Unignore []string

	// Never are those patterns of Exclude that nothing overrides: no pin, no path to
	// edit, no Unignore.
	Never []string

	// NoAiIgnore turns off the ignore files of AI tools (.cursorignore, .aiexclude and
	// the like), which otherwise leave files out as Exclude does.
	NoAiIgnore bool

	// Submodules takes in the files of submodules that are checked out.
	Submodules bool

	// MaxFileBytes is the size of the largest file that is read. Zero means
	// 1 MiB.
	MaxFileBytes int64

	// MaxFiles is how many files are looked at; of more, those deepest in the tree
	// are left out, with a Diagnostic. Zero means 200,000.
	MaxFiles int

	// HistoryCommits is the number of newest commits that are read. Zero means
	// 5,000; negative means none.
	HistoryCommits int

	// GitTimeout is for how many seconds git may be silent. Zero means 60.
	GitTimeout int

	// Weights multiply what signals add to scores, by the names of
	// rank.SignalNames and, of changed files, rank.ChangeSignalNames. A missing
	// name means 1.
	Weights map[string]float64

	// Models are the weights to rank with. Nil fields mean the committed ones,
	// which is what everybody but a trainer wants.
	Models rank.Models

	// Vault is a folder of documents outside the repository, which are offered as
	// those of the repository are when a request asks for documents. Nothing in it
	// is ever written, and no symbolic link followed. Empty means none.
	Vault string

	// Embedder, if set, helps to rank documents. What words and meaning then count
	// is rank.DefaultDocumentWeights, or DocumentWeights if that is set.
	Embedder        project.Embedder
	DocumentWeights *rank.DocumentWeights

	// Sources offer what a program of yours knows and the repository does not say: a
	// ticket, what a service answered. They are asked after our own about the
	// repository, and before notes; what they offer is cleaned, and has to earn its
	// room as everything else does: scores of the best functions are about 5 to 10.
	Sources []scene.Source

	// Asking says that this program sends what it is given to a model: no note, and
	// nothing of a file that holds secrets by its nature.
	Asking bool

	// Environ is the environment, as os.Environ returns it, that names the git program,
	// the user's home and the user's cache folder. Nil means the one of this process.
	Environ []string

	// CacheDir is where the index lives. Empty means below the repository's git
	// directory, or the user's cache directory for a plain folder.
	CacheDir string

	// NoCache keeps the index in memory and writes nothing.
	NoCache bool

	// Progress, if set, hears of long work, from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// An Engine packs context from one repository or folder.
type Engine struct {
	opts    Options
	project *project.Project // what requests look at
}

// Open opens the repository that o.Dir lies in, or the plain folder o.Dir. A
// nil o means the zero Options.
func Open(ctx context.Context, o *Options) (*Engine, error) {
	e := &Engine{project: new(project.Project)}
	if o != nil {
		e.opts = *o
	}
	e.opts.Dir = cmp.Or(e.opts.Dir, ".")
	models, err := weigh(e.opts.Models, e.opts.Weights)
	if err != nil {
		return nil, err
	}
	if err := e.openRepository(ctx); err != nil {
		return nil, err
	}
	e.project.Models = models
	e.project.Vault, e.project.Embedder, e.project.Docs, e.project.Weights = e.opts.Vault, e.opts.Embedder, e.opts.DocumentWeights, e.opts.Weights
	if e.project.Largest = e.opts.MaxFileBytes; e.project.Largest <= 0 {
		e.project.Largest = project.DefaultFileBytes
	}
	e.project.Index, err = index.Open(index.Options{
		Dir: e.opts.CacheDir, MaxFileBytes: e.opts.MaxFileBytes, MaxFiles: e.opts.MaxFiles, Commits: e.opts.HistoryCommits,
		Exclude: e.opts.Exclude, Unignore: e.opts.Unignore, Never: e.opts.Never, NoAiIgnore: e.opts.NoAiIgnore, Tree: e.project.Tree, Sealed: e.opts.Asking, Submodules: e.opts.Submodules, Progress: e.opts.Progress,
	})
	if err != nil {
		e.project.Tree.Close()
		return nil, err
	}
	return e, nil
}

// openRepository finds what to read and where its index lives.
func (e *Engine) openRepository(ctx context.Context) error {
	dir := e.opts.CacheDir
	o := git.Options{Env: e.opts.Environ, Timeout: time.Duration(min(max(e.opts.GitTimeout, 0), 24*60*60)) * time.Second}
	if step := e.opts.Progress; step != nil {
		var one sync.Mutex
		e.opts.Progress = func(stage string, done, total int) {
			one.Lock()
			defer one.Unlock()
			step(stage, done, total)
		}
		o.Progress = func(command string, waited, limit time.Duration) {
			e.opts.Progress("seconds without an answer from git "+command, int(waited.Seconds()), int(limit.Seconds()))
		}
	}
	repo, err := o.Open(ctx, e.opts.Dir)
	switch {
	case err == nil:
		e.project.Tree = repo
		e.project.Memory.Path = filepath.Join(repo.CommonDir(), "satchel", state.Name)
		if dir == "" {
			dir = filepath.Join(repo.CommonDir(), "satchel", "index")
		}
	case errors.Is(err, git.ErrNotRepository):
		folder, err := git.OpenFolder(e.opts.Dir)
		if err != nil {
			return err
		}
		e.project.Tree = folder
		e.project.Memory.Lost = lostRepository(folder.Dir())
		cache := project.FolderCache(e.opts.Environ, folder.Dir())
		if e.project.FolderCache = cache; cache != "" {
			e.project.Memory.Path = filepath.Join(cache, state.Name)
		}
		dir = cmp.Or(dir, cache)
	default:
		return err
	}
	if e.opts.NoCache {
		dir = ""
	}
	e.opts.CacheDir, e.project.CacheDir = dir, dir
	return nil
}

// lostRepository returns an error if a folder is in a repository that git does
// not take for one, and in which something may have been remembered: a .git with a
// database of notes, or a .git file that leads nowhere. Its files can be read as
// those of a plain folder; that none of them is protected cannot be said.
func lostRepository(dir string) error {
	for {
		name := filepath.Join(dir, ".git")
		fi, err := os.Lstat(name)
		if err == nil && fi.IsDir() {
			_, err = os.Lstat(filepath.Join(name, "satchel", state.Name))
		}
		if err == nil {
			return &state.DamagedError{Path: name, Err: git.ErrNotRepository}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// Memory returns what is remembered of the project: notes, and the files that were of
// use lately.
func (e *Engine) Memory() *state.Memory { return &e.project.Memory }

// Context returns the files that the user keeps at hand.
func (e *Engine) Context() *ContextFiles { return e.project.ContextFiles() }

// Snapshots returns the records of what agents were shown.
func (e *Engine) Snapshots() *Snapshots { return snapshots.New(e.project) }

// Index looks after the index, which each request brings up to date as far as it needs.
func (e *Engine) Index() project.Upkeep { return project.Upkeep{Project: e.project} }

// Files tells about the files of the project what no request for context does.
func (e *Engine) Files() files.Files { return files.New(e.project) }

// Reviewed is what people said of the findings of reviews.
func (e *Engine) Reviewed() changeset.Reviewed { return changeset.ReviewedOf(e.project) }

// Split divides a changeset into at most n tasks that hang together; see [Split].
func (e *Engine) Split(ctx context.Context, req changeset.Request, n int) (*changeset.Split, error) {
	return changeset.Divide(ctx, e.project, req, n)
}

// Sessions is what is kept of the sessions of agents in the project.
func (e *Engine) Sessions() *session.Kept { return session.NewKept(e.project.Tree, e.project.Memory) }

// Close releases what the engine holds.
func (e *Engine) Close() error {
	return errors.Join(e.project.Index.Close(), e.project.Tree.Close())
}

// Diff lists what changed, most relevant first, and shows as much of it as fits the
// budget of the request.
//
// The errors are *git.UnknownRevisionError, *git.NoMergeBaseError,
// git.ErrToWithoutFrom, *git.PatchError, *[FilterError], *[pack.CursorError], and a
// [*satchel.OverflowError] if the head and the names of removed exports do not
// fit the budget.
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (*render.Diff, error) {
	return hunks.Diff(ctx, e.project, req)
}

// Change reports what changed, most relevant first, without its text. It returns the
// same errors as Diff.
func (e *Engine) Change(ctx context.Context, req DiffRequest) (*change.Report, error) {
	x, err := changeset.Measure(ctx, e.project, &req)
	if err != nil {
		return nil, err
	}
	return &x.Report, nil
}

// History returns the history of the repository.
func (e *Engine) History() history.History { return history.New(e.project) }

// Search ranks files, or the definitions in the likeliest files.
func (e *Engine) Search(ctx context.Context, q search.Request) (*search.Result, error) {
	return search.Search(ctx, e.project, q)
}

// Answer answers what an agent asks for, each thing in order: with a text, its
// secrets redacted, or with a refusal that says why. Paths are those of the view: what
// a rule excludes, what lies outside of the repository and what holds secrets by
// its nature is refused, whoever asks. So is what lies outside of the vault: of
// that, documents are given alone, those that packs show too.
//
// The only errors are those of reading the repository as a whole.
func (e *Engine) Answer(ctx context.Context, req answers.Request) ([]render.Answer, error) {
	return answers.Answer(ctx, e.project, req)
}

// Refuses says why a file is not given to a model whose questions leave the machine:
// what [Engine.Answer] would not show. Nil means that it is given.
func (e *Engine) Refuses(ctx context.Context, rev, path string) error {
	return answers.Refuses(ctx, e.project, rev, path)
}

// weigh multiplies the models' weights by the user's. Names that only changed
// files are measured by are left to [Engine.Diff].
func weigh(m rank.Models, by map[string]float64) (rank.Models, error) {
	m = m.OrDefault()
	if len(by) == 0 {
		return m, nil
	}
	first, files := *m.First, *m.Files
	for _, n := range slices.Sorted(maps.Keys(by)) {
		s, ok := rank.SignalByName(n)
		if !ok {
			if changes := rank.ChangeSignalNames(); !slices.Contains(changes, n) {
				return m, fmt.Errorf("weight %s: no such signal; signals are %v, and of changes %v", n, rank.SignalNames(), changes)
			}
			continue
		}
		for _, m := range []*rank.Model{&first, &files} {
			m.Max[s] *= float32(by[n])
			m.Rank[s] *= float32(by[n])
		}
	}
	m.First, m.Files = &first, &files
	return m, nil
}
