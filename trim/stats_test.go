package trim_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

func count(ms []transcript.Message) *trim.Stats {
	var c trim.Census
	for i := range ms {
		m := ms[i]
		m.Sent = true
		c.Add(&m)
	}
	model, err := tokens.ModelByName("claude-sonnet-4-5")
	if err != nil {
		panic(err)
	}
	return c.Stats(model, nil)
}

// TestStatsAddUp: every way to divide a session comes to the same sum.
func TestStatsAddUp(t *testing.T) {
	s := count(story())
	if s.Messages != 20 || s.Turns != 12 || s.Prompts != 3 {
		t.Errorf("%d messages in %d turns, %d prompts", s.Messages, s.Turns, s.Prompts)
	}
	sum := func(shares []trim.Share) (n int) {
		for _, x := range shares {
			n += x.Tokens
		}
		return n
	}
	messages := s.Context.Tokens - s.Hidden.Tokens
	if n := sum(s.ByRole); n != messages {
		t.Errorf("roles add up to %d, the messages to %d", n, messages)
	}
	if n := sum(s.ByType); n < messages-20 || n > messages+20 {
		t.Errorf("types add up to %d, the messages to %d", n, messages)
	}
	var tools []string
	for _, x := range s.ByTool {
		tools = append(tools, fmt.Sprint(x.Name, " ", x.Count))
	}
	if diff := cmp.Diff([]string{"read 3", "bash 4", "edit 1"}, tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if s.Largest[0].Name != "read proxy.go" || s.Largest[0].Turn != 6 {
		t.Errorf("the largest is %+v", s.Largest[0])
	}
	// proxy.go is read twice; the first time is stale.
	if s.Stale.Count != 1 || s.Duplicates.Count != 0 || s.Frees() < 200 {
		t.Errorf("stale %+v, duplicates %+v", s.Stale, s.Duplicates)
	}
}

// TestStatsLargest: what is large is named by its file or its command, a call's
// input as its result.
func TestStatsLargest(t *testing.T) {
	s := count([]transcript.Message{
		prompt("go"),
		answer("", read("1", "a.go"), bash("2", "go test ./...")),
		results(result("1", strings.Repeat("a line of a file\n", 300)), result("2", strings.Repeat("a line of a test\n", 200))),
		answer("", bash("3", "echo begins\n"+strings.Repeat("echo more words\n", 100))),
		results(result("3", "done")),
		answer("", call("4", "edit", map[string]string{"path": "b.go", "newText": strings.Repeat("new words ", 80)})),
		results(result("4", "done")),
	})
	var names []string
	for _, l := range s.Largest[:4] {
		names = append(names, l.Name)
	}
	if diff := cmp.Diff([]string{"read a.go", "bash go test ./...", "bash input echo begins", "edit input b.go"}, names); diff != "" {
		t.Errorf("largest (-want +got):\n%s", diff)
	}
}

// TestStatsRepeats agrees with Clean: what it counts is what becomes a marker.
func TestStatsRepeats(t *testing.T) {
	var ms []transcript.Message
	ms = append(ms, prompt("go"))
	say := func(call transcript.Block, text string) {
		ms = append(ms, answer("", call), results(result(call.ID, text)))
	}
	say(read("1", "a.go"), body("one"))
	say(read("2", "a.go"), body("one"))   // the same file and text: the first is a duplicate
	say(read("3", "a.go"), body("two"))   // the same file: the second is stale
	say(bash("4", "x"), body("output"))   //
	say(bash("5", "y"), body("output"))   // a duplicate
	say(bash("6", "z"), body("output"))   // and another
	say(bash("7", "w"), "short, so what") // too short to matter
	say(bash("8", "v"), "short, so what")
	s := count(ms)
	marks := map[string]int{}
	for _, m := range trim.Clean(ms) {
		for _, b := range m.Blocks {
			if b.Type == transcript.Result && strings.HasPrefix(b.Text, "[") {
				what, _, _ := strings.Cut(strings.Trim(b.Text, "[]"), " ")
				marks[strings.Trim(what, ":")]++
			}
		}
	}
	if s.Duplicates.Count != marks["identical"] || s.Stale.Count != marks["superseded"] || s.Duplicates.Count != 3 || s.Stale.Count != 1 {
		t.Errorf("%d duplicates and %d stale reads; cleaning marks %v", s.Duplicates.Count, s.Stale.Count, marks)
	}
}

// TestStatsNotSent: what a compaction left behind is not in the context.
func TestStatsNotSent(t *testing.T) {
	var c trim.Census
	m := prompt("hello")
	c.Add(&m)
	if s := c.Stats(tokens.Model{}, nil); s.Messages != 0 || s.Context.Tokens != 0 || len(s.ByRole) != 0 {
		t.Errorf("%+v", s)
	}
}

// TestCensusMemory: of a long session little is remembered, whatever it is made of.
func TestCensusMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("keeps 60,000 rounds")
	}
	const n = 20_000
	usage := &transcript.Usage{Input: 3, CacheRead: 100_000, Output: 80}
	for _, x := range []struct {
		name  string
		each  int     // messages of a round
		limit float64 // bytes for it
		say   func(i int) []transcript.Message
	}{
		{"prompts", 1, 200, func(i int) []transcript.Message { return []transcript.Message{prompt(fmt.Sprint("go on ", i))} }},
		{"reads of new files", 2, 550, func(i int) []transcript.Message {
			id := fmt.Sprint("c", i)
			a := answer("", read(id, fmt.Sprintf("pkg/file%d.go", i)))
			a.Usage = usage
			return []transcript.Message{a, results(result(id, fmt.Sprint(i, strings.Repeat(" some words", 20))))}
		}},
		{"commands", 2, 450, func(i int) []transcript.Message {
			id := fmt.Sprint("c", i)
			a := answer("", bash(id, "make"))
			a.Usage = usage
			return []transcript.Message{a, results(result(id, fmt.Sprint(i, strings.Repeat(" some words", 20))))}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			each := remembered(t, n, x.each, x.say)
			for range 2 { // other goroutines free and keep bytes, too
				if each > x.limit {
					each = remembered(t, n, x.each, x.say)
				}
			}
			t.Logf("%.1f bytes", each)
			if each > x.limit {
				t.Errorf("%.1f bytes for each round, want at most %v", each, x.limit)
			}
		})
	}
}

// remembered returns how many bytes a Census keeps of a round, of n of them.
func remembered(t *testing.T, n, each int, say func(i int) []transcript.Message) float64 {
	t.Helper()
	var c trim.Census
	add := func(from, to int) {
		for i := from; i < to; i++ {
			for _, m := range say(i) {
				m.Sent = true
				c.Add(&m)
			}
		}
	}
	add(0, 1000)
	before := heap()
	add(1000, n)
	bytes := float64(heap()-before) / float64(n-1000)
	if s := c.Stats(tokens.Model{}, nil); s.Messages != n*each || s.Duplicates.Count+s.Stale.Count > 0 {
		t.Errorf("%d messages, %+v, %+v", s.Messages, s.Duplicates, s.Stale)
	}
	return bytes
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
