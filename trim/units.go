package trim

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
	"github.com/satchel-dev/satchel/trim/subject"
)

// How much of a unit is shown whole or not at all, in lines: pieces of a short text
// save little and read badly.
const (
	wholeHunk   = 25
	wholeOutput = 25
	wholeRegion = 12
	wholeCall   = 12
	wholeAnswer = 3
)

// Of a command that is no check, what this many runs before the last one printed may
// be shown, too.
const earlierRuns = 3

// collect makes the units of what is before the part that stays in place.
func (t *cutter) collect() {
	t.subjects, t.workdir = subject.Open(t.conv), t.usualWorkdir()
	for _, f := range t.subjects.Files {
		t.addFile(f)
	}
	for _, c := range t.subjects.Commands {
		t.addCommand(c)
	}
	c := t.conv
	for p := range c.Parts {
		part := &c.Parts[p]
		if part.Group >= t.first || t.isPinned(p) {
			continue
		}
		switch part.Source {
		case reuse.Answer:
			u := t.unitOf(p, ofAnswer)
			u.least, u.whole = 1, len(u.lines) <= wholeAnswer
			t.add(&topic{}, u)
		case reuse.User:
			if t.isSummary(p) {
				u := t.unitOf(p, ofSummary)
				if u.own = isDigest(part.Text); u.own {
					u.lines = u.lines[1:] // its first line is ours, too
				}
				t.add(&topic{}, u)
			}
		case reuse.Meta:
			if aboutPlan(part.Text) { // the plan stands above, as it is now
				continue
			}
			t.add(&topic{}, t.unitOf(p, ofClient))
		}
	}
}

// aboutPlan reports whether a text of the client is what it says of the agent's plan at
// every turn: a short one that begins with it. Instructions may speak of plans, too.
func aboutPlan(text string) bool {
	const begins, longest = 200, 4000
	return len(text) < longest && plans().MatchString(text[:min(len(text), begins)])
}

var plans = lazy.Regexp(`(?i)\b(?:todo list|todos|task tools?|TodoWrite|TaskCreate)\b`)

// isSummary reports whether a part is what an earlier trim, or a client, left of the
// conversation before it.
func (t *cutter) isSummary(p int) bool {
	return t.conv.Messages[t.conv.Parts[p].Message].Kind == transcript.Summary
}

// unitOf makes a unit of the text of a part.
func (t *cutter) unitOf(p int, k kind) *unit {
	part := &t.conv.Parts[p]
	u := &unit{kind: k, part: p, group: part.Group, least: t.shape.Run, weight: t.shape.Kinds[k].Weight}
	u.lines = make([]uline, 0, part.To-part.From)
	for i := part.From; i < part.To; i++ {
		l := &t.conv.Lines[i]
		u.lines = append(u.lines, uline{Line: l, text: l.Text, cost: l.Tokens, at: int32(i)}) //nolint:gosec // lines are counted in 32 bits
	}
	if part.Source.Result() {
		u.hideReminders()
		if k != ofFailure {
			u.hideFrame()
		}
	}
	return u
}

// hideFrame leaves out what Codex writes above the output of a command, but for how it
// ended. What failed stays as it is.
func (u *unit) hideFrame() {
	const longest = 8
	if len(u.lines) == 0 || !strings.HasPrefix(u.lines[0].text, "Chunk ID: ") {
		return
	}
	end := slices.IndexFunc(u.lines[:min(len(u.lines), longest)], func(l uline) bool { return l.text == "Output:" })
	kept := u.lines[:0]
	for i, l := range u.lines {
		if i > end || strings.HasPrefix(l.text, "Process ") {
			kept = append(kept, l)
		}
	}
	u.lines = kept
}

// refersBack reports whether the result of a read is no text of the file, but a remark
// of Claude Code that it was read before.
func refersBack(text string) bool {
	return len(text) < 400 && (strings.HasPrefix(text, "Wasted call") || strings.HasPrefix(text, "File unchanged since last read"))
}

// hideReminders leaves out what clients put into results for the moment: from a line
// that begins a system reminder to the one that ends it.
func (u *unit) hideReminders() {
	from := -1
	for i := range u.lines {
		text := strings.TrimSpace(u.lines[i].text)
		if strings.HasPrefix(text, "<system-reminder>") {
			from = i
		}
		if from >= 0 && strings.HasSuffix(text, "</system-reminder>") {
			for j := from; j <= i; j++ {
				u.lines[j].stale = true
			}
			from = -1
		}
	}
}

// add gives a unit to its topic.
func (t *cutter) add(topic *topic, u *unit) {
	if len(u.lines) == 0 {
		return
	}
	u.topic = topic
	switch u.kind {
	case ofAnswer, ofSummary, ofClient:
		u.prose = true
	case ofHunk, ofWas, ofRegion:
		u.prose = isProse(topic.file.Path)
	}
	if topic.said == nil {
		topic.said = make(map[uint64]bool)
		t.topics = append(t.topics, topic)
	}
	topic.units = append(topic.units, u)
	t.units = append(t.units, u)
}

// addFile makes the units of a file: what edits came to, and what was read of it and
// still stands, the newest first.
func (t *cutter) addFile(f *subject.File) {
	top := &topic{file: f}
	for _, text := range fileHeading(f) {
		l := t.conv.LineOf(0, text)
		top.names, top.heading = append(top.names, &l), top.heading+l.Tokens
	}
	if f.Edits > 1 {
		top.heading += noteSize
	}
	for _, h := range f.Hunks {
		if h.Group < t.first {
			t.addHunk(top, h)
		}
	}
	newer := make(map[uint64]bool) // keys of lines that a newer read shows
	for _, r := range slices.Backward(f.Reads) {
		part := &t.conv.Parts[r]
		if part.Group >= t.first {
			for i := part.From; i < part.To; i++ {
				newer[t.conv.Lines[i].Key] = true
			}
			continue
		}
		if t.isPinned(r) || refersBack(part.Text) {
			continue
		}
		u := t.unitOf(r, ofRegion)
		u.whole = len(u.lines) <= wholeRegion
		left := u.age(newer, func(l *uline) bool { return f.Stale(r, l.Key) })
		switch {
		case f.By != "" && f.ByPart > r:
			u.note = "as read; since " + changedBy(f.By, f.Perhaps)
		case f.ChangedAfter(r) > 0:
			u.note = "as read; edited since"
		}
		if left > 0 {
			t.add(top, u)
		}
	}
	if top.said == nil && f.Edits > 0 { // nothing to show but its name
		top.said = make(map[uint64]bool)
		t.topics = append(t.topics, top)
	}
}

// addHunk makes the units of a change: the text as it stands, and what it replaced.
func (t *cutter) addHunk(top *topic, h *subject.Hunk) {
	old, now := h.Old, h.New
	if t.o.Mask != nil { // what was composed may say what none of its pieces said
		old, now = t.masked(old), t.masked(now)
	}
	newest := h.Parts[len(h.Parts)-1]
	at := t.linesOf(h.Parts)
	unitOf := func(k kind, lines []string) *unit {
		u := &unit{kind: k, part: newest, group: h.Group, least: t.shape.Run, weight: t.shape.Kinds[k].Weight}
		for _, text := range lines {
			body := text
			if k == ofWas || h.Patch {
				body = text[1:]
			}
			l := t.conv.LineOf(newest, body)
			l.Edit = t.quotes[l.Key]
			i, ok := at[l.Key]
			if !ok {
				i = -1
			}
			gone := k == ofHunk && len(strings.TrimSpace(body)) >= minSaid && top.file.Stale(newest, l.Key)
			u.lines = append(u.lines, uline{Line: &l, text: text, cost: l.Tokens + float64(len(text)-len(body))/2, at: i, stale: gone})
		}
		return u
	}
	if h.Whole {
		lines := splitLines(now)
		for i := range lines {
			if h.Patch {
				lines[i] = "+" + lines[i]
			}
		}
		u := unitOf(ofHunk, lines)
		u.note = wholeNote
		u.fresh = t.fresh(top.file, newest, u)
		u.whole = len(u.lines) <= wholeHunk
		t.add(top, u)
		return
	}
	gone, stands := compared(old, now)
	if !h.Patch { // what stands is as the next edit has to quote it
		for i := range stands {
			stands[i] = stands[i][1:]
		}
	}
	u := unitOf(ofHunk, stands)
	u.whole = len(stands) <= wholeHunk
	if h.By != "" && top.file.By == "" { // else the heading says so
		u.note = "since " + changedBy(h.By, h.Perhaps)
	}
	if len(gone) > 0 {
		w := unitOf(ofWas, gone)
		w.whole = len(gone) <= wholeHunk
		t.add(top, w)
	}
	if len(stands) > 0 {
		t.add(top, u)
	}
}

// fresh says which lines of a file that was written whole no earlier read or change of
// it had; nil if it was neither read nor changed before.
func (t *cutter) fresh(f *subject.File, call int, u *unit) []bool {
	known := make(map[uint64]bool)
	for _, parts := range [...][]int{f.Reads, f.Changes} {
		for _, p := range parts {
			if p >= call {
				break
			}
			part := &t.conv.Parts[p]
			for i := part.From; i < part.To; i++ {
				known[t.conv.Lines[i].Key] = true
			}
		}
	}
	if len(known) == 0 {
		return nil
	}
	out := make([]bool, len(u.lines))
	for i := range u.lines {
		out[i] = !u.lines[i].blank() && !known[u.lines[i].Key]
	}
	return out
}

// masked returns a text as it may be written.
func (t *cutter) masked(text string) string {
	return t.o.Mask(transcript.Block{Type: transcript.Text, Text: text}).Text
}

// linesOf returns the lines of calls by their keys; of the first line of a field
// without the field's name.
func (t *cutter) linesOf(parts []int) map[uint64]int32 {
	out := make(map[uint64]int32)
	for _, p := range parts {
		part := &t.conv.Parts[p]
		for i := part.From; i < part.To; i++ {
			l := &t.conv.Lines[i]
			out[l.Key] = int32(i) //nolint:gosec // lines are counted in 32 bits
			if _, rest, ok := strings.Cut(l.Text, ": "); ok {
				out[reuse.Key(rest)] = int32(i) //nolint:gosec // the same
			}
		}
	}
	return out
}

// addCommand makes the units of a command: how it was run, what its last run printed
// and, unless it is a check, what runs before that printed besides.
func (t *cutter) addCommand(c *subject.Command) {
	last := c.Last()
	if last.Group >= t.first { // what stands in place says how it ended
		return
	}
	top := &topic{command: c}
	first := c.Runs[0]
	u := t.unitOf(first.Call, ofCall)
	u.lines = shownCall(u.lines, c.Edit, t.workdir)
	u.group, u.whole = last.Group, len(u.lines) <= wholeCall
	top.call = u
	t.add(top, u)
	top.heading = 4
	for i := range headed(u) {
		top.heading += u.lines[i].cost
		top.names = append(top.names, u.lines[i].Line)
	}
	newer := make(map[uint64]bool)
	for n, r := range slices.Backward(c.Runs) {
		back := len(c.Runs) - 1 - n
		if back > 0 && c.Check || back > earlierRuns {
			break
		}
		if r.Result < 0 || t.isPinned(r.Result) {
			continue
		}
		k := ofOutput
		switch {
		case c.Search:
			k = ofHits
		case r.Failed:
			k = ofFailure
		case asksUser(c.Tool):
			k = ofAsked
		}
		u := t.unitOf(r.Result, k)
		u.whole = len(u.lines) <= wholeOutput
		if c.Search {
			u.least = t.shape.Hits
		}
		if back > 0 {
			u.weight *= t.shape.Earlier
			u.note = "an earlier run"
		}
		if u.age(newer, func(*uline) bool { return false }) > 0 {
			t.add(top, u)
		}
	}
}

// age marks the lines that a newer text has, or that are gone, and adds all to newer. It
// returns how many of those that are left say something.
func (u *unit) age(newer map[uint64]bool, gone func(l *uline) bool) (left int) {
	for i := range u.lines {
		l := &u.lines[i]
		if len(strings.TrimSpace(l.text)) > minSaid && newer[l.Key] || gone(l) {
			l.stale = true
		} else if !l.stale && !blank(l.text) {
			left++
		}
		newer[l.Key] = true
	}
	return left
}

func asksUser(tool string) bool {
	switch tool {
	case "AskUserQuestion", "ask_user", "ask_followup_question", "request_user_input", "ask_question":
		return true
	}
	return false
}

// noteSize are the tokens of a line that says how often something was done.
const noteSize = 5

// idle are fields of calls that say nothing that is needed later.
var idle = map[string]bool{"yield_time_ms": true, "max_output_tokens": true, "description": true, "timeout": true, "timeout_ms": true, "run_in_background": true}

// usualWorkdir returns the line that says where most calls of those were run that say
// so, if they are some; where others ran is shown.
func (t *cutter) usualWorkdir() (most string) {
	const some = 3
	counted := make(map[string]int)
	for p := range t.conv.Parts {
		part := &t.conv.Parts[p]
		for i := part.From; part.Source == reuse.Call && i < part.To; i++ {
			if text := t.conv.Lines[i].Text; strings.HasPrefix(text, "workdir: ") {
				if counted[text]++; counted[text] > counted[most] {
					most = text
				}
			}
		}
	}
	if counted[most] < some {
		return ""
	}
	return most
}

// shownCall returns the lines of a call without those of its idle fields and the usual
// folder; of an edit that did not come about without what it would have changed.
func shownCall(lines []uline, edit bool, usual string) []uline {
	out := lines[:0]
	skip := false
	for _, l := range lines {
		key, _, ok := strings.Cut(l.text, ": ")
		if ok = ok && !strings.ContainsAny(key, " \t(){}<>=\"'"); ok {
			skip = idle[key] || edit && subject.Text(key)
		}
		if skip || blank(l.text) || l.text == usual {
			continue
		}
		out = append(out, l)
	}
	return out
}

// aboutCommand is how much of a command says which one it was, in bytes.
const aboutCommand = 60

// clipped returns the beginning of a text.
func clipped(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + gap
	}
	return s
}
