package ctxmgr_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/ctxmgr"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// The defects of hawk's package, by the numbers of docs/design/012-ctxmgr.md. Each test
// fails on the behaviour of the original; the stages have tests of their own
// besides, which that page names.

// TestDefectsTable: docs/design/012-ctxmgr.md names a test for each defect, of this package
// and of the stages, and each of them is there.
func TestDefectsTable(t *testing.T) {
	doc, err := os.ReadFile("../docs/design/012-ctxmgr.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := func(dir string) string {
		names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no tests in %s: %v", dir, err)
		}
		var all strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		return all.String()
	}
	has := func(dir, test string) {
		t.Helper()
		if !strings.Contains(tests(dir), "\nfunc "+test+"(t *testing.T)") {
			t.Errorf("%s has no %s", dir, test)
		}
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|[^|]*\| (Test\w+) \|([^|]*)\|$`).FindAllStringSubmatch(string(doc), -1)
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) || !strings.HasPrefix(row[2], fmt.Sprintf("TestDefect%02d", i+1)) {
			t.Errorf("row %d is %q", i+1, row[0])
		}
		has(".", row[2])
		for _, stage := range regexp.MustCompile(`(\w+): (Test\w+)`).FindAllStringSubmatch(row[3], -1) {
			dir := stage[1]
			if dir == "hawk" {
				dir = "dialect/hawk"
			}
			has(filepath.Join("..", dir), stage[2])
		}
	}
	if len(rows) != 17 {
		t.Errorf("%d defects, want 17", len(rows))
	}
}

// (1) Decay was applied twice: ApplyDecay stored the decayed weight, and every
// later read decayed it again.
func TestDefect01DecayIsAppliedOnce(t *testing.T) {
	cd := ctxmgr.NewContextDecay(30 * time.Minute)
	id := cd.Add("fact", "", 1)
	age(cd, 30*time.Minute)
	for range 3 {
		cd.ApplyDecay()
	}
	if w := weightOf(t, cd, id); !near(w, 0.5) {
		t.Errorf("weight after one half-life %v, want 0.5", w)
	}
	if w := cd.Entries[0].Weight; !near(w, 0.5) {
		t.Errorf("the applied weight is %v, want 0.5", w)
	}
	age(cd, 30*time.Minute)
	cd.ApplyDecay()
	if w := cd.GetTopN(1)[0].Weight; !near(w, 0.25) {
		t.Errorf("weight after two half-lives %v, want 0.25", w)
	}
}

// (2) An access of a fresh entry had no effect, and ApplyDecay overwrote any.
func TestDefect02AccessCounts(t *testing.T) {
	cd := ctxmgr.NewContextDecay(30 * time.Minute)
	never, once, often := cd.Add("never", "", 1), cd.Add("once", "", 1), cd.Add("often", "", 1)
	cd.Access(once)
	for range 5 {
		cd.Access(often)
	}
	cd.ApplyDecay()
	age(cd, time.Hour)
	cd.ApplyDecay()
	a, b, c := weightOf(t, cd, never), weightOf(t, cd, once), weightOf(t, cd, often)
	if !(a < b && b < c) {
		t.Errorf("weights %v never accessed, %v once, %v often: want them to rise", a, b, c)
	}
	if e, _ := cd.Get(often); e.AccessCount != 5 {
		t.Errorf("%d accesses counted, want 5", e.AccessCount)
	}
}

// (3) Prune below the least weight removed nothing, and what was unpinned was
// as old as its last access, so that it went at once.
func TestDefect03PruneAndUnpin(t *testing.T) {
	cd := ctxmgr.NewContextDecay(time.Minute)
	cd.Add("old", "", 1)
	pinned := cd.Add("pinned", "", 1)
	cd.Pin(pinned)
	age(cd, time.Hour)
	if w := cd.GetTopN(2)[1].Weight; !near(w, 0.1) {
		t.Errorf("the least weight is %v", w)
	}
	cd.Unpin(pinned)
	if n := cd.Prune(0.05); n != 1 {
		t.Errorf("%d entries pruned, want 1", n)
	}
	if diff := cmp.Diff([]string{"pinned"}, contents(cd.GetTopN(9))); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// (4) Methods gave out pointers into what they guard, and Update kept and
// changed the caller's slice.
func TestDefect04Copies(t *testing.T) {
	cd := ctxmgr.NewContextDecay(time.Minute)
	id := cd.Add("mine", "", 1)
	e, _ := cd.Get(id)
	e.Content, e.Pinned = "the caller's", true
	cd.GetTopN(1)[0].Content = "the caller's"
	cd.GetByBudget(9)[0].Content = "the caller's"
	if e, _ := cd.Get(id); e.Content != "mine" || e.Pinned {
		t.Errorf("a copy was no copy: %+v", e)
	}

	cv := ctxmgr.NewContextVisualizer(1_000)
	sections := []ctxmgr.ContextSection{{Name: "memory", Tokens: 100, Items: []ctxmgr.VizContextItem{{Label: "note", Tokens: 100}}}}
	cv.Update(sections)
	if sections[0].Percentage != 0 {
		t.Errorf("the caller's slice was changed: %+v", sections[0])
	}
	sections[0].Tokens, sections[0].Items[0].Label = 900, "other"
	if got := cv.RenderDetailed(); cv.TakeSnapshot(1).TotalTokens != 100 || strings.Contains(got, "other") {
		t.Errorf("the caller's slice was kept:\n%s", got)
	}
	if p := cv.Sections[0].Percentage; p != 10 {
		t.Errorf("percentage %v, want 10", p)
	}

	// The race detector watches the rest.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				if e, _ := cd.Get(id); e == nil || e.Content != "mine" {
					t.Error("entry gone")
				}
				cd.Access(id)
				cv.Update([]ctxmgr.ContextSection{{Name: "memory", Tokens: i}})
				cv.RenderBar(20)
				cv.TakeSnapshot(i)
			}
		})
	}
	wg.Wait()
}

// (5) Pinned entries competed by weight, with an unstable sort, and could be
// dropped.
func TestDefect05PinsAreGuaranteed(t *testing.T) {
	cd := ctxmgr.NewContextDecay(time.Hour)
	for i := range 50 {
		cd.Add(fmt.Sprint("fresh ", i), "", 10)
	}
	pin := cd.Add("the pin", "", 90)
	age(cd, time.Minute)
	cd.Pin(pin)
	for _, limit := range []int{100, 90, 10, 0, -1} {
		got := contents(cd.GetByBudget(limit))
		if !slices.Contains(got, "the pin") || got[0] != "the pin" {
			t.Errorf("within %d tokens: %v", limit, got)
		}
		if again := contents(cd.GetByBudget(limit)); !slices.Equal(got, again) {
			t.Errorf("within %d tokens: %v, then %v", limit, got, again)
		}
	}
	// Of equal weights the order is that of age, newest first, every time.
	for i := range cd.Entries {
		cd.Entries[i].CreatedAt, cd.Entries[i].LastAccessed = time.Unix(int64(i), 0), time.Unix(0, 0)
	}
	if diff := cmp.Diff([]string{"the pin", "fresh 49", "fresh 48"}, contents(cd.GetTopN(3))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// talk is a conversation of so many messages of ten tokens.
func talk(roles ...string) []ctxmgr.ScoredMessage {
	out := make([]ctxmgr.ScoredMessage, len(roles))
	for i, role := range roles {
		out[i] = ctxmgr.ScoredMessage{Index: i, Role: role, Content: fmt.Sprint("message ", i), Tokens: 10}
	}
	return out
}

// packer has no reserve, so that its budget is what a test says.
func packer(budget int, s ctxmgr.PackingStrategy) *ctxmgr.ContextPacker {
	return &ctxmgr.ContextPacker{MaxTokens: budget, Strategy: s}
}

// (6) A call with several results kept the first at most, and the greedy fill
// kept results without their call.
func TestDefect06PairsStayTogether(t *testing.T) {
	ms := talk("user", "assistant", "tool", "tool", "tool", "assistant", "tool_result", "user", "assistant", "user", "assistant", "user", "assistant")
	ms[3].Content = "error: the proxy failed" // worth more than its call
	for _, s := range []ctxmgr.PackingStrategy{ctxmgr.StrategyRecent, ctxmgr.StrategyRelevance, ctxmgr.StrategyHybrid, ctxmgr.StrategyCompression} {
		for budget := 50; budget <= 130; budget += 5 {
			kept := packer(budget, s).Pack(ms, "proxy").KeptMessages
			for _, group := range [][]int{{1, 2, 3, 4}, {5, 6}} {
				n := 0
				for _, i := range group {
					if slices.Contains(kept, i) {
						n++
					}
				}
				if n != 0 && n != len(group) {
					t.Fatalf("%s, %d tokens: kept %v, a part of %v", s, budget, kept, group)
				}
			}
		}
	}
	ms[3].MustKeep = true
	if kept := packer(90, ctxmgr.StrategyHybrid).OptimalSelection(ms, 50); !slices.Equal(kept[:4], []int{1, 2, 3, 4}) {
		t.Errorf("kept %v: what a pin belongs to is missing", kept)
	}
}

// (7) By score for each token, ten tokens of chatter beat a long answer to the
// question.
func TestDefect07ValueNotDensity(t *testing.T) {
	ms := talk(slices.Repeat([]string{"user", "assistant"}, 20)...)
	ms[11].Content, ms[11].Tokens = "the proxy timeout comes from the dialer", 900
	r := packer(1_000, ctxmgr.StrategyRelevance).Pack(ms, "proxy timeout dialer")
	if !slices.Contains(r.KeptMessages, 11) {
		t.Errorf("kept %v: the answer is dropped for chatter", r.KeptMessages)
	}
	for i := range ms {
		ms[i].Score = 0.4
	}
	ms[11].Score = 0.9
	if kept := packer(0, "").OptimalSelection(ms, 905); !slices.Equal(kept, []int{11}) {
		t.Errorf("selected %v, want 11 alone", kept)
	}
}

// (8) Index was taken for the position: of a part of a conversation, kept
// messages were reported as dropped.
func TestDefect08IndexIsNoPosition(t *testing.T) {
	ms := talk("user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant", "user")
	for i := range ms {
		ms[i].Index += 100
	}
	r := packer(60, ctxmgr.StrategyRecent).Pack(ms, "")
	if diff := cmp.Diff([]int{100, 104, 105, 106, 107, 108}, r.KeptMessages); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{101, 102, 103}, r.DroppedMessages); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	for i := range ms {
		ms[i].Index = 0 // nobody filled it in
	}
	r = packer(60, ctxmgr.StrategyRecent).Pack(ms, "")
	if diff := cmp.Diff([]int{1, 2, 3}, r.DroppedMessages); diff != "" {
		t.Errorf("without indices (-want +got):\n%s", diff)
	}
}

// (9) What had to be kept went over the budget, and the result said 100 %.
func TestDefect09OverflowShows(t *testing.T) {
	ms := talk("user", "assistant")
	ms[0].Tokens = 140
	r := packer(100, ctxmgr.StrategyHybrid).Pack(ms, "")
	if r.Utilization != 1.5 || r.TotalTokens != 150 {
		t.Errorf("%d tokens, utilization %v: want 150, 1.5", r.TotalTokens, r.Utilization)
	}
	want := "Context Packing:\n  Kept: 2/2 messages (150/100 tokens, 150%)\n  Strategy: hybrid\n  Must-keep: 2 (pinned + tool pairs)\n"
	if diff := cmp.Diff(want, ctxmgr.PackingReport(r, ctxmgr.StrategyHybrid, 2, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// (10) Collapsing dropped all results of a message but the first, left calls
// without results, invented the id "collapsed", and took empty outputs for alike
// and a person's words for an error.
func TestDefect10CollapseKeepsResults(t *testing.T) {
	same := "FAIL: the same words\n" + strings.Repeat("at line 1\n", 20)
	call := func(ids ...string) ctxmgr.Message {
		m := ctxmgr.Message{Role: "assistant"}
		for _, id := range ids {
			m.ToolUse = append(m.ToolUse, ctxmgr.ToolCall{ID: id, Name: "bash"})
		}
		return m
	}
	in := []ctxmgr.Message{
		{Role: "user", Content: "Error handling is missing"}, {Role: "user", Content: "Error handling is missing"},
		call("1", "2"), {Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: "1", Content: same}, {ToolUseID: "2", Content: same}}},
		call("3"), {Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: "3", Content: same}}},
		call("4", "5", "6"), {Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: "4"}, {ToolUseID: "5"}, {ToolUseID: "6"}}},
	}
	want := slices.Clone(in)
	want[3].ToolResults = []ctxmgr.ToolResult{{ToolUseID: "1", Content: same}, {ToolUseID: "2", Content: "[same output as call 1]"}}
	if diff := cmp.Diff(want, ctxmgr.CollapseRepeatedMessages(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in[3].ToolResults[1].Content != same {
		t.Error("the input was changed")
	}
	failed := "no such file or directory: " + strings.Repeat("x", 60)
	errs := []ctxmgr.Message{
		call("7"), {Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: "7", Content: failed, IsError: true}}},
		call("8"), {Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: "8", Content: failed, IsError: true}}},
	}
	out := ctxmgr.CollapseRepeatedMessages(errs)
	if got := out[1].ToolResults[0].Content; got != "[same error as call 8, 1 of 2 times]" || out[3].ToolResults[0].Content != failed {
		t.Errorf("errors: %q, %q", got, out[3].ToolResults[0].Content)
	}
}

// (14) Negative sizes panicked, and the separators of a bar pushed its end out.
func TestDefect14AbsurdSizes(t *testing.T) {
	sizes := []int{math.MinInt, -1, 0, 1, 1_000, math.MaxInt}
	for _, window := range sizes {
		cv := ctxmgr.NewContextVisualizer(window)
		for _, n := range sizes {
			cv.Update([]ctxmgr.ContextSection{{Name: "memory", Tokens: n, Items: []ctxmgr.VizContextItem{{Label: "x", Tokens: n}}}, {Name: "plan", Tokens: 1}, {Name: "conversation", Tokens: n, Compressible: true}})
			for _, width := range []int{math.MinInt, 0, 10, 33, 10_000} {
				for _, line := range strings.Split(cv.RenderBar(width), "\n") {
					bar := line[strings.Index(line, "[")+1 : strings.Index(line, "]")]
					if got, want := render.Width(bar), max(width, 10); got != want {
						t.Fatalf("window %d, sections %d, width %d: a bar of %d cells", window, n, width, got)
					}
				}
				snapshot := cv.TakeSnapshot(1)
				cv.HistoryChart([]ctxmgr.ContextSnapshot{snapshot, {Turn: n, Percentage: math.NaN()}, {Percentage: math.Inf(1)}, {Percentage: -5}}, width)
			}
			cv.RenderCompact()
			cv.RenderDetailed()
			cv.Recommend()
			cv.WarnIfCritical()
		}
	}
	cv := ctxmgr.NewContextVisualizer(1_000)
	cv.Update([]ctxmgr.ContextSection{{Name: "conversation", Tokens: 1_120}})
	for _, got := range []string{cv.RenderBar(20), cv.RenderCompact(), cv.RenderDetailed(), cv.WarnIfCritical()} {
		if !strings.Contains(got, "112% !") {
			t.Errorf("an over-full window is not told: %s", got)
		}
	}
	// Budgets of windows below 14,300 tokens were negative.
	for size := -1; size < 40_000; size = size*2 + 3 {
		b := ctxmgr.NewContextBudget(size)
		for _, conversation := range []int{-1, 0, size / 2, size, math.MaxInt} {
			a := b.Allocate(conversation)
			parts := []int{a.SystemPrompt, a.ToolDefs, a.RepoMap, a.Memory, a.Workspace, a.PreloadedFiles, a.Conversation, a.OutputReserve, a.SafetyMargin, a.Remaining}
			sum := 0
			for _, n := range parts {
				sum += n
			}
			if slices.Min(parts) < 0 || sum != max(size, 0) {
				t.Fatalf("window %d, conversation %d: %+v adds up to %d", size, conversation, a, sum)
			}
		}
	}
}

// (16) Tokens were bytes: a text in Chinese came out at three quarters of a token
// for each character, and numbers at far too few.
func TestDefect16TokensAreCounted(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("上下文窗口管理 ", 100), strings.Repeat("0x7f3a,19283 ", 100), strings.Repeat("func f() { return } ", 50), strings.Repeat("plain words of English prose ", 50)} {
		want := tokens.O200k().Count(text)
		for name, got := range map[string]int{"TokenEstimate": ctxmgr.TokenEstimate(text), "EstimateTokensFromContent": ctxmgr.EstimateTokensFromContent(text)} {
			if got != want {
				t.Errorf("%s(%.20q) = %d, want %d", name, text, got, want)
			}
		}
	}
	cjk := strings.Repeat("上下文窗口管理", 100)
	if got := ctxmgr.TokenEstimate(cjk); math.Abs(float64(got)/float64(len(cjk)/4)-1) < 0.1 {
		t.Errorf("%d tokens are what the bytes say: the test has lost its point", got)
	}
	cd := ctxmgr.NewContextDecay(0)
	cd.Add(cjk, "", 0)
	if got := cd.Stats().TotalTokens; got != tokens.O200k().Count(cjk) {
		t.Errorf("a note takes %d tokens", got)
	}
}

// (17) Ceilings were made for windows of 200,000 tokens: of a million, files got
// 30,000 and the answer 20,000.
func TestDefect17LargeWindows(t *testing.T) {
	b := ctxmgr.NewContextBudget(1_000_000)
	if b.PreloadedFiles != 150_000 || b.OutputReserve != 100_000 {
		t.Errorf("of a million tokens files get %d and the answer %d, want 150000 and 100000", b.PreloadedFiles, b.OutputReserve)
	}
}
