package finding

import (
	"strings"
	"unicode"
)

// alike returns how much two texts have in common: of all rows of three characters
// that either has, the share that both have. Case, and what is no letter or digit,
// does not count.
func alike(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	both := 0
	for t := range x {
		if y[t] {
			both++
		}
	}
	if len(x)+len(y) == 0 {
		return 0
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

func trigrams(s string) map[[3]rune]bool {
	set := map[[3]rune]bool{}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	row := [3]rune{' ', ' ', ' '}
	for _, w := range words {
		for _, r := range w + " " {
			row = [3]rune{row[1], row[2], r}
			set[row] = true
		}
	}
	return set
}
