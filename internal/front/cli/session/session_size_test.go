package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
)

// TestListedSize lists sessions that are longer than what a list reads of them:
// the number is that of stats, to the token if the provider counted last, and else
// within 10 %.
func TestListedSize(t *testing.T) {
	source, err := os.ReadFile("session_trim.go") // a text as tools read it
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	dir := filepath.Join(home, "r")
	where := filepath.Join(home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-").Replace(dir))
	for _, d := range []string{dir, where} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		usage func(turn int) bool
		tail  string // of the last result
	}{
		{func(int) bool { return true }, ""},
		{func(int) bool { return true }, string(source[:9000])},
		{func(turn int) bool { return turn < 3 }, ""},   // far from the end
		{func(turn int) bool { return turn == 0 }, "x"}, // further than the second look
		{func(int) bool { return false }, ""},
	} {
		var b strings.Builder
		parent, n := "null", 0
		add := func(kind, message string) {
			n++
			fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"type":%q,"message":%s,"uuid":"u%d","timestamp":"2026-01-05T09:00:00.000Z","cwd":%q,"sessionId":"s%d","version":"2.1.329"}`+"\n", parent, kind, message, n, dir, i)
			parent = fmt.Sprintf(`"u%d"`, n)
		}
		add("user", `{"role":"user","content":"Read them all."}`)
		for turn := range 40 {
			usage := ""
			if c.usage(turn) {
				usage = fmt.Sprintf(`,"usage":{"input_tokens":%d,"output_tokens":60}`, 5000+turn*9000)
			}
			add("assistant", fmt.Sprintf(`{"id":"m%d","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"c%d","name":"Read","input":{"file_path":"a%d.go"}}]%s}`, turn, turn, turn, usage))
			text := string(source[turn*37 : turn*37+12000])
			if turn == 39 {
				text = c.tail
			}
			body, _ := json.Marshal(text)
			if text != "" {
				add("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":%s}]}`, turn, body))
			}
		}
		if err := os.WriteFile(filepath.Join(where, fmt.Sprintf("%08x-0000-4000-8000-000000000001.jsonl", i+1)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := base.Env{Dir: dir, Environ: []string{"HOME=" + home}}
	var list struct {
		Sessions []struct {
			Path, Source string
			Window       int
			Used         struct {
				Tokens int
				Error  float64
			}
		}
	}
	_, stdout, stderr := suite.Run(t, env, "session", "list", "--json")
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Sessions) != 5 {
		t.Fatalf("%v %s%s", err, stdout, stderr)
	}
	for _, s := range list.Sessions {
		var stats struct {
			Context        struct{ Tokens int }
			Source, Format string
			Window         int
		}
		_, stdout, stderr := suite.Run(t, env, "session", "stats", "--json", s.Path)
		if err := json.Unmarshal([]byte(stdout), &stats); err != nil {
			t.Fatalf("%v %s%s", err, stdout, stderr)
		}
		off := float64(s.Used.Tokens-stats.Context.Tokens) / float64(stats.Context.Tokens)
		if s.Source != stats.Source || s.Source == "provider" && off != 0 || off > 0.1 || off < -0.1 || s.Window != stats.Window {
			t.Errorf("%s: listed %d (%s) of %d, stats says %d (%s) of %d: %.1f %% off", filepath.Base(s.Path), s.Used.Tokens, s.Source, s.Window, stats.Context.Tokens, stats.Source, stats.Window, 100*off)
		}
	}
}
