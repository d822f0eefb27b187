package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

// The library's own client starts the program and talks to it, in every era.
func TestMCPClient(t *testing.T) {
	clitest.Slow(t)
	dir := clitest.Examples(t, "testdata/examples.tree")
	home := t.TempDir()
	recordSession(t, home, dir)
	for _, era := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		cmd := exec.Command("satchel", "mcp")
		cmd.Dir, cmd.Env = dir, clitest.Isolated(home)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, &sdk.ClientSessionOptions{ProtocolVersion: era})
		if err != nil {
			t.Fatalf("%s: %v\n%s", era, err, stderr.String())
		}
		ask := func(tool string, args map[string]any) string {
			t.Helper()
			r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
			if err != nil {
				t.Fatalf("%s: %s %v: %v", era, tool, args, err)
			}
			if r.IsError {
				return "!" + r.Content[0].(*sdk.TextContent).Text
			}
			return r.Content[0].(*sdk.TextContent).Text
		}
		for _, x := range []struct {
			tool string
			args map[string]any
			want string
		}{
			{"pack", map[string]any{"task": "login times out behind a proxy"}, "func Dial"},
			{"search", map[string]any{"query": "proxy timeout"}, "internal/proxy/proxy.go"},
			{"read", map[string]any{"path": filepath.Join(dir, "internal/proxy/proxy.go:6-7")}, "// Timeout is how long a dial may take.\nconst Timeout"},
			{"diff", map[string]any{"range": "v1.2.0^!"}, "relevance"},
			{"session", nil, "claude-sonnet-4-5"},
			{"session", map[string]any{"handle": "@ldhhu", "budget": 400}, "dialCase0"},
			{"session", map[string]any{"session": filepath.Join(dir, "session.jsonl")}, "!session"},
			{"session", map[string]any{"session": "/etc/passwd", "handle": "@ldhhu"}, "!session"},
			{"read", map[string]any{"path": "../../etc/passwd"}, "!../../etc/passwd: outside"},
		} {
			if got := ask(x.tool, x.args); !strings.Contains(got, x.want) || strings.HasPrefix(got, "!") != strings.HasPrefix(x.want, "!") {
				t.Errorf("%s: %s %v = %s\nwant %q", era, x.tool, x.args, got, x.want)
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: the server ends with %v", era, err)
		}
		if stderr.Len() > 0 {
			t.Errorf("%s: standard error: %s", era, stderr.String())
		}
	}
}

// recordSession puts the examples' session where its agent keeps sessions.
func recordSession(t *testing.T, home, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	where, err := json.Marshal(dir)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), `"/w/app"`, string(where), 1))
	name := filepath.Join(home, ".pi/agent/sessions/--app--/2026-01-05T09-00-00-000Z_0198c0de-0000-7000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// read shows what satchel show shows, to the byte.
func TestMCPReadsAsShowDoes(t *testing.T) {
	dir := clitest.Examples(t, "testdata/examples.tree")
	for _, path := range []string{"README.md", "internal/proxy/proxy.go:6-14", "internal/proxy/proxy.go:1-2,6-", "session.jsonl:1"} {
		env := base.Env{Dir: dir, Environ: clitest.Isolated(t.TempDir())}
		var want, errs strings.Builder
		env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &want, &errs
		if code := cli.Main(context.Background(), env, []string{"show", path}); code != 0 {
			t.Fatalf("show %s: %s", path, errs.String())
		}
		request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
			"name": "read", "arguments": map[string]any{"path": path},
			"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		env.Stdin, env.Stdout = strings.NewReader(string(request)+"\n"), &out
		if code := cli.Main(context.Background(), env, []string{"mcp"}); code != 0 {
			t.Fatalf("mcp: %s", errs.String())
		}
		var answer struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(out.String()), &answer); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		if got := answer.Result.Content[0].Text; !strings.Contains(got, "\n"+want.String()+"```") {
			t.Errorf("read %s = %q, want %q in a fence", path, got, want.String())
		}
	}
}
