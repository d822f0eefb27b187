package main

import (
	"fmt"
	"strings"
)

// A row is what came of one wrong way.
type row struct {
	kind    string
	asked   int
	exists  int // questions that have a right answer
	right   int
	none    int // those that have none: the quote stands several times, and far or tied
	guessed int // of those, the ones that were answered all the same
	blind   int // those where the quote stands at the wrong number, too
}

// A tally counts answers.
type tally struct {
	hunks      int
	rows       []*row
	wrongExact int
	invented   int // quotes that were taken for lines
	outside    int // comments for GitHub outside of a hunk
	wrong      []string
}

func newTally() *tally { return &tally{} }

func (t *tally) row(kind string) *row {
	for _, r := range t.rows {
		if r.kind == kind {
			return r
		}
	}
	t.rows = append(t.rows, &row{kind: kind})
	return t.rows[len(t.rows)-1]
}

func (t *tally) note(format string, args ...any) {
	t.wrong = append(t.wrong, fmt.Sprintf(format, args...))
}

// share returns the share of questions with a right answer that got it.
func (t *tally) share() float64 {
	right, exists := 0, 0
	for _, r := range t.rows {
		right, exists = right+r.right, exists+r.exists
	}
	return float64(right) / float64(max(exists, 1))
}

// table is what is printed.
func (t *tally) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s %7s %7s %7s %7s  %s\n", "wrong way", "asked", "answer", "right", "share", "no answer exists, guessed; looks right elsewhere")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "%-20s %7d %7d %7d %6.2f%%  %d, %d; %d\n", r.kind, r.asked, r.exists, r.right, 100*float64(r.right)/float64(max(r.exists, 1)), r.none, r.guessed, r.blind)
	}
	fmt.Fprintf(&b, "\n%d hunks: %.2f %% right where a right answer exists\n", t.hunks, 100*t.share())
	fmt.Fprintf(&b, "invented quotes accepted: %d\nexact where the line is another: %d\ncomments for GitHub outside of a hunk: %d\n", t.invented, t.wrongExact, t.outside)
	return b.String()
}
