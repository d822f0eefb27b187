// Package ctxmgr is the Go interface of hawk's context manager, name by name,
// over the stages of satchel: a program that was written for hawk's package runs
// on ours when its import is changed.
//
// Only packing and collapsing messages are implemented here. Budgets come from
// package budget, decay from rank, pictures from render, and read-only files and
// providers from the engine. Where hawk is wrong the results differ; docs/design/012-ctxmgr.md
// lists each difference with its reason. A [Message] corresponds to hawk's
// EyrieMessage.
//
// [ContextDecay], [ContextVisualizer], [ReadOnlyContext] and [ContextManager] are
// safe for concurrent use as long as nobody touches their exported fields at the
// same time. Their methods return copies. All else is values.
//
// It is the only package of satchel that reads the clock by itself, since hawk's
// functions take no time. New programs should use the stages.
package ctxmgr

import "github.com/satchel-dev/satchel/tokens"

// EstimateTokensFromContent returns how many tokens a text takes. It counts by
// o200k_base: exactly for OpenAI's models, and see [tokens.Model.Count] for
// others.
func EstimateTokensFromContent(content string) int { return tokens.O200k().Count(content) }

// TokenEstimate is the same as [EstimateTokensFromContent].
func TokenEstimate(content string) int { return EstimateTokensFromContent(content) }
