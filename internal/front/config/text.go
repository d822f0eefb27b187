package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/tokens"
)

// TOML returns the value of a setting as a config.toml writes it.
func (k *Key) TOML(c *Config) string {
	switch v := k.Value(c).(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		return listText(v, strconv.Quote)
	case map[string]float64:
		var t tableText
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t.add(tomlName(name), v[name])
		}
		return t.String()
	case []tokens.Model:
		return listText(v, modelText)
	case []Price:
		return listText(v, priceText)
	case *Summarizer:
		return v.toml()
	case *Embedder:
		return v.toml()
	default:
		return fmt.Sprint(v)
	}
}

// listText writes a list.
func listText[T any](list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = text(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// A tableText is a table on one line, in the making.
type tableText struct{ fields []string }

// add adds a field. Texts are quoted.
func (t *tableText) add(name string, v any) {
	if s, ok := v.(string); ok {
		v = strconv.Quote(s)
	}
	t.fields = append(t.fields, fmt.Sprintf("%s = %v", name, v))
}

// server adds what all that ask a model have after its name.
func (t *tableText) server(key string, timeout time.Duration) {
	if key != "" {
		t.add("key-env", key)
	}
	if timeout > 0 {
		t.add("timeout", timeout.String())
	}
}

func (t *tableText) String() string { return "{" + strings.Join(t.fields, ", ") + "}" }

func modelText(m tokens.Model) string {
	var t tableText
	t.add("name", m.Name)
	t.add("family", m.Family)
	t.add("window", m.Window)
	t.add("output", m.Output)
	return t.String()
}

func priceText(p Price) string {
	var t tableText
	t.add("model", p.Model)
	t.add("input", p.Input)
	t.add("output", p.Output)
	if p.CacheRead != nil {
		t.add("cache-read", *p.CacheRead)
	}
	if p.CacheWrite != nil {
		t.add("cache-write", *p.CacheWrite)
	}
	t.add("currency", p.Currency)
	return t.String()
}

func (s *Summarizer) toml() string {
	var t tableText
	if s == nil {
		return t.String()
	}
	t.add("url", s.URL)
	t.add("model", s.Model)
	t.add("kind", s.Kind)
	t.server(s.KeyEnv, s.Timeout)
	if s.MaxTokens > 0 {
		t.add("max-tokens", s.MaxTokens)
	}
	return t.String()
}

func (e *Embedder) toml() string {
	var t tableText
	if e == nil {
		return t.String()
	}
	t.add("url", e.URL)
	t.add("model", e.Model)
	t.server(e.KeyEnv, e.Timeout)
	t.add("batch", e.Batch)
	t.add("fusion", e.Fusion)
	if e.Weight > 0 {
		t.add("weight", e.Weight)
	}
	return t.String()
}
