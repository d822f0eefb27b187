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
const toolsHash = "9e4c44d0b2d8f555a42a372f17fbdaaed448ffcad3340c2e94ba3e21636cab1c"

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
