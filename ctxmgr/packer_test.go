package ctxmgr_test

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/ctxmgr"
)

// sized returns messages of a token for each byte, from "role text" lines.
func sized(lines ...string) []ctxmgr.ScoredMessage {
	var out []ctxmgr.ScoredMessage
	for i, line := range lines {
		role, text, _ := strings.Cut(line, " ")
		out = append(out, ctxmgr.ScoredMessage{Index: i, Role: role, Content: text, Tokens: len(text)})
	}
	return out
}

func TestScoreMessage(t *testing.T) {
	old := math.Exp(-3)
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tt := range []struct {
		why, role, text string
		s               ctxmgr.PackingStrategy
		at              int
		want            float64
	}{
		{"the newest", "user", "x", ctxmgr.StrategyRecent, 10, 1},
		{"the oldest", "user", "x", ctxmgr.StrategyRecent, 0, old},
		{"compression discounts the old", "user", "x", ctxmgr.StrategyCompression, 0, old * 0.3},
		{"and not the new", "user", "x", ctxmgr.StrategyCompression, 10, 1},
		{"half of the task's words", "user", "the PROXY is slow", ctxmgr.StrategyRelevance, 0, 0.5},
		{"hybrid, user", "user", "proxy timeout", ctxmgr.StrategyHybrid, 10, 0.4 + 0.3 + 0.07 + 0.05 + 0.1},
		{"hybrid, assistant", "assistant", "proxy", ctxmgr.StrategyHybrid, 10, 0.4 + 0.15 + 0.05 + 0.05 + 0.1},
		{"hybrid, system", "system", "x", ctxmgr.StrategyHybrid, 0, 0.4*old + 0.04 + 0.05 + 0.1},
		{"hybrid, result", "tool", "fine", ctxmgr.StrategyHybrid, 0, 0.4*old + 0.06 + 0.04 + 0.1},
		{"hybrid, result with an error", "tool_result", "panic: x", ctxmgr.StrategyHybrid, 0, 0.4*old + 0.06 + 0.1 + 0.1},
		{"hybrid, longer", "user", long(101), ctxmgr.StrategyHybrid, 0, 0.4*old + 0.07 + 0.05 + 0.08},
		{"hybrid, long", "user", long(501), ctxmgr.StrategyHybrid, 0, 0.4*old + 0.07 + 0.05 + 0.06},
		{"hybrid, very long", "user", long(2001), ctxmgr.StrategyHybrid, 0, 0.4*old + 0.07 + 0.05 + 0.04},
	} {
		m := ctxmgr.ScoredMessage{Role: tt.role, Content: tt.text}
		if got := packer(0, tt.s).ScoreMessage(m, "The proxy timeout", tt.at, 11); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.why, got, tt.want)
		}
	}
	if got := packer(0, ctxmgr.StrategyRecent).ScoreMessage(ctxmgr.ScoredMessage{}, "", 0, 1); got != 1 {
		t.Errorf("the only message: %v, want 1", got)
	}
}

func TestPackRecentHasNoHole(t *testing.T) {
	ms := sized("user task", "assistant tiny", "assistant "+strings.Repeat("x", 500), "assistant a", "assistant b", "assistant c", "assistant d", "assistant e")
	r := packer(100, ctxmgr.StrategyRecent).Pack(ms, "")
	if want := []int{0, 3, 4, 5, 6, 7}; !slices.Equal(r.KeptMessages, want) {
		t.Errorf("kept %v, want %v: nothing before what did not fit", r.KeptMessages, want)
	}
}

// TestPackOpens checks that a conversation begins with the user, even if an answer
// precedes the first prompt.
func TestPackOpens(t *testing.T) {
	ms := sized("note "+strings.Repeat("rules ", 20), "note hello", "assistant The proxy?", "user start", "assistant a", "assistant b", "assistant c", "assistant d")
	for _, s := range []ctxmgr.PackingStrategy{ctxmgr.StrategyRecent, ctxmgr.StrategyRelevance, ctxmgr.StrategyHybrid, ctxmgr.StrategyCompression} {
		for _, x := range []struct {
			budget int
			pin    int
			want   []int
		}{
			{9, 0, []int{3, 4, 5, 6, 7}},
			{23, 0, []int{3, 4, 5, 6, 7}}, // there is room for the answer, but not for hello
			{24, 0, []int{1, 2, 3, 4, 5, 6, 7}},
			{24, 2, []int{1, 2, 3, 4, 5, 6, 7}},
			{500, 0, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		} {
			want := x.want
			if s != ctxmgr.StrategyRecent && x.budget == 23 {
				want = []int{1, 3, 4, 5, 6, 7}
			}
			ms := slices.Clone(ms)
			ms[2].MustKeep = x.pin == 2
			if r := packer(x.budget, s).Pack(ms, "proxy"); !slices.Equal(r.KeptMessages, want) {
				t.Errorf("%s, %d tokens, pin %d: kept %v, want %v", s, x.budget, x.pin, r.KeptMessages, want)
			}
		}
	}
	// Nothing can precede an answer that comes first.
	if r := packer(500, "").Pack(ms[2:], ""); len(r.KeptMessages) != 6 {
		t.Errorf("kept %v", r.KeptMessages)
	}
}

// TestOptimalSelectionOdd selects with unusual scores and sizes.
func TestOptimalSelectionOdd(t *testing.T) {
	ms := sized("user a", "assistant b", "assistant x", "tool y", "assistant c", "assistant d")
	for i, score := range []float64{math.NaN(), math.Inf(-1), -1, 0.5, 0, 0.4} {
		ms[i].Score, ms[i].Tokens = score, []int{300, 300, 200, 200, 300, 1}[i]
	}
	ms[4].MustKeep = true
	// 4 is a pin, 2 and 3 are the group with the best score, 5 has one token, and
	// neither 0 nor 1 fits then.
	if got, want := packer(0, "").OptimalSelection(ms, 1000), []int{2, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("selected %v, want %v", got, want)
	}
	for i := range ms {
		ms[i].Tokens = math.MaxInt
	}
	if r := packer(math.MaxInt-1, "").Pack(ms, ""); r.TotalTokens != math.MaxInt || r.Utilization <= 0 {
		t.Errorf("absurd sizes: %+v", r)
	}
}

func TestSummarizeDropped(t *testing.T) {
	ms := sized("user Fix the login page\nplease", "assistant On it", "tool xxxxx", "assistant On it", "user ok")
	want := "Earlier: 5 messages dropped; 1 tool calls; 2 user messages; 2 assistant messages; topics: Fix the login page, On it"
	if got := ctxmgr.SummarizeDropped(ms); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// calls returns n calls with results, whose text depends on the index.
func calls(n int, from int, text func(i int) string) (out []ctxmgr.Message) {
	for i := from; i < from+n; i++ {
		id := fmt.Sprint(i)
		out = append(out, ctxmgr.Message{Role: "assistant", ToolUse: []ctxmgr.ToolCall{{ID: id, Name: "bash"}}},
			ctxmgr.Message{Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: id, Content: text(i)}}})
	}
	return out
}

// TestCollapseRows checks that two alike stay, and that text ends a row.
func TestCollapseRows(t *testing.T) {
	ms := calls(4, 0, func(int) string { return strings.Repeat("same line\n", 30) })
	ms[4].Content = "let me look again"
	if diff := cmp.Diff(ms, ctxmgr.CollapseRepeatedMessages(ms)); diff != "" {
		t.Errorf("two and two are collapsed:\n%s", diff)
	}
}

// TestCollapseAgain checks that collapsed results stay as they are, and that newer
// ones collapse with the results that were left.
func TestCollapseAgain(t *testing.T) {
	text := func(i int) string { return "make: nothing to be done for all\n" + strings.Repeat("x", 80+i) }
	once := ctxmgr.CollapseRepeatedMessages(calls(6, 0, text))
	if diff := cmp.Diff(once, ctxmgr.CollapseRepeatedMessages(once)); diff != "" {
		t.Errorf("again (-once +twice):\n%s", diff)
	}
	var whole []string
	for _, m := range ctxmgr.CollapseRepeatedMessages(append(once, calls(1, 6, text)...)) {
		for _, r := range m.ToolResults {
			if !strings.HasPrefix(r.Content, "[") {
				whole = append(whole, r.ToolUseID)
			}
		}
	}
	if want := []string{"0", "6"}; !slices.Equal(whole, want) {
		t.Errorf("whole are %v, want %v", whole, want)
	}
}

// FuzzPack checks laws: groups stay whole, each message is kept or dropped, in
// order, the sizes add up, and only what must be kept exceeds the budget. Collapsing
// keeps every result, and doing it twice changes nothing.
func FuzzPack(f *testing.F) {
	for seed := range int64(60) {
		f.Add(seed, 100+int(seed)*97, uint8(seed))
	}
	roles := []string{"user", "assistant", "assistant", "tool", "tool_result", "system", "note"}
	strategies := []ctxmgr.PackingStrategy{ctxmgr.StrategyRecent, ctxmgr.StrategyRelevance, ctxmgr.StrategyHybrid, ctxmgr.StrategyCompression}
	texts := []string{"", "ok", "error: " + strings.Repeat("x", 90), "make: nothing to be done for all\n" + strings.Repeat("y", 50)}
	f.Fuzz(func(t *testing.T, seed int64, budget int, strategy uint8) {
		rnd := rand.New(rand.NewSource(seed))
		var lines []string
		for range 1 + rnd.Intn(40) {
			lines = append(lines, roles[rnd.Intn(len(roles))]+" "+strings.Repeat("fix the error ", 1+rnd.Intn(20)))
		}
		ms := sized(lines...)
		ms[int(strategy)%len(ms)].MustKeep = true
		r := packer(budget, strategies[int(strategy)%len(strategies)]).Pack(ms, "fix the error")

		sum := 0
		for _, i := range r.KeptMessages {
			sum += ms[i].Tokens
		}
		least := packer(0, "").Pack(ms, "").TotalTokens
		if sum != r.TotalTokens || sum > max(budget, least) {
			t.Fatalf("%d tokens are kept, it says %d, budget %d, at least %d", sum, r.TotalTokens, budget, least)
		}
		all := slices.Concat(r.KeptMessages, r.DroppedMessages)
		slices.Sort(all)
		for i := range ms {
			if i >= len(all) || all[i] != i {
				t.Fatalf("kept %v, dropped %v, of %d messages", r.KeptMessages, r.DroppedMessages, len(ms))
			}
			kept := func(i int) bool { return slices.Contains(r.KeptMessages, i) }
			for from := i; strings.HasPrefix(ms[i].Role, "tool") && from > 0; {
				if from--; ms[from].Role == "assistant" && kept(from) != kept(i) {
					t.Fatalf("kept %v: %d without %d", r.KeptMessages, i, from)
				}
				if !strings.HasPrefix(ms[from].Role, "tool") {
					break
				}
			}
		}
		if !slices.IsSorted(r.KeptMessages) {
			t.Fatalf("kept %v", r.KeptMessages)
		}

		var in []ctxmgr.Message
		for i := range rnd.Intn(30) {
			m := ctxmgr.Message{Role: "user", Content: texts[rnd.Intn(8)/7]}
			for k := range rnd.Intn(3) {
				m.ToolResults = append(m.ToolResults, ctxmgr.ToolResult{ToolUseID: fmt.Sprint(i, k), Content: texts[rnd.Intn(len(texts))], IsError: rnd.Intn(2) == 0})
			}
			in = append(in, m)
		}
		once := ctxmgr.CollapseRepeatedMessages(in)
		for i := range in {
			for k, old := range in[i].ToolResults {
				now := once[i].ToolResults[k]
				if old.Content != now.Content && len(now.Content) >= len(old.Content) || old.ToolUseID != now.ToolUseID || old.IsError != now.IsError {
					t.Fatalf("message %d: %+v became %+v", i, old, now)
				}
			}
		}
		if diff := cmp.Diff(once, ctxmgr.CollapseRepeatedMessages(once)); diff != "" {
			t.Fatalf("collapsed twice (-once +twice):\n%s", diff)
		}
	})
}
