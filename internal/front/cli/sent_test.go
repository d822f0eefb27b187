package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// contents are the kinds of content in the repository of sentStage. Each has a word
// that is nowhere else. A model must never get the sealed ones.
var contents = []struct {
	kind, word string
	sealed     bool
}{
	{"the task, the question or a hint", "bongo", false},
	{"a changed line of a file", "okapi", false},
	{"another line of that file", "quokka", false},
	{"another tracked file", "gharial", false},
	{"an untracked file", "axolotl", false},
	{"a document", "numbat", false},
	{"project rules (`AGENTS.md`)", "tapir", false},
	{"the subject of a commit", "kakapo", false},
	{"the body of a commit message", "wombat", false},
	{"the name of an author", "Fossa", false},
	{"the words of a session", "dugong", false},
	{"the result of a tool in a session", "narwhal", false},
	{"a context file that git ignores", "caracal", false},
	{"the address of an author", "pangolin", true},
	{"a note", "manatee", true},
	{"`.env`", "ocelot", true},
	{"`id_rsa`", "serval", true},
	{"a file that `.satchel.toml` excludes", "margay", true},
	{"a file that `.cursorignore` lists", "kinkajou", true},
	{"a file that `.gitignore` lists", "echidna", true},
	{"a secret with a known form", "9O93AdonTHzMOwOTi1xr", true},
	{"the path of the repository", "TestSent", true},
}

// sentStage makes a repository that has all contents, and a staged change.
func sentStage(t *testing.T) *clitest.Stage {
	s := &clitest.Stage{Repo: suite.NewRepo(t), Kind: "anthropic"}
	const secret = "ghp_6aJLNNTUxJaP1YlT" + "9O93AdonTHzMOwOTi1xr"
	filler := strings.Repeat("var _ = 1\n\n", 40)
	state := func(n int) {
		is := fmt.Sprint(n)
		s.Write(
			"proxy/dial.go", "// Package proxy dials the proxy: quokka.\npackage proxy\n\nfunc Kept() {}\n\n"+filler+"// Dial dials the proxy: okapi "+is+".\nfunc DialProxy"+is+"() {}\n\n// Token"+is+" is the token of the proxy.\nconst Token"+is+" = \""+secret+"\"\n",
			"proxy/other.go", "// Package proxy dials the proxy.\npackage proxy\n\n// Other is the gharial, and uses what changed.\nfunc Other() { Kept(); DialProxy2() }\n",
			"docs/proxy.md", "# Leases of the numbat\n\nA lease is renewed every hour.\n",
			"AGENTS.md", "# Rules of the tapir\n\nDial the proxy in proxy/dial.go.\n",
			".env", "# dial the proxy, kestrel: ocelot "+is+"\nPROXY=1\n",
			"id_rsa", "dial the proxy, kestrel: serval "+is+"\n",
			"private/dial.go", "package private\n\n// Dial dials the proxy: margay "+is+".\nfunc Dial() {}\n",
			"private/proxy.md", "# Leases of the margay\n\nA lease is renewed every hour.\n",
			"hidden/dial.go", "package hidden\n\n// Dial dials the proxy: kinkajou "+is+".\nfunc Dial() {}\n",
			"hidden/proxy.md", "# Leases of the kinkajou\n\nA lease is renewed every hour.\n",
			"built/dial.go", "package built\n\n// Dial dials the proxy: echidna "+is+".\nfunc Dial() {}\n",
			".satchel.toml", "exclude = [\"private/\"]\n", ".cursorignore", "hidden/\n", ".gitignore", "built/\nspec/\n",
			"spec/wire.txt", "Dial the proxy: caracal.\n",
		)
		s.Git("add", "-A")
	}
	commit := func(n int) {
		state(n)
		s.Git("commit", "-q", "--author=Fossa <pangolin@example.org>", "-m", "proxy: dial kakapo "+fmt.Sprint(n)+"\n\nDial the proxy, wombat "+secret+".")
	}
	commit(1)
	s.Git("tag", "v1.0.0")
	s.Git("checkout", "-q", "-b", "dial")
	commit(2)
	state(3)
	s.Write("proxy/new.go", "// Package proxy dials the proxy.\npackage proxy\n\n// New is the axolotl, and uses what changed.\nfunc New() { DialProxy2() }\n")
	for _, args := range [][]string{
		{"note", "add", "dial the proxy in proxy/dial.go, kestrel: manatee", "--pin"},
		{"context", "add", "spec/wire.txt", ".env", "id_rsa", "--pin"},
	} {
		if code, _, stderr := s.Asks(args...); code != 0 {
			t.Fatalf("satchel %q: %s", args, stderr)
		}
	}
	s.Write("../s.jsonl", sentSession())
	return s
}

// sentSession returns a session of pi that is long enough to be cut.
func sentSession() string {
	lines := []string{`{"type":"session","version":3,"id":"p-1","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/w/app"}`}
	parent := "null"
	add := func(message string) {
		id := fmt.Sprintf("%08x", len(lines))
		lines = append(lines, fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-01-05T09:00:00.000Z","message":%s}`, id, parent, message))
		parent = `"` + id + `"`
	}
	const by = `"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","timestamp":2`
	add(`{"role":"user","content":[{"type":"text","text":"Dial the proxy, dugong; the token is ghp_6aJLNNTUxJaP1YlT` + `9O93AdonTHzMOwOTi1xr."}],"timestamp":1}`)
	for i, file := range []string{"proxy/dial.go", ".env", "id_rsa", "a.go", "b.go", "c.go"} {
		word := map[string]string{".env": "ocelot", "id_rsa": "serval"}[file]
		if word == "" {
			word = "narwhal"
		}
		add(fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"Reading."},{"type":"toolCall","id":"t%d","name":"read","arguments":{"path":%q}}],"stopReason":"toolUse",%s}`, i, file, by))
		add(fmt.Sprintf(`{"role":"toolResult","toolCallId":"t%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false,"timestamp":3}`, i, strings.Repeat(word+` is what is here\n`, 60)))
	}
	add(`{"role":"assistant","content":[{"type":"text","text":"Read."}],"stopReason":"stop",` + by + `}`)
	return strings.Join(lines, "\n") + "\n"
}

// toolCalls are the calls that the model makes, a turn each. A tool that fails three
// times in a row is switched off, so successful calls are among those that fail.
var toolCalls = []struct {
	tool  string
	calls []obj
}{
	{"read", []obj{{"path": "proxy/dial.go:1-20"}, {"path": ".env"}, {"path": "id_rsa"}, {"path": "proxy/dial.go:75-90"}, {"path": "private/dial.go"}, {"path": "hidden/dial.go"}, {"path": "proxy/other.go"}}},
	{"read", []obj{{"path": "docs/proxy.md"}, {"path": "built/dial.go"}, {"path": "spec/wire.txt"}, {"path": "proxy/new.go"}, {"path": "../s.jsonl"}, {"path": "AGENTS.md"}, {"path": ".env", "rev": "HEAD"}, {"path": "private/dial.go", "rev": "HEAD"}}},
	{"search", []obj{{"query": "dial the proxy"}, {"query": "kestrel"}, {"query": ".env id_rsa"}, {"query": "Dial3"}, {"query": "lease renewed"}, {"query": "dial", "paths": []string{"private"}}, {"query": "Dial", "symbols": true, "explain": true}}},
	{"map", []obj{{}, {"paths": []string{"proxy"}}, {"paths": []string{"private"}}, {"paths": []string{".env"}}}},
	{"docs", []obj{{"query": "how often is a lease renewed"}, {"query": "how to dial the proxy"}, {"query": "kestrel"}}},
	{"diff", []obj{{"detail": "standard"}, {"detail": "standard", "range": "HEAD~1..HEAD"}, {"detail": "standard", "files": []string{".env", "private/dial.go"}}, {"detail": "standard", "range": "HEAD~1..HEAD", "files": []string{"id_rsa", "hidden/"}}}},
	{"log", []obj{{}, {"paths": []string{".env"}}, {"paths": []string{"private"}}}},
	{"blame", []obj{{"path": "proxy/dial.go", "from": 75, "to": 90}, {"path": ".env", "from": 1}, {"path": "private/dial.go", "from": 1}, {"path": "proxy/other.go", "from": 1, "to": 4}}},
}

// sentBy are the commands that send something to a model.
var sentBy = []struct {
	name string
	args []string
}{
	{"review", []string{"review", "--instructions", "bongo"}},
	{"commit", []string{"commit", "--print", "--hint", "bongo"}},
	{"pr", []string{"pr", "--base", "main", "--hint", "bongo"}},
	{"changelog", []string{"changelog", "v1.0.0", "--instructions", "bongo"}},
	{"release-notes", []string{"release-notes", "v1.0.0", "--instructions", "bongo"}},
	{"ask", []string{"ask", "where is it decided how a bongo dials the proxy?"}},
	{"session trim --summarize", []string{"session", "trim", "../s.jsonl", "--budget", "1200", "--summarize", "-o", "../short.jsonl"}},
	{"embed build", []string{"embed", "build"}},
	{"pack --docs", []string{"pack", "how often a bongo renews a lease", "--set", "docs=5"}},
}

// TestSent runs each command that asks a model, lets the model call each tool, and looks
// for the contents in the requests. The tables in docs/design/011-threats.md show the result.
func TestSent(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	s := sentStage(t)
	omit, err := json.Marshal([]obj{{"commit": s.Head(), "why": "words"}})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var embedded []string
	embedder := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q struct{ Input []string }
		if err != nil || json.Unmarshal(body, &q) != nil {
			t.Errorf("%s: %v", body, err)
		}
		mu.Lock()
		embedded = append(embedded, string(body))
		mu.Unlock()
		var data []obj
		for i := range q.Input {
			data = append(data, obj{"index": i, "embedding": []float64{1, 2}})
		}
		_ = json.NewEncoder(w).Encode(obj{"data": data})
	}))
	defer embedder.Close()

	where := map[string]map[string]string{} // content, then command or tool
	saw := func(column, text, how string) {
		for _, c := range contents {
			if !strings.Contains(text, c.word) {
				continue
			}
			if where[c.kind] == nil {
				where[c.kind] = map[string]string{}
			}
			if where[c.kind][column] == "" {
				where[c.kind][column] = how
			}
		}
	}
	for _, by := range sentBy {
		var script []llmtest.Step
		for _, tc := range toolCalls {
			st := llmtest.Step{In: `"name":"` + tc.tool + `"`}
			for _, args := range tc.calls {
				st.Calls = append(st.Calls, llmtest.Call{Name: tc.tool, Input: encoded(args)})
			}
			script = append(script, st)
		}
		submit := maps.Clone(answers)
		submit["omitted"] = `{"entries":[],"omitted":` + string(omit) + `}`
		submit["grades"] = `{"grades":[{"id":1,"grade":3},{"id":2,"grade":3},{"id":3,"grade":2},{"id":4,"grade":1},{"id":5,"grade":0},{"id":6,"grade":0}]}`
		for field, answer := range submit {
			script = append(script, llmtest.Step{In: `"` + field + `":{`, Times: -1, Calls: []llmtest.Call{{Name: "submit", Input: json.RawMessage(answer)}}})
		}
		script = append(script, llmtest.Step{Times: -1, Text: "A summary."})
		s.Play(fmt.Sprintf("[llm.embedder]\nurl = %q\nmodel = \"e\"\n", embedder.URL), script...)
		embedded = nil
		code, _, stderr := s.Asks(by.args...)
		requests := s.Server.Requests()
		if code != 0 && code != 6 || len(requests)+len(embedded) == 0 {
			t.Fatalf("satchel %s: exit code %d, %d requests: %s", by.name, code, len(requests), stderr)
		}
		bodies := append(s.Bodies(), embedded...)
		for _, c := range contents {
			for i := range bodies {
				if c.sealed && strings.Contains(bodies[i], c.word) {
					t.Errorf("satchel %s: request %d holds %s:\n%s", by.name, i, c.kind, around(bodies[i], c.word))
				}
			}
		}
		saw(by.name, bodies[0], "prompt")

		for i, r := range requests[min(1, len(requests)):] {
			saw(by.name, r.Last, "tool")
			if step := requests[i].Step; step < len(toolCalls) {
				saw("tool "+toolCalls[step].tool, r.Last, "yes")
			}
		}
	}
	s.Play("")
	for _, args := range [][]string{{"pack", "dial the proxy"}, {"search", "dial"}, {"diff", "--detail", "standard"}, {"status"}, {"hook", "claude", "UserPromptSubmit"}, {"mcp"}} {
		in := `{"session_id":"s","cwd":` + string(encoded(s.Dir)) + `,"prompt":"dial the proxy"}`
		run(t, base.Env{Dir: s.Dir, Environ: s.Environ, Stdin: strings.NewReader(in)}, args...)
		if n := len(s.Server.Requests()); n > 0 {
			t.Errorf("satchel %q asks a model", args)
		}
	}

	var columns, uses []string
	for _, by := range sentBy {
		columns = append(columns, by.name)
	}
	for _, tc := range toolCalls[1:] { // two are of read
		uses = append(uses, "tool "+tc.tool)
	}
	marked(t, "design/011-threats.md", "what is sent", "\n"+sentTable(where, columns)+"\n"+sentTable(where, uses)+"\n")
}

// sentTable returns a table with a row for each kind of content.
func sentTable(where map[string]map[string]string, columns []string) string {
	var b strings.Builder
	b.WriteString("| content |")
	for _, c := range columns {
		b.WriteString(" `" + strings.TrimPrefix(c, "tool ") + "` |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, c := range contents {
		b.WriteString("| " + c.kind + " |")
		for _, column := range columns {
			how := where[c.kind][column]
			if how == "" {
				how = "–"
			}
			b.WriteString(" " + how + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// around returns the text near a word.
func around(text, word string) string {
	i := strings.Index(text, word)
	return text[max(0, i-200):min(len(text), i+100)]
}

type obj = map[string]any

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
