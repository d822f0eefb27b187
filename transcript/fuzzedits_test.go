package transcript

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Bytes that are changed at random make lines that are no JSON, most of the time.
// These targets change sessions as JSON instead, one reader each: members and
// records go, come twice, change places, become another's or something else.

func FuzzClaudeCode(f *testing.F) { fuzzEdits(f, "claude-*") }
func FuzzCodex(f *testing.F)      { fuzzEdits(f, "codex*") }
func FuzzPi(f *testing.F)         { fuzzEdits(f, "pi*") }
func FuzzOpenCode(f *testing.F)   { fuzzEdits(f, "opencode*") }
func FuzzCopilot(f *testing.F)    { fuzzEdits(f, "copilot*") }
func FuzzGemini(f *testing.F)     { fuzzEdits(f, "gemini*") }
func FuzzQwen(f *testing.F)       { fuzzEdits(f, "qwen*") }
func FuzzSWEAgent(f *testing.F)   { fuzzEdits(f, "swe-agent*") }
func FuzzOpenHands(f *testing.F)  { fuzzEdits(f, "openhands*") }
func FuzzCline(f *testing.F)      { fuzzEdits(f, "cline*") }
func FuzzArrays(f *testing.F)     { fuzzEdits(f, "anthropic", "chat*", "messages*", "responses*") }

// fuzzEdits makes edits in the golden sessions whose names match.
func fuzzEdits(f *testing.F, patterns ...string) {
	var files []string
	for _, p := range patterns {
		some, err := filepath.Glob("testdata/read/" + p + ".txtar")
		if err != nil || len(some) == 0 {
			f.Fatalf("no golden files %s: %v", p, err)
		}
		files = append(files, some...)
	}
	var sources [][]byte
	for i, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		sources = append(sources, ar.Files[0].Data)
		f.Add(uint8(i), []byte{})
		for k := range byte(edits) {
			f.Add(uint8(i), []byte{k, 9 + k, 3, edits - 1 - k, 40, 7 * k})
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, program []byte) {
		laws(t, edited(sources[int(which)%len(sources)], program))
	})
}

// edits is how many ways there are to change a value.
const edits = 14

// edited runs a program over a session: three bytes are an edit, of the value
// that the second counts to, with the third.
func edited(data []byte, program []byte) []byte {
	root, lines := values(data)
	for n := 0; len(program) >= 3 && n < 24; n++ {
		places := placesOf(root)
		if len(places) == 0 {
			break
		}
		// Sessions have more values than a byte counts.
		at := places[(int(program[1])*7+int(program[0])/edits)%len(places)]
		other := places[(int(program[2])*7)%len(places)]
		at.edit(int(program[0])%edits, other.value(), int(program[2]))
		program = program[3:]
	}
	var b bytes.Buffer
	if all, ok := root.items[0].([]any); ok && lines {
		for _, v := range all {
			line, err := json.Marshal(v)
			if err != nil {
				return nil
			}
			b.Write(append(line, '\n'))
		}
		return b.Bytes()
	}
	out, err := json.Marshal(root.items[0])
	if err != nil || len(out) > 1<<20 {
		return nil
	}
	return out
}

// values parses a session: its document, or a list of its lines.
func values(data []byte) (root *holder, lines bool) {
	var v any
	if json.Unmarshal(data, &v) != nil {
		lines = true
		var all []any
		for line := range bytes.Lines(data) {
			var x any
			if json.Unmarshal(line, &x) == nil {
				all = append(all, x)
			}
		}
		v = all
	}
	return &holder{items: []any{v}}, lines
}

// A holder is the root: a list of one value.
type holder struct{ items []any }

// A place is a member of an object or an element of a list.
type place struct {
	object map[string]any
	key    string

	items []any
	index int
	set   func([]any) // puts another list in the place of items
}

func (p *place) value() any {
	if p.object != nil {
		return p.object[p.key]
	}
	if p.index < len(p.items) {
		return p.items[p.index]
	}
	return nil
}

func (p *place) put(v any) {
	switch {
	case p.object != nil:
		p.object[p.key] = v
	case p.index < len(p.items):
		p.items[p.index] = v
	}
}

// placesOf returns every place but the root, in a fixed order.
func placesOf(root *holder) (all []place) {
	var walk func(v any, set func([]any))
	walk = func(v any, set func([]any)) {
		if len(all) > 4000 {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				all = append(all, place{object: v, key: k})
				walk(v[k], func(l []any) { v[k] = l })
			}
		case []any:
			for i := range v {
				all = append(all, place{items: v, index: i, set: set})
				walk(v[i], func(l []any) { v[i] = l })
			}
		}
	}
	walk(root.items[0], func(l []any) { root.items[0] = l })
	return all
}

func (p *place) edit(how int, other any, n int) {
	v := p.value()
	switch how {
	case 0: // goes
		if p.object != nil {
			delete(p.object, p.key)
		} else if p.index < len(p.items) {
			p.set(slices.Delete(slices.Clone(p.items), p.index, p.index+1))
		}
	case 1: // comes twice
		if p.object == nil && p.index < len(p.items) && len(p.items) < 500 {
			p.set(slices.Insert(slices.Clone(p.items), n%(len(p.items)+1), copied(v)))
		}
	case 2: // changes places
		if p.object == nil && p.index < len(p.items) {
			k := n % len(p.items)
			p.items[p.index], p.items[k] = p.items[k], p.items[p.index]
		}
	case 3: // becomes another's
		p.put(copied(other))
	case 4:
		p.put(nil)
	case 5:
		p.put("")
	case 6:
		p.put([]float64{-1, 0, 1e18, 0.5, 3}[n%5])
	case 7:
		p.put(map[string]any{})
	case 8:
		p.put([]any{})
	case 9:
		p.put(n%2 == 0)
	case 10:
		p.put("REDACTED")
	case 11:
		p.put([]any{copied(v)})
	case 12:
		p.put(map[string]any{"type": copied(v), "text": copied(other)})
	case 13:
		if s, ok := v.(string); ok && len(s) < 1<<12 {
			p.put(strings.Repeat(s, n%3) + "\u0000\n<task>" + s[:n%(len(s)+1)])
		}
	}
}

// copied returns a value that shares nothing with v.
func copied(v any) any {
	b, err := json.Marshal(v)
	if err != nil || len(b) > 1<<16 {
		return nil
	}
	var out any
	if json.Unmarshal(b, &out) != nil {
		return nil
	}
	return out
}
