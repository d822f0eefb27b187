package config

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/store/index"
)

// Keys lists the settings in the order in which people want to read them.
var Keys = []*Key{
	{
		Name: "budget", Use: "tokens that a pack may use: 16k, 40%, 200000, auto, or 0 for no limit",
		Repository: lowers, lower: lowerBudget,
		field: func(c *Config) any { return &c.Budget },
		check: func(c *Config) error { _, err := budget.Parse(c.Budget); return err },
	},
	{
		Name: "model", Use: "the model whose window a percentage or auto is a share of",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Model },
	},
	{
		Name: "reserve", Use: "tokens of the window kept free for the response",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Reserve },
		check: func(c *Config) error { return notNegative(c.Reserve) },
	},
	{
		Name: "auto-floor", Use: "share of the window that --budget auto uses at least",
		Repository: lowers, lower: func(old, next *Config) error { return lowerShare(old.AutoFloor, next.AutoFloor) },
		field: func(c *Config) any { return &c.AutoFloor },
		check: func(c *Config) error { return share(c.AutoFloor) },
	},
	{
		Name: "auto-ceiling", Use: "share of the window that --budget auto uses at most",
		Repository: lowers, lower: func(old, next *Config) error { return lowerShare(old.AutoCeiling, next.AutoCeiling) },
		field: func(c *Config) any { return &c.AutoCeiling },
		check: func(c *Config) error { return share(c.AutoCeiling) },
	},
	{
		Name: "pressure-show", Use: "share of a session's window from which its pressure is reported",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.PressureShow },
		check: func(c *Config) error { return shareOrNone(c.PressureShow) },
	},
	{
		Name: "pressure-note", Use: "share above which a report says that older turns are summarized",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.PressureNote },
		check: func(c *Config) error { return shareOrNone(c.PressureNote) },
	},
	{
		Name: "pressure-warn", Use: "share above which a report warns that the window is nearly full",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.PressureWarn },
		check: func(c *Config) error { return shareOrNone(c.PressureWarn) },
	},
	{
		Name: "format", Use: "md, xml, json or plain",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Format },
		check: func(c *Config) error { return oneOf(c.Format, "md", "xml", "json", "plain") },
	},
	{
		Name: "detail", Use: "the most that is shown of anything: full, trimmed, outline or mention",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Detail },
		check: func(c *Config) error { _, err := satchel.ParseDetail(c.Detail); return err },
	},
	{
		Name: "exclude", Use: "leave out paths that match this pattern, as in a .gitignore (repeatable)",
		Repository: adds,
		field:      func(c *Config) any { return &c.Exclude },
		check:      func(c *Config) error { return index.CheckPatterns(c.Exclude) },
	},
	{
		Name: "unignore", Use: "take in paths that match this pattern although a rule leaves them out (repeatable)",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.Unignore },
		check: func(c *Config) error { return index.CheckPatterns(c.Unignore) },
	},
	{
		Name: "no-ai-ignore", Use: "ignore files of AI tools (.cursorignore, .aiexclude and the like) have no effect",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.NoAiIgnore },
	},
	{
		Name: "submodules", Use: "take in the files of submodules that are checked out",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.Submodules },
	},
	{
		Name: "weights", Use: "multiply the weight of ranking signals: NAME=FACTOR,…",
		Repository: sets,
		field:      func(c *Config) any { return &c.Weights },
		check:      func(c *Config) error { return knownWeights(c.Weights) },
	},
	{
		Name: "docs", Use: "show sections of up to N documents, fewer for a simple task; 0 treats documents as other files",
		Repository: lowers, lower: func(old, next *Config) error { return lowerDocs(old.Docs, next.Docs) },
		field: func(c *Config) any { return &c.Docs },
		check: func(c *Config) error { return notNegative(c.Docs) },
	},
	{
		Name: "docs-share", Use: "share of the budget that documents may take; 0 is 30 to 40%, by the task",
		Repository: lowers, lower: lowerDocsShare,
		field: func(c *Config) any { return &c.DocsShare },
		check: func(c *Config) error { return shareOrNone(c.DocsShare) },
	},
	{
		Name: "docs-depth", Use: "how many links are followed from the documents that the task names",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.DocsDepth, next.DocsDepth) },
		field: func(c *Config) any { return &c.DocsDepth },
		check: func(c *Config) error { return notNegative(c.DocsDepth) },
	},
	{
		Name: "docs-links", Use: "let [[names]], links and paths in the task name documents",
		Repository: lowers, lower: func(old, next *Config) error { return lowerSwitch(old.DocsLinks, next.DocsLinks) },
		field: func(c *Config) any { return &c.DocsLinks },
	},
	{
		Name: "docs-search", Use: "find documents by the words of the task too",
		Repository: lowers, lower: func(old, next *Config) error { return lowerSwitch(old.DocsSearch, next.DocsSearch) },
		field: func(c *Config) any { return &c.DocsSearch },
	},
	{
		Name: "docs-file-bytes", Use: "documents larger than this are not offered; 0 is no limit but max-file-bytes",
		Repository: lowers, lower: lowerDocsFileBytes,
		field: func(c *Config) any { return &c.DocsFileBytes },
		check: func(c *Config) error { return notNegative(c.DocsFileBytes) },
	},
	{
		Name: "vault", Use: "a folder of documents outside the repository, which is only read",
		Repository: refuses, Why: whyFolder,
		field: func(c *Config) any { return &c.Vault },
	},
	{
		Name: "max-file-bytes", Use: "files larger than this are left out",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.MaxFileBytes },
		check: func(c *Config) error { return notNegative(c.MaxFileBytes) },
	},
	{
		Name: "max-files", Use: "of more files, those deepest in the tree are not looked at",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.MaxFiles },
		check: func(c *Config) error { return notNegative(c.MaxFiles) },
	},
	{
		Name: "history-commits", Use: "how many of the newest commits are read",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.HistoryCommits },
		check: func(c *Config) error { return notNegative(c.HistoryCommits) },
	},
	{
		Name: "git-timeout", Use: "for how many seconds git may be silent; 0 is 60, and 10 in hooks and satchel mcp",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.GitTimeout },
		check: func(c *Config) error { return notNegative(c.GitTimeout) },
	},
	{
		Name: "cache-dir", Use: "where the index is kept instead of inside the repository's .git",
		Repository: refuses, Why: whyFolder,
		field: func(c *Config) any { return &c.CacheDir },
	},
	{
		Name: "with", Use: "tell in packs about git, recent, errors, dependencies, environment (repeatable)",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.With },
		check: func(c *Config) error { return providers(c.With) },
	},
	{
		Name: "snapshot", Use: "keep each pack as a snapshot",
		Repository: refuses, Why: whyKept,
		field: func(c *Config) any { return &c.Snapshot },
	},
	{
		Name: "retention", Use: "what keeps the bytes of a snapshot from git gc: chain or none",
		Repository: refuses, Why: whyKept,
		field: func(c *Config) any { return &c.Retention },
		check: func(c *Config) error { _, err := archive.ParseRetention(c.Retention); return err },
	},
	{
		Name: "no-cache", Use: "keep the index in memory only",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.NoCache },
	},
	{
		Name: "any-folder", Use: "also read a folder that is not a project, such as your home folder",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.AnyFolder },
	},
	{
		Name: "prompt-characters", Use: "the most that hooks put beside a prompt; 0 puts nothing there",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.PromptCharacters, next.PromptCharacters) },
		field: func(c *Config) any { return &c.PromptCharacters },
		check: func(c *Config) error { return promptCharacters(c.PromptCharacters) },
	},
	{
		Name: "last-prompts", Use: "of how many prompts satchel last can say what they were given; 0 keeps nothing",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.LastPrompts, next.LastPrompts) },
		field: func(c *Config) any { return &c.LastPrompts },
		check: func(c *Config) error { return atMost(c.LastPrompts, mostLastPrompts) },
	},
	{
		Name: "statusline-prompt", Use: "say in the status line what hooks put beside the session's last prompt",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.StatuslinePrompt },
	},
	{
		Name: "color", Use: "auto, always or never",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Color },
		check: func(c *Config) error { return oneOf(c.Color, "auto", "always", "never") },
	},
	keyPager,
	{
		Name: "task-from", Use: "the command that prints the task of satchel run; {issue} stands for --issue",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.TaskFrom },
		check: func(c *Config) error { return oneLine(c.TaskFrom) },
	},
	{
		Name: "build", Use: "the command that builds the project, as satchel run tells the agent",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.Build },
		check: func(c *Config) error { return oneLine(c.Build) },
	},
	{
		Name: "test", Use: "the command that tests the project, as satchel run tells the agent",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.Test },
		check: func(c *Config) error { return oneLine(c.Test) },
	},
	{
		Name: "quiet", Use: "print nothing but the result and errors",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Quiet },
	},
	{
		Name: "models", Use: "more models: name, family, window and output of each",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Models },
	},
	{
		Name: "prices", Use: "what a million tokens of a model, or of those whose names begin so, cost: input, output, cache-read, cache-write and currency of each",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Prices },
	},
	keyLLM,
	{
		Name: "subagent-timeout", Use: "how many seconds each of the questions may take that are asked side by side",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.SubagentTimeout },
		check: func(c *Config) error { return between(c.SubagentTimeout, 1, 3600) },
	},
	{
		Name: "subagent-turns", Use: "how many turns each of them may take",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.SubagentTurns },
		check: func(c *Config) error { return between(c.SubagentTurns, 1, 100) },
	},
}

var keyLLM = &Key{
	Name: "llm", Use: "the models that commands ask: url, kind and model of each, and more; without one nothing is sent anywhere",
	Repository: refuses, Why: whySends,
	field: func(c *Config) any { return &c.LLMs },
}

var keyPager = &Key{
	Name: "pager", Use: "the command that pages long output on a terminal",
	Repository: refuses, Why: whyRuns,
	field: func(c *Config) any { return &c.Pager },
}
