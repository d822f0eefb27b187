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
