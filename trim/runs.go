package trim

import (
	"slices"
	"strings"
)

// runs returns the runs of lines of a unit that are worth most above a price for a
// token, each of at least as many lines as the unit wants and begun at a cost. Lines
// that are shown already cost nothing and may be part of a run; those that are stale
// may not. It is a longest path through the lines, whose states are the length of
// the run so far, up to the shortest that may end.
func (k *chooser) runs(u *unit, price, heading, worth float64) [][]int {
	values := k.value(u)
	n, m := len(u.lines), min(u.least, u.said())
	if m == 0 {
		return nil
	}
	const never = -1e9
	begin := worth - price*(k.t.shape.Gap+heading)
	ragged := price * k.t.shape.Ragged
	score, next := make([]float64, m+1), make([]float64, m+1)
	for q := 1; q <= m; q++ {
		score[q] = never
	}
	if cap(k.states) < n*(m+1) {
		k.states = make([]int8, n*(m+1))
	}
	from := k.states[:n*(m+1)]
	for i := range u.lines {
		l := &u.lines[i]
		gain := values[i] - price*l.cost
		switch {
		case l.stale:
			gain = never
		case l.shown:
			gain = 0
		}
		was := from[i*(m+1) : (i+1)*(m+1)]
		for q := range next {
			next[q], was[q] = never, 0
		}
		if !l.shown { // left out
			next[0], was[0] = score[0], 0
			if s := score[m] - ragged*u.inside(i); s > score[0] {
				next[0], was[0] = s, int8(m) //nolint:gosec // a run is short
			}
		}
		if blank(l.text) { // it makes no run longer
			for q := 1; q <= m; q++ {
				next[q], was[q] = score[q]+gain, int8(q) //nolint:gosec // a run is short
			}
		} else {
			start := begin - ragged*u.inside(i)
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
		score, next = next, score
	}
	at := 0
	if score[m] > score[0] {
		at = m
	}
	if score[at] <= 1e-12 {
		return nil
	}
	var out [][]int
	var run []int
	end := func() {
		if slices.ContainsFunc(run, func(i int) bool { return !u.lines[i].shown }) {
			slices.Reverse(run)
			out = append(out, run)
		}
		run = nil
	}
	for i := n - 1; i >= 0; i-- {
		if at > 0 {
			run = append(run, i)
		} else if run != nil {
			end()
		}
		at = int(from[i*(m+1)+at])
	}
	if run != nil {
		end()
	}
	slices.Reverse(out)
	return out
}

// inside says how far a run that begins or ends before a line cuts a block in two: not
// at all beside a blank line, a little where the line is not indented, else fully.
func (u *unit) inside(i int) float64 {
	if i == 0 || blank(u.lines[i].text) || blank(u.lines[i-1].text) {
		return 0
	}
	if !indented(u.lines[i].text) {
		return 0.5
	}
	return 1
}

// indented reports whether a line begins with white space, behind the number that
// tools for reading put before it.
func indented(line string) bool {
	rest := strings.TrimLeft(line, " ")
	n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	for _, mark := range [...]string{"→", "\t", ": ", "|"} {
		if body, ok := strings.CutPrefix(rest[n:], mark); ok && n > 0 {
			line = body
			break
		}
	}
	return line != "" && (line[0] == ' ' || line[0] == '\t')
}

// said counts the lines that say something.
func (u *unit) said() (n int) {
	for i := range u.lines {
		if !blank(u.lines[i].text) {
			n++
		}
	}
	return n
}
