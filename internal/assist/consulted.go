package assist

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"sync"
)

// A consulted is a Toolbox that remembers which files a model asked for.
type consulted struct {
	Toolbox

	mu    sync.Mutex
	paths map[string]bool
}

// Answer answers a call, and remembers the files that it names, if there was an answer.
func (c *consulted) Answer(ctx context.Context, name string, input json.RawMessage, most int) (string, error) {
	text, err := c.Toolbox.Answer(ctx, name, input, most)
	if err != nil {
		return text, err
	}
	var args struct {
		Path  string   `json:"path"`
		Files []string `json:"files"`
	}
	_ = json.Unmarshal(input, &args) // the toolbox has read it
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths == nil {
		c.paths = make(map[string]bool)
	}
	for _, p := range append(args.Files, args.Path) {
		p, _, _ = strings.Cut(p, ":") // of lines
		c.paths[path.Clean(p)] = true
	}
	return text, nil
}

// has reports whether a file was asked for.
func (c *consulted) has(name string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paths[name]
}
