package config

import (
	"fmt"
	"time"

	"github.com/satchel-dev/satchel/internal/world/llm"
)

// An Embedder is the model whose embeddings help to rank documents. Only the
// user's own file can name one.
type Embedder struct {
	URL     string        `json:"url"`
	Model   string        `json:"model"`
	KeyEnv  string        `json:"key_env"` // the variable that holds the key; empty: none is sent
	Timeout time.Duration `json:"timeout"` // of one request, in nanoseconds; zero means llm's
	Batch   int           `json:"batch"`   // texts in one request; zero means DefaultBatch

	// Fusion says how words and meaning become one score: sum or rank.
	Fusion string  `json:"fusion"`
	Weight float64 `json:"weight"` // of the meaning, in a sum; zero means the default
}

// defaultURL is where Ollama answers.
const defaultURL = "http://localhost:11434"

// defaultBatch is small enough for a model on the machine's own processor.
const defaultBatch = 32

// Endpoint returns what package llm needs, with a key.
func (e *Embedder) Endpoint(key string) llm.Endpoint {
	return llm.Endpoint{URL: e.URL, Model: e.Model, Kind: llm.Embeddings, Key: key, Timeout: e.Timeout}
}

// embedderTable reads the [embedder] of the user's file; nil for an empty one.
func embedderTable(v any) (*Embedder, error) {
	e := &Embedder{URL: defaultURL, Batch: defaultBatch, Fusion: "sum"}
	some, err := readTable("embedder", v, []field{
		{"url", &e.URL}, {"model", &e.Model}, {keyEnv, &e.KeyEnv}, {"timeout", &e.Timeout}, {"batch", &e.Batch}, {"fusion", &e.Fusion}, {"weight", &e.Weight},
	})
	if err != nil || !some {
		return nil, err
	}
	if e.Batch > llm.MaxBatch {
		return nil, fmt.Errorf("batch %d: want up to %d", e.Batch, llm.MaxBatch)
	}
	if err := oneOf(e.Fusion, "sum", "rank"); err != nil {
		return nil, fmt.Errorf("fusion: %w", err)
	}
	at := e.Endpoint("")
	return e, at.Check()
}
