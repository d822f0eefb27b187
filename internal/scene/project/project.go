// Package project holds what an engine holds open: a repository or a plain folder,
// its index, what is remembered of it and what it is ranked with, and says which
// files of it a request is limited to.
package project

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// A Tree is a repository or a plain folder, held open.
type Tree interface {
	index.Tree
	io.Closer
}

// A Project is what requests look at: a repository or a plain folder with its index,
// what is remembered of it, and what it is ranked with. It is safe for concurrent
// use.
type Project struct {
	Tree   Tree
	Index  *index.Index
	Models rank.Models
	Memory state.Memory

	CacheDir    string // where the index lives; "" if in memory
	FolderCache string // of a plain folder: see [FolderCache]; else ""

	Vault    string // a folder of documents outside; "" if there is none
	Largest  int64  // bytes of the largest file that is read
	Embedder Embedder
	Weights  map[string]float64    // what signals count, by name; see Options.Weights
	Docs     *rank.DocumentWeights // nil means the committed ones
}

// ContextFiles is what is kept at hand of the project.
func (w *Project) ContextFiles() *readonly.Kept {
	return readonly.NewKept(w.Tree, w.Memory, func(ctx context.Context) (*index.View, error) { return w.Index.View(ctx, w.Tree, "") })
}

// Rules returns what the user leaves out of a revision, or of the work tree if rev is
// "", as far as it is about some paths.
func (w *Project) Rules(ctx context.Context, rev string, paths ...string) (*index.Rules, error) {
	tree := ""
	if repo, ok := w.Tree.(*git.Repo); ok && (rev != "" || repo.Dir() == "") {
		var err error
		if _, tree, err = repo.Resolve(ctx, cmp.Or(rev, "HEAD")); err != nil {
			return nil, err
		}
	}
	return w.Index.RulesFor(ctx, w.Tree, tree, true, paths...)
}

// ReadVault reads the folder of documents outside the repository, without documents
// larger than most bytes, if that is not 0; nil without a folder.
func (w *Project) ReadVault(ctx context.Context, most int64) (*ranking.Vault, error) {
	if w.Vault == "" {
		return nil, nil
	}
	limit := w.Largest
	if most > 0 {
		limit = min(limit, most)
	}
	return ranking.ReadVault(ctx, w.Vault, limit)
}

// DefaultFileBytes is Options.MaxFileBytes when it is zero.
const DefaultFileBytes = 1 << 20

// A DocText is a section of a document as an [Embedder] gets it.
type DocText = ranking.DocText

// An Embedder says how alike in meaning a task and sections of documents are.
// Without one, documents are ranked by words and links alone.
type Embedder interface {
	// Similarities returns a number in -1..1 for each of the sections, in their
	// order. The hash of a section covers its text, so results can be kept. An error
	// becomes a Diagnostic, and the pack is made without similarities.
	Similarities(ctx context.Context, task string, sections []DocText) ([]float64, error)
}

// UserCache returns the cache folder of the user whose environment this is. Nil means the
// environment of this process.
func UserCache(environ []string) (string, error) {
	if environ == nil {
		environ = os.Environ()
	}
	lookup := func(name string) (value string) {
		for _, kv := range environ {
			if k, v, _ := strings.Cut(kv, "="); k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
				value = v
			}
		}
		return value
	}

	name, below := "HOME", ".cache"
	switch {
	case runtime.GOOS == "windows":
		name, below = "LOCALAPPDATA", ""
	case runtime.GOOS == "darwin":
		below = "Library/Caches"
	case lookup("XDG_CACHE_HOME") != "":
		name, below = "XDG_CACHE_HOME", ""
	}
	if dir := lookup(name); filepath.IsAbs(dir) {
		return filepath.Join(dir, below), nil
	}
	return "", fmt.Errorf("%s is %q, want an absolute path", name, lookup(name))
}

// FolderCache returns the folder for the index and the notes of the plain folder dir, or
// "" if the user has no cache folder. The index stays in memory then.
func FolderCache(environ []string, dir string) string {
	cache, err := UserCache(environ)
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "satchel", git.BlobID(git.SHA256, []byte(dir))[:32])
}
