package session_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

// A model answers every question alike and remembers what it was asked.
type model struct {
	*httptest.Server
	answer http.HandlerFunc
	asked  []string // bodies
}

func modelServer(t *testing.T) *model {
	t.Helper()
	m := &model{answer: says("Goal: read the log.\n## User\nState: part 3 is read.")}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "k-1" {
			t.Errorf("request to %s with key %q", r.URL.Path, r.Header.Get("X-Api-Key"))
		}
		m.asked = append(m.asked, string(body))
		m.answer(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []any{
			map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": text}},
			map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn"}},
		} {
			b, err := json.Marshal(e)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(w, "data: %s\n\n", b)
		}
	}
}

// summarizing makes a home whose configuration names a model, and a project
// with a session of pi that holds a secret.
func summarizing(t *testing.T, url string) base.Env {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(home, ".config", "satchel", "config.toml"), fmt.Sprintf("[llm.default]\nurl = %q\nmodel = \"m-1\"\nkind = \"anthropic\"\nkey-env = \"M_KEY\"\n", url))
	put(filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`{"type":"session","version":3,"id":"p-1","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/w/app"}`)
	parent, n := "null", 0
	entry := func(message string) {
		n++
		line(`{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-05T09:00:%02d.000Z","message":%s}`, n, parent, n%60, message)
		parent = fmt.Sprintf(`"%08x"`, n)
	}
	entry(`{"role":"user","content":[{"type":"text","text":"Read the log; the token is ` + secret + ` there."}],"timestamp":1}`)
	for i := range 8 {
		entry(fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"Reading part %d."},{"type":"toolCall","id":"t%d","name":"read","arguments":{"path":"log%d.txt"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"toolUse","timestamp":2}`, i, i, i))
		var text strings.Builder
		for l := range 60 {
			fmt.Fprintf(&text, `line %d of part %d: nothing happened at all\n`, l, i)
		}
		entry(fmt.Sprintf(`{"role":"toolResult","toolCallId":"t%d","toolName":"read","content":[{"type":"text","text":"%skey %s"}],"isError":false,"timestamp":3}`, i, text.String(), secret))
	}
	entry(`{"role":"assistant","content":[{"type":"text","text":"Nothing happened."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"stop","timestamp":2}`)
	put(filepath.Join(dir, "s.jsonl"), b.String())
	put(filepath.Join(dir, ".GITCLAW", "context.json"), `{"useLLMSummarization": true}`)
	return base.Env{Dir: dir, Environ: append(clitest.Isolated(home), "M_KEY=k-1")}
}

var secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

func TestSummarize(t *testing.T) {
	clitest.Slow(t)
	m := modelServer(t)
	env := summarizing(t, m.URL)
	trim := func(args ...string) (int, string) {
		t.Helper()
		code, out, errs := suite.Run(t, env, append([]string{"session", "trim", "s.jsonl", "--budget", "1200"}, args...)...)
		return code, out + errs
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(env.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	// Nothing is asked unless the user asks: a file of the project is no user.
	code, said := trim("-o", "plain.jsonl")
	if code != 0 || len(m.asked) > 0 || !strings.Contains(said, "the project's context.json asks for a model's summary, but no model was asked") {
		t.Fatalf("without --summarize: code %d, %d requests, %s", code, len(m.asked), said)
	}
	code, said = trim("--summarize", "--dry-run")
	if code != 0 || len(m.asked) > 0 || !strings.Contains(said, " bytes would go to "+m.URL+"/v1/messages (m-1), with ") {
		t.Fatalf("dry run: code %d, %d requests, %s", code, len(m.asked), said)
	}
	var doc struct {
		Summary struct{ Bytes, Redacted, Room int }
	}
	_, out, _ := suite.Run(t, env, "session", "trim", "s.jsonl", "--budget", "1200", "--summarize", "--dry-run", "--json")
	if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Summary.Bytes == 0 || doc.Summary.Redacted == 0 || doc.Summary.Room != 240 {
		t.Errorf("dry run as JSON: %+v, %v", doc, err)
	}

	for _, profile := range []string{"default", "gitclaw"} {
		m.asked = nil
		code, said = trim("--summarize", "--profile", profile, "-o", profile+".jsonl")
		if code != 0 || len(m.asked) != 1 || !strings.Contains(said, "for a summary ") {
			t.Fatalf("%s: code %d, %d requests, %s", profile, code, len(m.asked), said)
		}
		if strings.Contains(m.asked[0], secret) || !strings.Contains(m.asked[0], "[secret:github-token") {
			t.Errorf("%s: the secret is sent: %s", profile, m.asked[0])
		}
		_, out, _ := suite.Run(t, env, "session", "show", profile+".jsonl", "--turn", "0")
		for _, want := range []string{"[Earlier conversation", "## Summary by m-1; it may be wrong", "\nGoal: read the log.\nUser\nState: part 3 is read.\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the digest does not hold %q:\n%s", profile, want, out)
			}
		}
		_, out, _ = suite.Run(t, env, "session", "trim", profile+".jsonl", "--budget", "1200", "--dry-run", "--json")
		var size struct{ Before int }
		if err := json.Unmarshal([]byte(out), &size); err != nil || size.Before > 1200 {
			t.Errorf("%s: %d tokens, %v", profile, size.Before, err)
		}
	}
	m.asked = nil
	if _, said = trim("--context", ".GITCLAW/context.json", "-o", "claw.jsonl"); len(m.asked) != 1 {
		t.Errorf("--context that wants a summary: %d requests: %s", len(m.asked), said)
	}
	if _, said = trim("--context", ".GITCLAW/context.json", "--summarize=false", "-o", "plain.jsonl"); len(m.asked) != 1 {
		t.Errorf("--summarize=false: %d requests: %s", len(m.asked), said)
	}
	plain := read("plain.jsonl")

	// Whatever the model does, the session is trimmed.
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"too long", says(strings.Repeat("and so on ", 500)), "and there is room for 240"},
		{"endless", says(strings.Repeat("x", 900_000)), "the model's answer has 900000 bytes"},
		{"empty", says("\x1b\u200b"), "the model's answer is empty"},
		{"malformed", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "malformed answer"},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "the server says 403 Forbidden"},
		{"redirected", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.invalid/", http.StatusTemporaryRedirect)
		}, "it is a redirect, which is not followed"},
	} {
		m.answer = tt.answer
		code, said := trim("--summarize", "-o", "fallback.jsonl")
		if code != 0 || !strings.Contains(said, "note: no model summary: ") || !strings.Contains(said, tt.want) {
			t.Errorf("%s: code %d, %s", tt.name, code, said)
		}
		if read("fallback.jsonl") != plain {
			t.Errorf("%s: the result is not that without a model", tt.name)
		}
	}

	// Without room, a cut, a key or a model.
	m.asked = nil
	for _, args := range [][]string{{"--budget", "300"}, {"--budget", "100k"}} {
		if code, said := trim(append(args, "--summarize", "-o", "small.jsonl")...); code != 0 || !strings.Contains(said, "no model summary: ") {
			t.Errorf("%v: code %d, %s", args, code, said)
		}
	}
	env.Environ = env.Environ[:len(env.Environ)-1]
	if code, said := trim("--summarize", "-o", "no.jsonl"); code != base.ExitCredential || !strings.Contains(said, "needs a key, and M_KEY is not set") {
		t.Errorf("without a key: code %d, %s", code, said)
	}
	env.Environ = clitest.Isolated(t.TempDir())
	if code, said := trim("--summarize", "-o", "no.jsonl"); code != base.ExitUsage || !strings.Contains(said, "no model is configured") {
		t.Errorf("without a model: code %d, %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(env.Dir, "no.jsonl")); err == nil || len(m.asked) > 0 {
		t.Errorf("a file was written, or %d requests were made", len(m.asked))
	}
}

// TestRepositoryNamesNoModel shows that code from a stranger cannot have a
// session sent to it.
func TestRepositoryNamesNoModel(t *testing.T) {
	m := modelServer(t)
	env := summarizing(t, m.URL)
	env.Environ = append(clitest.Isolated(t.TempDir()), "M_KEY=k-1")
	text := fmt.Sprintf("[llm.default]\nurl = %q\nmodel = \"m\"\nkind = \"anthropic\"\nkey-env = \"M_KEY\"\n", m.URL)
	if err := os.WriteFile(filepath.Join(env.Dir, ".satchel.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := suite.Run(t, env, "session", "trim", "s.jsonl", "--budget", "1200", "--summarize", "-o", "out.jsonl")
	if code != base.ExitUsage || len(m.asked) > 0 || !strings.Contains(errs, "llm is refused: a repository may not decide where data is sent") {
		t.Errorf("code %d, %d requests, %s", code, len(m.asked), errs)
	}
}
