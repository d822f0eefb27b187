// Package iris is Git-Iris's way to score and to write down a change, byte for
// byte: as its reference document describes it ([Document]), and as its source
// has it since ([Source]).
//
// Its defects are kept on purpose. The profile that satchel uses by itself is in
// packages change and rank.
package iris

import (
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Document is the profile of the reference document.
var Document = engine.DiffProfile{
	Weights: &documentWeights,
	Measure: func(files []change.Scored) { measure(files, false) },
	Layout: render.DiffLayout{
		Ruled: true, Size: documentSize,
		Hint:         "(Use detail='standard' with files=['file1','file2'] to see specific diffs)\n",
		FilteredHint: "(Use detail='standard' to see full diffs for these files)\n",
	},
}

// Source is the profile of the newer source.
var Source = engine.DiffProfile{
	Weights: &sourceWeights,
	Measure: func(files []change.Scored) { measure(files, true) },
	Layout: render.DiffLayout{
		Ruled: true, Flat: true, Size: sourceSize,
		Hint:         Document.Layout.Hint,
		FilteredHint: Document.Layout.FilteredHint,
	},
}

// ByName returns the profile of a name, iris or iris-v2; nil for another.
func ByName(name string) *engine.DiffProfile {
	for _, p := range []*engine.DiffProfile{&Document, &Source} {
		if p.Weights.Name == name {
			return p
		}
	}
	return nil
}

// sourceSize returns the size as Git-Iris names it, which knows none above large,
// and the guidance that its source gives.
func sourceSize(s change.Size) (change.Size, string) {
	if s == change.VeryLarge {
		s = change.Large
	}
	return s, s.Guidance(change.Words{})
}

// documentSize is sourceSize with the guidance in the words of the document.
func documentSize(s change.Size) (change.Size, string) {
	s, guidance := sourceSize(s)
	switch s {
	case change.Small:
		guidance = "Focus on all files equally."
	case change.Medium:
		guidance = "Prioritize files with >60% relevance."
	case change.Large:
		guidance = "Use files=['path1','path2'] with detail='standard' to analyze specific files."
	}
	return s, guidance
}

// documentWeights are the rule of the reference document of Git-Iris: twelve additions to
// 0.5. Each semantic label counts once.
var documentWeights = rank.Profile{
	Name:    "iris",
	Base:    0.5,
	Clamped: true,
	Rules: []rank.Rule{
		{Signal: "added", Why: "new file", Add: 0.15, Reason: "new file"},
		{Signal: "modified", Why: "modified", Add: 0.1},
		{Signal: "deleted", Why: "deleted", Add: 0.05, Reason: "deleted"},
		{Signal: "source", Why: "source code", Add: 0.15, Reason: "source code"},
		{Signal: "config", Why: "config", Add: 0.1, Reason: "config"},
		{Signal: "docs", Why: "docs", Add: 0.02, Reason: "docs"},
		{Signal: "core", Why: "core source", Add: 0.1, Reason: "core source"},
		{Signal: "test", Why: "test file", Add: -0.1, Reason: "test file"},
		{Signal: "generated", Why: "generated", Add: -0.2, Reason: "generated/lock"},
		{Signal: "lock", Why: "lock file", Add: -0.2, Reason: "generated/lock"},
		{Signal: "diff_lines", Why: "substantive changes", Unit: "lines", Add: 0.1, Bounded: true, Over: 10, Under: 200, Reason: "substantive changes"},
		{Signal: "diff_lines", Why: "large diff", Unit: "lines", Add: 0.05, Bounded: true, Over: 199, Reason: "large diff"},
		{Signal: "adds_function", Why: "adds function", Add: 0.1, Reason: "adds function"},
		{Signal: "modifies_imports", Why: "modifies imports", Reason: "modifies imports"},
		{Signal: "adds_type", Why: "adds type", Add: 0.1, Reason: "adds type"},
		{Signal: "adds_impl", Why: "adds impl", Reason: "adds impl"},
		{Signal: "refactors_code", Why: "refactors code", Reason: "refactors code"},
	},
}

// sourceWeights are the rule of Git-Iris as its source has it since: it lowers vendored
// files and raises those that add an impl.
var sourceWeights = rank.Profile{Name: "iris-v2", Base: 0.5, Clamped: true, Rules: sourceRules()}

func sourceRules() (rules []rank.Rule) {
	for _, r := range documentWeights.Rules {
		if r.Signal == "adds_impl" {
			r.Add = 0.1
		}
		rules = append(rules, r)
		if r.Signal == "lock" {
			rules = append(rules, rank.Rule{Signal: "vendored", Why: "vendored", Add: -0.3, Reason: "vendored"})
		}
	}
	return append(rules, rank.Rule{Signal: "removes_code", Why: "removes code", Reason: "removes code"})
}
