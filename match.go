package satchel

// A Match says whether a repository has what a task is about.
type Match string

const (
	// MatchStrong is a task about this repository: a budget is filled.
	MatchStrong Match = "strong"

	// MatchWeak is a task of which little, or only what stands in common places,
	// is here: what is far behind the best is not shown.
	MatchWeak Match = "weak"

	// MatchNone is a task of which nothing is here. Nothing is shown but what was
	// asked for by path.
	MatchNone Match = "none"
)
