package state

import (
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// A goneText is what an edit of one of the files edited last took out, and what
// it put there.
//
// It is shown as current if most of its lines stand in one run, and the last such
// run is neither shown as what an edit replaces (old_string, or lines with "-")
// nor below words that say that the file was edited since, and what replaced the
// lines does not follow. A line that stands anywhere in the session after the edit
// is not gone: it may be shown.
type goneText struct {
	path           string
	lines          []string
	around         map[string]bool // the text that they stood in
	added          []string
	addedAround    map[string]bool
	least, leastOf int // lines that have to be shown, of lines and of added
}

// leastGone is how long a line must be to be known as one that is gone, in
// characters.
const leastGone = 12

// goneTexts notes what the edits of the files edited last took out for good.
func (f *Facts) goneTexts(ms []transcript.Message, es []event) {
	ofNote := map[string]bool{}
	for _, c := range f.edits {
		ofNote[c.path] = true
	}
	newest := lastSeen(ms)
	for i := range es {
		e := &es[i]
		if e.action != editing || !e.answered || e.failed {
			continue
		}
		for k := range e.edits {
			if !ofNote[e.edits[k].path] {
				continue
			}
			for _, h := range e.edits[k].hunks {
				if g, ok := goneOf(h, e.message, newest); ok {
					g.path = e.edits[k].path
					f.gone = append(f.gone, g)
				}
			}
		}
	}
}

// goneOf returns what a replacement in a message took out, as far as no later
// message shows it.
func goneOf(h hunk, message int, newest map[string]int) (goneText, bool) {
	added, removed := changedLines(h.before, h.after)
	g := goneText{around: map[string]bool{}, addedAround: map[string]bool{}, added: normalAll(added)}
	for _, l := range normalAll(strings.Split(h.before, "\n")) {
		g.around[l] = true
	}
	for _, l := range normalAll(strings.Split(h.after, "\n")) {
		g.addedAround[l] = true
	}
	for _, l := range normalAll(removed) {
		if len([]rune(l)) >= leastGone && newest[l] <= message && !g.addedAround[l] {
			g.lines = append(g.lines, l)
		}
	}
	g.least = max(1, atLeast(len(g.lines), mostOfWhole))
	g.leastOf = max(1, atLeast(len(g.added), mostOfWhole))
	return g, len(g.lines) > 0
}

// lastSeen returns the last message that holds each line, in any reading; a line
// that a call replaces does not count.
func lastSeen(ms []transcript.Message) map[string]int {
	out := map[string]int{}
	for i := range ms {
		v := viewOf(ms[i : i+1])
		for k := range v.lines {
			if v.lines[k].old {
				continue
			}
			for _, r := range v.lines[k].readings {
				out[r] = i
			}
		}
	}
	return out
}

// shownAsCurrent reports whether a view shows the text as what the file says.
func (g *goneText) shownAsCurrent(v *view) bool {
	runs := v.runs(g.lines, g.around, g.least)
	i := len(runs) - 1
	if i < 0 || g.asOld(v, runs[i]) || v.saidEdited(runs[i].from) {
		return false // the last time that it is shown, it is shown as gone
	}
	if len(g.added) == 0 {
		return true
	}
	later := v.runs(g.added, g.addedAround, g.leastOf)
	return len(later) == 0 || later[len(later)-1].to <= runs[i].from
}

// asOld reports whether most of the lines in a run are shown as what an edit took
// out.
func (g *goneText) asOld(v *view, r run) bool {
	n, old := 0, 0
	for i := r.from; i < r.to; i++ {
		if l := &v.lines[i]; slices.ContainsFunc(g.lines, l.reads) {
			n++
			if l.old {
				old++
			}
		}
	}
	return 2*old > n
}

var saysEdited = regexp.MustCompile(`(?i)\b(?:edited|changed|rewritten) since\b|\bsuperseded\b|\b(?:old|earlier|outdated) version\b`)

// nearEdited is how many lines above a text it may be said that the file was
// edited since.
const nearEdited = 40

func (v *view) saidEdited(at int) bool {
	for i := at - 1; i >= max(0, at-nearEdited) && v.lines[i].text != edge; i-- {
		if saysEdited.MatchString(v.lines[i].text) {
			return true
		}
	}
	return false
}

// A resolvedFailure is a command that failed and later succeeded.
//
// It is shown as open if the lines that tell of it stand together, and neither
// does the command follow them (it ran again), nor is it said near by that this
// is resolved.
type resolvedFailure struct {
	command string
	lines   []string
}

// leastTelling is how much the lines of a failure must say to be known again, in
// characters.
const leastTelling = 20

// resolvedFailures notes the newest failure of each command that succeeded since,
// the last ten of them. Lines that tell of what is still open are no sign.
func (f *Facts) resolvedFailures(es []event) {
	mended, done := map[string]bool{}, map[string]bool{}
	for i := len(es) - 1; i >= 0 && len(f.resolved) < maxResolved; i-- {
		e := &es[i]
		if !e.settles() {
			continue
		}
		s := e.subject()
		if !e.bad() {
			mended[s] = true
			continue
		}
		lines := normalAll(failingLines(e.result))
		if !e.fails() || e.action != running || !mended[s] || done[s] || len(strings.Join(lines, " ")) < leastTelling || slices.Equal(lines, f.open) {
			continue
		}
		done[s] = true
		f.resolved = append(f.resolved, resolvedFailure{shownCommand(sameCommand(firstLine(e.command))), lines})
	}
}

var saysResolved = regexp.MustCompile(`(?i)\b(?:resolved|mended|fixed|passe[sd]|succeed(?:s|ed)|ok)\b[^.]{0,20}\b(?:since|later|now)\b|\b(?:since|later|now)\b[^.]{0,20}\b(?:resolved|mended|fixed|passe[sd]|succeed(?:s|ed)|ok)\b|\bresolved\b`)

// nearResolved is how many lines from a failure it may be said that it is
// resolved.
const nearResolved = 3

func (r *resolvedFailure) shownAsOpen(v *view) bool {
	places := v.together(r.lines)
	if len(places) == 0 {
		return false
	}
	at := places[len(places)-1]
	for i := max(0, at-nearResolved); i < min(len(v.lines), at+len(r.lines)+nearResolved); i++ {
		if saysResolved.MatchString(v.lines[i].text) {
			return false
		}
	}
	for i := at + len(r.lines); i < len(v.lines); i++ {
		if strings.Contains(v.lines[i].text, r.command) {
			return false
		}
	}
	return true
}

// wrong returns the share of the files edited last of which an earlier version is
// shown as current, and that of the resolved failures that are shown as open.
func (f *Facts) wrong(v *view) (stale, reopened float64) {
	files := map[string]bool{}
	for i := range f.gone {
		if g := &f.gone[i]; !files[g.path] && g.shownAsCurrent(v) {
			files[g.path] = true
		}
	}
	if len(f.edits) > 0 {
		stale = float64(len(files)) / float64(len(f.edits))
	}
	for i := range f.resolved {
		if f.resolved[i].shownAsOpen(v) {
			reopened += 1 / float64(len(f.resolved))
		}
	}
	return stale, reopened
}
