package trim

import (
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// run cuts the conversation to the budget. Where even a digest without a line does
// not fit beside what stays in place, less stays in place.
func (t *cutter) run(res *Result) error {
	t.quotes = make(map[uint64]float64)
	for i := range t.conv.Lines {
		if l := &t.conv.Lines[i]; l.Edit > t.quotes[l.Key] {
			t.quotes[l.Key] = l.Edit
		}
	}
	for most := len(t.conv.Groups); ; {
		over := t.try(res, most)
		if over == 0 {
			res.Changed = true
			t.account(res)
			res.Diagnostics = t.diagnostics()
			return nil
		}
		switch stays := len(t.conv.Groups) - t.first; {
		case stays > 1:
			most = stays - 1
		case most > 0: // the newest group alone is too big: it is squeezed
			most = 0
		case !t.shortenInputs():
			return &satchel.OverflowError{What: cutting.Newest, Need: t.o.Budget + over, Limit: t.o.Budget}
		}
	}
}

// maxFills is how often room that is left is filled before the result counts as
// full: what a line costs is known for certain only when it is written.
const maxFills = 3

// tryFit is what try may leave empty, as a share of the budget.
const tryFit = 1.0 / 200

// try cuts the conversation with at most so many groups in place, and returns by how
// many tokens the result is too big.
func (t *cutter) try(res *Result, most int) (over int) {
	t.topics, t.units, t.inPlace, t.words, t.prompted, t.plan = nil, nil, nil, nil, nil, ""
	placed := t.divide(most)
	used := preambleSize + placed + t.pins()
	t.collect()
	t.plan = t.planText()
	used += reuse.Size(t.plan)
	used += t.prompts(used)
	k := t.newChooser()
	t.chooser = k
	for _, u := range t.words {
		for i := range u.lines {
			if u.lines[i].shown {
				k.cover(u.lines[i].Line, true)
			}
		}
	}
	k.left = float64(t.o.Budget) - used
	t.fillInPlace(k, placed)
	k.known()
	k.fill(t.units)
	k.closeGaps(t.units)
	for try := 0; ; try++ {
		res.Messages = t.render()
		exact, size := t.meter.Both(res.Messages)
		res.After = exact
		room := float64(t.o.Budget) - max(float64(exact), size)
		if room >= 0 {
			n := len(k.taken)
			if try >= maxFills || room < float64(t.o.Budget)*tryFit {
				return 0
			}
			k.left = room - 4
			if k.fill(t.units); len(k.taken) == n {
				return 0
			}
			continue
		}
		if k.giveBack(-room*1.05) || t.forgetPrompt() {
			continue
		}
		if t.plan != "" {
			t.plan = ""
			continue
		}
		return int(1 - room)
	}
}

// forgetPrompt leaves out the least wanted words of the user, and reports whether
// there were any.
func (t *cutter) forgetPrompt() bool {
	n := len(t.prompted)
	if n == 0 {
		return false
	}
	t.prompted[n-1].hide()
	t.prompted = t.prompted[:n-1]
	return true
}

// placeShare is what the newest group may take of the budget, if it is too big to stay
// whole.
const placeShare = 0.45

// fillInPlace chooses lines of the newest group's parts that are cut.
func (t *cutter) fillInPlace(k *chooser, placed float64) {
	for p, cut := range t.cut {
		if !cut {
			continue
		}
		u := t.unitOf(p, ofRegion)
		if t.conv.Parts[p].Failed {
			u.kind = ofFailure
		}
		u.topic = &topic{said: make(map[uint64]bool), open: true}
		t.inPlace = append(t.inPlace, u)
	}
	if len(t.inPlace) == 0 {
		return
	}
	rest := max(0, k.left-max(0, float64(t.o.Budget)*placeShare-placed))
	k.left -= rest
	k.fill(t.inPlace)
	k.left += rest
}

// render writes the result.
func (t *cutter) render() []transcript.Message {
	c := t.conv
	var out []transcript.Message
	for i := c.Groups[t.first].From; i < len(c.Messages); i++ {
		if m := t.shrink(i); len(m.Blocks) > 0 {
			out = append(out, m)
		}
	}
	out = repair(out)
	text := t.digest()
	if text == "" && (len(out) == 0 || out[0].Role != transcript.User) {
		text = stub
	}
	if text == "" {
		return out
	}
	return append([]transcript.Message{{Role: transcript.User, Kind: transcript.Summary,
		Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}}, out...)
}

// shrink returns a message that stays in place, cut if it is of the newest group and
// that is too big.
func (t *cutter) shrink(i int) transcript.Message {
	m := t.placed[i]
	if len(t.inPlace) == 0 && t.inputs == 0 {
		return m
	}
	m.Blocks = slices.Clone(m.Blocks)
	for _, u := range t.inPlace {
		part := &t.conv.Parts[u.part]
		if part.Message != i {
			continue
		}
		missing := u.missing()
		if missing == 0 {
			continue
		}
		b := &m.Blocks[part.Block]
		b.Text, b.Raw = t.inBrackets(u, missing), nil
	}
	if t.inputs > 0 {
		for b := range m.Blocks {
			if m.Blocks[b].Type == transcript.Call && !slices.Contains(t.o.Pins, i) {
				m.Blocks[b] = shorten(m.Blocks[b], t.inputs)
			}
		}
	}
	return m
}

// inBrackets writes a part that is cut in place: how much of it is shown, and what.
func (t *cutter) inBrackets(u *unit, missing int) string {
	lines := u.said()
	text := fmt.Sprintf("[%d of %d lines; all: %s]", lines-missing, lines, t.handle(u.part))
	if u.any() {
		text += "\n" + u.text()
	}
	return text
}

// handle returns the name of a part.
func (t *cutter) handle(p int) string {
	part := &t.conv.Parts[p]
	return t.handles[part.Message][part.Block]
}
