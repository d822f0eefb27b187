package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/internal/llm"
)

// A Summarizer is the model that may be asked to summarize a session: the only
// thing that this program ever sends anything to. Only the user's own file can
// name one.
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

// variableName is what a variable may be called. A key that stands in its place
// by mistake hardly ever looks like it.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// summarizerTable reads the [summarizer] of the user's file; nil for an empty one.
func summarizerTable(v any) (*Summarizer, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, want("a table [summarizer]", v)
	}
	if len(table) == 0 { // as satchel config shows that there is none
		return nil, nil
	}
	s := new(Summarizer)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		text, isText := table[name].(string)
		n, isCount := table[name].(int64)
		switch {
		case name == "url" && isText:
			s.URL = text
		case name == "model" && isText:
			s.Model = text
		case name == "kind" && isText:
			s.Kind = text
		case name == "key-env" && isText:
			if !variableName.MatchString(text) {
				return nil, fmt.Errorf("key-env is no name of a variable; a key itself never stands in a file")
			}
			s.KeyEnv = text
		case name == "timeout" && isText:
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return nil, fmt.Errorf("timeout %q: want a time such as 60s", text)
			}
			s.Timeout = d
		case name == "max-tokens" && isCount && n > 0:
			s.MaxTokens = int(min(n, 1<<30))
		case slices.Contains([]string{"url", "model", "kind", "key-env", "timeout", "max-tokens"}, name):
			return nil, fmt.Errorf("%s: want a text for url, model, kind, key-env and timeout, a number for max-tokens", name)
		default:
			return nil, fmt.Errorf("%.60s: a summarizer has url, model, kind, key-env, timeout and max-tokens", name)
		}
	}
	e := s.Endpoint("")
	return s, e.Check()
}
