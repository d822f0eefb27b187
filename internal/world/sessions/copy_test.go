package sessions

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/transcript"
)

func TestNewCopy(t *testing.T) {
	m := newMachine(t)
	m.put(fmt.Sprintf(".gemini/tmp/%x/chats/session-x.json", sha256.Sum256([]byte(m.repo))), 0, "{}") // as older versions name it
	m.put(".gemini/tmp/other/.project_root", 0, "HOME/other")
	m.put(".codex/config.toml", 0, "")
	started := time.Date(2026, 3, 1, 23, 30, 5, 0, time.FixedZone("", -3600))
	from := filepath.Join(m.home, "s.json")
	for _, test := range []struct {
		agent transcript.Format
		like  string // of the path below the home; * is any run of other signs than /
	}{
		{transcript.ClaudeCode, "*-*-4*-8*-*.jsonl"},
		{transcript.Pi, "s.trimmed-*.jsonl"},
		{transcript.Codex, ".codex/sessions/2026/03/02/rollout-2026-03-02T00-30-05-*-*-4*-8*-*.jsonl"},
		{transcript.Gemini, ".gemini/tmp/*/chats/session-2026-03-02T00-30-*.json"},
	} {
		c, err := NewCopy(m.query(m.repo), test.agent, from, "0198c0de", started, "seed")
		name, _ := strings.CutPrefix(c.Path, m.home+"/")
		if ok, _ := filepath.Match(test.like, name); err != nil || !ok || c.Path == from {
			t.Errorf("%s: NewCopy = %s, %v, want %s", test.agent, name, err, test.like)
			continue
		}
		if !IsCopy(c.Session) || IsCopy("0198c0de-0000-4000-8000-000000000002") || !strings.Contains(c.Session, mark("0198c0de")) {
			t.Errorf("%s: the id %s does not say that it is of a copy", test.agent, c.Session)
		}
		if again, _ := NewCopy(m.query(m.repo), test.agent, from, "0198c0de", started, "seed"); again != c {
			t.Errorf("%s: the same seed gives %v and %v", test.agent, c, again)
		}
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.Path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if again, _ := NewCopy(m.query(m.repo), test.agent, from, "0198c0de", started, "seed"); again.Path == c.Path || again.ID == c.ID {
			t.Errorf("%s: the copy %s would be written over", test.agent, c.Path)
		}
	}
	if _, err := NewCopy(m.query(m.repo), transcript.OpenCode, from, "0198c0de", started, ""); !errors.Is(err, ErrNoCopy) {
		t.Errorf("opencode: %v, want ErrNoCopy", err)
	}
	var home *HomeError
	if _, err := NewCopy(m.query(m.home), transcript.Gemini, from, "0198c0de", started, ""); !errors.As(err, &home) || !home.Project {
		t.Errorf("a folder where Gemini CLI never ran: %v, want a HomeError of the project", err)
	}
	m.env["HOME"] = ""
	if _, err := NewCopy(m.query(m.repo), transcript.Codex, from, "0198c0de", started, ""); !errors.As(err, &home) || !strings.Contains(err.Error(), "HOME is not set") {
		t.Errorf("no HOME: %v", err)
	}
}
