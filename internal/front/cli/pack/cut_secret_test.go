package pack_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

// TestCutSecrets puts a token at random places of what lists, tables and documents
// show the beginning of: wherever that is cut, no part of the token is shown.
func TestCutSecrets(t *testing.T) {
	clitest.Slow(t)
	token := "ghp_" + "R8s2LqT5vX9mKd3JfW7nYb4HcZ6pGa1uEo0i" // in two parts: nobody's
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		before := r.IntN(300)
		text := strings.Repeat("word ", before/5) + strings.Repeat("é", before%5) + []string{" ", "=", "'", ": ", "é"}[r.IntN(5)] + token + " " + strings.Repeat("more ", r.IntN(40))
		home := t.TempDir()
		dir := filepath.Join(home, "r")
		name := filepath.Join(home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-").Replace(dir), "0a1b2c3d-0000-4000-8000-000000000001.jsonl")
		for _, d := range []string{dir, filepath.Dir(name)} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(claudeSession(dir, text)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"session list", "session list --json", "session show", "session show --json", "session stats", "session stats --json",
			"status", "status --json", "session trim --budget 10000 --dry-run --explain", "session trim --budget 10000 --dry-run --json", "session show --turn 0"} {
			for _, width := range []int{0, 80, 40 + r.IntN(120)} {
				env := base.Env{Dir: dir, StdoutTTY: width > 0, StdinTTY: true, Width: width, Environ: []string{"HOME=" + home, "NO_COLOR=1"}}
				code, stdout, stderr := suite.Run(t, env, strings.Fields(args)...)
				if code != 0 {
					t.Fatalf("%s: exit %d: %s", args, code, stderr)
				}
				for _, shown := range []string{stdout, stderr} {
					if i := strings.Index(shown, token[:8]); i >= 0 {
						t.Fatalf("%s at width %d, token at %d: %q", args, width, before, shown[max(0, i-40):min(len(shown), i+60)])
					}
				}
			}
		}
	}
}

// claudeSession is a session of Claude Code whose prompt, command, answer and
// results begin with a text.
func claudeSession(dir, text string) string {
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	var b strings.Builder
	parent := "null"
	add := func(i int, kind, message string) {
		fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"type":%q,"message":%s,"uuid":"u%d","timestamp":"2026-01-05T09:0%d:00.000Z","cwd":%s,"sessionId":"s1","version":"2.1.329"}`+"\n",
			parent, kind, message, i, i, quote(dir))
		parent = fmt.Sprintf(`"u%d"`, i)
	}
	add(1, "user", `{"role":"user","content":`+quote(text)+`}`)
	add(2, "assistant", `{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":`+quote(text)+`},{"type":"tool_use","id":"c1","name":"Bash","input":{"command":`+quote(text)+`}}],"usage":{"input_tokens":900,"output_tokens":5}}`)
	add(3, "user", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":`+quote(text)+`}]}`)
	add(4, "assistant", `{"id":"m2","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"c2","name":"Read","input":{"file_path":`+quote("/x/"+text)+`}}],"usage":{"input_tokens":990,"output_tokens":5}}`)
	add(5, "user", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":`+quote(strings.Repeat(text+"\n", 3))+`}]}`)
	return b.String()
}
