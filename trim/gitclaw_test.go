package trim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// Messages of small conversations.

func prompt(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

func answer(text string, calls ...transcript.Block) transcript.Message {
	m := transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer}
	if text != "" {
		m.Blocks = append(m.Blocks, transcript.Block{Type: transcript.Text, Text: text})
	}
	m.Blocks = append(m.Blocks, calls...)
	return m
}

func call(id, name string, input any) transcript.Block {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return transcript.Block{Type: transcript.Call, ID: id, Name: name, Input: raw}
}

func read(id, path string) transcript.Block {
	return call(id, "read", map[string]string{"path": path})
}

func edit(id, path string) transcript.Block {
	return call(id, "edit", map[string]string{"path": path, "oldText": "a", "newText": "b"})
}

func bash(id, command string) transcript.Block {
	return call(id, "bash", map[string]string{"command": command})
}

func results(rs ...transcript.Block) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: rs}
}

func result(id, text string) transcript.Block {
	return transcript.Block{Type: transcript.Result, ID: id, Text: text}
}

func failed(id, text string) transcript.Block {
	return transcript.Block{Type: transcript.Result, ID: id, Text: text, Failed: true}
}

// long is a conversation of n prompts, each with an answer that reads a file
// and one that says what it found.
func long(n, lines int) []transcript.Message {
	var ms []transcript.Message
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		var text strings.Builder
		for l := range lines {
			fmt.Fprintf(&text, "line %d of file %d holds nothing of interest\n", l, i)
		}
		ms = append(ms,
			prompt(fmt.Sprintf("Tell me about file %d. There is more.", i)),
			answer("Reading the file now. One moment.", read(id, fmt.Sprintf("src/f%d.go", i))),
			results(result(id, strings.TrimSuffix(text.String(), "\n"))),
			answer(fmt.Sprintf("File %d holds %d lines. Nothing else.", i, lines)))
	}
	return ms
}

// valid reports what an API would object to.
func valid(ms []transcript.Message) error {
	if len(ms) > 0 && ms[0].Role != transcript.User {
		return errors.New("the first message is not the user's")
	}
	var open []string
	for i := range ms {
		answered := make(map[string]bool)
		for _, b := range ms[i].Blocks {
			switch b.Type {
			case transcript.Result:
				answered[b.ID] = true
			case transcript.Text:
				if strings.TrimSpace(b.Text) == "" {
					return fmt.Errorf("message %d holds an empty text", i)
				}
			}
		}
		for _, id := range open {
			if !answered[id] {
				return fmt.Errorf("message %d does not answer call %s", i, id)
			}
			delete(answered, id)
		}
		if len(answered) > 0 {
			return fmt.Errorf("message %d answers calls that nobody made: %v", i, answered)
		}
		open = nil
		for _, b := range ms[i].Blocks {
			if b.Type == transcript.Call {
				open = append(open, b.ID)
			}
		}
	}
	return nil
}

// TestGitClawTokens holds what the printed estimateTokens returns, computed by
// hand: ceil(text/4) + ceil(block/3.5) for each fenced block.
func TestGitClawTokens(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"abcd", 1},
		{"abcde", 2},
		{"```go\nx := 1\n```", 5},         // 16 characters: 4.57
		{"before ```x``` after", 4 + 2},   // 13 and 7
		{"```a``````b```", 2 + 2},         // two blocks, each rounded up
		{"``` never closed", 4},           // no block
		{"😀😀", 1},                         // four UTF-16 units
		{"日本語日", 1},                       // four
		{strings.Repeat("x", 8001), 2001}, //
		{"```" + strings.Repeat("y", 700) + "```", 202},
	} {
		if got := trim.GitClawTokens(tt.text); got != tt.want {
			t.Errorf("GitClawTokens(%.30q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestGitClawSession(t *testing.T) {
	ms := []transcript.Message{
		prompt("abcdefgh"),
		{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{
			{Type: transcript.Thinking, Text: "twelve chars"}, read("1", "a.go")}},
		results(result("1", "sixteen letters!")),
	}
	want := trim.GitClawSizes{
		Total:  2 + 3 + 4 + 4,
		ByRole: map[string]int{"user": 2, "assistant": 3 + 4, "toolResult": 4},
		ByType: map[string]int{"text": 2, "thinking": 3, "toolCall": 4, "toolResult": 4},
		Turns:  1,
	}
	if diff := cmp.Diff(want, trim.GitClawSession(ms)); diff != "" {
		t.Errorf("results and thinking are counted (-want +got):\n%s", diff)
	}
}

// TestGitClawTurns: role, words, chains, recency, first and last five.
func TestGitClawTurns(t *testing.T) {
	chain := answer("", read("1", "a"), read("2", "b"), read("3", "c"), read("4", "d"))
	ms := []transcript.Message{
		prompt("hello"),                 // 50+15, lifted to 90
		prompt("please go on"),          // 50+15+10+3
		prompt("the cat is here"),       // 50+15+10+6
		prompt("fix it: the cat is on"), // 50+15+10+10+9
		chain,                           // 50-20+12
		results(result("1", "please"), result("2", "summary"), result("3", ""), result("4", "")), // 50-20+15: results are no text
		answer("hm"), answer("hm"), answer("hm"), answer("hm"), // the last four of five
	}
	type row struct {
		Priority int
		Type     trim.TurnType
	}
	var got []row
	for _, turn := range trim.Prioritize(ms, trim.GitClaw) {
		got = append(got, row{turn.Priority, turn.Type})
	}
	want := []row{
		{90, trim.Instruction}, {78, trim.Instruction}, {81, trim.Instruction}, {94, trim.Instruction},
		{42, trim.ToolUse}, {85, trim.ToolUse},
		{85, trim.Response}, {85, trim.Response}, {85, trim.Response}, {85, trim.Response},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if turns := trim.Prioritize([]transcript.Message{prompt("please fix the result")}, trim.GitClaw); turns[0].Priority != 90 {
		t.Errorf("one turn has priority %d, want 90", turns[0].Priority)
	}
	if turns := trim.Prioritize(nil, trim.GitClaw); len(turns) != 0 {
		t.Errorf("no messages have %d turns", len(turns))
	}
}

func TestGitClawCompress(t *testing.T) {
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("%04d %s", i, strings.Repeat("x", 15)))
	}
	text := strings.Join(lines, "\n") // 400*21-1 characters: 2,100 tokens
	want := strings.Join(lines[:10], "\n") + "\n\n[... 380 lines compressed (2100 tokens) ...]\n\n" + strings.Join(lines[390:], "\n")
	if diff := cmp.Diff(want, trim.GitClawCompress(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	small := strings.Repeat("x", 8000) // 2,000 tokens are not more than 2,000
	if trim.GitClawCompress(small) != small {
		t.Error("2,000 tokens are compressed")
	}
	// The printed code repeats the lines of a result of 15 long ones, and says
	// that -5 lines were compressed.
	few := strings.Repeat(strings.Repeat("y", 1000)+"\n", 15)
	got := trim.GitClawCompress(few)
	if trim.GitClawTokens(got) > 2000 || strings.Contains(got, "-5 lines") || !strings.Contains(got, "compressed (3754 tokens)") {
		t.Errorf("15 lines of 1,000 characters become %d tokens: %.200s…", trim.GitClawTokens(got), got)
	}
}

// TestGitClawStep9 is the list of checks at the end of the reference.
func TestGitClawStep9(t *testing.T) {
	ms := long(8, 300) // 32 messages; each result has 3,300 tokens
	before := trim.GitClawSession(ms)
	if before.Turns != 8 || before.ByType["toolResult"] < 8*3000 {
		t.Fatalf("the estimate of a long conversation is %+v", before)
	}
	r, err := trim.TrimGitClaw(ms, trim.Options{Budget: 6000})
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(r.Messages); err != nil {
		t.Error(err)
	}
	if r.After > 6000 || r.Before < 25_000 || !r.Changed {
		t.Errorf("before %d, after %d, changed %v", r.Before, r.After, r.Changed)
	}
	// The first turn and the last five are there.
	var texts []string
	for i := range r.Messages {
		for _, b := range r.Messages[i].Blocks {
			texts = append(texts, b.Text)
		}
	}
	all := strings.Join(texts, "\n")
	if !strings.Contains(all, ms[0].Blocks[0].Text) {
		t.Error("the first turn is gone")
	}
	for i := len(ms) - 5; i < len(ms); i++ {
		if f := r.Accounts[i].Fate; f != trim.Kept && f != trim.Elided {
			t.Errorf("turn %d of the last five is %s", i, f)
		}
	}
	// Results of more than 2,000 tokens are compressed.
	for i := range r.Messages {
		for _, b := range r.Messages[i].Blocks {
			if b.Type == transcript.Result && trim.GitClawTokens(b.Text) > 2000 {
				t.Errorf("a result of %d tokens is left", trim.GitClawTokens(b.Text))
			}
		}
	}
	if !strings.Contains(all, "[... 280 lines compressed (") {
		t.Error("no result is marked as compressed")
	}
	// The summary has its header and at most 30 lines, each the first sentence
	// of a turn.
	summary := r.Messages[0].Blocks[0].Text
	lines := strings.Split(summary, "\n")
	if lines[0] != "[Earlier conversation summary — compressed to save context]" || len(lines) < 2 || len(lines) > 31 {
		t.Errorf("summary:\n%s", summary)
	}
	for _, l := range lines[1:] {
		if !strings.HasPrefix(l, "[User] Tell me about file ") && !strings.HasPrefix(l, "[Agent] ") || strings.Contains(l, "There is more") {
			t.Errorf("summary line %q", l)
		}
	}
	// Nothing is lost without being told, and the order is that of the session.
	if len(r.Accounts) != len(ms) {
		t.Fatalf("%d turns are accounted for, of %d", len(r.Accounts), len(ms))
	}
	last := -1
	for _, m := range r.Messages {
		if m.Kind != transcript.Prompt {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(m.Blocks[0].Text, "Tell me about file %d.", &n); err != nil || n <= last {
			t.Errorf("prompt %q stands behind that of file %d", m.Blocks[0].Text, last)
		}
		last = n
	}
}

// TestGitClawLosesNoTurn: the printed code stops at the budget and then has
// turns of high priority that are neither kept nor summarized.
func TestGitClawLosesNoTurn(t *testing.T) {
	var ms []transcript.Message
	for i := range 40 {
		ms = append(ms, prompt(fmt.Sprintf("Please fix number %d of the list. %s", i, strings.Repeat("word ", 60))))
	}
	r, err := trim.TrimGitClaw(ms, trim.Options{Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	fates := map[trim.Fate]int{}
	for i, a := range r.Accounts {
		fates[a.Fate]++
		if a.Message != i {
			t.Errorf("account %d is of message %d", i, a.Message)
		}
		if a.Fate == trim.Dropped {
			t.Errorf("turn %d is dropped, although the summary has room", i)
		}
	}
	if fates[trim.Kept] < 6 || fates[trim.Digested] < 20 || r.After > 2000 {
		t.Errorf("fates %v, %d tokens", fates, r.After)
	}
}

// TestGitClawLastFiveTooLarge: in three of four real sessions the last five
// turns alone exceeded the budget of the printed code.
func TestGitClawLastFiveTooLarge(t *testing.T) {
	r, err := trim.TrimGitClaw(long(6, 800), trim.Options{Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	if r.After > 500 {
		t.Errorf("%d tokens, the budget is 500", r.After)
	}
	if err := valid(r.Messages); err != nil {
		t.Error(err)
	}
	var overflow *satchel.OverflowError
	if _, err := trim.TrimGitClaw(long(6, 800), trim.Options{Budget: 10}); !errors.As(err, &overflow) {
		t.Errorf("a budget of 10: error %v, want an satchel.OverflowError", err)
	}
}

// FuzzTrimGitClaw: valid, within the budget, everything accounted for, in order.
func FuzzTrimGitClaw(f *testing.F) {
	for seed := range int64(50) {
		f.Add(seed, 300+int(seed)*40)
	}
	f.Fuzz(func(t *testing.T, seed int64, budget int) {
		ms := randomSession(rand.New(rand.NewSource(seed)))
		r, err := trim.TrimGitClaw(ms, trim.Options{Budget: budget})
		if err != nil {
			var overflow *satchel.OverflowError
			if !errors.As(err, &overflow) {
				t.Fatal(err)
			}
			return
		}
		if err := valid(r.Messages); err != nil {
			t.Fatal(err)
		}
		if budget > 0 && (r.After > budget || trim.Estimate(r.Messages) > budget) {
			t.Fatalf("%d tokens, estimated %d, budget %d", r.After, trim.Estimate(r.Messages), budget)
		}
		if len(r.Accounts) != len(ms) {
			t.Fatalf("%d accounts of %d messages", len(r.Accounts), len(ms))
		}
	})
}

// randomSession is a valid session with parallel calls, chatter and giants.
func randomSession(rnd *rand.Rand) []transcript.Message {
	words := []string{"fix", "please", "the", "error", "is", "src/a.go", "```", "日本", "\n", "retry", "x", "summary", "decided"}
	say := func(n int) string {
		var b strings.Builder
		for range rnd.Intn(n) + 1 {
			b.WriteString(words[rnd.Intn(len(words))] + " ")
		}
		return "say " + b.String()
	}
	ms := []transcript.Message{prompt(say(40))}
	for i := range rnd.Intn(25) {
		switch rnd.Intn(4) {
		case 0:
			ms = append(ms, prompt(say(60)))
		case 1:
			ms = append(ms, answer(say(80)))
		default:
			var calls, rs []transcript.Block
			for j := range rnd.Intn(5) + 1 {
				id := fmt.Sprintf("c%d.%d", i, j)
				calls = append(calls, read(id, fmt.Sprintf("src/%d.go", rnd.Intn(4))))
				b := result(id, say(1+rnd.Intn(3000)))
				b.Failed = rnd.Intn(4) == 0
				rs = append(rs, b)
			}
			text := ""
			if rnd.Intn(2) == 0 {
				text = say(20)
			}
			ms = append(ms, answer(text, calls...), results(rs...))
		}
	}
	return ms
}
