package ctxmgr_test

import (
	"context"
	"fmt"
	"time"

	"github.com/satchel-dev/satchel/ctxmgr"
)

// Files make room for a conversation as it grows.
func ExampleContextBudget() {
	b := ctxmgr.NewContextBudget(200_000)
	for _, conversation := range []int{0, 60_000, 150_000} {
		a := b.Allocate(conversation)
		fmt.Println(conversation, a.PreloadedFiles, a.Conversation, b.ShouldCompact(conversation))
	}
	// Output:
	// 0 30000 121500 false
	// 60000 21520 129980 false
	// 150000 10000 141500 true
}

func ExampleContextBudget_UsageReport() {
	fmt.Print(ctxmgr.NewContextBudget(32_000).UsageReport(20_000))
	// Output:
	// Context Budget (32000 tokens total)
	// ────────────────────────────────────────────
	//   System Prompt          3000  ( 9.4%)
	//   Tool Definitions       2000  ( 6.2%)
	//   Repository Map         2000  ( 6.2%)
	//   Memory                 1000  ( 3.1%)
	//   Workspace               300  ( 0.9%)
	//   Preloaded Files        2000  ( 6.2%)
	//   Conversation          15460  (48.3%)
	//   Output Reserve         4000  (12.5%)
	//   Safety Margin          2240  ( 7.0%)
	// ────────────────────────────────────────────
	//   Remaining                 0
	//
	// Conversation: 20000 / 15460 tokens [COMPACT NEEDED]
}

// What is pinned stays, and the rest fades.
func ExampleContextDecay() {
	cd := ctxmgr.NewContextDecay(30 * time.Minute)
	cd.Pin(cd.Add("API uses sqlite", "decision", 5))
	cd.Add("old idea", "note", 3)
	cd.Entries[1].LastAccessed = time.Now().Add(-90 * time.Minute)
	fmt.Print(cd.BuildContext(100))
	// Output:
	// Context (decayed):
	// ─────────────────
	// [1.00] 📌 API uses sqlite
	// [0.12] old idea (fading)
}

// A call and its results are kept together or not at all.
func ExampleContextPacker_Pack() {
	messages := []ctxmgr.ScoredMessage{
		{Index: 0, Role: "user", Content: "the proxy times out", Tokens: 10},
		{Index: 1, Role: "assistant", Content: "I read the dialer", Tokens: 10},
		{Index: 2, Role: "tool", Content: "func dial() …", Tokens: 200},
		{Index: 3, Role: "tool", Content: "func proxy() …", Tokens: 200},
		{Index: 4, Role: "assistant", Content: "it has no deadline", Tokens: 10},
		{Index: 5, Role: "user", Content: "add one", Tokens: 10},
		{Index: 6, Role: "assistant", Content: "done", Tokens: 10},
		{Index: 7, Role: "user", Content: "and a test", Tokens: 10},
	}
	cp := ctxmgr.NewContextPacker(4_096 + 300)
	r := cp.Pack(messages, "test the proxy")
	fmt.Println(r.KeptMessages, r.DroppedMessages)
	fmt.Println(r.Summary)
	fmt.Print(ctxmgr.PackingReport(r, cp.Strategy, len(messages), 5))
	// Output:
	// [0 4 5 6 7] [1 2 3]
	// Earlier: 3 messages dropped; 2 tool calls; 1 assistant messages; topics: I read the dialer
	// Context Packing:
	//   Kept: 5/8 messages (50/300 tokens, 17%)
	//   Dropped: 3 messages (summarized)
	//   Strategy: hybrid
	//   Must-keep: 5 (pinned + tool pairs)
}

func ExampleCollapseRepeatedMessages() {
	var msgs []ctxmgr.Message
	for i := range 3 {
		id := fmt.Sprint("call_", i)
		msgs = append(msgs,
			ctxmgr.Message{Role: "assistant", ToolUse: []ctxmgr.ToolCall{{ID: id, Name: "bash"}}},
			ctxmgr.Message{Role: "user", ToolResults: []ctxmgr.ToolResult{{ToolUseID: id, Content: "ok  example.com/app/internal/proxy"}}})
	}
	for _, m := range ctxmgr.CollapseRepeatedMessages(msgs) {
		for _, r := range m.ToolResults {
			fmt.Println(r.ToolUseID, r.Content)
		}
	}
	// Output:
	// call_0 ok  example.com/app/internal/proxy
	// call_1 [same output as call call_0]
	// call_2 ok  example.com/app/internal/proxy
}

// filled is a window of 200,000 tokens, 84,000 of which are used.
func filled() *ctxmgr.ContextVisualizer {
	cv := ctxmgr.NewContextVisualizer(200_000)
	cv.Update([]ctxmgr.ContextSection{
		{Name: "system_prompt", Tokens: 4_000},
		{Name: "conversation", Tokens: 80_000, Items: []ctxmgr.VizContextItem{{Label: "turn 1", Tokens: 30_000}, {Label: "turn 2", Tokens: 50_000, Truncated: true}}},
	})
	return cv
}

func ExampleContextVisualizer() {
	cv := filled()
	fmt.Println(cv.RenderBar(20))
	fmt.Println(cv.RenderCompact())
	fmt.Println(cv.Recommend()[0])
	// Output:
	// Context: [████████░░░░░░░░░░░░] 42% used (84,000/200,000)
	//          [s|█conv██|░░░free░░░]
	// [42% | sys:2% conv:40% | 116K free]
	// conversation takes 80.0k tokens (40% of the window): consider compacting it
}

func ExampleContextVisualizer_RenderDetailed() {
	fmt.Print(filled().RenderDetailed())
	// Output:
	// Context Window Usage (84,000 / 200,000 tokens — 42%)
	// ═══════════════════════════════════════════════════
	// Section                  Tokens      %  Usage
	// ─────────────────────────────────────────────────
	// System Prompt             4,000   2.0%  █
	// Conversation             80,000  40.0%  ████████████████████
	//   ├─ turn 1             30,000
	//   └─ turn 2             50,000 [truncated]
	// Available               116,000  58.0%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
}

func ExampleContextVisualizer_HistoryChart() {
	cv := ctxmgr.NewContextVisualizer(200_000)
	var history []ctxmgr.ContextSnapshot
	for i, tokens := range []int{16_000, 156_000, 192_000, 56_000} {
		cv.Update([]ctxmgr.ContextSection{{Name: "conversation", Tokens: tokens}})
		history = append(history, cv.TakeSnapshot(8+i))
		if warning := cv.WarnIfCritical(); warning != "" {
			fmt.Println(warning)
		}
	}
	fmt.Print(cv.HistoryChart(history, 20))
	// Output:
	// CRIT Context 96% full — compacting now
	// Turn  8: [██░░░░░░░░░░░░░░░░░░]  8%
	// Turn  9: [████████████████░░░░] 78%
	// Turn 10: [███████████████████░] 96%  ← compacted
	// Turn 11: [██████░░░░░░░░░░░░░░] 28%
}

// Where a program keeps files of its own, it names them by absolute paths.
func ExampleReadOnlyContext() {
	rc := ctxmgr.NewReadOnlyContext(1_000)
	if err := rc.AddFile("testdata/spec.md", ctxmgr.WithPinned(), ctxmgr.WithAutoRefresh()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(rc.IsReadOnly("testdata/../testdata/spec.md"), rc.IsReadOnly("testdata/other.md"))
	fmt.Print(rc.BuildContextBlock())
	// Output:
	// true false
	// ## Read-Only Context Files (do NOT modify these)
	//
	// ### testdata/spec.md:1-1
	// ```
	// The proxy gives up after a minute.
	// ```
}

// A provider of your own is one with four methods.
type weather struct{}

func (weather) Name() string        { return "weather" }
func (weather) Description() string { return "what it is like outside" }
func (weather) TokenBudget() int    { return 50 }
func (weather) Gather(_ context.Context, query string) ([]ctxmgr.ContextItem, error) {
	return []ctxmgr.ContextItem{{Source: "weather", Title: "today", Content: "rain, all day", Relevance: 0.2}}, nil
}

func ExampleContextManager() {
	cm := ctxmgr.NewContextManager(500)
	cm.Register(weather{})
	items, err := cm.GatherAll(context.Background(), "what to wear")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(ctxmgr.FormatContextItems(items))
	// Output:
	// ## Relevant Context
	//
	// ### [Source: weather] today
	// rain, all day
}
