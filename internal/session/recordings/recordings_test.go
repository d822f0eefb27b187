package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// token is no placeholder, and in two parts so that nobody takes it for a leak.
var token = "ghp_" + "R8s2LqT5vX9mKd3JfW7nYb4HcZ6pGa1uEo0i"

// project returns a folder of which Claude Code recorded a session that read a
// file with a secret.
func project(t *testing.T) (Project, string) {
	t.Helper()
	home := t.TempDir()
	p := Project{Dir: filepath.Join(home, "r"), Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}}
	where, _ := json.Marshal(p.Dir)
	result, _ := json.Marshal("key = " + token + "\n" + strings.Repeat("a line of the file\n", 50))
	text := `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"Read it."},"uuid":"u1","timestamp":"2026-01-05T09:00:00.000Z","cwd":` + string(where) + `,"sessionId":"s1","version":"2.1.329"}
{"parentUuid":"u1","isSidechain":false,"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"a.txt"}}],"usage":{"input_tokens":900,"output_tokens":5}},"uuid":"a1","timestamp":"2026-01-05T09:01:00.000Z","sessionId":"s1"}
{"parentUuid":"a1","isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":` + string(result) + `}]},"uuid":"u2","timestamp":"2026-01-05T09:02:00.000Z","sessionId":"s1"}
`
	name := filepath.Join(home, ".claude", "projects", agents.ByName("claude").Sessions.Files[0].Folder(p.Dir), "s1.jsonl")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p, name
}

// handle returns the handle of the only result of a session.
func handle(t *testing.T, s *transcript.Session) string {
	t.Helper()
	for i := range s.Messages {
		for j := range s.Messages[i].Blocks {
			if b := &s.Messages[i].Blocks[j]; b.Type == transcript.Result {
				return trim.Handle(b.Text)
			}
		}
	}
	t.Fatal("no result")
	return ""
}

func read(t *testing.T, name string) *transcript.Session {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Read(f, fi.Size())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestProject finds sessions by their ids, and no other file.
func TestProject(t *testing.T) {
	p, name := project(t)
	for _, id := range []string{"", "latest", "s1", name} {
		if got, err := p.One(id); err != nil || got != name {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
	for _, id := range []string{"s2", "/etc/passwd", "../s1", filepath.Dir(name) + "/../x"} {
		if got, err := p.One(id); err == nil || !strings.Contains(err.Error(), "no agent has recorded one of this project with that id") {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
	p.Dir = t.TempDir()
	if got, err := p.One(""); err == nil {
		t.Errorf("another project: %q", got)
	}
	if _, err := p.Block(t.Context(), "@aaaaa", ""); err == nil || !strings.Contains(err.Error(), "no agent has recorded a session") {
		t.Errorf("another project: %v", err)
	}
}

// TestBlock returns a block without its secrets, in the session that is named and
// in any.
func TestBlock(t *testing.T) {
	p, name := project(t)
	h := handle(t, read(t, name))
	for _, id := range []string{"", "s1"} {
		b, err := p.Block(t.Context(), h, id)
		if err != nil {
			t.Fatal(err)
		}
		if b.Redacted != 1 || strings.Contains(b.Text, token) || strings.Count(b.Text, "a line of the file\n") != 50 || b.Path != name || len(b.Spans) != 1 || !strings.HasPrefix(b.Title(), h+", ") {
			t.Errorf("%q: %+v", id, b)
		}
	}
	if b, err := Find(t.Context(), name, h); err != nil || !strings.Contains(b.Text, token) {
		t.Errorf("Find hides what is recorded: %+v, %v", b, err)
	}
	if _, err := p.Block(t.Context(), "@aaaaa", ""); err == nil || !strings.Contains(err.Error(), "handle @aaaaa: no session") {
		t.Errorf("an unknown handle: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Block(gone, h, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := os.WriteFile(name, []byte("no session at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := p.Block(t.Context(), h, ""); err == nil {
		t.Errorf("a damaged session: %+v", b)
	}
}

// TestStatus counts the same with and without a window, and lists as many items as
// asked for.
func TestStatus(t *testing.T) {
	_, name := project(t)
	s := read(t, name)
	model, err := tokens.ModelByName("claude-sonnet-4-5")
	if err != nil {
		t.Fatal(err)
	}
	of := func(limit int) *Status {
		var v trim.Inventory
		for i := range s.Messages {
			v.Add(&s.Messages[i])
		}
		return StatusOf(name, s, model, &v, limit)
	}
	all := of(100)
	if len(all.Items) == 0 || all.Omitted.Items != 0 || all.Used.Tokens < 900 {
		t.Errorf("%+v", all)
	}
	none := of(0)
	if len(none.Items) != 0 || none.Omitted.Items != len(all.Items) || none.Used != all.Used {
		t.Errorf("%+v", none)
	}
	in, err := of(100).Within(Window{Tokens: 2 * all.Used.Tokens, Source: "a test", Thresholds: gitclaw.Thresholds})
	if err != nil || *in.Percent != 50 || *in.Free != all.Used.Tokens || in.Source != "a test" {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := of(100).Within(Window{Thresholds: gitclaw.Thresholds}); err == nil {
		t.Error("a window of nothing is taken")
	}
	if out := of(100).WithoutWindow("nobody knows", "a guess"); out.Percent != nil || out.Free != nil || out.Window != 0 || out.Diagnostics[len(out.Diagnostics)-1].Text != "nobody knows" {
		t.Errorf("%+v", out)
	}
}
