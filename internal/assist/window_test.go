package assist

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/transcript"
)

// still is a Model that is never asked.
type still struct {
	Model
	max int
}

func (s still) Endpoint() llm.Endpoint {
	return llm.Endpoint{URL: "http://localhost:1", Kind: llm.OpenAI, Model: "gpt-4o", MaxTokens: s.max}
}

// words are what texts of random conversations are made of, so that some repeat.
var words = []string{"func ", "x := 1\n", "// a line about it\n", "ü", "日本語\n", "return nil\n", "{\n", "}\n", strings.Repeat("a long line of code; ", 40) + "\n"}

func someText(rt *rapid.T, most int) string {
	var b strings.Builder
	w := rapid.SampledFrom(words)
	n := rapid.IntRange(0, most).Draw(rt, "times")
	b.WriteString("about ")
	for range rapid.IntRange(1, 4).Draw(rt, "words") {
		b.WriteString(strings.Repeat(w.Draw(rt, "word"), 1+n/4))
	}
	return b.String()
}

// grow adds one turn to a conversation, as the loop does: calls with their results, a
// submit that is not accepted, or words and a reminder.
func (t *talk) grow(rt *rapid.T, ids *int) {
	answer := transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Sent: true, Model: "gpt-4o"}
	if rapid.Bool().Draw(rt, "words first") {
		answer.Blocks = append(answer.Blocks, transcript.Block{Type: transcript.Text, Text: someText(rt, 10)})
	}
	results := transcript.Message{Role: transcript.User, Kind: transcript.Results, Sent: true}
	for range rapid.IntRange(0, 4).Draw(rt, "calls") {
		*ids++
		name := rapid.SampledFrom([]string{"read", "search", "diff", submit, "invented"}).Draw(rt, "tool")
		input, _ := json.Marshal(map[string]string{"path": fmt.Sprintf("p%d", rapid.IntRange(0, 5).Draw(rt, "path"))})
		if rapid.IntRange(0, 9).Draw(rt, "malformed") == 0 {
			input, _ = json.Marshal(`{"path": "p`)
		}
		id := fmt.Sprint("c", *ids)
		answer.Blocks = append(answer.Blocks, transcript.Block{Type: transcript.Call, ID: id, Name: name, Input: input})
		results.Blocks = append(results.Blocks, transcript.Block{Type: transcript.Result, ID: id, Name: name, Text: someText(rt, 30), Failed: rapid.Bool().Draw(rt, "failed")})
	}
	switch {
	case len(results.Blocks) > 0:
		t.conv = append(t.conv, answer, results)
	case len(answer.Blocks) > 0:
		t.conv = append(t.conv, answer, said("Give the answer by calling submit."))
	}
}

// results reports whether a conversation holds results that can be left out.
func (t *talk) results() bool {
	for _, m := range t.conv[t.pinned:] {
		for _, b := range m.Blocks {
			if b.Type == transcript.Result && t.meter.count(b.Text) > 2*t.meter.count(leftOut) {
				return true
			}
		}
	}
	return false
}

// TestWindowLaws: whatever a conversation is, what is sent of it fits the window with
// the answer, is one that servers take, and begins with what was asked, unchanged. It
// tries ten times as many conversations if SATCHEL_SOAK_ROUNDS is set.
func TestWindowLaws(t *testing.T) {
	conversations := 1000
	if os.Getenv("SATCHEL_SOAK_ROUNDS") != "" {
		conversations = 10_000
	}
	trimmed, stopped, sent := 0, 0, 0
	law := func(rt *rapid.T) {
		window := rapid.IntRange(1000, 6000).Draw(rt, "window")
		most := rapid.IntRange(0, window/3).Draw(rt, "answer")
		a := &ask.Ask{System: someText(rt, 10), Shared: someText(rt, 30), Question: someText(rt, 10), Schema: subSchema}
		run := &Run{Model: still{max: most}, Tools: box{}, Window: window, Spend: new(Spend), Label: "law"}
		talk := run.begin(a)
		first, _ := json.Marshal(talk.conv)
		pinned := len(talk.conv)
		ids := 0
		for range rapid.IntRange(0, 5).Draw(rt, "turns") {
			was := talk.meter.messages(talk.conv)
			if err := talk.fit(); err != nil {
				stopped++
				if len(talk.conv) > pinned && talk.results() {
					rt.Fatalf("results are there that could be left out: %v", err)
				}
				return // nothing is sent
			}
			if talk.meter.messages(talk.conv) < was {
				trimmed++
			}
			sent++
			call := &llm.Call{System: talk.system, Tools: talk.tools, Messages: talk.conv}
			if n := talk.meter.call(call); n > Room(window, most) || n+most > window {
				rt.Fatalf("%d tokens are sent, and %d answered, of %d", n, most, window)
			}
			if err := transcript.Valid(talk.conv); err != nil {
				rt.Fatalf("no server takes it: %v", err)
			}
			if now, _ := json.Marshal(talk.conv[:pinned]); string(now) != string(first) {
				rt.Fatalf("it begins with %s, was asked %s", now, first)
			}
			talk.grow(rt, &ids)
		}
	}
	for done := 0; done < conversations; done += 100 {
		rapid.Check(t, law)
	}
	if trimmed < conversations/100 || stopped < conversations/100 {
		t.Errorf("%d sent, %d trimmed, %d stopped: the test says little", sent, trimmed, stopped)
	}
	t.Logf("%d requests, %d trimmed, %d stopped", sent, trimmed, stopped)
}
