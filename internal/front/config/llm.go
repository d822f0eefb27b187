package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/transcript"
)

// LLM is a model's server, a table [llm.NAME] of the user's own file. Only that file
// can name one.
type LLM struct {
	Name       string   `json:"name" toml:"-"`
	URL        string   `json:"url" toml:"url"`
	Kind       llm.Kind `json:"kind" toml:"kind"` // anthropic, openai or embeddings
	Model      string   `json:"model" toml:"model"`
	KeyEnv     string   `json:"key_env,omitempty" toml:"key-env"`         // the variable that holds the key
	KeyCommand []string `json:"key_command,omitempty" toml:"key-command"` // the command that prints it; neither: none is sent

	// Zero means what package llm takes then.
	Timeout     Duration `json:"timeout,omitempty" toml:"timeout"`           // in nanoseconds
	IdleTimeout Duration `json:"idle_timeout,omitempty" toml:"idle-timeout"` // in nanoseconds
	MaxTokens   Count    `json:"max_tokens,omitempty" toml:"max-tokens"`
	Concurrency Count    `json:"concurrency,omitempty" toml:"concurrency"`
	RPM         Count    `json:"rpm,omitempty" toml:"rpm"`
	TPM         Count    `json:"tpm,omitempty" toml:"tpm"`

	Window Count     `json:"window,omitempty" toml:"window"` // in tokens; zero means the built-in value of the model
	Price  []float64 `json:"price,omitempty" toml:"price"`   // USD per million: input, cache read, cache write, output; nil means [Config.Prices]
	Helper string    `json:"helper,omitempty" toml:"helper"` // the LLM for parts and second looks; "" means this one

	// Of embeddings: texts in one request; how words and meaning become one score,
	// sum or rank; and what meaning weighs in a sum, 0 being the default.
	Batch  Count   `json:"batch,omitempty" toml:"batch"`
	Fusion string  `json:"fusion,omitempty" toml:"fusion"`
	Weight float64 `json:"weight,omitempty" toml:"weight"`
}

// Names of tables that have a purpose.
const (
	defaultLLM    = "default"    // of the commands that ask a model
	summarizerLLM = "summarizer" // of session trim --summarize; else the default one
	embedderLLM   = "embedder"   // of embed and of packs with documents
)

// Example is what to write into a config.toml to have a model.
const Example = `[llm.default]                              # a model in the cloud
url = "https://api.anthropic.com"
kind = "anthropic"
model = "claude-sonnet-4-5"
key-env = "ANTHROPIC_API_KEY"
price = [3.0, 0.30, 3.75, 15.0]            # USD per million: input, cache read, cache write, output

[llm.default]                              # or a local one, such as Ollama
url = "http://localhost:11434"
kind = "openai"
model = "qwen3-coder:30b"
`

// Assumed is the model of a preview if the user has configured none: the first one of
// [Example].
func Assumed() *LLM {
	first, _, _ := strings.Cut(Example, "\n\n")
	sections, _ := parse("", []byte(first)) // a test reads it
	list, _ := readLLMs(sections[0].text)
	return &list[0]
}

// A NoModelError says that no model is configured by the name that was asked for.
type NoModelError struct {
	Name string   // "" if none was named
	Have []string // those that are
}

func (e *NoModelError) Error() string {
	switch {
	case len(e.Have) == 0:
		return "no model is configured"
	case e.Name == "":
		return "no model is configured as [llm.default]; configured: " + strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("no model is configured as [llm.%s]; configured: %s", e.Name, strings.Join(e.Have, ", "))
}

// LLM returns the server of a name, "" being the default one. The error is a
// [*NoModelError]; [Example] helps then.
func (c *Config) LLM(name string) (*LLM, error) {
	want := cmp.Or(name, defaultLLM)
	if l := c.llm(want); l != nil && l.Kind != llm.Embeddings {
		return l, nil
	}
	e := &NoModelError{Name: name}
	for _, l := range c.LLMs {
		if l.Kind != llm.Embeddings {
			e.Have = append(e.Have, l.Name)
		}
	}
	return nil, e
}

func (c *Config) llm(name string) *LLM {
	i := slices.IndexFunc(c.LLMs, func(l LLM) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &c.LLMs[i]
}

// Helper returns the server for parts and second looks: l itself, unless it names
// another.
func (c *Config) Helper(l *LLM) (*LLM, error) {
	if l.Helper == "" {
		return l, nil
	}
	return c.LLM(l.Helper)
}

// Summarizer returns the server that session trim --summarize asks.
func (c *Config) Summarizer() (*LLM, error) {
	if l := c.llm(summarizerLLM); l != nil && l.Kind != llm.Embeddings {
		return l, nil
	}
	return c.LLM("")
}

// Embedder returns the server whose embeddings help to rank documents; nil if the
// user named none.
func (c *Config) Embedder() *LLM {
	if l := c.llm(embedderLLM); l != nil && l.Kind == llm.Embeddings {
		return l
	}
	return nil
}

// Endpoint returns what package llm needs, with a key.
func (l *LLM) Endpoint(key string) llm.Endpoint {
	return llm.Endpoint{
		URL: l.URL, Model: l.Model, Kind: l.Kind, Key: key, Timeout: time.Duration(l.Timeout), IdleTimeout: time.Duration(l.IdleTimeout), MaxTokens: int(l.MaxTokens),
		Concurrency: int(l.Concurrency), RPM: int(l.RPM), TPM: int(l.TPM),
	}
}

// Cost returns what a call of l cost in US dollars. known is false if the user gave
// no price, or in another currency, or if the server reported no usage.
func (c *Config) Cost(l *LLM, u *transcript.Usage) (usd float64, known bool) {
	p := c.PriceOf(l.Model)
	if l.Price != nil {
		p = &Price{Input: l.Price[0], CacheRead: &l.Price[1], CacheWrite: &l.Price[2], Output: l.Price[3], Currency: dollar}
	}
	if u == nil || p == nil || p.Currency != dollar && p.Currency != "USD" {
		return 0, false
	}
	return p.Cost(u.Input, u.Output, u.CacheRead, u.CacheWrite)
}

// Priced reports whether [Config.Cost] knows what calls of l cost.
func (c *Config) Priced(l *LLM) bool {
	_, ok := c.Cost(l, &transcript.Usage{Input: 1, Output: 1})
	return ok
}

// defaultURL is where Ollama answers.
const defaultURL = "http://localhost:11434"

// defaultBatch is small enough for a model on the machine's own processor.
const defaultBatch = 32

// readLLMs reads the [llm.NAME] of the user's file, in the order of their names. It
// leaves out empty ones.
func readLLMs(text []byte) (list []LLM, err error) {
	var tables struct {
		LLM map[string]struct {
			LLM
			KeyEnv *string `toml:"key-env"`
		}
	}
	if err := decode(text, &tables); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(tables.LLM)) {
		if !bareName().MatchString(name) {
			return nil, fmt.Errorf("[llm.%.60s]: want a name of letters, digits, - and _", name)
		}
		t := tables.LLM[name]
		l := t.LLM
		if t.KeyEnv != nil {
			if l.KeyEnv = *t.KeyEnv; !variableName().MatchString(l.KeyEnv) {
				return nil, errors.New("key-env: want the name of a variable that holds the key, not the key")
			}
		}
		if reflect.ValueOf(l).IsZero() {
			continue
		}
		l.Name = name
		if name == embedderLLM {
			l.Kind, l.URL = cmp.Or(l.Kind, llm.Embeddings), cmp.Or(l.URL, defaultURL)
		}
		if err := l.check(); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	for _, l := range list {
		if h := l.Helper; h != "" && !slices.ContainsFunc(list, func(l LLM) bool { return l.Name == h && l.Kind != llm.Embeddings }) {
			return nil, fmt.Errorf("[llm.%s]: helper: unknown model [llm.%.60s]", l.Name, h)
		}
	}
	return list, nil
}

// The names of a table [llm.NAME] and of a variable. A key that is given in place of
// its variable hardly ever looks like one.
var (
	bareName     = lazy.Regexp(`^[A-Za-z0-9_-]{1,60}$`)
	variableName = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

// check says what is wrong with a table.
func (l *LLM) check() error {
	e, title := l.Endpoint(""), "llm."+l.Name
	if err := e.Check(); err != nil {
		return err
	}
	unfair := slices.IndexFunc(l.Price, func(n float64) bool { return !fair(n) })
	switch {
	case l.KeyCommand != nil && (len(l.KeyCommand) == 0 || l.KeyCommand[0] == ""):
		return fmt.Errorf("key-command: %q: want a list of words that begins with a program", l.KeyCommand)
	case l.KeyEnv != "" && l.KeyCommand != nil:
		return fmt.Errorf("[%s]: key-env and key-command contradict each other", title)
	case l.KeyCommand != nil && strings.ContainsAny(l.KeyCommand[0], `/\`) && !filepath.IsAbs(l.KeyCommand[0]):
		return fmt.Errorf("[%s]: key-command: %q is a relative path: want a program on PATH or an absolute path", title, l.KeyCommand[0])
	case !fair(l.Weight):
		return fmt.Errorf("weight: %v: want %s", l.Weight, aFair)
	case unfair >= 0:
		return fmt.Errorf("price: %v: want %s", l.Price[unfair], aFair)
	case l.Price != nil && len(l.Price) != 4:
		return fmt.Errorf("[%s]: price: want four numbers: input, cache read, cache write and output", title)
	case (l.Name == embedderLLM) != (l.Kind == llm.Embeddings) && (l.Name == embedderLLM || l.Name == summarizerLLM):
		return fmt.Errorf("[%s]: kind %q: want embeddings for the embedder, anthropic or openai for the summarizer", title, l.Kind)
	case l.Kind != llm.Embeddings && (l.Batch != 0 || l.Fusion != "" || l.Weight != 0):
		return fmt.Errorf("[%s]: batch, fusion and weight are for embeddings only", title)
	case l.Kind != llm.Embeddings:
		return nil
	case l.Batch > llm.MaxBatch:
		return fmt.Errorf("batch %d: want up to %d", l.Batch, llm.MaxBatch)
	case l.MaxTokens != 0 || l.Price != nil || l.Helper != "" || l.Window != 0:
		return fmt.Errorf("[%s]: max-tokens, window, price and helper are not for embeddings", title)
	}
	l.Batch = cmp.Or(l.Batch, defaultBatch)
	l.Fusion = cmp.Or(l.Fusion, "sum")
	if err := oneOf(l.Fusion, "sum", "rank"); err != nil {
		return fmt.Errorf("fusion: %w", err)
	}
	return nil
}
