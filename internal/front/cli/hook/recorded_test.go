package hook_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/hook"
)

// A transcript as Claude Code keeps it, for the events that name one.
const recordedTranscript = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"Make the proxy faster. Never touch the public API."},"uuid":"u1","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/r","sessionId":"s","version":"2.1.329"}
{"parentUuid":"u1","isSidechain":false,"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"I look at it."}],"usage":{"input_tokens":90,"output_tokens":5}},"uuid":"a1","timestamp":"2026-01-05T09:01:00.000Z","sessionId":"s"}
`

// eventOnCommandLine are the clients whose input does not name the event.
var eventOnCommandLine = map[string]bool{"copilot": true, "opencode": true, "pi": true}

// answered are the events that have an answer in a repository in which one knows
// nothing but the files and the transcript: the prompts, and what is said before
// and after a compaction.
var answered = map[string]string{
	"claude UserPromptSubmit": "func Dial", "codex UserPromptSubmit": "func Dial", "gemini BeforeAgent": "func Dial",
	"copilot userPromptSubmitted": "func Dial", "opencode chat.message": "func Dial", "pi before_agent_start": "func Dial",
	"claude PreCompact": "Never touch the public API", "codex SessionStart compact": "Never touch the public API",
	"opencode experimental.session.compacting": "Never touch the public API", "pi session_before_compact": "Never touch the public API",
	"qwen UserPromptSubmit": "func Dial", "qwen PreCompact": "Never touch the public API", "qwen SessionStart compact": "Never touch the public API",
}

// TestRecordedHooks gives the program what the real agents sent to a hook, word
// for word but for the folder, the transcript and the prompt (in testdata/clients;
// for opencode and pi, what satchel's own plugins make of their events, and for Qwen
// Code what its documentation says): every
// event, a process each.
func TestRecordedHooks(t *testing.T) {
	clitest.Slow(t)
	files, err := filepath.Glob("testdata/clients/*.jsonl")
	if err != nil || len(files) != len(hook.Clients) {
		t.Fatalf("%d recordings of %d clients: %v", len(files), len(hook.Clients), err)
	}
	dir := clitest.Examples(t, "../testdata/examples.tree")
	for _, file := range files {
		client := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(client, func(t *testing.T) {
			home := t.TempDir()
			transcript := filepath.Join(home, "t.jsonl")
			if err := os.WriteFile(transcript, []byte(recordedTranscript), 0o644); err != nil {
				t.Fatal(err)
			}
			index := exec.Command("satchel", "index", "-q")
			index.Dir, index.Env = dir, clitest.Isolated(home)
			if out, err := index.CombinedOutput(); err != nil {
				t.Fatalf("index: %v\n%s", err, out)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
				var said struct {
					Event string          `json:"event"`
					Stdin json.RawMessage `json:"stdin"`
				}
				if err := json.Unmarshal(lines.Bytes(), &said); err != nil {
					t.Fatal(err)
				}
				var about struct{ Source string }
				_ = json.Unmarshal(said.Stdin, &about) // the source of a start
				name := client + " " + said.Event
				if about.Source == "compact" {
					name += " compact"
				}
				args := []string{"hook", client}
				if eventOnCommandLine[client] {
					args = append(args, said.Event)
				}
				input := strings.NewReplacer("$DIR", dir, "$TRANSCRIPT", transcript, "$HOME", home, "$PROMPT", "Dial times out behind the proxy").Replace(string(said.Stdin))
				out, errs, err := hookOf(home, input, args...)
				if err != nil || errs != "" {
					t.Errorf("%s: %v, standard error %q", name, err, errs)
				}
				if want := answered[name]; !strings.Contains(out, want) || want == "" && out != "" && !seen[name] && !strings.HasSuffix(name, " compact") {
					t.Errorf("%s: %q, want %q", name, out, want)
				}
				seen[name] = true
				if plain := client == "claude" && said.Event == "PreCompact"; out != "" && !plain && (!json.Valid([]byte(out)) || strings.Count(out, "\n") != 1) {
					t.Errorf("%s: no JSON on one line: %q", name, out)
				}
			}
			for name := range answered {
				if strings.HasPrefix(name, client+" ") && !seen[name] {
					t.Errorf("nothing is recorded of %s", name)
				}
			}
		})
	}
}

// hookLate is what the log of hooks says of one that was given up.
const hookLate = "the deadline has passed"

// hookOf runs a hook, again if this machine is too busy for its deadline.
func hookOf(home, input string, args ...string) (stdout, stderr string, err error) {
	log := filepath.Join(home, "log")
	for range 5 {
		_ = os.Remove(log)
		cmd := exec.Command("satchel", args...)
		cmd.Dir, cmd.Env = home, append(clitest.Isolated(home), "SATCHEL_HOOK_LOG="+log)
		cmd.Stdin = strings.NewReader(input)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		err = cmd.Run()
		stdout, stderr = out.String(), errs.String()
		if text, _ := os.ReadFile(log); !strings.Contains(string(text), hookLate) {
			break
		}
	}
	return stdout, stderr, err
}

// TestRecordedStatusline draws the line of what Claude Code sent.
func TestRecordedStatusline(t *testing.T) {
	text, err := os.ReadFile("testdata/clients/statusline.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("satchel", "statusline")
	cmd.Env = append(clitest.Isolated(t.TempDir()), "NO_COLOR=1")
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "██████░░░░ 60% · 120k/200k\n" {
		t.Errorf("%v: %q", err, out)
	}
}

// TestTenProcesses lets ten agents start a server and run hooks in one repository
// that has no index, at the same time: all get the same answers, and nobody an
// error.
func TestTenProcesses(t *testing.T) {
	clitest.Slow(t)
	dir, home := clitest.Examples(t, "../testdata/examples.tree"), t.TempDir()
	input := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"Dial times out behind the proxy"}}}
`
	ask := func(stdin string, args ...string) (string, error) {
		cmd := exec.Command("satchel", args...)
		cmd.Dir, cmd.Env = dir, append(clitest.Isolated(home), "SATCHEL_HOOK_LOG="+filepath.Join(home, "log"))
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var wg sync.WaitGroup
	servers, hooks := make([]string, 10), make([]string, 10)
	for i := range servers {
		wg.Go(func() {
			out, err := ask(input, "mcp")
			if servers[i] = out; err != nil {
				t.Errorf("server %d: %v", i, err)
			}
		})
		wg.Go(func() {
			out, err := ask(`{"session_id":"s`+string(rune('0'+i))+`","hook_event_name":"UserPromptSubmit","prompt":"Dial times out behind the proxy"}`, "hook", "claude")
			if hooks[i] = out; err != nil {
				t.Errorf("hook %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for i, out := range servers {
		if out != servers[0] || !strings.Contains(out, "internal/proxy/proxy.go") || strings.Contains(out, "isError\":true") {
			t.Errorf("server %d: %s", i, out)
		}
	}
	log, _ := os.ReadFile(filepath.Join(home, "log"))
	late := strings.Count(string(log), hookLate) // twenty processes may take their time
	for i, out := range hooks {
		switch {
		case strings.Contains(out, "func Dial"):
		case out == "" && late > 0:
			late--
		default:
			t.Errorf("hook %d: %q\n%s", i, out, log)
		}
	}
}
