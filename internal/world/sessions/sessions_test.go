package sessions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/transcript"
)

// A machine is a user's home, and a project whose main work tree is at /repo of
// it. Files are given as name and content; HOME and REPO in names and content
// stand for the folders.
type machine struct {
	t    *testing.T
	home string
	repo string
	env  map[string]string
}

func newMachine(t *testing.T) *machine {
	dir := resolved(t.TempDir())
	m := &machine{t: t, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "my.repo")}
	for _, d := range []string{m.home, m.repo} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.env = map[string]string{"HOME": m.home}
	return m
}

func (m *machine) fill(s string) string {
	return strings.NewReplacer(
		"HOME", m.home, "REPO", m.repo,
		"DASHED", dashes(m.repo), "PIDIR", "--"+strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimLeft(m.repo, `/\`))).Replace(s)
}

// put writes a file whose time is that many minutes after some day.
func (m *machine) put(name string, minutes int, content string) string {
	m.t.Helper()
	name = m.fill(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(m.home, filepath.FromSlash(name))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(m.fill(content)), 0o600); err != nil {
		m.t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, minutes, 0, 0, time.UTC)
	if err := os.Chtimes(name, at, at); err != nil {
		m.t.Fatal(err)
	}
	return name
}

func (m *machine) query(dir string) Query {
	return Query{Dir: dir, Getenv: func(k string) string { return m.env[k] }}
}

// show prints what was found, a line each.
func (m *machine) show(q Query) string {
	m.t.Helper()
	found, diags := List(q)
	var b strings.Builder
	for _, s := range found {
		side := ""
		if s.Side {
			side = " side"
		}
		fmt.Fprintf(&b, "%s %s %s %q%s\n", s.Time.Format("15:04"), s.Format, s.ID, s.Title, side)
	}
	for _, n := range diags {
		p := strings.NewReplacer(m.home, "HOME", m.repo, "REPO").Replace(n.Path)
		fmt.Fprintf(&b, "note %s: %s\n", p, n.Text)
	}
	return b.String()
}

const (
	uuidA = "11111111-2222-4333-8444-555555555555"
	uuidB = "66666666-7777-4888-8999-aaaaaaaaaaaa"
)

// everything puts a session of each agent on the machine.
func (m *machine) everything() {
	m.put(".claude/projects/DASHED/"+uuidA+".jsonl", 1, `{"type":"file-history-snapshot","messageId":"m"}
{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"`+uuidA+`","cwd":"REPO/sub","isMeta":true,"message":{"role":"user","content":"Caveat: The messages below"}}
{"type":"user","uuid":"u2","parentUuid":"u1","isSidechain":false,"sessionId":"`+uuidA+`","cwd":"REPO/sub","message":{"role":"user","content":"fix   the parser\nplease"}}
`)
	m.put(".claude/projects/DASHED/agent-7.jsonl", 1, `{"type":"user","uuid":"u1","isSidechain":true,"sessionId":"x","cwd":"REPO","message":{"role":"user","content":"look around"}}`+"\n")
	m.put(".claude/projects/DASHED-2/other.jsonl", 30, `{"type":"user","uuid":"u1","sessionId":"x","cwd":"REPO-2","message":{"role":"user","content":"another project, whose name begins alike"}}`+"\n")
	m.put(".codex/sessions/2026/03/01/rollout-2026-03-01T12-02-00-"+uuidB+".jsonl", 2, `{"timestamp":"2026-03-01T12:02:00Z","type":"session_meta","payload":{"id":"`+uuidB+`","cwd":"REPO","base_instructions":{"text":"`+strings.Repeat("be good. ", 4000)+`"}}}
{"timestamp":"2026-03-01T12:02:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"},{"type":"input_text","text":"write the tests"}]}}
`)
	m.put(".codex/sessions/2026/03/01/rollout-2026-03-01T12-03-00-"+uuidA+".jsonl", 3, `{"timestamp":"2026-03-01T12:03:00Z","type":"session_meta","payload":{"id":"`+uuidA+`","cwd":"/elsewhere"}}`+"\n")
	m.put(".pi/agent/sessions/PIDIR/2026-03-01T12-04-00-000Z_"+uuidA+".jsonl", 4, `{"type":"session","version":3,"id":"pi-session","cwd":"REPO"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"hello pi"}]}}
`)
	m.put("REPO/.GITCLAW/state/sessions/2026-03-01T12-05-00-000Z_"+uuidB+".jsonl", 5, `{"type":"session","version":3,"id":"claw","cwd":"/home/runner/work/repo"}`+"\n")
	m.put(".copilot/session-state/"+uuidA+"/events.jsonl", 8, `{"type":"session.start","data":{"sessionId":"`+uuidA+`","context":{"cwd":"REPO"}},"id":"1","parentId":null}
{"type":"user.message","data":{"content":"pilot it"},"id":"2","parentId":"1"}
`)
	m.put(".gemini/tmp/my-repo/.project_root", 9, "REPO")
	m.put(".gemini/tmp/my-repo/chats/session-2026-03-01T12-09-abcd.jsonl", 9, `{"sessionId":"gem","projectHash":"h","startTime":"2026-03-01T12:09:00Z","kind":"main"}
{"$set":{"messages":[{"id":"a","type":"user","content":[{"text":"<session_context>…</session_context>"}]}]}}
{"id":"b","type":"user","content":[{"text":"twins, please"}]}
`)
	m.put(".gemini/tmp/other/.project_root", 9, "/elsewhere")
	m.put(".gemini/tmp/other/chats/session-1.json", 9, `{"sessionId":"no","projectHash":"h","messages":[]}`)
	m.put(".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1700000000000/api_conversation_history.json", 10,
		`[{"role":"user","content":[{"type":"text","text":"<task>\nadd a \"button\"\n</task>"},{"type":"text","text":"<environment_details>\n# Current Working Directory (REPO) Files\na.go\n</environment_details>"}],"ts":1}]`)
	m.put(".cline/data/sessions/178_abc/178_abc.json", 10, `{"session_id":"178_abc","cwd":"REPO","metadata":{"title":"on the SDK"}}`)
	m.put(".cline/data/sessions/178_abc/178_abc.messages.json", 7, clineSDK)
	m.put(".cline/data/sessions/179_def/179_def.json", 7, `{"session_id":"179_def","cwd":"/elsewhere"}`)
	m.put(".cline/data/sessions/179_def/179_def.messages.json", 7, clineSDK)
}

const clineSDK = `{"version":1,"updated_at":"2026-07-15T05:42:04Z","sessionId":"178_abc","messages":[{"id":"m","role":"user","content":"hi"}]}`

func TestList(t *testing.T) {
	m := newMachine(t)
	m.everything()
	want := `12:10 cline 1700000000000 "add a \"button\""
12:09 gemini gem "twins, please"
12:08 copilot ` + uuidA + ` "pilot it"
12:07 cline 178_abc "on the SDK"
12:05 pi claw ""
12:04 pi pi-session "hello pi"
12:02 codex ` + uuidB + ` "write the tests"
12:01 claude-code ` + uuidA + ` "fix the parser"
`
	if d := cmp.Diff(want, m.show(m.query(m.repo))); d != "" {
		t.Errorf("sessions of the project (-want +got):\n%s", d)
	}

	q := m.query("")
	q.Limit = 3
	if got := m.show(q); strings.Count(got, "\n") != 3 || !strings.HasPrefix(got, `12:30 claude-code other "another project`) {
		t.Errorf("the newest three of all projects:\n%s", got)
	}
	q = m.query(m.repo)
	q.Side = true
	if got := m.show(q); !strings.Contains(got, `"look around" side`) {
		t.Errorf("with subagents:\n%s", got)
	}
	if s, ok, _ := Latest(m.query(m.repo)); !ok || s.ID != "1700000000000" {
		t.Errorf("Latest = %v, %v", s, ok)
	}
	if s, ok, _ := Latest(Query{Dir: m.repo}); ok {
		t.Errorf("without an environment: %v", s)
	}
	if got := m.show(m.query("/elsewhere/sub")); got != "" {
		t.Errorf("a folder below one that has sessions, in no repository:\n%s", got)
	}
}

// TestVariables: agents that were told to keep their files elsewhere.
// TestOneLine: a first line that only announces something is followed by it.
func TestOneLine(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"", ""},
		{"\n  fix   the parser\nplease", "fix the parser"},
		{"Implement the following plan:\n\n# Retry twice\n\n## Why", "Implement the following plan: Retry twice"},
		{"# Task:\n##\nfirst:\nsecond\nthird", "# Task: first: second"},
		{"nothing follows:\n", "nothing follows:"},
		{strings.Repeat("é", 99) + ":\nx", strings.Repeat("é", 99) + ":"},
		{"plan:\n" + strings.Repeat("é", 200), "plan: " + strings.Repeat("é", titleRunes-7) + "…"},
	} {
		if got := oneLine(x.text); got != x.want {
			t.Errorf("oneLine(%q) = %q, want %q", x.text, got, x.want)
		}
	}
}

func TestVariables(t *testing.T) {
	m := newMachine(t)
	m.put("HOME/a/projects/DASHED/s1.jsonl", 1, `{"type":"user","uuid":"u","sessionId":"s1","cwd":"REPO","message":{"role":"user","content":"one"}}`+"\n")
	m.put("HOME/b/sessions/rollout-old-"+uuidA+".jsonl", 2, `{"type":"session_meta","payload":{"id":"two","cwd":"REPO"}}`+"\n")
	m.put("HOME/c/sessions/PIDIR/x.jsonl", 3, `{"type":"session","id":"three","cwd":"REPO"}`+"\n")
	m.put("HOME/e/.gemini/tmp/x/.project_root", 5, "REPO\n")
	m.put("HOME/e/.gemini/tmp/x/chats/session-5.json", 5, `{"sessionId":"five","projectHash":"h","messages":[]}`)
	m.put("HOME/f/session-state/six/events.jsonl", 6, `{"type":"session.start","data":{"context":{"cwd":"REPO"}},"id":"1","parentId":null}`+"\n")
	m.put("HOME/g/sessions/s7/s7.json", 7, `{"cwd":"REPO","metadata":{"title":"seven"}}`)
	m.put("HOME/g/sessions/s7/s7.messages.json", 7, clineSDK)
	m.put("HOME/h/s8/s8.json", 8, `{"cwd":"REPO","metadata":{"title":"eight"}}`)
	m.put("HOME/h/s8/s8.messages.json", 8, clineSDK)
	for k, d := range map[string]string{
		"CLINE_DATA_DIR":    "g",
		"CLAUDE_CONFIG_DIR": "a", "CODEX_HOME": "b", "PI_CODING_AGENT_DIR": "c", "GEMINI_CLI_HOME": "e", "COPILOT_HOME": "f",
	} {
		m.env[k] = filepath.Join(m.home, d)
	}
	want := `12:06 copilot six ""
12:05 gemini five ""
12:03 pi three ""
12:02 codex two ""
12:01 claude-code s1 "one"
`
	if d := cmp.Diff("12:07 cline s7 \"seven\"\n"+want, m.show(m.query(m.repo))); d != "" {
		t.Error(d)
	}
	m.env["CLINE_SESSION_DATA_DIR"] = filepath.Join(m.home, "h")
	if d := cmp.Diff("12:08 cline s8 \"eight\"\n"+want, m.show(m.query(m.repo))); d != "" {
		t.Error(d)
	}
}

// TestCodexSubagent: a rollout of a subagent says whose it is.
func TestCodexSubagent(t *testing.T) {
	m := newMachine(t)
	m.put(".codex/sessions/2026/03/01/rollout-2026-03-01T12-02-00-"+uuidB+".jsonl", 2, `{"timestamp":"2026-03-01T12:02:00Z","type":"session_meta","payload":{"id":"`+uuidB+`","cwd":"REPO","source":{"subagent":{"thread_spawn":{"parent_thread_id":"`+uuidA+`","depth":1}}}}}
{"timestamp":"2026-03-01T12:02:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look around"}]}}
`)
	q := m.query(m.repo)
	if got := m.show(q); got != "" {
		t.Errorf("without subagents:\n%s", got)
	}
	q.Side = true
	if got, want := m.show(q), "12:02 codex "+uuidB+" \"look around\" side\n"; got != want {
		t.Errorf("with subagents:\n%swant\n%s", got, want)
	}
}

// TestGeminiSubagent: the chats of subagents lie in a folder of their session's.
func TestGeminiSubagent(t *testing.T) {
	m := newMachine(t)
	m.put(".gemini/tmp/my-repo/.project_root", 1, "REPO")
	m.put(".gemini/tmp/my-repo/chats/gem/sub.jsonl", 2, `{"sessionId":"sub","projectHash":"h","startTime":"2026-03-01T12:02:00Z","kind":"subagent"}
{"id":"a","type":"user","content":[{"text":"look around"}]}
`)
	q := m.query(m.repo)
	if got := m.show(q); got != "" {
		t.Errorf("without subagents:\n%s", got)
	}
	q.Side = true
	if got, want := m.show(q), "12:02 gemini sub \"look around\" side\n"; got != want {
		t.Errorf("with subagents:\n%swant\n%s", got, want)
	}
}

// TestClineCompaction: what Cline goes on from stands beside the session.
func TestClineCompaction(t *testing.T) {
	m := newMachine(t)
	name := m.put("HOME/x/x.messages.json", 1, clineSDK)
	if s, err := Read(name); err != nil || len(s.Diagnostics) > 0 {
		t.Errorf("not compacted: %v, diagnostics %v", err, s.Diagnostics)
	}
	m.put("HOME/x/x.compaction.json", 2, `{"version":1,"updated_at":"2026-07-15T05:42:04Z","source_message_count":1,"messages":[{"role":"user","content":"S","metadata":{"kind":"compaction_summary"}}]}`)
	if s, err := Read(filepath.Dir(name)); err != nil || len(s.Diagnostics) != 1 || !strings.Contains(s.Diagnostics[0].Text, "x.compaction.json") {
		t.Errorf("compacted: %v, diagnostics %v, want one that names the file", err, s.Diagnostics)
	}
	s, err := Read(strings.Replace(name, "messages", "compaction", 1))
	if err != nil || len(s.Messages) != 1 || s.Messages[0].Kind != transcript.Summary || len(s.Diagnostics) > 0 {
		t.Errorf("the compaction: %v, %+v", err, s)
	}
}

// TestWorktrees: sessions of every work tree of a repository, and of folders in
// them, count to the project, wherever one asks from.
func TestWorktrees(t *testing.T) {
	m := newMachine(t)
	r := gittest.At(t, m.repo)
	r.Commit("one")
	tree := filepath.Join(filepath.Dir(m.repo), "feature tree")
	r.Git("worktree", "add", "-q", "-b", "feature", tree)
	line := `{"type":"user","uuid":"u","sessionId":"s","cwd":%q,"message":{"role":"user","content":"hi"}}` + "\n"
	m.put(".claude/projects/DASHED/main.jsonl", 1, fmt.Sprintf(line, m.repo))
	m.put(".claude/projects/"+dashes(tree)+"/tree.jsonl", 2, fmt.Sprintf(line, filepath.Join(tree, "deep", "down")))
	m.put(".claude/projects/"+dashes(filepath.Dir(m.repo))+"/above.jsonl", 3, fmt.Sprintf(line, filepath.Dir(m.repo)))
	if err := os.MkdirAll(filepath.Join(m.repo, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := "12:02 claude-code tree \"hi\"\n12:01 claude-code main \"hi\"\n"
	link := filepath.Join(filepath.Dir(m.repo), "link")
	fsxtest.Link(t, m.repo, link)
	for _, from := range []string{m.repo, filepath.Join(m.repo, "a", "b"), tree, link} {
		if d := cmp.Diff(want, m.show(m.query(from))); d != "" {
			t.Errorf("from %s:\n%s", from, d)
		}
	}
}

// TestHostile: what is no session file is passed over and told; nothing is read
// outside of a home and nothing hangs.
func TestHostile(t *testing.T) {
	m := newMachine(t)
	good := `{"type":"user","uuid":"u","sessionId":"s","cwd":"REPO","message":{"role":"user","content":"hi"}}` + "\n"
	secret := m.put("HOME/secret.jsonl", 1, good)
	m.put(".claude/projects/DASHED/good.jsonl", 1, good)
	m.put(".claude/projects/DASHED/empty.jsonl", 2, "")
	m.put(".claude/projects/DASHED/torn.jsonl", 3, strings.TrimSuffix(good, "}}\n"))
	m.put(".claude/projects/DASHED/binary.jsonl", 4, "\x00\xff\n{\"cwd\":\n")
	p := filepath.Join(m.home, ".claude", "projects")
	for name, to := range map[string]string{"DASHED/link.jsonl": secret, "DASHED/gone.jsonl": "/nowhere", "DASHED-link": filepath.Dir(secret)} {
		fsxtest.Link(t, to, filepath.Join(p, m.fill(name)))
	}
	fsxtest.Fifo(t, filepath.Join(p, m.fill("DASHED/fifo.jsonl")))
	if err := os.WriteFile(filepath.Join(m.home, ".codex"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := `12:01 claude-code good "hi"
note : session files with an unreadable beginning skipped: 3
note HOME/.codex: not read: not a directory
note HOME/.claude: symbolic links skipped: 3
note HOME/.claude: special files skipped: 1
`
	got := m.show(m.query(m.repo))
	if d := cmp.Diff(sorted(want), sorted(got)); d != "" {
		t.Error(d)
	}
	if _, err := Open(filepath.Join(p, m.fill("DASHED/fifo.jsonl"))); !errors.Is(err, errSpecial) {
		t.Errorf("Open(FIFO) = %v", err)
	}
}

func sorted(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestOpen(t *testing.T) {
	m := newMachine(t)
	m.everything()
	m.put("HOME/oh/base_state.json", 1, `{"id":"oh","workspace":{"working_dir":"/w"}}`)
	m.put("HOME/oh/events/event-00000-a.json", 1, `{"id":"a","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"go"}]}}`)
	m.put("HOME/oh/events/event-00010-c.json", 1, `{"id":"c","source":"environment","kind":"ObservationEvent","tool_call_id":"t","observation":{"content":[{"type":"text","text":"ok"}]}}`)
	m.put("HOME/oh/events/event-00002-b.json", 1, `{"id":"b","source":"agent","kind":"ActionEvent","tool_name":"terminal","tool_call_id":"t","tool_call":{"arguments":"{}"}}`)
	m.put("HOME/oh/events/.eventlog.lock", 1, "")
	m.put("HOME/v0/events/0.json", 1, `{"id":0,"source":"user","action":"message","args":{"content":"go"}}`)
	for _, c := range []struct {
		path     string
		format   transcript.Format
		messages int
	}{
		{".claude/projects/DASHED/" + uuidA + ".jsonl", transcript.ClaudeCode, 2},
		{".copilot/session-state/" + uuidA, transcript.Copilot, 1},
		{".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1700000000000", transcript.Cline, 2},
		{".cline/data/sessions/178_abc", transcript.Cline, 1},
		{"HOME/oh", transcript.OpenHands, 3},
	} {
		name := m.fill(c.path)
		if !filepath.IsAbs(name) {
			name = filepath.Join(m.home, name)
		}
		s, err := Read(name)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if s.Format != c.format || len(s.Messages) != c.messages || len(s.Diagnostics) > 0 {
			t.Errorf("%s: %s, %d messages, diagnostics %v; want %s, %d", c.path, s.Format, len(s.Messages), s.Diagnostics, c.format, c.messages)
		}
	}
	for _, bad := range []string{"HOME/none", "HOME/oh/events/event-00000-a.json/x", "HOME/v0", "HOME/.gemini", "HOME/.claude/projects"} {
		if _, err := Open(m.fill(bad)); err == nil {
			t.Errorf("Open(%s) succeeded", bad)
		}
	}
}

// TestOpenCode lists and reads the rows of opencode's database, and reports sessions
// of an opencode that had none.
func TestOpenCode(t *testing.T) {
	m := newMachine(t)
	m.env["XDG_DATA_HOME"] = filepath.Join(m.home, "data")
	m.put("HOME/data/opencode/storage/session/p1/ses_1.json", 6, `{"id":"ses_1","projectID":"p1","directory":"REPO","title":"Open the code"}`)
	want := "note HOME/data/opencode: not read: the sessions of an opencode without a database; start a newer opencode once, which takes them over\n"
	if d := cmp.Diff(want, m.show(m.query(""))); d != "" {
		t.Errorf("without a database (-want +got):\n%s", d)
	}
	if _, err := Read(m.fill("HOME/data/opencode/storage/session/p1/ses_1.json")); !errors.Is(err, transcript.ErrFormat) {
		t.Errorf("Read of a file of that storage: %v, want ErrFormat", err)
	}

	db, err := os.ReadFile("testdata/opencode.db")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(m.home, "data", "opencode", "opencode.db")
	if err := os.WriteFile(name, db, 0o600); err != nil {
		t.Fatal(err)
	}
	q := m.query("")
	q.Side = true
	if d := cmp.Diff("12:07 opencode ses_2 \"child\" side\n12:06 opencode ses_1 \"Open the code\"\n", m.show(q)); d != "" {
		t.Errorf("with a database (-want +got):\n%s", d)
	}
	s, err := Read(filepath.Join(name, "ses_1"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Format != transcript.OpenCode || len(s.Messages) != 3 || len(s.Diagnostics) > 0 { // prompt, answer, result
		t.Errorf("%s, %d messages, diagnostics %v", s.Format, len(s.Messages), s.Diagnostics)
	}
}

// TestOpenHands lists a conversation of the project, and reports a home with older
// sessions only.
func TestOpenHands(t *testing.T) {
	m := newMachine(t)
	m.put(".openhands/sessions/x/events/0.json", 1, `{"id":0,"source":"user","action":"message","args":{"content":"go"}}`)
	if got, want := m.show(m.query(m.repo)), "note HOME/.openhands: not read: the sessions of an OpenHands before version 1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.put(".openhands/conversations/conv/base_state.json", 1, `{"workspace":{"working_dir":"REPO/sub"}}`)
	m.put(".openhands/conversations/conv/events/event-00000-s.json", 1, `{"id":"s","source":"agent","kind":"SystemPromptEvent","system_prompt":{"type":"text","text":"be good"}}`)
	m.put(".openhands/conversations/conv/events/event-00001-a.json", 2, `{"id":"a","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"fix it"}]}}`)
	want := "12:02 openhands conv \"fix it\"\n"
	if got := m.show(m.query(m.repo)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.env["OPENHANDS_PERSISTENCE_DIR"] = filepath.Join(m.home, "none")
	if got := m.show(m.query(m.repo)); got != "" {
		t.Errorf("another folder: %q", got)
	}
	m.env["OPENHANDS_CONVERSATIONS_DIR"] = filepath.Join(m.home, ".openhands", "conversations")
	if got := m.show(m.query(m.repo)); got != want {
		t.Errorf("its conversations: %q, want %q", got, want)
	}
}

// TestGrowing: a session that is being written is read up to the size it had,
// and a line that was caught halfway is waited for.
func TestGrowing(t *testing.T) {
	m := newMachine(t)
	first := `{"type":"user","uuid":"1","sessionId":"s","cwd":"/","message":{"role":"user","content":"one"}}` + "\n"
	name := m.put("HOME/s.jsonl", 1, first+`{"type":"user","uuid":"2","parentUuid":"1","sessionId":"s","cwd":"/","message":{"role":"user","con`)
	rest := make(chan error)
	go func() {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(`tent":"two"}}` + "\n")
			err = errors.Join(err, f.Close())
		}
		rest <- err
	}()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-rest; err != nil {
		t.Fatal(err)
	}
	m.put("HOME/t.jsonl", 1, first)
	b := make([]byte, f.Size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, f.Size), b); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Read(name)
	if err != nil || len(s.Messages) != 2 || len(s.Diagnostics) > 0 {
		t.Errorf("%v, %v", s, err)
	}
	// A line that nobody finishes is told.
	torn := m.put("HOME/torn.jsonl", 1, first+`{"type":"us`)
	s, err = Read(torn)
	if err != nil || len(s.Messages) != 1 || len(s.Diagnostics) == 0 {
		t.Errorf("torn: %v, %v", s, err)
	}
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	line := `{"type":"user","uuid":"u","sessionId":"s","cwd":"/repo/sub","message":{"role":"user","content":"hello there"}}` + "\n"
	p := filepath.Join(dir, ".claude", "projects", "-repo")
	if err := os.MkdirAll(p, 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range 2000 {
		if err := os.WriteFile(filepath.Join(p, fmt.Sprintf("%04d.jsonl", i)), []byte(line+strings.Repeat("x", 8000)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	q := Query{Dir: "/repo", Getenv: func(k string) string { return map[string]string{"HOME": dir}[k] }}
	for _, limit := range []int{20, 0} {
		b.Run(fmt.Sprintf("limit%d", limit), func(b *testing.B) {
			q.Limit = limit
			for b.Loop() {
				if s, _ := List(q); len(s) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}

// TestOneName finds ids that would lead out of the database.
func TestOneName(t *testing.T) {
	for id, want := range map[string]bool{
		"ses_1": true, "ses..1": true, "": false, ".": false, "..": false, "../x": false, "a/b": false, "/etc/passwd": false, "ses_1/": false, "x/..": false,
	} {
		if got := oneName(id); got != want {
			t.Errorf("oneName(%q) = %v, want %v", id, got, want)
		}
	}
}
