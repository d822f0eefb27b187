package config

import (
	"bytes"
	"encoding/json"
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
	case []LLM:
		return listText(v, llmText)
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

func llmText(l LLM) string {
	var t tableText
	t.add("name", l.Name)
	t.add("url", l.URL)
	t.add("kind", string(l.Kind))
	t.add("model", l.Model)
	if l.KeyEnv != "" {
		t.add(keyEnv, l.KeyEnv)
	}
	if l.KeyCommand != nil {
		t.fields = append(t.fields, "key-command = "+listText(l.KeyCommand, strconv.Quote))
	}
	for _, f := range []struct {
		name string
		n    int
	}{{"window", l.Window}, {"max-tokens", l.MaxTokens}, {"concurrency", l.Concurrency}, {"rpm", l.RPM}, {"tpm", l.TPM}, {"batch", l.Batch}} {
		if f.n > 0 {
			t.add(f.name, f.n)
		}
	}
	for _, f := range []struct {
		name string
		d    time.Duration
	}{{"timeout", l.Timeout}, {"idle-timeout", l.IdleTimeout}} {
		if f.d > 0 {
			t.add(f.name, f.d.String())
		}
	}
	if l.Price != nil {
		t.fields = append(t.fields, "price = "+listText(l.Price, func(x float64) string { return fmt.Sprint(x) }))
	}
	for _, f := range []struct{ name, text string }{{"helper", l.Helper}, {"fusion", l.Fusion}} {
		if f.text != "" {
			t.add(f.name, f.text)
		}
	}
	if l.Weight > 0 {
		t.add("weight", l.Weight)
	}
	return t.String()
}

// tomlString quotes a text. JSON's strings are TOML's, but for one control
// character.
func tomlString(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// tomlName quotes a key unless it is bare.
func tomlName(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return name
	}
	return tomlString(name)
}
