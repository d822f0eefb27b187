package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel/tokens"
)

var update = flag.Bool("update", false, "rewrite testdata/tools.json")

// toolsHash pins the list of tools. A client that has seen the list trusts it, so
// that a change is a decision: look at the diff of testdata/tools.json, then put
// the new hash here.
const toolsHash = "b5c0c5b18cb27c1cc74fca284762c1ce7ddd4b4d325f45e2a32290b7e043b3da"

// mostListTokens is what the list may take of a model's window, names, schemas and
// instructions together.
const mostListTokens = 1500

func listed(t *testing.T) []*sdk.Tool {
	t.Helper()
	s := New(Options{Version: "test"})
	client, server := sdk.NewInMemoryTransports()
	go func() { _ = s.sdk.Run(t.Context(), server) }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Tools
}

func TestToolsAreStatic(t *testing.T) {
	got, err := json.MarshalIndent(listed(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const golden = "testdata/tools.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("tools/list is not %s:\n%s", golden, got)
	}
	sum := sha256.Sum256(want)
	if hash := hex.EncodeToString(sum[:]); hash != toolsHash {
		t.Errorf("sha256 of %s = %s, want %s", golden, hash, toolsHash)
	}
}

func TestTools(t *testing.T) {
	list := listed(t)
	if len(list) == 0 || len(list) > 5 {
		t.Errorf("%d tools, want 1 to 5", len(list))
	}
	if !slices.IsSortedFunc(list, func(a, b *sdk.Tool) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) }) {
		t.Error("the tools are not sorted")
	}
	for _, tool := range list {
		if tool.OutputSchema != nil {
			t.Errorf("%s has an output schema: some clients then show a model the structure, some the text, some both", tool.Name)
		}
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not said to read only", tool.Name)
		}
	}
}

// Schemas are written by hand, keys in order, so that they are the same bytes in
// every language's map order.
func TestSchemasAreSorted(t *testing.T) {
	for _, tool := range tools {
		d := json.NewDecoder(bytes.NewReader(tool.describe().InputSchema.(json.RawMessage)))
		if err := sortedKeys(d); err != "" {
			t.Errorf("schema of %s: %s", tool.name, err)
		}
	}
}

// sortedKeys walks one JSON value.
func sortedKeys(d *json.Decoder) string {
	t, err := d.Token()
	if err != nil {
		return err.Error()
	}
	last := ""
	for t == json.Delim('{') && d.More() {
		key, err := d.Token()
		if err != nil {
			return err.Error()
		}
		if key.(string) <= last {
			return key.(string) + " stands after " + last
		}
		last = key.(string)
		if why := sortedKeys(d); why != "" {
			return why
		}
	}
	for t == json.Delim('[') && d.More() {
		if why := sortedKeys(d); why != "" {
			return why
		}
	}
	if t == json.Delim('{') || t == json.Delim('[') {
		_, err = d.Token()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// The schema and the decoder of a tool know the same arguments, of the same kinds.
func TestSchemasMatchDecoders(t *testing.T) {
	decoders := map[string]func(json.RawMessage) error{
		"diff":    func(b json.RawMessage) error { return decode(b, new(diffArgs)) },
		"pack":    func(b json.RawMessage) error { return decode(b, new(packArgs)) },
		"read":    func(b json.RawMessage) error { return decode(b, new(readArgs)) },
		"search":  func(b json.RawMessage) error { return decode(b, new(searchArgs)) },
		"session": func(b json.RawMessage) error { return decode(b, new(sessionArgs)) },
	}
	samples := map[string]any{"string": "x", "integer": 1, "boolean": true, "array": []string{"x"}}
	for _, tool := range tools {
		var schema struct {
			Properties map[string]struct{ Type string }
		}
		if err := json.Unmarshal(tool.describe().InputSchema.(json.RawMessage), &schema); err != nil {
			t.Fatal(err)
		}
		for name, p := range schema.Properties {
			for kind, v := range samples {
				raw, _ := json.Marshal(map[string]any{name: v})
				if err := decoders[tool.name](raw); (err == nil) != (kind == p.Type) {
					t.Errorf("%s %s: %v; the schema says %s", tool.name, raw, err, p.Type)
				}
			}
		}
		if err := decoders[tool.name](json.RawMessage(`{"workspace":"/etc"}`)); err == nil {
			t.Errorf("%s takes an argument that its schema does not have", tool.name)
		}
	}
}

func TestListIsSmall(t *testing.T) {
	text := instructions
	for _, tool := range listed(t) {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		text += "\n" + tool.Name + "\n" + tool.Title + "\n" + tool.Description + "\n" + string(schema)
	}
	n := tokens.O200k().Count(text)
	t.Logf("names, descriptions, schemas and instructions: %d tokens", n)
	if n > mostListTokens {
		t.Errorf("%d tokens, want at most %d", n, mostListTokens)
	}
	if lines := bytes.Count([]byte(instructions), []byte("\n")) + 1; lines > 2 {
		t.Errorf("the instructions have %d lines, want 2", lines)
	}
}
