package assist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/transcript"
)

// A teller is a Model that makes an entry of every other commit that it is shown,
// omits the rest, and invents one. It fails for the parts that hold a word.
type teller struct {
	fails string

	mu    sync.Mutex
	calls int
}

func (m *teller) Endpoint() llm.Endpoint {
	return llm.Endpoint{URL: "http://localhost:1", Kind: llm.OpenAI, Model: "gpt-4o", MaxTokens: 8192}
}

var shownCommit = regexp.MustCompile(`(?m)^([0-9a-f]{8,40}) (.*)$`)

func (m *teller) Ask(_ context.Context, call *llm.Call, _ func(llm.Delta)) (*llm.Answer, error) {
	m.mu.Lock()
	m.calls++
	m.mu.Unlock()
	text := call.Messages[0].Blocks[0].Text
	if m.fails != "" && strings.Contains(text, m.fails) {
		return nil, errors.New("the server is gone")
	}
	l := ask.Log{Entries: []ask.LogEntry{}, Omitted: []ask.LogSilent{}}
	for i, c := range shownCommit.FindAllStringSubmatch(text, -1) {
		if i%2 == 0 {
			l.Entries = append(l.Entries, ask.LogEntry{Section: "Added", Text: "Told: " + c[2], Commits: []string{c[1]}})
		} else {
			l.Omitted = append(l.Omitted, ask.LogSilent{Commit: c[1], Why: "words"})
		}
	}
	input, err := json.Marshal(&l)
	if err != nil {
		return nil, err
	}
	return answer(transcript.Block{Type: transcript.Call, ID: "c1", Name: submit, Input: input}), nil
}

// TestChangelogParts tells of more commits than one reader is asked about: each stands
// in one place, and where a reader fails its subject does.
func TestChangelogParts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const n = 2*mostLogged + 10
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	first := r.Commit("a: begin")
	var in strings.Builder // one process makes all of them
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/many\ncommitter A <a@example.org> %d +0000\ndata <<.\na: add thing %d\n.\n", 1577934245+i, i)
		if i == 0 {
			fmt.Fprintf(&in, "from %s\n", first)
		}
		fmt.Fprintf(&in, "M 644 inline f%d.txt\ndata <<.\n%d\n.\n\n", i, i)
	}
	r.Input(in.String(), "fast-import", "--quiet")
	e, err := engine.Open(t.Context(), &engine.Options{Dir: r.Dir, CacheDir: "", NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, fails := range []string{"", "thing 3\n", "a: add"} {
		m := &teller{fails: fails}
		d := &Desk{Engine: e, Top: Seat{Name: "t", Model: m}, Spend: &Spend{}}
		c, err := d.Changelog(t.Context(), ChangelogRequest{From: first, To: "many"})
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]int{}
		words := 0
		for _, one := range c.Log.Entries {
			if strings.HasPrefix(one.Text, "Told: ") {
				words++
			}
			for _, id := range one.Commits {
				told[id]++
			}
		}
		for _, one := range c.Log.Omitted {
			told[one.Commit]++
		}
		for _, id := range strings.Fields(r.Git("log", "--format=%H", first+"..many")) {
			if told[id] != 1 {
				t.Errorf("%q: commit %s stands in %d places", fails, id, told[id])
			}
			delete(told, id)
		}
		if len(told) > 0 || c.Commits != n {
			t.Errorf("%q: invented %v, %d commits", fails, told, c.Commits)
		}
		switch {
		case fails == "" && (len(c.Incomplete) > 0 || words < n/2 || c.Plain):
			t.Errorf("incomplete %q, %d entries of the model", c.Incomplete, words)
		case fails == "a: add" && (!c.Plain || words > 0 || len(c.Incomplete) != m.calls):
			t.Errorf("no reader answered: %q, %d entries of the model", c.Incomplete, words)
		case fails == "thing 3\n" && (len(c.Incomplete) != 1 || words == 0 || c.Plain):
			t.Errorf("one reader failed: %q, %d entries of the model", c.Incomplete, words)
		}
		if m.calls < 3 {
			t.Errorf("%d readers", m.calls)
		}
	}
}

func TestEntryText(t *testing.T) {
	guard := &hygiene.Guard{}
	for in, want := range map[string]string{
		"plain":              "plain",
		"\n# Evil\n## Head":  "Evil ## Head",
		"- [x] done":         "done",
		"> - 1. quoted":      "quoted",
		"#":                  "",
		"---":                "",
		"fixes #12":          "",
		"-v is gone":         "-v is gone",
		"#12 is open (#13)":  "#12 is open (#13)",
		"by @somebody":       "by somebody",
		"\x1b[31mred\x1b[0m": "red",
	} {
		got, _ := entryText(guard, in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again, _ := entryText(guard, got); again != got {
			t.Errorf("%q: twice is %q", in, again)
		}
	}
}
