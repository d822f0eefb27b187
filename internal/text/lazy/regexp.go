// Package lazy has values that are made when they are first used.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles expr at its first call. A program that
// compiled all its expressions at the start would spend a third of a short run on it.
// A wrong expression panics at that call.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
