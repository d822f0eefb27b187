package assist

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"golang.org/x/sync/errgroup"
)

// Limits of what tools answer.
const (
	resultTokens = 4000 // of one result
	callsAtOnce  = 4
)

// answer makes the calls of one turn, some at once, and adds their results in their
// order. Calls beyond the most of a turn are answered by a word.
func (t *talk) answer(ctx context.Context, calls []transcript.Block) {
	results := make([]transcript.Block, len(calls))
	made := make([]bool, len(calls))
	for i, c := range calls {
		results[i] = transcript.Block{Type: transcript.Result, ID: c.ID, Name: c.Name}
		switch text, done := t.guard.before(c.Name, c.Input); {
		case i >= mostCalls:
			results[i].Text, results[i].Failed = fmt.Sprintf("not answered: %d calls a turn are the most", mostCalls), true
		case done:
			results[i].Text = text
		default:
			made[i] = true
		}
	}
	var g errgroup.Group
	g.SetLimit(callsAtOnce)
	for i, c := range calls {
		if made[i] {
			g.Go(func() error {
				results[i].Text, results[i].Failed = t.one(ctx, c.Name, c.Input)
				return nil
			})
		}
	}
	_ = g.Wait() // what fails is a result
	fresh := false
	for i, c := range calls {
		if !made[i] {
			continue
		}
		number, isNew := t.guard.after(c.Name, c.Input, results[i].Text, results[i].Failed)
		fresh = fresh || isNew
		results[i].Text = fmt.Sprintf("[result %d] %s", number, results[i].Text)
	}
	t.guard.turn(fresh)
	t.conv = append(t.conv, transcript.Message{Role: transcript.User, Kind: transcript.Results, Sent: true, Blocks: results})
}

// one makes one call.
func (t *talk) one(ctx context.Context, name string, input json.RawMessage) (text string, failed bool) {
	known := false
	var names []string
	for _, tool := range t.tools {
		known = known || tool.Name == name
		names = append(names, tool.Name)
	}
	switch {
	case !known:
		return fmt.Sprintf("unknown tool %.40q; the tools are %s", name, strings.Join(names, ", ")), true
	case len(input) == 0 || input[0] != '{':
		return "the arguments are not a JSON object", true
	}
	if name == parallelTool && t.Parallel != nil {
		text, err := t.Parallel(ctx, input)
		if err != nil {
			return short(err.Error()), true
		}
		return text, false
	}
	text, err := t.Tools.Answer(ctx, name, input, resultTokens)
	if err != nil {
		return short(err.Error()), true
	}
	text = cutTokens(text, resultTokens) // of a toolbox that does not keep its word
	if strings.TrimSpace(text) == "" {
		text = "nothing"
	}
	return text, false
}

// mostError is how long an error may be that a model is told, in bytes.
const mostError = 1000

func short(s string) string { return clip.Cut(s, mostError) }

// cutTokens is a text, or the beginning of one that has too many tokens.
func cutTokens(text string, most int) string {
	if tokens.O200k().Count(text) <= most {
		return text
	}
	ids := tokens.O200k().Encode(nil, text)
	out, err := tokens.O200k().Decode(nil, ids[:min(most, len(ids))])
	if err != nil || !utf8.Valid(out) {
		return strings.ToValidUTF8(string(out), "") + "\n[cut]"
	}
	return string(out) + "\n[cut]"
}

// objectIn returns the JSON object that answers a schema and stands in a text, with or
// without a fence, thoughts or words around it. If there is none, but the beginning of
// one, it is all of the text as a JSON string; nil if there is not even that.
func objectIn(text string, schema json.RawMessage) json.RawMessage {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(schema, &s) // a test reads them all
	rest, open := text, false
	for range mostStarts {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			break
		}
		rest, open = rest[i:], true
		var raw json.RawMessage
		var fields map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&raw) == nil && json.Unmarshal(raw, &fields) == nil {
			for name := range fields {
				if s.Properties[name] != nil {
					return raw
				}
			}
		}
		rest = rest[1:]
	}
	if !open {
		return nil
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return raw
}

// mostStarts bounds how often a text is tried as JSON.
const mostStarts = 50

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
