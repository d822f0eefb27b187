package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// claudeSnapshot compares what satchel says that the model was sent with what
// it was sent.
func claudeSnapshot(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	r := b.claude("first: " + task + ` @@tool Read {"file_path":"` + filepath.Join(b.repo, answer) + `"}@@ @@tool mcp__satchel__pack {"task":"` + task + `","budget":1500}@@ @@say ONE@@`)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	session := sessionOf(r.out)
	files, _ := filepath.Glob(filepath.Join(b.home, ".claude/projects/*", session+".jsonl")) // the pattern is fine
	if session == "" || len(files) != 1 {
		t.fail("claude recorded no session")
		return
	}
	s := b.satchel("snapshot", "import", "--claude", files[0], "--request", "all", "--json")
	var doc struct {
		Requests []struct{ ID string }
	}
	if err := json.Unmarshal(s.out, &doc); err != nil || len(doc.Requests) == 0 {
		t.fail("snapshot import: %v: %s", err, s.err)
		return
	}
	kept := map[string]bool{} // the messages and tools of all snapshots, as canonical JSON
	for _, r := range doc.Requests {
		var shown struct {
			Record struct {
				Items []struct{ Path, Blob string }
			}
		}
		_ = json.Unmarshal(b.satchel("snapshot", "show", r.ID, "--json").out, &shown) // no items then
		for _, it := range shown.Record.Items {
			if strings.HasPrefix(it.Path, "request/messages/") || strings.HasSuffix(it.Path, "-tools") {
				kept[canonical(b.start(nil, "", "git", "cat-file", "blob", it.Blob).out)] = true
			}
		}
	}
	sent, found, tools, toolsFound := 0, 0, 0, 0
	for _, r := range b.api.seen() {
		var body struct {
			Messages []json.RawMessage
			Tools    json.RawMessage
		}
		if !strings.HasSuffix(r.Path, "/v1/messages") || json.Unmarshal(r.Body, &body) != nil || len(body.Tools) < 10 {
			continue // a side call
		}
		for _, m := range body.Messages {
			if sent++; kept[canonical(m)] {
				found++
			}
		}
		if tools++; kept[canonical(body.Tools)] {
			toolsFound++
		}
	}
	t.want(sent > 0 && found == sent, "%d of %d messages of %d snapshots are what the model was sent", found, sent, len(doc.Requests))
	t.want(tools > 0 && toolsFound == tools, "the tools of %d of %d requests are", toolsFound, tools)
	t.fact("%d messages and the tools of %d requests are what the model was sent", found, toolsFound)
}

// canonical writes JSON with sorted names and no space, and without the marks of
// the cache, which Claude Code records apart.
func canonical(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return ""
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case object:
			delete(v, "cache_control")
			for _, e := range v {
				strip(e)
			}
		case []any:
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(v)
	out, _ := json.Marshal(v) // it was JSON
	return string(out)
}

// claudeStatus runs the interactive Claude Code until its status line is there.
func claudeStatus(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	state := object{"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
		"customApiKeyResponses": object{"approved": []any{"fake"}, "rejected": []any{}},
		"projects":              object{b.repo: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}
	text, _ := json.Marshal(state) // it always can
	if err := os.WriteFile(filepath.Join(b.home, ".claude.json"), text, 0o600); err != nil {
		panic(notRun{err.Error()})
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		panic(notRun{"tmux is not installed"})
	}
	// The tap keeps what the status line is told and says.
	if err := b.program(fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = statusline ]; then tee -a '%[2]s/status.in' | '%[1]s' \"$@\" | tee -a '%[2]s/status.out'; else exec '%[1]s' \"$@\"; fi\n", t.satchel, b.dir)); err != nil {
		panic(notRun{err.Error()})
	}
	socket := filepath.Join(b.dir, "tmux")
	tmux := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Dir, cmd.Env = b.repo, b.env(append(b.claudeVars(), "TERM=xterm-256color")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.fail("tmux %s: %v: %s", args[0], err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "140", "-y", "45", t.argv("claude")[0], "--model", "claude-sonnet-4-5")
	defer tmux("kill-server")
	wait := func(what string, ok func() bool) bool {
		for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(300 * time.Millisecond) {
			if ok() {
				return true
			}
		}
		t.fail("%s: nothing within a minute:\n%s", what, tmux("capture-pane", "-p"))
		return false
	}
	screen := func(text string) func() bool {
		return func() bool { return strings.Contains(tmux("capture-pane", "-p"), text) }
	}
	if !wait("the prompt", screen("❯")) {
		return
	}
	tmux("send-keys", "-l", "hello @@usage 120000@@ @@say HI-THERE@@")
	time.Sleep(time.Second)
	tmux("send-keys", "Enter")
	told := func() (used float64, ok bool) {
		for line := range strings.Lines(b.recorded("status.in")) {
			var m struct {
				Window struct {
					Used float64 `json:"used_percentage"`
				} `json:"context_window"`
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.Window.Used > 0 {
				used, ok = m.Window.Used, true
			}
		}
		return used, ok
	}
	if !wait("the status line", func() bool { _, ok := told(); return ok && b.recorded("status.out") != "" }) {
		return
	}
	time.Sleep(2 * time.Second)
	used, _ := told()
	lines := strings.Split(strings.TrimSpace(b.recorded("status.out")), "\n")
	last := lines[len(lines)-1]
	said := -1.0
	for _, word := range strings.Fields(last) {
		var n float64
		if _, err := fmt.Sscanf(word, "%f%%", &n); err == nil && strings.Contains(word, "%") {
			said = n
			break
		}
	}
	if said < 0 { // 60 %
		fields := strings.Fields(last)
		for i, w := range fields {
			if w == "%" && i > 0 {
				_, _ = fmt.Sscanf(fields[i-1], "%f", &said)
				break
			}
		}
	}
	t.want(said >= used-2 && said <= used+2, "the status line says %v %%, Claude Code %v: %q", said, used, last)
	t.fact("%v %% of Claude Code's %v %%", said, used)
}

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

	// By itself: without the token, and with another name for this machine.
	status := func(host, origin, bearer string) int {
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
	good := strings.TrimSpace(string(secret))
	for _, tt := range []struct {
		host, origin, bearer string
		want                 int
	}{
		{"", "", good, http.StatusOK},
		{"", "", "wrong", http.StatusUnauthorized},
		{"evil.example", "", good, http.StatusForbidden},
		{"", "http://evil.example", good, http.StatusForbidden},
	} {
		if got := status(tt.host, tt.origin, tt.bearer); got != tt.want {
			t.fail("HTTP host %q origin %q: %d, want %d", tt.host, tt.origin, got, tt.want)
		}
	}

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

func tail(b []byte, n int) string {
	b = bytes.TrimSpace(b)
	return string(b[max(0, len(b)-n):])
}
