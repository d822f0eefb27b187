package config

import (
	"time"

	"github.com/satchel-dev/satchel/internal/world/llm"
)

// A Summarizer is the model that may be asked to summarize a session. Only the
// user's own file can name one.
type Summarizer struct {
	URL       string        `json:"url"`
	Model     string        `json:"model"`
	Kind      string        `json:"kind"`    // anthropic or openai
	KeyEnv    string        `json:"key_env"` // the variable that holds the key; empty: none is sent
	Timeout   time.Duration `json:"timeout"` // in nanoseconds; zero means llm's
	MaxTokens int           `json:"max_tokens"`
}

// Endpoint returns what package llm needs, with a key.
func (s *Summarizer) Endpoint(key string) llm.Endpoint {
	return llm.Endpoint{URL: s.URL, Model: s.Model, Kind: llm.Kind(s.Kind), Key: key, Timeout: s.Timeout, MaxTokens: s.MaxTokens}
}

// summarizerTable reads the [summarizer] of the user's file; nil for an empty one.
func summarizerTable(v any) (*Summarizer, error) {
	s := new(Summarizer)
	some, err := readTable("summarizer", v, []field{
		{"url", &s.URL}, {"model", &s.Model}, {"kind", &s.Kind}, {keyEnv, &s.KeyEnv}, {"timeout", &s.Timeout}, {"max-tokens", &s.MaxTokens},
	})
	if err != nil || !some {
		return nil, err
	}
	e := s.Endpoint("")
	return s, e.Check()
}
