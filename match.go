package satchel

// A Match says how sure it is that the first files are the right ones for a task.
type Match string

const (
	// MatchStrong promises that the place to change is in the repository and among the
	// first five files. The budget is filled.
	MatchStrong Match = "strong"

	// MatchWeak is a task whose words are here only in part, or only in common places. The
	// first files are the closest by words. If the task is probably about another
	// repository, files far behind the best are not shown.
	MatchWeak Match = "weak"

	// MatchNone is a task without a word that is here. Only what was asked for by path is
	// shown.
	MatchNone Match = "none"
)
