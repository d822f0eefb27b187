package assist_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// TestFaults checks the exit code, the words and the number of requests for some faults
// of a server. The key, which the server repeats, is never printed or kept. Package llm
// has tests for all faults.
func TestFaults(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	const key = llmtest.Key
	soon := map[string]string{"Retry-After-Ms": "1"}
	status := func(n int, kind, text string) []llmtest.Step {
		return []llmtest.Step{always(llmtest.Step{Status: n, Kind: kind, Message: text + " (your key is " + key + ")", Header: soon})}
	}
	for _, tt := range []struct {
		name   string
		script func(command string) []llmtest.Step
		code   int
		words  string // a pattern in what is printed to people
		tries  int    // at most
	}{
		{"401", func(string) []llmtest.Step { return status(401, "", "invalid x-api-key") }, 1, `401.*invalid x-api-key`, 1},
		{"quota", func(string) []llmtest.Step {
			return []llmtest.Step{{Status: 429, Kind: "insufficient_quota", Message: "You exceeded your current quota " + key}}
		}, 1, `quota`, 1},
		{"529, then well", func(c string) []llmtest.Step {
			return []llmtest.Step{{Status: 529, Header: soon}, {Status: 503, Header: soon}, always(good(c))}
		}, 0, ``, 3},
		{"cut once", func(c string) []llmtest.Step {
			return []llmtest.Step{{Calls: good(c).Calls, Cut: 400, Header: soon}, always(good(c))}
		}, 0, ``, 2},
		{"stall", func(c string) []llmtest.Step {
			return []llmtest.Step{always(llmtest.Step{Calls: good(c).Calls, Cut: 400, Hang: true})}
		}, 1, `sent nothing for`, 4},
		{"an error event", func(c string) []llmtest.Step {
			return []llmtest.Step{always(llmtest.Step{Calls: good(c).Calls, EventError: "overloaded_error", Header: soon})}
		}, 1, `overloaded|529`, 2},
		{"another content type", func(c string) []llmtest.Step {
			return []llmtest.Step{always(llmtest.Step{Body: "<html>sign in " + key + "</html>", Type: "text/html"})}
		}, 1, `text/html`, 4},
	} {
		for i, kind := range kinds {
			for j, c := range asking[:2] {
				if (i+j)%2 == 1 && (tt.tries > 1 && tt.code == 1) {
					continue // what waits between tries: each protocol once
				}
				t.Run(tt.name+" "+kind+" "+c.name, func(t *testing.T) {
					t.Parallel()
					s := newStage(t, kind, 2)
					more := ""
					if tt.name == "stall" {
						more = "idle-timeout = \"300ms\""
					}
					s.Play(more, tt.script(c.name)...)
					record := filepath.Join(filepath.Dir(s.Dir), "run.jsonl")
					code, stdout, stderr := s.with("SATCHEL_RECORD", record).Asks(c.args...)
					if code != tt.code || (code == 0) != (stdout != "") {
						t.Errorf("exit code %d, want %d, prints %q and %s", code, tt.code, stdout, last(stderr))
					}
					if !regexp.MustCompile(tt.words).MatchString(stderr) {
						t.Errorf("says %s, want %s", last(stderr), tt.words)
					}
					if n := len(s.Server.Requests()); n > tt.tries {
						t.Errorf("%d tries, want at most %d", n, tt.tries)
					}
					s.never(key)
				})
			}
		}
	}
}

// TestRedirect: no request and no key follows a redirect.
func TestRedirect(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, c := range asking {
			t.Run(kind+" "+c.name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, kind, 2)
				there := 0
				other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { there++ }))
				t.Cleanup(other.Close)
				here := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/messages", http.StatusTemporaryRedirect))
				t.Cleanup(here.Close)
				s.Configure(here.URL, "")
				code, stdout, stderr := s.Asks(c.args...)
				if code != 1 || stdout != "" || !strings.Contains(stderr, "redirect") || there > 0 {
					t.Errorf("exit code %d, prints %q and %s; %d requests followed", code, stdout, last(stderr), there)
				}
			})
		}
	}
}
