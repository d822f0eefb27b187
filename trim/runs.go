package trim

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// runs returns the runs of lines of a unit that are worth most above a price for a
// token, each of at least as many lines as the unit wants and begun at a cost. Lines
// that are shown already cost nothing and may be part of a run; those that are stale
// may not.
func (k *chooser) runs(u *unit, price, heading, worth float64) [][]int {
	least := min(u.least, u.said())
	if least == 0 {
		return nil
	}
	if !u.anyWorth(u.values, price) && worth <= price*(k.t.shape.Gap+heading) {
		return nil // whatever is added to a run takes from it
	}
	from, last := k.path(u, least, price, worth-price*(k.t.shape.Gap+heading))
	if last < 0 {
		return nil
	}
	return k.along(u, from, least, last)
}

// never is the score of what cannot be.
const never = -1e9

// path finds the best path through the lines of a unit, whose states are the length of
// the run so far, up to m, the shortest that may end; begin is what a new run brings. It
// returns the state before each state of each line and the last state of all, or -1 if
// no run is worth anything.
func (k *chooser) path(u *unit, m int, price, begin float64) (from []int8, last int) {
	if cap(k.scores) < 2*(m+1) {
		k.scores = make([]float64, 2*(m+1))
	}
	score, next := k.scores[:m+1], k.scores[m+1:2*(m+1)]
	score[0] = 0
	for q := 1; q <= m; q++ {
		score[q] = never
	}
	if n := len(u.lines) * (m + 1); cap(k.states) < n {
		k.states = make([]int8, n)
	}
	from = k.states[:len(u.lines)*(m+1)]
	ragged := price * k.t.shape.Ragged
	for i := range u.lines {
		l := &u.lines[i]
		gain := u.values[i] - price*l.cost
		switch {
		case l.stale:
			gain = never
		case l.shown:
			gain = 0
		}
		l.step(score, next, from[i*(m+1):(i+1)*(m+1)], gain, begin, ragged*u.inside(i))
		score, next = next, score
	}
	if score[m] > score[0] {
		last = m
	}
	if score[last] <= 1e-12 {
		return nil, -1
	}
	return from, last
}

// step takes a path on by a line: score and next are what the states before it and
// behind it are worth, was is where those behind it come from. The line brings gain if
// it is shown; edge is what it costs if a run begins or ends before it.
func (l *uline) step(score, next []float64, was []int8, gain, begin, edge float64) {
	m := len(next) - 1
	for q := range next {
		next[q], was[q] = never, 0
	}
	if !l.shown { // left out
		next[0], was[0] = score[0], 0
		if s := score[m] - edge; s > score[0] {
			next[0], was[0] = s, int8(m) //nolint:gosec // a run is short
		}
	}
	if l.blank() { // it makes no run longer
		for q := 1; q <= m; q++ {
			next[q], was[q] = score[q]+gain, int8(q) //nolint:gosec // a run is short
		}
	} else {
		start := begin - edge
		if l.shown {
			start = 0
		}
		next[1], was[1] = score[0]+start+gain, 0
		for q := 2; q <= m; q++ {
			next[q], was[q] = score[q-1]+gain, int8(q-1) //nolint:gosec // the same
		}
		if s := score[m] + gain; s > next[m] {
			next[m], was[m] = s, int8(m) //nolint:gosec // the same
		}
	}
	if l.shown { // it stands there anyway
		for _, q := range [...]int{0, m} {
			if score[q] > next[m] {
				next[m], was[m] = score[q], int8(q) //nolint:gosec // the same
			}
		}
	}
}

// along returns the runs of the path that ends in a state.
func (k *chooser) along(u *unit, from []int8, least, last int) (out [][]int) {
	run := k.run[:0]
	end := func() {
		cost, fresh := k.t.shape.Gap, false
		for _, i := range run {
			if l := &u.lines[i]; !l.shown {
				cost, fresh = cost+l.cost, true
			}
		}
		if fresh && (u.kind == ofCall || cost <= k.left) { // else it cannot be taken: there is never more room
			slices.Reverse(run)
			out = append(out, slices.Clone(run))
		}
		run = run[:0]
	}
	for i := len(u.lines) - 1; i >= 0; i-- {
		if last > 0 {
			run = append(run, i)
		} else if len(run) > 0 {
			end()
		}
		last = int(from[i*(least+1)+last])
	}
	if len(run) > 0 {
		end()
	}
	k.run = run
	slices.Reverse(out)
	return out
}

// anyWorth reports whether a line that is not shown is worth more than a price for a
// token.
func (u *unit) anyWorth(values []float64, price float64) bool {
	for i := range u.lines {
		if l := &u.lines[i]; !l.shown && !l.stale && values[i] > price*l.cost {
			return true
		}
	}
	return false
}

// inside says how far a run that begins or ends before a line cuts a block in two: not
// at all beside a blank line, a little where the line is not indented, else fully, and
// worst within a sentence of prose.
func (u *unit) inside(i int) float64 {
	l := &u.lines[i]
	if l.within == 0 {
		switch {
		case i == 0 || l.blank() || u.lines[i-1].blank():
			l.within = 1
		case u.prose && midSentence(u.lines[i-1].text, l.text):
			l.within = 1 + 2*withinSentence
		case !indented(l.text):
			l.within = 2
		default:
			l.within = 3
		}
	}
	return float64(l.within-1) / 2
}

// withinSentence is what it counts to cut a sentence in two, of what a block counts.
const withinSentence = 5

// midSentence reports whether a line goes on with the sentence of the one before it.
func midSentence(before, line string) bool {
	before = strings.TrimRight(before, " \t*_`)\"'")
	line = strings.TrimLeft(line, " \t*_`(\"'")
	if before == "" || line == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(first) && strings.IndexByte(".!?:;|", before[len(before)-1]) < 0
}

// isProse reports whether a file holds sentences.
func isProse(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt":
		return true
	}
	return false
}

// indented reports whether a line begins with white space, behind the number that
// tools for reading put before it.
func indented(line string) bool {
	if number, rest := reuse.Numbered(line); number != "" {
		line = rest
	}
	return line != "" && (line[0] == ' ' || line[0] == '\t')
}

// said counts the lines that say something.
func (u *unit) said() (n int) {
	for i := range u.lines {
		if !u.lines[i].blank() {
			n++
		}
	}
	return n
}
