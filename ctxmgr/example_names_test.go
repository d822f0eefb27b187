package ctxmgr_test

import (
	"fmt"
	"time"

	"github.com/satchel-dev/satchel/ctxmgr"
)

// What is of use weighs more again, what nobody needs goes.
func ExampleContextDecay_Access() {
	cd := ctxmgr.NewContextDecay(30 * time.Minute)
	rule := cd.Add("API uses sqlite", "decision", 5)
	idea := cd.Add("old idea", "note", 3)
	cd.Pin(rule)
	cd.Unpin(rule)
	for i := range cd.Entries {
		cd.Entries[i].LastAccessed = time.Now().Add(-time.Hour)
	}

	_, before := cd.Get(idea)
	cd.Access(idea)
	_, after := cd.Get(idea)
	fmt.Printf("%.2f, then %.2f\n", before, after)

	cd.ApplyDecay()
	fmt.Print(cd.FormatEntries(cd.GetTopN(1)))
	fmt.Println(len(cd.GetByBudget(7)), "of", cd.Stats().TotalEntries, "fit;", cd.Prune(0.3), "went")
	// Output:
	// 0.25, then 0.62
	// Context (decayed):
	// ─────────────────
	// [0.62] old idea
	// 1 of 2 fit; 1 went
}

// A packer says what each message is worth, and which of them fit a budget.
func ExampleContextPacker_ScoreMessage() {
	messages := []ctxmgr.ScoredMessage{
		{Index: 0, Role: "user", Content: "the proxy times out", Tokens: 10},
		{Index: 1, Role: "assistant", Content: "the weather is fine", Tokens: 400},
		{Index: 2, Role: "user", Content: "add a deadline to the proxy", Tokens: 10},
	}
	for _, strategy := range []ctxmgr.PackingStrategy{ctxmgr.StrategyRecent, ctxmgr.StrategyRelevance, ctxmgr.StrategyCompression, ctxmgr.StrategyHybrid} {
		cp := ctxmgr.NewContextPacker(8_000)
		cp.Strategy = strategy
		for i := range messages {
			messages[i].Score = cp.ScoreMessage(messages[i], "proxy deadline", i, len(messages))
		}
		fmt.Println(strategy, cp.OptimalSelection(messages, 100), messages[2].Score > messages[1].Score)
	}
	fmt.Println(ctxmgr.SummarizeDropped(messages[1:2]))
	// Output:
	// recent [0 2] true
	// relevance [0 2] true
	// compression [0 2] true
	// hybrid [0 2] true
	// Earlier: 1 messages dropped; 1 assistant messages; topics: the weather is fine
}

// Files are added by patterns too, and go again to make room.
func ExampleReadOnlyContext_Evict() {
	rc := ctxmgr.NewReadOnlyContext(1_000)
	if err := rc.AddPattern("testdata/*.md"); err != nil {
		fmt.Println(err)
	}
	if err := rc.RefreshStale(); err != nil {
		fmt.Println(err)
	}
	s := rc.Stats()
	fmt.Println(s.TotalFiles, "file,", s.TotalTokens, "tokens,", len(rc.Evict()), "evicted")
	rc.RemoveFile("testdata/spec.md")
	fmt.Println(len(rc.Files), "left")
	// Output:
	// 1 file, 8 tokens, 0 evicted
	// 0 left
}

// The providers of the package, and how many tokens each may take.
func ExampleContextProvider() {
	for _, p := range []ctxmgr.ContextProvider{
		&ctxmgr.GitContextProvider{}, &ctxmgr.FileContextProvider{}, &ctxmgr.DependencyContextProvider{},
		&ctxmgr.ErrorContextProvider{}, &ctxmgr.EnvironmentContextProvider{},
	} {
		fmt.Println(p.Name(), p.TokenBudget())
	}
	items := []ctxmgr.ContextItem{{Title: "log", TokenCount: 80, Relevance: 0.2}, {Title: "trace", TokenCount: 60, Relevance: 0.9}}
	fmt.Println(len(ctxmgr.PrioritizeItems(items, 100)), "of", len(items), "items fit")
	fmt.Println(ctxmgr.SuggestFiles("testdata"))
	// Output:
	// git 500
	// files 300
	// dependencies 300
	// errors 400
	// environment 200
	// 1 of 2 items fit
	// []
}

func ExampleTokenEstimate() {
	fmt.Println(ctxmgr.TokenEstimate("the proxy times out"), ctxmgr.EstimateTokensFromContent("the proxy times out"))
	fmt.Println(ctxmgr.NewContextBudget(200_000).FilesBudget(20_000))
	// Output:
	// 4 4
	// 27174
}
