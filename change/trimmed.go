package change

import (
	"fmt"
	"strings"
)

// What is kept of the lines of a hunk.
const (
	trimContext = 1  // lines around a change
	trimRun     = 12 // longer runs of changed lines lose their middle
	trimEnd     = 5  // lines kept at both ends of such a run
	trimLeast   = 10 // shorter hunks are not trimmed
)

// A Trimmed is what is left of the lines of a hunk.
type Trimmed struct {
	Text                         string // with marks where lines are left out
	Lines, Bytes, Added, Removed int    // that are kept
}

// Trim returns the lines of a hunk that say most: the changed ones, the middle of
// long runs left out, with little around them. ok is false if that is hardly less
// than all.
func Trim(body string) (t Trimmed, ok bool) {
	all := bodyLines(body)
	if len(all) < trimLeast {
		return t, false
	}
	keep := saying(all)

	var b strings.Builder
	for i := 0; i < len(all); {
		if keep[i] {
			b.WriteString(all[i])
			t.Lines++
			t.Bytes += len(all[i])
			switch all[i][0] {
			case '+':
				t.Added++
			case '-':
				t.Removed++
			}
			i++
			continue
		}
		to := i
		for to < len(all) && !keep[to] {
			to++
		}
		plural := "s"
		if to-i == 1 {
			plural = ""
		}
		fmt.Fprintf(&b, "⋮ %d line%s\n", to-i, plural)
		i = to
	}
	t.Text = b.String()
	return t, 10*t.Lines <= 7*len(all)
}

// saying tells of each line of a hunk whether it is kept.
func saying(all []string) []bool {
	keep := make([]bool, len(all))
	for i := 0; i < len(all); {
		to := i + 1
		for to < len(all) && all[to][0] == all[i][0] {
			to++
		}
		if all[i][0] != ' ' {
			for k := i; k < to; k++ {
				keep[k] = to-i <= trimRun || k-i < trimEnd || to-k <= trimEnd
			}
			for k := max(0, i-trimContext); k < i; k++ {
				keep[k] = true
			}
			for k := to; k < min(len(all), to+trimContext); k++ {
				keep[k] = true
			}
		}
		i = to
	}
	return keep
}
