package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// protocol has other implementations speak to the server.
func protocol(t *trial) {
	b := t.setup("protocol", (*box).opencodeSettings)
	t.installed(b)

	// The Inspector.
	list := b.start(nil, "", append(t.argv("inspector"), "--cli", filepath.Join(b.bin, "satchel"), "mcp", "--method", "tools/list")...)
	t.want(list.code == 0 && bytes.Contains(list.out, []byte(`"name": "pack"`)), "inspector tools/list: %d %.200s %.200s", list.code, list.out, list.err)
	call := b.start(nil, "", append(t.argv("inspector"), "--cli", filepath.Join(b.bin, "satchel"), "mcp", "--method", "tools/call", "--tool-name", "pack", "--tool-arg", "task="+task, "--tool-arg", "budget=1500")...)
	t.want(call.code == 0 && bytes.Contains(call.out, []byte(answer)), "inspector tools/call: %d %.200s %.200s", call.code, call.out, call.err)

	// The TypeScript SDK's client, which checks every schema.
	script := filepath.Join(t.dir, "mcpsdk", "trial.mjs")
	if err := os.WriteFile(script, []byte(sdkClient), 0o600); err != nil {
		panic(notRun{err.Error()})
	}
	sdk := b.start([]string{"SATCHEL=" + filepath.Join(b.bin, "satchel")}, "", filepath.Join(t.nodeDir, "node"), script)
	t.want(sdk.code == 0 && bytes.Contains(sdk.out, []byte(answer)) && bytes.Contains(sdk.out, []byte("refused")), "TypeScript SDK: %d %.300s %.300s", sdk.code, sdk.out, sdk.err)

	// The conformance suite, over HTTP. Its client sends no token, so that one is
	// put in front of it.
	t.conformance(b)

	// An editor that speaks ACP brings the server along.
	t.acp(b)
}

// sdkClient lists the tools, calls one, and calls one wrongly.
const sdkClient = `import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
const c = new Client({ name: "trial", version: "0" })
await c.connect(new StdioClientTransport({ command: process.env.SATCHEL, args: ["mcp"], env: { PATH: process.env.PATH, HOME: process.env.HOME } }))
const { tools } = await c.listTools()
console.log(tools.map((t) => t.name).join(" "))
console.log((await c.callTool({ name: "pack", arguments: { task: "` + task + `", budget: 1500 } })).content[0].text)
try {
  const bad = await c.callTool({ name: "pack", arguments: { nope: 1 } })
  console.log(bad.isError ? "refused" : "taken")
} catch (e) { console.log("refused", e.message) }
await c.close()
`

// scenarios of the conformance suite that say something about a server of tools.
var scenarios = []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"}

func (t *trial) conformance(b *box) {
	token := filepath.Join(b.dir, "token")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := exec.CommandContext(ctx, t.satchel, "mcp", "--http", "127.0.0.1:0", "--token-file", token)
	server.Dir, server.Env = b.repo, b.env()
	out, err := server.StdoutPipe()
	if err != nil {
		panic(notRun{err.Error()})
	}
	if err := server.Start(); err != nil {
		t.fail("satchel mcp --http: %v", err)
		return
	}
	defer server.Wait()
	defer cancel()
	line := make([]byte, 200)
	n, err := out.Read(line)
	url := strings.TrimSpace(string(line[:n]))
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.fail("satchel mcp --http says %q", url)
		return
	}
	secret, err := os.ReadFile(token)
	if err != nil {
		t.fail("no token: %v", err)
		return
	}

	good := strings.TrimSpace(string(secret))
	t.guarded(url, good)

	front, err := newFront(url, good)
	if err != nil {
		panic(notRun{err.Error()})
	}
	defer front.Close()
	node := filepath.Join(t.dir, "conformance", "node_modules", "node", "bin", "node")
	passed := 0
	for _, s := range scenarios {
		r := b.start(nil, "", node, t.argv("conformance")[1], "server", "--url", "http://"+front.Addr().String()+"/mcp", "--scenario", s)
		t.want(r.code == 0, "conformance %s: %d %s", s, r.code, tail(r.out, 400))
		if r.code == 0 {
			passed++
		}
	}
	t.fact("conformance %d of %d", passed, len(scenarios))
}

// guarded asks the server by itself: with the token and without it, and with another
// name for this machine.
func (t *trial) guarded(url, token string) {
	for _, tt := range []struct {
		host, origin, bearer string
		want                 int
	}{
		{"", "", token, http.StatusOK},
		{"", "", "wrong", http.StatusUnauthorized},
		{"evil.example", "", token, http.StatusForbidden},
		{"", "http://evil.example", token, http.StatusForbidden},
	} {
		if got := ping(url, tt.host, tt.origin, tt.bearer); got != tt.want {
			t.fail("HTTP host %q origin %q: %d, want %d", tt.host, tt.origin, got, tt.want)
		}
	}
}

// ping returns the status of a ping, 0 if there is no answer.
func ping(url, host, origin, bearer string) int {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return 0
	}
	if req.Host = host; origin != "" {
		req.Header.Set("Origin", origin)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+bearer)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func tail(b []byte, n int) string {
	b = bytes.TrimSpace(b)
	return string(b[max(0, len(b)-n):])
}
