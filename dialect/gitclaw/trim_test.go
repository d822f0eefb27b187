package gitclaw

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/transcript/transcripttest"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/cutting"
)

func blockTokens(b *transcript.Block) int {
	if b.Type == transcript.Call {
		return cutting.RoughTokens(string(b.Input))
	}
	return cutting.RoughTokens(b.Text)
}

// sessionSizes is what GITCLAW's estimateSessionTokens returns.
type sessionSizes struct {
	Total  int            `json:"total"`
	ByRole map[string]int `json:"byRole"` // user, assistant, toolResult
	ByType map[string]int `json:"byType"` // text, toolCall, toolResult, thinking
	Turns  int            `json:"turnCount"`
}

// estimateSession estimates the tokens of a session as GITCLAW does.
func estimateSession(messages []transcript.Message) sessionSizes {
	s := sessionSizes{ByRole: make(map[string]int), ByType: map[string]int{"text": 0, "toolCall": 0, "toolResult": 0, "thinking": 0}}
	for i := range messages {
		m := &messages[i]
		if byUser(m) {
			s.Turns++
		}
		for j := range m.Blocks {
			b := &m.Blocks[j]
			kind, role := "text", string(m.Role)
			switch b.Type {
			case transcript.Call:
				kind = "toolCall"
			case transcript.Result:
				kind, role = "toolResult", "toolResult"
			case transcript.Thinking:
				kind = "thinking"
			}
			n := blockTokens(b)
			s.ByType[kind] += n
			s.ByRole[role] += n
			s.Total += n
		}
	}
	return s
}

// TestTokens holds what the printed estimateTokens returns, computed by
// hand: ceil(text/4) + ceil(block/3.5) for each fenced block.
func TestTokens(t *testing.T) {
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
		if got := cutting.RoughTokens(tt.text); got != tt.want {
			t.Errorf("RoughTokens(%.30q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestSession(t *testing.T) {
	ms := []transcript.Message{
		transcripttest.Prompt("abcdefgh"),
		{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{
			{Type: transcript.Thinking, Text: "twelve chars"}, transcripttest.Read("1", "a.go")}},
		transcripttest.Results(transcripttest.Result("1", "sixteen letters!")),
	}
	want := sessionSizes{
		Total:  2 + 3 + 4 + 4,
		ByRole: map[string]int{"user": 2, "assistant": 3 + 4, "toolResult": 4},
		ByType: map[string]int{"text": 2, "thinking": 3, "toolCall": 4, "toolResult": 4},
		Turns:  1,
	}
	if diff := cmp.Diff(want, estimateSession(ms)); diff != "" {
		t.Errorf("results and thinking are counted (-want +got):\n%s", diff)
	}
}

// TestTurns: role, words, chains, recency, first and last five.
func TestTurns(t *testing.T) {
	chain := transcripttest.Answer("", transcripttest.Read("1", "a"), transcripttest.Read("2", "b"), transcripttest.Read("3", "c"), transcripttest.Read("4", "d"))
	ms := []transcript.Message{
		transcripttest.Prompt("hello"),                 // 50+15, lifted to 90
		transcripttest.Prompt("please go on"),          // 50+15+10+3
		transcripttest.Prompt("the cat is here"),       // 50+15+10+6
		transcripttest.Prompt("fix it: the cat is on"), // 50+15+10+10+9
		chain, // 50-20+12
		transcripttest.Results(transcripttest.Result("1", "please"), transcripttest.Result("2", "summary"), transcripttest.Result("3", ""), transcripttest.Result("4", "")), // 50-20+15: results are no text
		transcripttest.Answer("hm"), transcripttest.Answer("hm"), transcripttest.Answer("hm"), transcripttest.Answer("hm"), // the last four of five
	}
	type row struct {
		Priority int
		Type     trim.TurnType
	}
	var got []row
	for _, turn := range Turns(ms) {
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
	if turns := Turns([]transcript.Message{transcripttest.Prompt("please fix the result")}); turns[0].Priority != 90 {
		t.Errorf("one turn has priority %d, want 90", turns[0].Priority)
	}
	for _, turn := range Turns(ms) {
		sum := 0
		for _, r := range turn.Reasons {
			sum += r.Add
		}
		if turn.Priority != max(0, min(100, sum)) {
			t.Errorf("turn %d has priority %d, and its reasons %v add up to %d", turn.Index, turn.Priority, turn.Reasons, sum)
		}
	}
	if turns := Turns(nil); len(turns) != 0 {
		t.Errorf("no messages have %d turns", len(turns))
	}
}

func TestCompress(t *testing.T) {
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("%04d %s", i, strings.Repeat("x", 15)))
	}
	text := strings.Join(lines, "\n") // 400*21-1 characters: 2,100 tokens
	want := strings.Join(lines[:10], "\n") + "\n\n[... 380 lines compressed (2100 tokens) ...]\n\n" + strings.Join(lines[390:], "\n")
	if diff := cmp.Diff(want, compress(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	small := strings.Repeat("x", 8000) // 2,000 tokens are not more than 2,000
	if compress(small) != small {
		t.Error("2,000 tokens are compressed")
	}
	// The printed code repeats the lines of a result of 15 long ones, and says
	// that -5 lines were compressed.
	few := strings.Repeat(strings.Repeat("y", 1000)+"\n", 15)
	got := compress(few)
	if cutting.RoughTokens(got) > 2000 || strings.Contains(got, "-5 lines") || !strings.Contains(got, "compressed (3754 tokens)") {
		t.Errorf("15 lines of 1,000 characters become %d tokens: %.200s…", cutting.RoughTokens(got), got)
	}
}

// TestStep9 is the list of checks at the end of the reference.
func TestStep9(t *testing.T) {
	ms := transcripttest.Long(8, 300) // 32 messages; each result has 3,300 tokens
	before := estimateSession(ms)
	if before.Turns != 8 || before.ByType["toolResult"] < 8*3000 {
		t.Fatalf("the estimate of a long conversation is %+v", before)
	}
	r, err := Trim(ms, trim.Options{Budget: 6000})
	if err != nil {
		t.Fatal(err)
	}
	if err := transcripttest.Valid(r.Messages); err != nil {
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
			if b.Type == transcript.Result && cutting.RoughTokens(b.Text) > 2000 {
				t.Errorf("a result of %d tokens is left", cutting.RoughTokens(b.Text))
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
	for i, a := range r.Accounts {
		if want := fmt.Sprintf("GITCLAW priority %d: 50 every turn", Turns(ms)[i].Priority); !strings.HasPrefix(a.Why, want) {
			t.Errorf("turn %d has the reason %q, want %q", i, a.Why, want)
		}
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

// TestLosesNoTurn: the printed code stops at the budget and then has
// turns of high priority that are neither kept nor summarized.
func TestLosesNoTurn(t *testing.T) {
	var ms []transcript.Message
	for i := range 40 {
		ms = append(ms, transcripttest.Prompt(fmt.Sprintf("Please fix number %d of the list. %s", i, strings.Repeat("word ", 60))))
	}
	r, err := Trim(ms, trim.Options{Budget: 2000})
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

// TestLastFiveTooLarge: in three of four real sessions the last five
// turns alone exceeded the budget of the printed code.
func TestLastFiveTooLarge(t *testing.T) {
	r, err := Trim(transcripttest.Long(6, 800), trim.Options{Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	if r.After > 500 {
		t.Errorf("%d tokens, the budget is 500", r.After)
	}
	if err := transcripttest.Valid(r.Messages); err != nil {
		t.Error(err)
	}
	var overflow *satchel.OverflowError
	if _, err := Trim(transcripttest.Long(6, 800), trim.Options{Budget: 10}); !errors.As(err, &overflow) {
		t.Errorf("a budget of 10: error %v, want an satchel.OverflowError", err)
	}
}

// FuzzTrim: valid, within the budget, everything accounted for, in order.
func FuzzTrim(f *testing.F) {
	for seed := range int64(50) {
		f.Add(seed, 300+int(seed)*40)
	}
	f.Fuzz(func(t *testing.T, seed int64, budget int) {
		ms := transcripttest.Random(rand.New(rand.NewSource(seed)).Intn)
		r, err := Trim(ms, trim.Options{Budget: budget})
		if err != nil {
			var overflow *satchel.OverflowError
			if !errors.As(err, &overflow) {
				t.Fatal(err)
			}
			return
		}
		if err := transcripttest.Valid(r.Messages); err != nil {
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

// TestShares shows that the shares of a context.json say how long the
// summary may be.
func TestShares(t *testing.T) {
	in := transcripttest.Long(60, 10)
	size := func(s Shares) (summary, kept int) {
		res, err := s.Trim(in, trim.Options{Budget: 800})
		if err != nil {
			t.Fatal(err)
		}
		text := res.Messages[0].Blocks[0].Text
		return cutting.RoughTokens(text), len(res.Messages)
	}
	none, all := size(Shares{Recent: 40})
	some, most := size(Shares{Recent: 30, Summary: 10})
	much, few := size(Shares{Recent: 10, Summary: 30})
	if !(none <= 20 && none < some && some <= 200 && some < much && much <= 600) {
		t.Errorf("summaries of %d, %d and %d tokens: want more for a larger share, and no more than it", none, some, much)
	}
	if !(all >= most && most >= few) {
		t.Errorf("%d, %d and %d messages kept: want fewer for a smaller share", all, most, few)
	}
	a, _ := size(Shares{})
	if a != some {
		t.Errorf("without shares the summary has %d tokens, want those of 30 and 10: %d", a, some)
	}
	if _, err := (Shares{Recent: -1}).Trim(in, trim.Options{Budget: 800}); err == nil {
		t.Error("a negative share is taken")
	}
}

func BenchmarkTrim(b *testing.B) {
	ms := transcripttest.Long(100, 300)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Trim(ms, trim.Options{Budget: 20_000}); err != nil {
			b.Fatal(err)
		}
	}
}
