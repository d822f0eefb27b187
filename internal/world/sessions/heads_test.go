package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestForkedHeads checks that the first header of a file is its own. A session that was
// forked from another repeats the header of that one behind its own.
func TestForkedHeads(t *testing.T) {
	const child, parent = uuidA, uuidB
	for _, tt := range []struct {
		name, file, own, copied, rest string
		want                          string // of the project where the fork runs, side sessions included
	}{
		{
			name: "codex fork",
			file: ".codex/sessions/2026/03/01/rollout-2026-03-01T12-00-00-" + child + ".jsonl",
			own:  `{"type":"session_meta","payload":{"id":"` + child + `","cwd":"REPO","forked_from_id":"` + parent + `"}}`, copied: `{"type":"session_meta","payload":{"id":"` + parent + `","cwd":"/elsewhere"}}`,
			rest: `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"now times"}]}}`,
			want: "12:00 codex " + child + " \"now times\"\n",
		},
		{
			name: "codex subagent",
			file: ".codex/sessions/2026/03/01/rollout-2026-03-01T12-00-00-" + child + ".jsonl",
			own:  `{"type":"session_meta","payload":{"id":"` + child + `","cwd":"REPO","source":{"subagent":{"thread_spawn":{}}}}}`, copied: `{"type":"session_meta","payload":{"id":"` + parent + `","cwd":"/elsewhere","source":"cli"}}`,
			rest: `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look around"}]}}`,
			want: "12:00 codex " + child + " \"look around\" side\n",
		},
		{
			name: "pi",
			file: ".pi/agent/sessions/PIDIR/2026-03-01T12-00-00-000Z_" + child + ".jsonl",
			own:  `{"type":"session","version":3,"id":"` + child + `","cwd":"REPO"}`, copied: `{"type":"session","version":3,"id":"` + parent + `","cwd":"/elsewhere"}`,
			rest: `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}`,
			want: "12:00 pi " + child + " \"hello\"\n",
		},
		{
			name: "copilot",
			file: ".copilot/session-state/" + child + "/events.jsonl",
			own:  `{"type":"session.start","data":{"sessionId":"` + child + `","context":{"cwd":"REPO"}},"id":"1","parentId":null}`, copied: `{"type":"session.start","data":{"sessionId":"` + parent + `","context":{"cwd":"/elsewhere"}},"id":"2","parentId":"1"}`,
			rest: `{"type":"user.message","data":{"content":"hello"},"id":"3","parentId":"2"}`,
			want: "12:00 copilot " + child + " \"hello\"\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			file := m.put(tt.file, 0, tt.own+"\n"+tt.copied+"\n"+tt.rest+"\n")
			q := m.query(m.repo)
			q.Side = true
			if got := m.show(q); got != tt.want {
				t.Errorf("sessions of its folder:\n%swant\n%s", got, tt.want)
			}
			s, err := Read(file)
			if err != nil || s.ID != child || s.Dir != m.repo {
				t.Errorf("id %s of %s, %v, want %s of %s", s.ID, s.Dir, err, child, m.repo)
			}
		})
	}
}

// TestProjectNames finds sessions of projects whose path has other characters than
// ASCII. Agents name a project's folder with a dash for each UTF-16 unit that is not an
// ASCII letter or digit; some versions used other numbers of dashes.
func TestProjectNames(t *testing.T) {
	for _, name := range []string{"proyecto-ñandú", "한국어", "🦆 duck", "plain_name.v2", strings.Repeat("deep-ñ/", 30) + "p"} {
		for kind, encode := range map[string]func(string) string{"units": dashes, "bytes": func(path string) string { return dashes(latin1(path)) }} {
			if kind == "bytes" && len(name) > 200 {
				continue // cut at another place
			}
			t.Run(kind+" "+name[:4], func(t *testing.T) {
				m := newMachine(t)
				dir := filepath.Join(m.home, name)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				folder := encode(dir)
				if len(folder) > 200 {
					folder = folder[:200] + "-1a2b3c"
				}
				m.put(".claude/projects/"+folder+"/"+uuidA+".jsonl", 1, `{"type":"user","uuid":"u","sessionId":"`+uuidA+`","cwd":"`+dir+`","message":{"role":"user","content":"mine"}}`+"\n")
				m.put(".claude/projects/"+folder+"/"+uuidB+".jsonl", 2, `{"type":"user","uuid":"u","sessionId":"`+uuidB+`","cwd":"`+dir+`X","message":{"role":"user","content":"of a project with a similar name"}}`+"\n")
				want := "12:01 claude-code " + uuidA + " \"mine\"\n"
				if got := m.show(m.query(dir)); got != want {
					t.Errorf("sessions:\n%swant\n%s", got, want)
				}
			})
		}
	}
}

// TestUnreadableHeads puts newer files without a readable beginning beside a session of
// each agent. They are not sessions: the list counts them, and the latest is the good one.
func TestUnreadableHeads(t *testing.T) {
	const good, bad = uuidA, uuidB
	agents := []struct{ name, file, text string }{
		{"claude", ".claude/projects/DASHED/IDENT.jsonl", `{"type":"user","uuid":"u","sessionId":"IDENT","cwd":"REPO","message":{"role":"user","content":"hi"}}`},
		{"codex", ".codex/sessions/2026/03/01/rollout-2026-03-01T12-00-00-IDENT.jsonl", `{"type":"session_meta","payload":{"id":"IDENT","cwd":"REPO"}}`},
		{"copilot", ".copilot/session-state/IDENT/events.jsonl", `{"type":"session.start","data":{"sessionId":"IDENT","context":{"cwd":"REPO"}},"id":"1","parentId":null}`},
		{"gemini", ".gemini/tmp/p/chats/session-IDENT.jsonl", `{"sessionId":"IDENT","projectHash":"h","startTime":"2026-03-01T12:09:00Z","kind":"main"}`},
		{"gemini document", ".gemini/tmp/p/chats/session-IDENT.json", `{"sessionId":"IDENT","projectHash":"h","messages":[]}`},
		{"pi", ".pi/agent/sessions/PIDIR/2026-03-01T12-00-00-000Z_IDENT.jsonl", `{"type":"session","version":3,"id":"IDENT","cwd":"REPO"}`},
		{"gitclaw", "REPO/.GITCLAW/state/sessions/2026-03-01T12-00-00-000Z_IDENT.jsonl", `{"type":"session","version":3,"id":"IDENT","cwd":"/runner"}`},
		{"qwen", ".qwen/projects/DASHED/chats/IDENT.jsonl", `{"uuid":"a","sessionId":"IDENT","cwd":"REPO","type":"user","message":{"parts":[{"text":"hi"}]}}`},
		{"cline", ".cline/data/tasks/IDENT/api_conversation_history.json", `[{"role":"user","content":"<task>hi</task>\n# Current Working Directory (REPO) Files","ts":1}]`},
		{"cline sdk", ".cline/data/sessions/IDENT/IDENT.messages.json", `{"version":1,"updated_at":"t","sessionId":"IDENT","messages":[{"id":"m","role":"user","content":"hi"}]}`},
		{"openhands", ".openhands/conversations/IDENT/events/event-00000-a.json", `{"id":"a","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"hi"}]}}`},
	}
	heads := func(text string) []string {
		return []string{"", "\n", text[:len(text)/2], strings.Repeat("\x00", 5000), "\x00{", `{"name":"x","version":"1"}`, "{}", "[]", "null", "[1,2]\n"}
	}
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			m := newMachine(t)
			m.put(".gemini/tmp/p/.project_root", 0, "REPO")
			put := func(id string, minutes int, text string) {
				of := strings.NewReplacer("IDENT", id)
				m.put(of.Replace(a.file), minutes, of.Replace(text))
				m.put(".cline/data/sessions/"+id+"/"+id+".json", 0, `{"cwd":"REPO"}`)
				m.put(".openhands/conversations/"+id+"/base_state.json", 0, `{"workspace":{"working_dir":"REPO"}}`)
			}
			put(good, 1, a.text)
			q := m.query(m.repo)
			all := heads(a.text)
			for i, text := range all {
				put(fmt.Sprintf("%s%02d", bad[:len(bad)-2], i), 10+i, text)
			}
			found, diags := List(q)
			note := fmt.Sprintf("session files with an unreadable beginning skipped: %d", len(all))
			if len(found) != 1 || !strings.Contains(found[0].Path, good) || len(diags) != 1 || diags[0].Text != note {
				t.Errorf("List = %v, %v, want %s alone, and %s", found, diags, good, note)
			}
			if s, ok, _ := Latest(q); !ok || !strings.Contains(s.Path, good) {
				t.Errorf("Latest = %v, %v, want %s", s, ok, good)
			}
		})
	}
}

// TestLongHead checks that a first record longer than what is read of a head is one.
func TestLongHead(t *testing.T) {
	m := newMachine(t)
	long := strings.Repeat("be good. ", headMost/8)
	m.put(".codex/sessions/rollout-"+uuidA+".jsonl", 1, `{"type":"session_meta","payload":{"id":"`+uuidA+`","cwd":"REPO","base_instructions":{"text":"`+long+`"}}}`+"\n")
	if got, want := m.show(m.query(m.repo)), "12:01 codex "+uuidA+" \"\"\n"; got != want {
		t.Errorf("sessions:\n%swant\n%s", got, want)
	}
}

// dashes returns a path with a dash for each UTF-16 unit that is not an ASCII letter or
// digit.
func dashes(path string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(path)) {
		if u < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", rune(u)) {
			b.WriteByte(byte(u))
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// latin1 returns a text with a character for each byte of another.
func latin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}
