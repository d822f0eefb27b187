package trim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/trim/subject"
)

// What a successor must know stands in the digest before anything else, as far as
// its share allows: what a summary has of the user's words and the plan, what the
// user answered when asked, what is broken, how each test, build and lint ended, the
// last change of each of the files that were changed last, and what the agent said
// last.
// Shares are of what is left of the share.
const (
	summaryShare = 0.4
	askedShare   = 0.2
	brokenShare  = 0.25
	checkShare   = 0.4
	hunkShare    = 0.9
	saidShare    = 0.15 // of all
	knownFiles   = 10   // that were changed last
	saidLast     = 4    // answers

	longestHunk = 40  // lines of a change
	longestFile = 14  // lines of a file that was written whole
	oneHunk     = 0.3 // of what is for all changes
)

// known takes what a successor must know.
func (k *chooser) known() {
	all := k.left
	room := k.t.shape.Known * all
	if room <= 0 {
		return
	}
	k.why = "the newest summary"
	room -= k.knownSummary(room * summaryShare)
	k.why = "an answer to the agent's question"
	room -= k.knownAsked(room * askedShare)
	k.why = "a failure that was not fixed"
	room -= k.knownBroken(room * brokenShare)
	k.why = "how a check ended last"
	room -= k.knownChecks(room * checkShare)
	k.why = "the last change of a file"
	room -= k.knownHunks(room * hunkShare)
	k.why = "what the agent said last"
	k.knownAnswers(min(room, k.t.shape.Known*all*saidShare))
}

// takeWithin takes the first of some forms that fits: each is lines of a unit. It
// returns the tokens that it takes.
func (k *chooser) takeWithin(room float64, u *unit, forms ...[]int) float64 {
	heading, _ := k.heading(u)
	for _, lines := range forms {
		if cost := u.cost(lines) + heading + k.t.shape.Gap; len(lines) > 0 && cost <= min(room, k.left) {
			k.take(u, lines, cost, false)
			return cost
		}
	}
	return 0
}

// knownHunks takes the last change of each file.
func (k *chooser) knownHunks(share float64) (used float64) {
	files := slices.Clone(k.t.topics)
	files = slices.DeleteFunc(files, func(t *topic) bool { return t.file == nil || t.file.Edits == 0 })
	slices.SortStableFunc(files, func(a, b *topic) int { return cmp.Compare(b.file.Edited, a.file.Edited) })
	for _, top := range files[:min(len(files), knownFiles)] {
		var last *unit
		for _, u := range top.units {
			if u.kind == ofHunk && (last == nil || u.group >= last.group) {
				last = u
			}
		}
		if last == nil {
			continue
		}
		lines := last.all()
		switch {
		case last.note == wholeNote && len(lines) > longestFile+wholeRegion:
			lines = k.best(last, lines, longestFile)
		case len(lines) > longestHunk:
			lines = lines[:longestHunk]
			for last.cost(lines) > share*oneHunk && len(lines) > 1 {
				lines = lines[:len(lines)-1]
			}
		}
		used += k.takeWithin(share-used, last, lines)
	}
	return used
}

// best returns the n lines in a row of which most are new in the file, and of several
// such those that are worth most for a token.
func (k *chooser) best(u *unit, lines []int, n int) []int {
	values := k.value(u)
	at, newest, most := 0, -1, -1.0
	for i := 0; i+n <= len(lines); i++ {
		v, cost, fresh := 0.0, 0.0, 0
		for _, j := range lines[i : i+n] {
			v += values[j]
			cost += u.lines[j].cost
			if u.fresh != nil && u.fresh[j] {
				fresh++
			}
		}
		if d := v / max(cost, 1); fresh > newest || fresh == newest && d > most {
			at, newest, most = i, fresh, d
		}
	}
	return lines[at:min(at+n, len(lines))]
}

// knownChecks takes how the last run of each check ended, the newest first.
func (k *chooser) knownChecks(share float64) (used float64) {
	checks := slices.Clone(k.t.topics)
	checks = slices.DeleteFunc(checks, func(t *topic) bool { return t.command == nil || !t.command.Check })
	slices.SortStableFunc(checks, func(a, b *topic) int { return cmp.Compare(b.command.Last().Group, a.command.Last().Group) })
	for _, top := range checks {
		if u := top.lastOutput(); u != nil {
			used += k.takeWithin(share-used, u, u.outcome(), u.sum())
		}
	}
	return used
}

// lastOutput returns the unit of what the last run of a command printed, or nil.
func (t *topic) lastOutput() *unit {
	for _, u := range t.units {
		if u.kind != ofCall && u.part == t.command.Last().Result {
			return u
		}
	}
	return nil
}

// shortOutcome is how many lines of output are an outcome as a whole.
const shortOutcome = 6

// outcome returns the lines that say how a command ended: those around the last line
// that sums it up, and the first one that says what went wrong with those around it.
func (u *unit) outcome() []int {
	lines := u.all()
	if len(lines) <= shortOutcome {
		return lines
	}
	at := u.sumAt(lines)
	var out []int
	if u.kind == ofFailure {
		out = u.trouble(lines)
	}
	out = append(out, lines[max(0, at-3):min(at+2, len(lines))]...)
	slices.Sort(out)
	return slices.Compact(out)
}

// sum returns the line that says how a command ended.
func (u *unit) sum() []int {
	if lines := u.all(); len(lines) > 0 {
		return []int{lines[u.sumAt(lines)]}
	}
	return nil
}

// sumAt returns which of some lines sums a command up: the last that seems to, or the
// last of all.
func (u *unit) sumAt(lines []int) int {
	for i, j := range slices.Backward(lines) {
		if subject.SumsUp(u.lines[j].text) {
			return i
		}
	}
	return len(lines) - 1
}

// trouble returns, of some lines, the first that says what went wrong, with those
// around it.
func (u *unit) trouble(lines []int) []int {
	for i, j := range lines {
		if subject.SaysFailure(u.lines[j].text) {
			return slices.Clone(lines[max(0, i-2):min(i+6, len(lines))])
		}
	}
	return slices.Clone(lines[max(0, len(lines)-4):])
}

// shortTrouble is how many lines of the output of what is broken are shown whole.
const shortTrouble = 12

// leastTrouble is how many of them are shown where there is little room.
const leastTrouble = 4

// knownSummary takes, of the newest summary, the user's words and the plan, if it is
// a digest, and else its first lines.
func (k *chooser) knownSummary(share float64) float64 {
	for _, u := range slices.Backward(k.t.units) {
		if u.kind != ofSummary {
			continue
		}
		lines := u.all()
		if u.own {
			lines = u.sections(headUser, headPlan)
		}
		for u.cost(lines) > share && len(lines) > 0 {
			lines = lines[:len(lines)-1]
		}
		return k.takeWithin(share+k.t.shape.Gap+k.t.shape.Heading, u, lines)
	}
	return 0
}

// sections returns the lines of a digest below some of its headings, with these.
func (u *unit) sections(heads ...string) (lines []int) {
	in := false
	for i := range u.lines {
		text := u.lines[i].text
		if strings.HasPrefix(text, "[") && escaped(text) != text {
			in = slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(text, h) })
		}
		if in && !blank(text) {
			lines = append(lines, i)
		}
	}
	return lines
}

// knownAsked takes what the user answered when the agent asked, the newest first.
func (k *chooser) knownAsked(share float64) (used float64) {
	for _, u := range slices.Backward(k.t.units) {
		if u.kind == ofAsked {
			used += k.takeWithin(share-used, u, u.all())
		}
	}
	return used
}

// knownBroken takes what failed and was not mended.
func (k *chooser) knownBroken(share float64) float64 {
	b := k.t.subjects.Broken
	if b == nil || b.Group >= k.t.first || b.Command == nil {
		return 0
	}
	for _, u := range k.t.units {
		if u.part != b.Result || u.kind == ofCall || u.topic.command != b.Command {
			continue
		}
		lines := u.all()
		trouble := u.trouble(lines)
		if len(lines) > shortTrouble {
			lines = trouble
		}
		return k.takeWithin(share, u, lines, trouble, trouble[:min(len(trouble), leastTrouble)])
	}
	return 0
}

// knownAnswers takes what the agent said last.
func (k *chooser) knownAnswers(share float64) {
	n := 0
	for _, u := range slices.Backward(k.t.units) {
		if u.kind != ofAnswer {
			continue
		}
		if n++; n > saidLast {
			return
		}
		share -= k.takeWithin(share, u, u.all())
	}
}
