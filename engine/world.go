package engine

import (
	"context"
	"io"

	"github.com/satchel-dev/satchel/internal/source/readonly"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/rank"
)

// A tree is a repository or a plain folder, held open.
type tree interface {
	index.Tree
	io.Closer
}

// A world is what requests look at: a repository or a plain folder with its index,
// what is remembered of it, and what it is ranked with. It is safe for concurrent
// use.
type world struct {
	tree   tree
	index  *index.Index
	models rank.Models
	memory state.Memory

	vault    string // a folder of documents outside; "" if there is none
	largest  int64  // bytes of the largest file that is read
	embedder Embedder
	weights  map[string]float64    // what signals count, by name; see Options.Weights
	docs     *rank.DocumentWeights // nil means the committed ones
}

// contextFiles is what is kept at hand of the project.
func (w *world) contextFiles() *readonly.Kept {
	return readonly.NewKept(w.tree, w.memory, func(ctx context.Context) (*index.View, error) { return w.index.View(ctx, w.tree, "") })
}
