package secrets_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/jsontext"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/transcript"
)

// A recording is a session of an agent, and where strings stand in it that may say
// anything: the session is read as before, whatever they say.
type recording struct {
	name   string
	text   []byte
	fields [][2]int
}

// with returns the session with a text in some of its fields.
func (s *recording) with(text string, fields ...int) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	var out []byte
	at := 0
	for _, i := range fields {
		f := s.fields[i]
		out = append(append(out, s.text[at:f[0]]...), quoted...)
		at = f[1]
	}
	return append(out, s.text[at:]...)
}

// recordings returns a session of each layout that is read.
func recordings(t testing.TB) (out []*recording) {
	files, err := filepath.Glob("../../../transcript/testdata/read/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d sessions: %v", len(files), err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := &recording{name: filepath.Base(file), text: bytes.TrimSpace(ar.Files[0].Data)}
		if last := len(s.text) - 1; s.text[last] != '}' && s.text[last] != ']' { // torn: every command would wait for the rest
			s.text = s.text[:max(bytes.LastIndexByte(s.text, '\n'), 0)]
		}
		want, err := transcript.Read(bytes.NewReader(s.text), int64(len(s.text)))
		if err != nil || len(want.Messages) == 0 {
			continue
		}
		var all [][2]int
		key := ""
		for i := 0; i < len(s.text); i++ {
			if s.text[i] != '"' {
				continue
			}
			end := jsontext.StringEnd(s.text, i)
			if end < 0 {
				break
			}
			switch rest := bytes.TrimLeft(s.text[end:], " \n"); {
			case len(rest) > 0 && rest[0] == ':':
				key = string(s.text[i+1 : end-1])
			case !secrets.Opaque[key]: // a provider's signature stays as it is
				all = append(all, [2]int{i, end})
			}
			i = end - 1
		}
		for _, f := range all {
			s.fields = append(s.fields, f)
			text := s.with("x y", len(s.fields)-1)
			got, err := transcript.Read(bytes.NewReader(text), int64(len(text)))
			if err != nil || got.Format != want.Format || len(got.Messages) != len(want.Messages) || got.Skipped != want.Skipped {
				s.fields = s.fields[:len(s.fields)-1]
			}
		}
		if len(s.fields) == 0 {
			t.Fatalf("%s: no field may say anything", s.name)
		}
		out = append(out, s)
	}
	return out
}

// homes are where agents keep sessions, for session list.
var homes = []string{
	".claude/projects/-r/0a1b2c3d-0000-4000-8000-000000000001.jsonl", ".codex/sessions/rollout-2026-01-02T03-04-05-0a1b2c3d-0000-4000-8000-000000000001.jsonl",
	".pi/agent/sessions/-r/1_0a1b2c3d-0000-4000-8000-000000000001.jsonl", ".gemini/tmp/a/chats/session-1.json", ".gemini/tmp/a/chats/session-2.jsonl",
	".copilot/session-state/a/events.jsonl", ".qwen/projects/-r/chats/a.jsonl", ".local/share/opencode/storage/session/p/ses_1.json",
}

// FuzzSessions puts a secret into fields of a session: no command that shows sessions
// prints twelve characters of it.
func FuzzSessions(f *testing.F) {
	if testing.Short() {
		f.Skip("runs a thousand commands")
	}
	all := recordings(f)
	written := time.Now().Add(-time.Minute) // a document that was written just now is waited for
	for i := range max(len(all), len(secrets.Planted)) {
		f.Add(uint64(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := all[seed%uint64(len(all))]
		text, parts := secrets.Plant(secrets.Planted[seed%uint64(len(secrets.Planted))], r)
		if redacted, _ := secrets.RedactTurn([]byte(text)); shows(string(redacted), parts) != "" {
			return // it is known by the name of its file only
		}
		switch r.IntN(4) {
		case 0:
			text = strings.Repeat("word ", r.IntN(40)) + text
		case 1:
			text = "cat > /x/k.txt <<'EOF'\n" + text + "\nEOF\nls /x"
		case 2:
			text = "cp /x/a " + text + " && git add ."
		}
		fields := make([]int, len(s.fields))
		for i := range fields {
			fields[i] = i
		}
		if r.IntN(2) == 0 {
			fields = []int{r.IntN(len(fields))}
		}
		file := s.with(text, fields...)
		home := t.TempDir()
		lists := r.IntN(4) == 0
		for _, name := range append(slices.Clone(homes), "s.json") {
			if !lists && name != "s.json" {
				continue
			}
			name = filepath.Join(home, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, file, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, written, written); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range []string{
			"session list --all", "session list --all --json", "session show s.json", "session show s.json --json", "session show s.json --explain --profile gitclaw", "session show s.json --turn 0", "session show s.json --turn 1 --json",
			"session stats s.json", "session stats s.json --json", "status s.json", "status s.json --json",
			"session trim s.json --budget 4000", "session trim s.json --budget 60", "session trim s.json --budget 4000 --dry-run --explain", "session trim s.json --budget 4000 --dry-run --json", "session trim s.json --budget 300 --format messages",
		} {
			if !lists && strings.Contains(args, "list") {
				continue
			}
			var out bytes.Buffer
			env := base.Env{Dir: home, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: []string{"HOME=" + home}}
			cli.Main(t.Context(), env, strings.Fields(args))
			if shown := shows(out.String(), parts); shown != "" {
				t.Errorf("seed %d: %s of %s: shows %q of %q:\n%.3000s", seed, args, s.name, shown, text, out.String())
				return
			}
		}
	})
}

// shows returns twelve characters of one of the secrets that a text shows.
func shows(text string, parts []string) string {
	for _, p := range parts {
		for i := 0; i+12 <= len(p); i++ {
			if strings.Contains(text, p[i:i+12]) {
				return p[i : i+12]
			}
		}
	}
	return ""
}
