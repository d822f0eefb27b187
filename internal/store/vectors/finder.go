package vectors

import (
	"context"
	"fmt"
	"sync"
	"unicode/utf8"
)

// A client embeds texts batch by batch, as llm.Client does. Its vectors have length 1.
type client interface {
	Embed(ctx context.Context, texts []string, batch int, got func(from int, vectors [][]float32) error) error
}

// A Finder compares texts by their embeddings. It is safe for concurrent use.
type Finder struct {
	Client client
	Dir    string // of the database
	Model  string
	Batch  int // texts in one request; 0 means the client's choice

	mu    sync.Mutex
	store *store
}

// newest returns the model's vectors of the length that was written last, or nil.
func (f *Finder) newest() (*store, error) {
	if f.store != nil {
		return f.store, nil
	}
	all, err := List(f.Dir)
	if err != nil {
		return nil, err
	}
	for _, in := range all {
		if in.Model == f.Model {
			f.store, err = openStore(f.Dir, f.Model, in.Dimensions)
			return f.store, err
		}
	}
	return nil, nil
}

// Missing returns the texts that have no vector, clipped, each once, in their
// order.
func (f *Finder) Missing(texts []string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.newest()
	if err != nil {
		return nil, err
	}
	return missing(s, texts), nil
}

func missing(s *store, texts []string) []string {
	var out []string
	seen := make(map[textKey]bool)
	for _, t := range texts {
		t = Clip(t)
		k := keyOf(t)
		if t != "" && !seen[k] && (s == nil || !s.has(k)) {
			seen[k] = true
			out = append(out, t)
		}
	}
	return out
}

// Build asks the model for the missing vectors of texts, and returns how many it got.
// Vectors that came before an error are kept. If the model now gives vectors of another
// length, Build asks for all texts; to find out, it asks for one text if none is
// missing. It calls progress, if set, with the number of vectors that have come and of
// all that are missing.
func (f *Finder) Build(ctx context.Context, texts []string, progress func(done, all int)) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.newest()
	if err != nil {
		return 0, err
	}
	want := missing(s, texts)
	if len(want) == 0 {
		same, err := f.sameLength(ctx, s, texts)
		if same || err != nil {
			return 0, err
		}
		s, want = nil, missing(nil, texts)
	}
	total := 0
	for range 2 {
		var other *store // of another length, from here on
		err = f.Client.Embed(ctx, want, f.Batch, func(from int, vectors [][]float32) error {
			if s == nil || s.dimensions != len(vectors[0]) {
				if s, err = openStore(f.Dir, f.Model, len(vectors[0])); err != nil {
					return err
				}
				if f.store != nil {
					other = s
				}
			}
			keys := make([]textKey, len(vectors))
			for i := range vectors {
				keys[i] = keyOf(want[from+i])
			}
			if err := s.add(keys, vectors); err != nil {
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

// sameLength asks for the vector of one text, and reports whether its length is still
// the same.
func (f *Finder) sameLength(ctx context.Context, s *store, texts []string) (bool, error) {
	probe := missing(nil, texts)
	if len(probe) == 0 {
		return true, nil
	}
	same := false
	err := f.Client.Embed(ctx, probe[:1], 1, func(_ int, vectors [][]float32) error {
		same = len(vectors[0]) == s.dimensions
		return nil
	})
	return same, err
}

// Similar returns the cosine of the query's vector and each text's, and the number of
// texts without a vector: their value is the mean of the others. Only the query is sent,
// and nothing if no text has a vector.
func (f *Finder) Similar(ctx context.Context, query string, texts []string) (alike []float64, without int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.newest()
	if err != nil {
		return nil, 0, err
	}
	keys := make([]textKey, len(texts))
	some := false
	for i, t := range texts {
		keys[i] = keyOf(Clip(t))
		some = some || s != nil && s.has(keys[i])
	}
	if !some {
		return make([]float64, len(texts)), len(texts), nil
	}
	var q []float32
	err = f.Client.Embed(ctx, []string{Clip(query)}, 1, func(_ int, vectors [][]float32) error {
		q = vectors[0]
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if len(q) != s.dimensions {
		return nil, 0, fmt.Errorf("the model %s gives vectors of %d numbers, and those that are kept have %d: build them again", f.Model, len(q), s.dimensions)
	}
	alike = make([]float64, len(keys))
	sum := 0.0
	for i, k := range keys {
		v, ok := s.vectors[k]
		if !ok {
			without++
			continue
		}
		alike[i] = v.cosine(q)
		sum += alike[i]
	}
	for i, k := range keys {
		if !s.has(k) {
			alike[i] = sum / float64(len(texts)-without)
		}
	}
	return alike, without, nil
}

// maxText is the most bytes of a text that are sent: about 1,500 tokens. Small models read
// 2,048 and refuse or silently cut longer texts.
const maxText = 6000

// Clip returns at most the first maxText bytes of a text, without half a character at
// the end.
func Clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for n > maxText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
