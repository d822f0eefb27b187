package ctxmgr_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/ctxmgr"
	"github.com/satchel-dev/satchel/dialect/hawk"
)

func TestVisualizer(t *testing.T) {
	cv := ctxmgr.NewContextVisualizer(100_000)
	cv.Update([]ctxmgr.ContextSection{
		{Name: "conversation", Tokens: 20_001}, {Name: "tool_results", Tokens: 5_001}, {Name: "readonly_context", Tokens: 8_001},
		{Name: "plan", Tokens: 15_001, Compressible: true}, {Name: "other", Tokens: 15_001}, {Name: "memory", Tokens: -5},
	})
	var about []string
	for _, s := range cv.Recommend() {
		name, _, _ := strings.Cut(s, " ")
		about = append(about, name)
	}
	if diff := cmp.Diff([]string{"conversation", "tool_results", "readonly_context", "plan"}, about); diff != "" {
		t.Errorf("recommended (-want +got):\n%s", diff)
	}
	if got := cv.Sections[5].Percentage; got != 0 {
		t.Errorf("a negative section is %v percent", got)
	}
	for tokens, want := range map[int]string{85_400: "", 85_600: "soon", 95_400: "soon", 95_600: "now", 300_000: "300% !"} {
		cv.Update([]ctxmgr.ContextSection{{Name: "conversation", Tokens: tokens}})
		if got := cv.WarnIfCritical(); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%d tokens: %q, want %q", tokens, got, want)
		}
	}
	var points []bool
	for i, tokens := range []int{10, 20, 20, 19, 30} {
		cv.Update([]ctxmgr.ContextSection{{Name: "conversation", Tokens: tokens}})
		points = append(points, cv.TakeSnapshot(i).Compacted)
	}
	if diff := cmp.Diff([]bool{false, false, false, true, false}, points); diff != "" {
		t.Errorf("compacted (-want +got):\n%s", diff)
	}
	var zero ctxmgr.ContextVisualizer
	for _, got := range []string{zero.RenderBar(10), zero.RenderCompact(), zero.RenderDetailed()} {
		if !strings.Contains(got, "0%") {
			t.Errorf("an empty window is %q", got)
		}
	}
}

// TestHistoryChartMark: hawk's example marks turn 10, the full one, and not turn 11,
// whether the caller says which was compacted or the snapshots do.
func TestHistoryChartMark(t *testing.T) {
	const want = `
Turn  1: [█░░░░░░░░░]  8%
Turn  5: [████░░░░░░] 35%
Turn 10: [████████░░] 78%  ← compacted
Turn 11: [███░░░░░░░] 28%
`
	for _, marked := range []int{2, 3} {
		list := []ctxmgr.ContextSnapshot{{Turn: 1, Percentage: 8}, {Turn: 5, Percentage: 35}, {Turn: 10, Percentage: 78}, {Turn: 11, Percentage: 28}}
		list[marked].Compacted = true
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), ctxmgr.NewContextVisualizer(100).HistoryChart(list, 10)); diff != "" {
			t.Errorf("snapshot %d says that it was compacted (-want +got):\n%s", marked, diff)
		}
	}
}

// TestBudgetByHand: what a caller changes is believed, as far as it fits.
func TestBudgetByHand(t *testing.T) {
	b := ctxmgr.NewContextBudget(200_000)
	b.SystemPrompt, b.PreloadedFiles = 12_000, 60_000
	a := b.Allocate(0)
	if a.SystemPrompt != 12_000 || a.PreloadedFiles != 60_000 || a.Remaining != 0 {
		t.Errorf("%+v", a)
	}
	if got := b.FilesBudget(1_000_000); got != 10_000 {
		t.Errorf("beside a full conversation, files get %d", got)
	}
	for _, size := range []int{28_000, 128_000, 1_000_000} {
		for _, conversation := range []int{0, size / 3, size} {
			d, err := hawk.Divide(size, conversation, 0)
			if err != nil {
				t.Fatal(err)
			}
			a := ctxmgr.NewContextBudget(size).Allocate(conversation)
			if a.PreloadedFiles != d.Tokens(hawk.PreloadedFiles) || a.Conversation != d.Tokens(hawk.Conversation) {
				t.Errorf("window %d, conversation %d: %+v is not what satchel budget says", size, conversation, a)
			}
		}
	}
	if *ctxmgr.NewContextBudget(-5) != (ctxmgr.ContextBudget{}) || ctxmgr.NewContextBudget(0).Allocate(10).Conversation != 0 {
		t.Error("an empty window has room")
	}
}

func TestPackerByHand(t *testing.T) {
	ms := talk("system", "user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant")
	r := packer(60, "no such strategy").Pack(ms, "")
	if diff := cmp.Diff([]int{0, 1, 5, 6, 7, 8}, r.KeptMessages); diff != "" {
		t.Errorf("system message, first prompt and the last four are kept (-want +got):\n%s", diff)
	}
	cp := packer(1_000, ctxmgr.StrategyHybrid)
	if got := cp.ScoreMessage(ctxmgr.ScoredMessage{Role: "user", MustKeep: true}, "", 0, 5); got != 1_000 {
		t.Errorf("a message that must be kept scores %v", got)
	}
	failed := cp.ScoreMessage(ctxmgr.ScoredMessage{Role: "tool", Content: "panic: x"}, "", 4, 5)
	fine := cp.ScoreMessage(ctxmgr.ScoredMessage{Role: "tool_result", Content: "fine"}, "", 4, 5)
	if !near(failed-fine, 0.06) {
		t.Errorf("an error scores %v, another result %v", failed, fine)
	}
	for _, cp := range []*ctxmgr.ContextPacker{{}, {MaxTokens: -5}, {MaxTokens: 100, ReservedForOutput: 200}, {MaxTokens: 100, SystemPromptTokens: -7}} {
		if r := cp.Pack(nil, ""); r == nil || len(r.KeptMessages) != 0 || r.Utilization != 0 {
			t.Errorf("nothing packed is %+v", r)
		}
		cp.Pack(talk("user"), "x")
	}
	long := talk(slices.Repeat([]string{"user", "assistant", "tool"}, 50)...)
	if got := ctxmgr.SummarizeDropped(long[:3]); got != "Earlier: 3 messages dropped; 1 tool calls; 1 user messages; 1 assistant messages; topics: message 0, message 1" {
		t.Errorf("summary %q", got)
	}
	if got := ctxmgr.SummarizeDropped(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	ctxmgr.PackingReport(nil, "", -1, -1)
}
