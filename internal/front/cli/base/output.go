package base

import (
	"slices"
)

// The formats of a review.
const (
	FormatText   = "text"
	FormatMD     = "md"
	FormatJSON   = "json"
	FormatSARIF  = "sarif"
	FormatGitHub = "github"
)

// CountSet returns how many texts are not empty.
func CountSet(list ...string) int {
	return len(slices.DeleteFunc(list, func(s string) bool { return s == "" }))
}
