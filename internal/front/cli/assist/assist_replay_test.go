package assist_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// TestReplays: what a dry run shows is what is sent first, and a record repeats the
// output, byte for byte, from a file as from the snapshots.
func TestReplays(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, kind := range kinds {
		for _, tt := range []struct {
			name    string
			command string
			args    []string
		}{
			{"review", "review", []string{"review"}},
			{"review json", "review", []string{"review", "--json"}},
			{"review in parts", "review", []string{"review", "--set", "parallel=3"}},
			{"review in passes", "review", []string{"review", "--passes", "security,api", "--format", "md"}},
			{"commit", "commit", []string{"commit", "--print"}},
			{"commit json", "commit", []string{"commit", "--print", "--json", "--hint", "sooner"}},
			{"ask", "ask", []string{"ask", "where is Close00?"}},
			{"ask json", "ask", []string{"ask", "where is Close00?", "--json"}},
		} {
			t.Run(kind+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, kind, 7)
				s.Play("price = [3, 0.3, 3.75, 15]", secondLook(), always(llmtest.Step{Match: "[result 1]", Calls: good(tt.command).Calls}),
					llmtest.Step{Status: 529, Header: map[string]string{"Retry-After-Ms": "1"}},
					always(firstTurn(tt.command)))
				first := s.dry(tt.args...)
				if n := len(s.Bodies()); n != 0 {
					t.Fatalf("a dry run sent %d requests", n)
				}
				record := filepath.Join(filepath.Dir(s.Dir), "run.jsonl")
				code, want, stderr := s.with("SATCHEL_RECORD", record).Asks(tt.args...)
				if code, _, errs := s.with("SATCHEL_RECORD", record).Asks(tt.args...); code != 1 || !strings.Contains(errs, "run.jsonl exists") {
					t.Errorf("over a record: exit code %d, %s", code, errs)
				}
				if code != 0 {
					t.Fatalf("exit code %d: %s", code, stderr)
				}
				sent := s.Bodies()
				if len(sent) < 2 || sent[0] != first {
					t.Errorf("%d requests; a dry run shows\n%s\nsent was\n%s", len(sent), first, sent[0])
				}
				s.Server.Close()
				s.Environ = append(s.Environ, "LLM_KEY=")
				for _, again := range [][]string{tt.args, {"log", "replay", "latest"}} {
					code, got, stderr := s.with("SATCHEL_REPLAY", record).Asks(again...)
					if code != 0 || got != want {
						t.Errorf("satchel %q: exit code %d (%s), prints\n%s\nwant\n%s", again, code, stderr, got, want)
					}
				}
			})
		}
	}
}

// secondLook is what a model says of the finding of a stage when it is asked again.
func secondLook() llmtest.Step {
	s := always(call("submit", obj{"verdicts": []obj{{"id": "96bb", "verdict": "unsure", "why": "who knows", "path": "", "line": 0, "quote": ""}}}))
	s.In = `"verdicts":{`
	return s
}

// firstTurn is what a model of a command does first: it reads, or where it has no
// tools to read with answers at once.
func firstTurn(command string) llmtest.Step {
	if command == "commit" {
		return good(command)
	}
	return call("read", obj{"path": "p0/f00.go"})
}

// TestReplayOther: a replay of another change fails, and says where.
func TestReplayOther(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, c := range asking {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "openai", 2)
			s.Play("", always(good(c.name)))
			record := filepath.Join(filepath.Dir(s.Dir), "run.jsonl")
			if code, _, stderr := s.with("SATCHEL_RECORD", record).Asks(c.args...); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			s.Write("p0/f00.go", "package p0\n\n// Close00 does nothing.\nfunc Close00() {}\n")
			s.Git("add", "-A")
			code, stdout, stderr := s.with("SATCHEL_REPLAY", record).Asks(c.args...)
			if code != 1 || stdout != "" || !strings.Contains(stderr, "replay: ") || !strings.Contains(stderr, "differs") {
				t.Errorf("exit code %d, prints %q and %q", code, stdout, stderr)
			}
		})
	}
}
