package base

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/store/vectors"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/world/llm"
)

// NoModel returns the error for a model that is not configured, with an example to copy.
func (a *App) NoModel(err error) error {
	var none *config.NoModelError
	if !errors.As(err, &none) || len(none.Have) > 0 {
		return Usage(err, "name one with --llm NAME, or call one [llm.default] in your config.toml")
	}
	return Usage(err, "write one of these into your own "+config.UserFile(a.Getenv)+"\n"+strings.TrimSuffix(config.Example, "\n"))
}

// Key returns the key of a model's server, from the variable or the command in the
// user's configuration. It returns "" if neither is configured. Errors name
// what needs the key, and how to work without it.
func (a *App) Key(ctx context.Context, l *config.LLM, what, without string) (string, error) {
	e := l.Endpoint("")
	switch {
	case l.KeyCommand != nil:
		key, err := llm.KeyFrom(ctx, l.KeyCommand, a.Env.Environ)
		if err != nil && ctx.Err() == nil {
			err = &credentialError{what: what, fault: err, host: Host(e.Address()), without: without}
		}
		return key, err
	case l.KeyEnv == "":
		return "", nil
	}
	key := a.Getenv(l.KeyEnv)
	if key == "" {
		return "", &credentialError{what: what, variable: l.KeyEnv, host: Host(e.Address()), without: without}
	}
	return key, nil
}

// Host returns the host of a URL, or the text if it is not a URL.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// An embedder compares documents with a task by a model and the stored vectors.
type embedder struct {
	App  *App
	With *config.LLM
}

// useEmbedder makes the engine rank documents by meaning if the user configured a model.
func (a *App) useEmbedder(o *engine.Options) {
	c := a.Settings.Embedder()
	if c == nil {
		return
	}
	w := rank.DefaultDocumentWeights()
	if c.Fusion == "rank" {
		w.Fusion = rank.Reciprocal
	}
	if c.Weight > 0 {
		w.Beta = c.Weight
	}
	o.Embedder, o.DocumentWeights = &embedder{a, c}, &w
}

// VectorDir returns the folder of vectors. It is in the user's cache, since all
// repositories share them.
func (a *App) VectorDir() (string, error) {
	dir := a.Getenv("XDG_CACHE_HOME")
	home := a.Getenv("HOME")
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows" && a.Getenv("LOCALAPPDATA") != "":
		dir = a.Getenv("LOCALAPPDATA")
	case runtime.GOOS == "darwin" && home != "":
		dir = filepath.Join(home, "Library", "Caches")
	case home != "":
		dir = filepath.Join(home, ".cache")
	default:
		return "", errors.New("cannot keep vectors: neither XDG_CACHE_HOME nor HOME is set")
	}
	return filepath.Join(dir, "satchel", "vectors"), nil
}

// Finder returns a client of the configured model, with its stored vectors.
func (a *App) Finder(ctx context.Context, c *config.LLM) (*vectors.Finder, error) {
	key, err := a.Key(ctx, c, "embeddings", "remove [llm.embedder] from it")
	if err != nil {
		return nil, err
	}
	client, err := llm.New(c.Endpoint(key), &llm.Options{Pause: a.Env.Pause})
	if err != nil {
		return nil, err
	}
	dir, err := a.VectorDir()
	if err != nil {
		return nil, err
	}
	return &vectors.Finder{Client: client, Dir: dir, Model: c.Model, Batch: int(c.Batch)}, nil
}

// Similarities sends only the task to the model. A section without a vector gets the
// average.
func (e *embedder) Similarities(ctx context.Context, task string, sections []engine.DocText) ([]float64, error) {
	f, err := e.App.Finder(ctx, e.With)
	if err != nil {
		return nil, err
	}
	alike, without, err := f.Similar(ctx, satchel.Clean("", task).String(), SectionTexts(sections))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", e.With.Model, err)
	case without == len(sections):
		return nil, fmt.Errorf("no vectors of %s yet: run satchel embed build", e.With.Model)
	case without > 0:
		e.App.Diagnostics([]satchel.Diagnostic{{Text: fmt.Sprintf("%d of %s have no vector: run satchel embed build", without, render.Plural(len(sections), "section"))}})
	}
	return alike, nil
}

// SectionTexts returns the texts to embed.
func SectionTexts(sections []engine.DocText) []string {
	texts := make([]string, len(sections))
	for i, s := range sections {
		texts[i] = s.Text
	}
	return texts
}
