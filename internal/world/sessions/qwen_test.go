package sessions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/transcript"
)

// TestQwen: sessions of Qwen Code are found where it keeps them, those of other
// projects are not, and a copy lies beside its session under a name that resumes it.
func TestQwen(t *testing.T) {
	const id = "0b9c1e6a-7d1f-4a53-9c0e-2f6d1c8a4b11"
	m := newMachine(t)
	record := func(dir, rest string) string {
		return `{"uuid":"u","parentUuid":null,"sessionId":"` + id + `","timestamp":"2026-06-12T10:00:00Z","cwd":"` + dir + `","version":"0.24.7",` + rest + "}\n"
	}
	file := ".qwen/projects/" + dashes(m.repo) + "/chats/" + id + ".jsonl"
	m.put(file, 3, record("REPO", `"type":"user","message":{"role":"user","parts":[{"text":"<qwen:user-prompt-submit-context>x</qwen:user-prompt-submit-context>"},{"text":"time out sooner"}]}`))
	m.put(".qwen/projects/-elsewhere/chats/"+strings.Replace(id, "0b", "0c", 1)+".jsonl", 4, record("/elsewhere", `"type":"user","message":{"role":"user","parts":[{"text":"no"}]}`))
	if got, want := m.show(m.query(m.repo)), "12:03 qwen "+id+" \"time out sooner\"\n"; got != want {
		t.Errorf("sessions %q, want %q", got, want)
	}
	from := filepath.Join(m.home, filepath.FromSlash(file))
	s, err := Read(from)
	if err != nil || s.Format != transcript.Qwen || s.ID != id {
		t.Fatalf("%+v, %v", s, err)
	}
	c, err := NewCopy(m.query(m.repo), transcript.Qwen, from, "0198c0de", time.Time{}, "seed")
	if err != nil || filepath.Dir(c.Path) != filepath.Dir(from) || filepath.Base(c.Path) != c.ID+".jsonl" || !uuid().MatchString(c.ID) {
		t.Errorf("copy %+v, %v", c, err)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := transcript.Rename(text, c.Session)
	if err != nil || strings.Contains(string(renamed), id) {
		t.Errorf("renamed: %v, %s", err, renamed)
	}
	if got := Resumed(m.query(m.repo), transcript.Qwen, from, id); got != id {
		t.Errorf("it is resumed as %q, want %q", got, id)
	}
	m.env["QWEN_RUNTIME_DIR"] = filepath.Join(m.home, "runtime")
	m.put("runtime/projects/"+dashes(m.repo)+"/chats/other.jsonl", 5, record("REPO", `"type":"system","subtype":"custom_title","systemPayload":{"customTitle":"Named"}`))
	if got := m.show(m.query(m.repo)); !strings.HasPrefix(got, "12:05 qwen other \"Named\"\n") {
		t.Errorf("sessions %q", got)
	}
}
