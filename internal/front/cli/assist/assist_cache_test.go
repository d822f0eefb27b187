package assist_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// recorded runs a command and returns the requests of each of its conversations, by
// their labels, in their order.
func (s *stage) recorded(args ...string) map[string][]string {
	s.T.Helper()
	name := filepath.Join(filepath.Dir(s.Dir), "run.jsonl")
	if code, stdout, stderr := s.with("SATCHEL_RECORD", name).Asks(args...); code != 0 {
		s.T.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	f, err := os.Open(name)
	if err != nil {
		s.T.Fatal(err)
	}
	defer f.Close()
	p, err := llm.ReadRecord(f)
	if err != nil {
		s.T.Fatal(err)
	}
	list := map[string][]string{}
	trips := p.Trips()
	slices.SortStableFunc(trips, func(a, b llm.Trip) int { return strings.Compare(a.Label, b.Label) })
	for _, trip := range trips {
		if trip.Try == 0 {
			continue // it says how long something took
		}
		conversation, _, _ := strings.Cut(trip.Label, " call ")
		list[conversation] = append(list[conversation], string(trip.Request))
	}
	return list
}

// beginning is what a request has to share with the next one of its conversation: up
// to the end of the messages, without the marks of the cache and the brackets that
// close it.
func beginning(t *testing.T, body string) string {
	t.Helper()
	body = strings.ReplaceAll(body, `,"cache_control":{"type":"ephemeral"}`, "")
	at := strings.Index(body, `"messages":`)
	if at < 0 {
		t.Fatalf("no messages in %.200s", body)
	}
	at += len(`"messages":`)
	var messages json.RawMessage
	if err := json.NewDecoder(strings.NewReader(body[at:])).Decode(&messages); err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(body[:at+len(messages)], "]}")
}

// TestPrefixes: each request of a conversation begins with the one before.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, kind := range kinds {
		for _, tt := range []struct {
			name   string
			args   []string
			script []llmtest.Step
			least  int // requests that have one before
		}{
			{"review", []string{"review", "--check", "never"}, longReview(), 3},
			{"parts", []string{"review", "--check", "never", "--set", "parallel=3"}, []llmtest.Step{
				always(llmtest.Step{Match: "[result 1]", Calls: good("review").Calls}), always(call("read", obj{"path": "p0/f00.go"}))}, 3},
			{"nudged and mended", []string{"ask", "where is Close00?"}, []llmtest.Step{
				{Text: "I think it is there."}, call("submit", obj{"claims": 3}), good("ask")}, 2},
			{"mended", []string{"commit", "--print"}, []llmtest.Step{call("submit", obj{}), call("submit", obj{"subject": ""}), good("commit")}, 2},
			{"thoughts", []string{"ask", "where is Close00?"}, []llmtest.Step{
				{Thinking: "Let me see.", Text: "I look.", Calls: call("read", obj{"path": "p0/f00.go"}).Calls}, {Calls: append(call("read", obj{"path": "p1/f01.go"}).Calls, call("search", obj{"query": "Close02"}).Calls...)}, good("ask")}, 2},
		} {
			t.Run(kind+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, kind, 7)
				s.Play("", tt.script...)
				n := 0
				for label, list := range s.recorded(tt.args...) {
					for i := 1; i < len(list); i++ {
						n++
						if want, got := beginning(t, list[i-1]), strings.ReplaceAll(list[i], `,"cache_control":{"type":"ephemeral"}`, ""); !strings.HasPrefix(got, want) {
							same := common(want, got)
							t.Errorf("%s: request %d is another one after %d bytes: …%.200s\nwas …%.200s", label, i+1, same, got[same:], want[same:])
						}
					}
				}
				if n < tt.least {
					t.Errorf("%d requests have one before, want %d", n, tt.least)
				}
				s.Bodies()
			})
		}
	}
}

func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// TestPartsShare: readers of parts begin with the same bytes, which list every file,
// and each line of the change is in what one of them has beside it. Specialists share
// all of the change.
func TestPartsShare(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	const files = 9
	for _, kind := range kinds {
		for _, tt := range []struct {
			args []string
			n    int
			all  bool // of the change is shared
		}{
			{[]string{"review", "--check", "never", "--set", "parallel=3"}, 3, false},
			{[]string{"review", "--check", "never", "--passes", "security,api"}, 2, true},
		} {
			t.Run(kind+" "+tt.args[3], func(t *testing.T) {
				t.Parallel()
				s := newStage(t, kind, files)
				s.Play("", always(good("review")))
				var bodies []string
				for _, list := range s.recorded(tt.args...) {
					if len(list) > 0 {
						bodies = append(bodies, strings.ReplaceAll(list[0], `,"cache_control":{"type":"ephemeral"}`, ""))
					}
				}
				if len(bodies) != tt.n {
					t.Fatalf("%d conversations, want %d", len(bodies), tt.n)
				}
				shared := len(bodies[0])
				for _, b := range bodies[1:] {
					shared = min(shared, common(bodies[0], b))
				}
				for i := range files {
					path, line := fmt.Sprintf("p%d/f%02d.go", i%3, i), fmt.Sprintf("remove%02d()", i)
					if !strings.Contains(bodies[0][:shared], path) {
						t.Errorf("%s is not in what all begin with", path)
					}
					in := 0
					for _, b := range bodies {
						if strings.Contains(b[shared:], line) {
							in++
						}
					}
					if tt.all && (in != 0 || !strings.Contains(bodies[0][:shared], line)) || !tt.all && in != 1 {
						t.Errorf("%s is in what %d readers have for themselves", line, in)
					}
				}
			})
		}
	}
}
