package vectors

import (
	"context"
	"fmt"
	"sync"
)

// A Client gives vectors of length 1 for texts, batch by batch, as llm.Client
// does.
type Client interface {
	Embed(ctx context.Context, texts []string, batch int, got func(from int, vectors [][]float32) error) error
}

// A Finder says how alike texts are. It is safe for concurrent use.
type Finder struct {
	Client Client
	Dir    string // of the files
	Model  string
	Batch  int // texts in one request; 0 means the client's choice

	mu    sync.Mutex
	store *Store
}

// newest returns the Store of the model that was written last, or nil.
func (f *Finder) newest() (*Store, error) {
	if f.store != nil {
		return f.store, nil
	}
	all, err := List(f.Dir)
	if err != nil {
		return nil, err
	}
	for _, in := range all {
		if in.Model == f.Model {
			f.store, err = Open(f.Dir, f.Model, in.Dimensions)
			return f.store, err
		}
	}
	return nil, nil
}

// Missing returns the texts that have no vector, each once, in their order.
func (f *Finder) Missing(texts []string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.newest()
	if err != nil {
		return nil, err
	}
	return missing(s, texts), nil
}

func missing(s *Store, texts []string) []string {
	var out []string
	seen := make(map[Key]bool)
	for _, t := range texts {
		k := KeyOf(t)
		if t != "" && !seen[k] && (s == nil || !s.Has(k)) {
			seen[k] = true
			out = append(out, t)
		}
	}
	return out
}

// Build asks for the vectors of the texts that have none, and returns how many it
// got. What came before an error is kept. If the model now gives vectors of
// another length, all texts are asked for: those of the old length stay in a file
// of their own. progress, if set, is told how many of how many are there.
func (f *Finder) Build(ctx context.Context, texts []string, progress func(done, all int)) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.newest()
	if err != nil {
		return 0, err
	}
	want := missing(s, texts)
	total := 0
	for range 2 {
		var other *Store // of another length, from here on
		err = f.Client.Embed(ctx, want, f.Batch, func(from int, vectors [][]float32) error {
			if s == nil || s.dimensions != len(vectors[0]) {
				if s, err = Open(f.Dir, f.Model, len(vectors[0])); err != nil {
					return err
				}
				if f.store != nil {
					other = s
				}
			}
			keys := make([]Key, len(vectors))
			for i := range vectors {
				keys[i] = KeyOf(want[from+i])
			}
			if err := s.Add(keys, vectors); err != nil {
				return err
			}
			total += len(vectors)
			if progress != nil {
				progress(from+len(vectors), len(want))
			}
			return nil
		})
		f.store = s
		if err != nil || other == nil {
			return total, err
		}
		want = missing(s, texts)
	}
	return total, nil
}

// Similar returns how alike in meaning the query and each text are, the cosine of
// their vectors, and how many of the texts have none: these get 0. Only the query
// is sent.
func (f *Finder) Similar(ctx context.Context, query string, texts []string) (alike []float64, without int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.newest()
	if err != nil {
		return nil, 0, err
	}
	if s == nil {
		return make([]float64, len(texts)), len(texts), nil
	}
	var q []float32
	err = f.Client.Embed(ctx, []string{query}, 1, func(_ int, vectors [][]float32) error {
		q = vectors[0]
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if len(q) != s.dimensions {
		return nil, 0, fmt.Errorf("the model %s gives vectors of %d numbers, and those that are kept have %d: build them again", f.Model, len(q), s.dimensions)
	}
	keys := make([]Key, len(texts))
	for i, t := range texts {
		keys[i] = KeyOf(t)
	}
	alike, known := s.Similar(q, keys)
	for _, ok := range known {
		if !ok {
			without++
		}
	}
	return alike, without, nil
}
