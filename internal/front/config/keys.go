package config

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/store/index"
)

// Keys lists the settings in display order.
var Keys = []*Key{
	{Name: "budget", Use: "token limit: 16k, 40%, 200000 or auto; 0 means no limit", Repository: lowers, lower: lowerBudget,
		check: func(c *Config) error { _, err := budget.Parse(c.Budget); return err }},
	{Name: "model", Use: "count in tokens of this model; 40% and auto refer to its window", Repository: refuses, Why: whyModel},
	{Name: "format", Use: "output format: md, xml, json or plain", Repository: refuses, Why: whyTaste,
		check: func(c *Config) error { return oneOf(c.Format, "md", "xml", "json", "plain") }},
	{Name: "detail", Use: "most detail to show: full, trimmed, outline or mention", Repository: refuses, Why: whyTaste,
		check: func(c *Config) error { _, err := satchel.ParseDetail(c.Detail); return err }},
	{Name: "fill", Use: "fill the budget of a pack, even with weak matches", Repository: refuses, Why: whyCost},
	{Name: "diff-profile", Use: "scoring profile of satchel diff: default, iris or iris-v2", Repository: refuses, Why: whyTaste,
		check: func(c *Config) error { return oneOf(c.DiffProfile, "default", "iris", "iris-v2") }},
	{Name: "exclude", Use: "leave out paths that match this pattern (repeatable)", Repository: adds,
		check: func(c *Config) error { return index.CheckPatterns(c.Exclude) }},
	{Name: "unignore", Use: "include paths that match, although ignored (repeatable)", Repository: refuses, Why: whyWidens,
		check: func(c *Config) error { return index.CheckPatterns(c.Unignore) }},
	{Name: "no-ai-ignore", Use: "disregard .cursorignore, .aiexclude and similar files", Repository: refuses, Why: whyWidens},
	{Name: "submodules", Use: "include the files of checked-out submodules", Repository: refuses, Why: whyWidens},
	{Name: "weights", Use: "multiply the weights of ranking signals: NAME=FACTOR,…", Repository: sets,
		check: func(c *Config) error { return knownWeights(c.Weights) }},
	{Name: "docs", Use: "most documents to quote; 0 ranks documents as other files", Repository: lowers, lower: lowerDocs},
	{Name: "docs-share", Use: "share of the budget for documents; 0 is 30 to 40%, by task", Repository: lowers, lower: lowerDocsShare},
	{Name: "vault", Use: "folder of documents outside the repository, read only", Repository: refuses, Why: whyFolder},
	{Name: "max-file-bytes", Use: "largest file to read, in bytes", Repository: refuses, Why: whyCost},
	{Name: "max-files", Use: "most files to read; the deepest are left out first", Repository: refuses, Why: whyCost},
	{Name: "history-commits", Use: "number of newest commits to read", Repository: refuses, Why: whyCost},
	{Name: "git-timeout", Use: "seconds to wait for git; 0 is 60, or 10 in hooks and mcp", Repository: refuses, Why: whyCost},
	{Name: "cache-dir", Use: "keep the index in this folder (default inside .git)", Repository: refuses, Why: whyFolder},
	{Name: "with", Use: "add to packs: git, recent, errors, dependencies, environment (repeatable)", Repository: refuses, Why: whyWidens,
		check: func(c *Config) error { return providers(c.With) }},
	{Name: "snapshot", Use: "keep each pack as a snapshot", Repository: refuses, Why: whyKept},
	{Name: "retention", Use: "protect the bytes of snapshots from git gc: chain or none", Repository: refuses, Why: whyKept,
		check: func(c *Config) error { _, err := archive.ParseRetention(c.Retention); return err }},
	{Name: "no-cache", Use: "keep the index in memory only", Repository: refuses, Why: whyCost},
	{Name: "any-folder", Use: "also read folders that are not projects, such as your home", Repository: refuses, Why: whyWidens},
	{Name: "prompt-characters", Use: "most characters that hooks add to a prompt; 0 adds nothing", Repository: lowers,
		check: func(c *Config) error { return promptCharacters(c.PromptCharacters) }},
	{Name: "last-prompts", Use: "number of prompts kept for the command last; 0 keeps none", Repository: lowers,
		check: func(c *Config) error { return atMost(c.LastPrompts, mostLastPrompts) }},
	{Name: "color", Use: "color the output: auto, always or never", Repository: refuses, Why: whyTaste,
		check: func(c *Config) error { return oneOf(c.Color, "auto", "always", "never") }},
	keyPager,
	{Name: "task-from", Use: "command that prints the task; {issue} is the value of --issue", Repository: refuses, Why: whyRuns,
		check: func(c *Config) error { return oneLine(c.TaskFrom) }},
	{Name: "build", Use: "command that builds the project, for the agent of satchel run", Repository: refuses, Why: whyRuns,
		check: func(c *Config) error { return oneLine(c.Build) }},
	{Name: "test", Use: "command that tests the project, for the agent of satchel run", Repository: refuses, Why: whyRuns,
		check: func(c *Config) error { return oneLine(c.Test) }},
	{Name: "quiet", Use: "print only the result and errors", Repository: refuses, Why: whyTaste},
	{Name: "models", Use: "more models: name, family, window and output of each", Repository: refuses, Why: whyModel},
	{Name: "prices", Use: "cost per million tokens of a model or name prefix: input, output, cache-read, cache-write and currency",
		Repository: refuses, Why: whyModel},
	keyLLM,
	{Name: "turns", Use: "most answers of a model in one command; 0 depends on the command", Repository: refuses, Why: whyCost},
	{Name: "parallel", Use: "number of readers that share the work: auto, never or 1 to 10", Repository: refuses, Why: whyCost,
		check: func(c *Config) error { return readers(c.Parallel) }},
	{Name: "language", Use: "language that a model writes in, such as de or pt-BR", Repository: refuses, Why: whyTaste,
		check: func(c *Config) error { return languageTag(c.Language) }},
}

var keyLLM = &Key{Name: "llm", Use: "models to ask, each with url, kind and model; none by default", Repository: refuses, Why: whySends}

var keyPager = &Key{Name: "pager", Use: "command that pages long output on a terminal", Repository: refuses, Why: whyRuns}
