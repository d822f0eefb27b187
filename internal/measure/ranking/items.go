package ranking

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel"
)

// Items makes the items of chunks of loaded files, on all cores. The chunks of
// a file are in a row; weights are those of newLineFinder.
func (r *Reader) Items(list []Chunk, weights map[uint64]float32) []satchel.Item {
	items := make([]satchel.Item, len(list))
	var starts []int // of each file's chunks
	for i := range list {
		if i == 0 || list[i].File != list[i-1].File {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(list))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(starts)-1) {
		wg.Go(func() {
			find := newLineFinder(weights)
			for {
				k := int(next.Add(1)) - 1
				if k >= len(starts)-1 {
					return
				}
				for i := starts[k]; i < starts[k+1]; i++ {
					items[i] = r.chunk(&list[i], find)
				}
			}
		})
	}
	wg.Wait()
	return items
}

// symbolsOf returns the symbols of file i, decoded once.
func (r *Reader) symbolsOf(i int32) []satchel.Symbol {
	t := r.texts[i]
	if t.symbols == nil {
		t.symbols = r.View.Symbols(r.View.Files()[i].Doc)
	}
	return t.symbols
}

// chunkName returns the name of the definition that a chunk is, or is part of,
// after the names of the enclosing ones: Server.Close. It is "" if there is none.
func (r *Reader) chunkName(c *Chunk) string {
	s := r.View.Chunks()[c.Index].Symbol
	all := r.symbolsOf(c.File)
	if s < 0 || int(s) >= len(all) {
		return ""
	}
	if y := &all[s]; y.Parent != "" {
		return y.Parent + "." + y.Name
	}
	return all[s].Name
}
