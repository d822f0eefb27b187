package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/satchel-dev/satchel/internal/front/tools"
)

// Every era sees the same list and gets the same answers.
func TestEras(t *testing.T) {
	dir := fixture(t)
	s := serve(t, dir)
	var first []string
	for _, era := range eras {
		c := dial(t, s, era)
		if got := c.InitializeResult().ProtocolVersion; got != era {
			t.Errorf("asked for %s, got %s", era, got)
		}
		if c.InitializeResult().Instructions != instructions {
			t.Errorf("%s: instructions %q", era, c.InitializeResult().Instructions)
		}
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var answers []string
		for _, tool := range list.Tools {
			answers = append(answers, tool.Name)
		}
		for _, x := range []struct {
			tool string
			args obj
		}{
			{"pack", obj{"task": "dial the proxy with backoff", "budget": 600}},
			{"pack", obj{"edit": []string{"internal/proxy/proxy.go"}, "budget": 600}},
			{"search", obj{"query": "retry with backoff"}},
			{"read", obj{"path": "internal/proxy/proxy.go:4-7"}},
			{"diff", obj{"detail": "standard"}},
			{"session", obj{}},
			{"session", obj{"handle": "ldhhu", "budget": 300}},
		} {
			text, failed := call(t, c, x.tool, x.args)
			if failed || text == "" {
				t.Errorf("%s: %s %v = %q", era, x.tool, x.args, text)
			}
			answers = append(answers, text)
		}
		if first == nil {
			first = answers
		}
		if diff := cmp.Diff(first, answers); diff != "" {
			t.Errorf("%s answers otherwise than %s (-first +this):\n%s", era, eras[0], diff)
		}
	}
	for i, want := range []string{"func Dial", "func Dial", "internal/proxy/proxy.go", "// Dial dials the proxy.\nfunc Dial(address string) error {\n\treturn retryWithBackoff(address)\n}\n", "+// Flush00 flushes nothing.", "about the window", "ok\nok\n"} {
		if got := first[5+i]; !strings.Contains(got, want) {
			t.Errorf("answer %d has no %q:\n%s", i, want, got)
		}
	}
}

// No answer has more tokens than its budget, and none hides that there is more.
func TestBudgets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	c := dial(t, serve(t, fixture(t)), eras[0])
	for _, budget := range []int{200, 201, 333, 1000, 8000} {
		for _, x := range []struct {
			tool string
			args obj
		}{
			{"pack", obj{"task": "flush the buffer to the disk"}},
			{"pack", obj{}},
			{"pack", obj{"diff": "worktree"}},
			{"pack", obj{"task": "flush", "detail": "outline"}},
			{"search", obj{"query": "flush the buffer", "limit": 60}},
			{"search", obj{"query": "flush", "symbols": true, "limit": 60, "explain": true}},
			{"read", obj{"path": "long.txt"}},
			{"read", obj{"path": "evil/escape.md"}},
			{"diff", obj{}},
			{"diff", obj{"detail": "standard"}},
			{"session", obj{}},
			{"session", obj{"handle": "@ldhhu"}},
		} {
			x.args["budget"] = budget
			text, failed := call(t, c, x.tool, x.args)
			if n := tools.Count(text); n > budget {
				t.Errorf("%s %v: %d tokens:\n%s", x.tool, x.args, n, text)
			}
			if failed && !strings.Contains(text, "too small") {
				t.Errorf("%s %v: %s", x.tool, x.args, text)
			}
		}
	}
}

var more = regexp.MustCompile(`with cursor "([^"]+)"\.\n$`)

// pages calls a tool until there is no cursor.
func pages(t *testing.T, c *sdk.ClientSession, tool string, args obj) (texts []string) {
	t.Helper()
	for len(texts) < 300 {
		text, failed := call(t, c, tool, args)
		if failed {
			t.Fatalf("%s %v: %s", tool, args, text)
		}
		texts = append(texts, text)
		next := ""
		if m := more.FindStringSubmatch(text); m != nil {
			next = m[1]
		}
		if next == "" {
			return texts
		}
		args["cursor"] = next
	}
	t.Fatalf("%s %v: no end after %d pages", tool, args, len(texts))
	return nil
}

// inFence returns what stands in the fence of an answer.
func inFence(t *testing.T, text string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)\n(```+)[a-z]*\n(.*)\n(```+)\n").FindStringSubmatch(text)
	if m == nil || m[1] != m[3] {
		t.Fatalf("no fence in %q", text)
	}
	return m[2]
}

// The pages of a text are the text: nothing lost, nothing twice.
func TestReadPages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	dir := fixture(t)
	c := dial(t, serve(t, dir), eras[0])
	for _, budget := range []int{250, 3000} {
		joined := ""
		for _, page := range pages(t, c, "read", obj{"path": "long.txt", "budget": budget}) {
			joined += inFence(t, page)
		}
		// A page that ends within a line has a line end of its own.
		joined = strings.ReplaceAll(joined, "\n", "")
		if want := strings.Repeat("word ", 20000) + strings.Repeat("é", 5000) + "the end"; joined != want {
			t.Errorf("budget %d: %d bytes in all pages, want %d", budget, len(joined), len(want))
		}
	}
	one := pages(t, c, "read", obj{"path": dir + "/internal/proxy/proxy.go:1-2,9-"})
	if want := "// Package proxy dials.\npackage proxy\n…\nfunc retryWithBackoff(address string) error {\n\treturn nil\n}"; len(one) != 1 || inFence(t, one[0]) != want {
		t.Errorf("read of two ranges = %q", one)
	}
}

func TestSearchPages(t *testing.T) {
	c := dial(t, serve(t, fixture(t)), eras[0])
	path := regexp.MustCompile(`(?m)^(lib/flush\d\d\.go)`)
	seen := map[string]bool{}
	list := pages(t, c, "search", obj{"query": "flushes the buffer", "limit": 15, "budget": 400, "paths": []string{"lib"}})
	for _, page := range list {
		for _, m := range path.FindAllString(page, -1) {
			if seen[m] {
				t.Errorf("%s is there twice", m)
			}
			seen[m] = true
		}
	}
	if len(seen) != 60 || len(list) < 4 {
		t.Errorf("%d of 60 files on %d pages", len(seen), len(list))
	}
}

// The second page of a pack shows what the first had no room for.
func TestPackPages(t *testing.T) {
	dir := fixture(t)
	c := dial(t, serve(t, dir), eras[0])
	head := regexp.MustCompile(`(?m)^### (\S+)`)
	seen := map[string]int{}
	args := obj{"task": "flushes the buffer to the disk", "budget": 1000, "paths": []string{"lib"}}
	for n := range 3 {
		text, failed := call(t, c, "pack", args)
		m := more.FindStringSubmatch(text)
		if failed || m == nil {
			t.Fatalf("page %d: %s", n+1, text)
		}
		args["cursor"] = m[1]
		for _, h := range head.FindAllStringSubmatch(text, -1) {
			if before, ok := seen[h[1]]; ok {
				t.Errorf("%s is on page %d and on page %d", h[1], before, n+1)
			}
			seen[h[1]] = n + 1
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d files on three pages", len(seen))
	}
	args["task"] = "something else"
	if text, failed := call(t, c, "pack", args); !failed || !strings.Contains(text, "belongs to another pack") {
		t.Errorf("the cursor of another task: %s", text)
	}
	args = obj{"task": "retry with backoff", "paths": []string{"internal"}}
	if all := pages(t, c, "pack", args); len(all) != 1 {
		t.Errorf("%d pages of what fits one", len(all))
	}
}

func TestDiffPages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	c := dial(t, serve(t, fixture(t)), eras[0])
	for _, detail := range []string{"standard", "summary"} {
		list := pages(t, c, "diff", obj{"range": "HEAD^!", "detail": detail, "budget": 1200, "files": []string{"lib/*.go"}})
		all := strings.Join(list, "")
		if len(list) < 2 {
			t.Errorf("%s: %d page", detail, len(list))
		}
		for i := range 60 {
			if name := fmt.Sprintf("lib/flush%02d.go", i); !strings.Contains(all, name) {
				t.Errorf("%s: %s is on no page", detail, name)
			}
		}
	}
}

// A pack's budget may grow with its task, if the server knows a window.
func TestAutoBudget(t *testing.T) {
	dir := fixture(t)
	c := dial(t, serve(t, dir, func(o *Options) {
		o.Share = func(text string) (int, int, error) {
			if text != "auto" {
				t.Errorf("asked for the share %q", text)
			}
			return 100, 64000, nil
		}
	}), eras[0])
	before := 0
	for _, task := range []string{"flush", "Dial in internal/proxy/proxy.go, lib/flush00.go, lib/flush01.go and lib/flush02.go" + strings.Repeat(" flushes the buffer to the disk", 100)} {
		text, failed := call(t, c, "pack", obj{"task": task, "budget": "auto"})
		if used := tools.Count(text); failed || used <= before || used > tools.MostBudget {
			t.Errorf("%.20s: %d tokens after %d: %.200s", task, used, before, text)
		} else {
			before = used
		}
	}
	c = dial(t, serve(t, dir), eras[0])
	if text, failed := call(t, c, "pack", obj{"task": "flush", "budget": "auto"}); !failed || !strings.Contains(text, "argument budget: auto of what? the window is unknown") {
		t.Errorf("without a window: %s", text)
	}
}

// A client that cuts long results gets short ones, unless the call asks for more.
func TestUsualBudget(t *testing.T) {
	s := serve(t, fixture(t))
	for _, x := range []struct {
		client, budget string
		least, most    int
	}{
		{"codex-mcp-client", "", 1500, 2000},
		{"codex-mcp-client", `,"budget":4000`, 3500, 4000},
		{"claude-code", "", 7000, 8000},
	} {
		w := plug(t, s)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"` + x.client + `","version":"1"}}}`)
		w.hear()
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"long.txt"` + x.budget + `}}}`)
		var got struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(w.hear()), &got); err != nil {
			t.Fatal(err)
		}
		if n := tools.Count(got.Result.Content[0].Text); n < x.least || n > x.most {
			t.Errorf("%s%s gets %d tokens, want %d to %d", x.client, x.budget, n, x.least, x.most)
		}
		w.rest()
	}
}

// Names without a task are what is looked for.
func TestNamesAlone(t *testing.T) {
	c := dial(t, serve(t, fixture(t)), eras[0])
	text, failed := call(t, c, "pack", obj{"names": []string{"retryWithBackoff"}, "budget": 600})
	if failed || !strings.Contains(text, "func retryWithBackoff(") {
		t.Errorf("not found:\n%s", text)
	}
}
