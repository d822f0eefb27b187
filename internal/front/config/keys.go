package config

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/store/index"
)

// Keys lists the settings in display order.
var Keys = []*Key{
	{
		Name: "budget", Use: "token limit: 16k, 40%, 200000 or auto; 0 means no limit",
		Repository: lowers, lower: lowerBudget,
		field: func(c *Config) any { return &c.Budget },
		check: func(c *Config) error { _, err := budget.Parse(c.Budget); return err },
	},
	{
		Name: "model", Use: "model whose window a budget of 40% or auto refers to",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Model },
	},
	{
		Name: "reserve", Use: "tokens of the window to keep free for the response",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Reserve },
		check: func(c *Config) error { return notNegative(c.Reserve) },
	},
	{
		Name: "format", Use: "output format: md, xml, json or plain",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Format },
		check: func(c *Config) error { return oneOf(c.Format, "md", "xml", "json", "plain") },
	},
	{
		Name: "detail", Use: "most detail to show: full, trimmed, outline or mention",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Detail },
		check: func(c *Config) error { _, err := satchel.ParseDetail(c.Detail); return err },
	}, {
		Name: "fill", Use: "fill the budget of a pack, even with weak matches",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.Fill },
	},
	{
		Name: "diff-profile", Use: "scoring profile of satchel diff: default, iris or iris-v2",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.DiffProfile },
		check: func(c *Config) error { return oneOf(c.DiffProfile, "default", "iris", "iris-v2") },
	},

	{
		Name: "exclude", Use: "leave out paths that match this pattern (repeatable)",
		Repository: adds,
		field:      func(c *Config) any { return &c.Exclude },
		check:      func(c *Config) error { return index.CheckPatterns(c.Exclude) },
	},
	{
		Name: "unignore", Use: "include paths that match, although ignored (repeatable)",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.Unignore },
		check: func(c *Config) error { return index.CheckPatterns(c.Unignore) },
	},
	{
		Name: "no-ai-ignore", Use: "disregard .cursorignore, .aiexclude and similar files",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.NoAiIgnore },
	},
	{
		Name: "submodules", Use: "include the files of checked-out submodules",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.Submodules },
	},
	{
		Name: "weights", Use: "multiply the weights of ranking signals: NAME=FACTOR,…",
		Repository: sets,
		field:      func(c *Config) any { return &c.Weights },
		check:      func(c *Config) error { return knownWeights(c.Weights) },
	},
	{
		Name: "docs", Use: "most documents to quote; 0 ranks documents as other files",
		Repository: lowers, lower: func(old, next *Config) error { return lowerDocs(old.Docs, next.Docs) },
		field: func(c *Config) any { return &c.Docs },
		check: func(c *Config) error { return notNegative(c.Docs) },
	},
	{
		Name: "docs-share", Use: "share of the budget for documents; 0 is 30 to 40%, by task",
		Repository: lowers, lower: lowerDocsShare,
		field: func(c *Config) any { return &c.DocsShare },
		check: func(c *Config) error { return shareOrNone(c.DocsShare) },
	},
	{
		Name: "docs-depth", Use: "links to follow from the documents that a task names",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.DocsDepth, next.DocsDepth) },
		field: func(c *Config) any { return &c.DocsDepth },
		check: func(c *Config) error { return notNegative(c.DocsDepth) },
	},
	{
		Name: "vault", Use: "folder of documents outside the repository, read only",
		Repository: refuses, Why: whyFolder,
		field: func(c *Config) any { return &c.Vault },
	},
	{
		Name: "max-file-bytes", Use: "largest file to read, in bytes",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.MaxFileBytes },
		check: func(c *Config) error { return notNegative(c.MaxFileBytes) },
	},
	{
		Name: "max-files", Use: "most files to read; the deepest are left out first",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.MaxFiles },
		check: func(c *Config) error { return notNegative(c.MaxFiles) },
	},
	{
		Name: "history-commits", Use: "number of newest commits to read",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.HistoryCommits },
		check: func(c *Config) error { return notNegative(c.HistoryCommits) },
	},
	{
		Name: "git-timeout", Use: "seconds to wait for git; 0 is 60, or 10 in hooks and mcp",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.GitTimeout },
		check: func(c *Config) error { return notNegative(c.GitTimeout) },
	},
	{
		Name: "cache-dir", Use: "keep the index in this folder (default inside .git)",
		Repository: refuses, Why: whyFolder,
		field: func(c *Config) any { return &c.CacheDir },
	},
	{
		Name: "with", Use: "add to packs: git, recent, errors, dependencies, environment (repeatable)",
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
		Name: "retention", Use: "protect the bytes of snapshots from git gc: chain or none",
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
		Name: "any-folder", Use: "also read folders that are not projects, such as your home",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.AnyFolder },
	},
	{
		Name: "prompt-characters", Use: "most characters that hooks add to a prompt; 0 adds nothing",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.PromptCharacters, next.PromptCharacters) },
		field: func(c *Config) any { return &c.PromptCharacters },
		check: func(c *Config) error { return promptCharacters(c.PromptCharacters) },
	},
	{
		Name: "last-prompts", Use: "prompts that satchel last remembers; 0 keeps none",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.LastPrompts, next.LastPrompts) },
		field: func(c *Config) any { return &c.LastPrompts },
		check: func(c *Config) error { return atMost(c.LastPrompts, mostLastPrompts) },
	},
	{
		Name: "color", Use: "color the output: auto, always or never",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Color },
		check: func(c *Config) error { return oneOf(c.Color, "auto", "always", "never") },
	},
	keyPager,
	{
		Name: "task-from", Use: "command that prints the task; {issue} is the value of --issue",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.TaskFrom },
		check: func(c *Config) error { return oneLine(c.TaskFrom) },
	},
	{
		Name: "build", Use: "command that builds the project, for the agent of satchel run",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.Build },
		check: func(c *Config) error { return oneLine(c.Build) },
	},
	{
		Name: "test", Use: "command that tests the project, for the agent of satchel run",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.Test },
		check: func(c *Config) error { return oneLine(c.Test) },
	},
	{
		Name: "quiet", Use: "print only the result and errors",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Quiet },
	},
	{
		Name: "models", Use: "more models: name, family, window and output of each",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Models },
	},
	{
		Name: "prices", Use: "cost per million tokens of a model or name prefix: input, output, cache-read, cache-write and currency",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Prices },
	},
	keyLLM,
}

var keyLLM = &Key{
	Name: "llm", Use: "models to ask, each with url, kind and model; none by default",
	Repository: refuses, Why: whySends,
	field: func(c *Config) any { return &c.LLMs },
}

var keyPager = &Key{
	Name: "pager", Use: "command that pages long output on a terminal",
	Repository: refuses, Why: whyRuns,
	field: func(c *Config) any { return &c.Pager },
}
