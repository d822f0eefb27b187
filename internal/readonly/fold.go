package readonly

import (
	"strings"
	"unicode"
)

// foldCase maps each letter to the least of those that differ from it in case only.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}
