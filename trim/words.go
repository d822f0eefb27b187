package trim

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/trim/reuse"
	"github.com/satchel-dev/satchel/trim/subject"
)

// A prompt of more tokens than longPrompt comes after the short ones. One that has
// no room keeps its two ends, of up to longestEnds tokens together.
const (
	longPrompt   = 250.0
	longestEnds  = 600.0
	leastEnds    = 40.0
	promptHeader = 4.0 // tokens of the heading of a prompt
)

// prompts chooses the words of the user that the digest shows, and returns the tokens
// that they take: the first and then the newest, short ones before long ones, up to
// their share. One that is too long is cut in its middle.
func (t *cutter) prompts(used float64) float64 {
	budget := float64(t.o.Budget)
	room := min(budget*t.shape.Prompts, budget-used)
	var order []*unit
	for p := range t.conv.Parts {
		if part := &t.conv.Parts[p]; part.Group < t.first && part.Source == reuse.User && !t.isPinned(p) && !t.isSummary(p) {
			u := t.unitOf(p, ofUser)
			u.topic = &topic{said: make(map[uint64]bool)}
			u.note = t.replyTo(p)
			t.words = append(t.words, u)
			order = append(order, u)
		}
	}
	if len(order) == 0 {
		return 0
	}
	slices.Reverse(order[1:])
	total := 0.0
	for _, long := range []bool{false, true} {
		for _, u := range order {
			n := u.size() + reuse.Size(u.note)
			if n > longPrompt != long {
				continue
			}
			if n+promptHeader <= room {
				u.showAll()
			} else if n = u.showEnds(max(leastEnds, min(room*0.6, longestEnds)) - promptHeader); n+promptHeader > room {
				u.hide()
				continue
			}
			t.prompted = append(t.prompted, u)
			room -= n + promptHeader
			total += n + promptHeader
		}
	}
	return total
}

// shortReply is the length of what the user says to which it is told what it answers, in
// bytes, and longestAsked that of a line of what is told of it.
const (
	shortReply   = 24
	longestAsked = 120
)

// replyTo says what the user answers with a few words that say little by themselves
// ("yes", "b"): the last question of what the agent said before, and the choice that has
// that letter or number. It returns "" if nothing was asked.
func (t *cutter) replyTo(p int) string {
	reply := strings.TrimSpace(t.conv.Parts[p].Text)
	if len(reply) > shortReply {
		return ""
	}
	for p--; p >= 0 && t.conv.Parts[p].Source != reuse.User; p-- {
		part := &t.conv.Parts[p]
		if part.Source != reuse.Answer {
			continue
		}
		asked, choice := "", ""
		for i := part.To - 1; i >= part.From; i-- {
			text := strings.TrimSpace(t.conv.Lines[i].Text)
			switch {
			case asked == "" && strings.HasSuffix(strings.TrimRight(text, "*_)"), "?"):
				asked = clipped(oneLine(text), longestAsked)
			case choice == "" && isChoice(text, reply):
				choice = clipped(oneLine(text), longestAsked)
			}
		}
		if asked != "" || choice != "" {
			return "to: " + strings.TrimSpace(asked+" "+choice)
		}
	}
	return ""
}

// choices are what chooses among what was offered: a letter, or a number.
var choices = lazy.Regexp(`^(?:[A-Za-z]|[0-9]{1,2})$`)

// isChoice reports whether a line offers what a reply chooses: "**B)** both", "2. the
// other".
func isChoice(line, reply string) bool {
	line = strings.TrimLeft(line, "-*_( #>")
	if !choices().MatchString(reply) || len(line) <= len(reply) || !strings.EqualFold(line[:len(reply)], reply) {
		return false
	}
	return strings.IndexByte(").:*", line[len(reply)]) >= 0
}

// size returns the tokens of a unit.
func (u *unit) size() (n float64) {
	for i := range u.lines {
		n += u.lines[i].cost
	}
	return n
}

func (u *unit) showAll() {
	for i := range u.lines {
		u.lines[i].shown = true
	}
}

func (u *unit) hide() {
	for i := range u.lines {
		u.lines[i].shown = false
	}
}

// showEnds shows the first lines of a unit and the last ones, three of five tokens for
// the first, and returns what they take.
func (u *unit) showEnds(room float64) (n float64) {
	i, head := 0, room*0.6
	for ; i < len(u.lines) && n+u.lines[i].cost <= head; i++ {
		u.lines[i].shown = true
		n += u.lines[i].cost
	}
	for j := len(u.lines) - 1; j > i && n+u.lines[j].cost <= room; j-- {
		u.lines[j].shown = true
		n += u.lines[j].cost
	}
	return n
}

// planShare is the most that the plan takes of the budget. Of a longer one, what is
// done is left out, and then its end.
const planShare = 0.06

// planText returns the plan as the digest shows it, or "" if it stands in place.
func (t *cutter) planText() string {
	p := t.subjects.Plan
	if p == nil || p.Group >= t.first {
		return ""
	}
	room := float64(t.o.Budget) * planShare
	items := p.Items
	if items == nil {
		text := t.maskedPlan(p.Text)
		first := firstLines(text, room)
		if len(first) < len(strings.TrimRight(text, "\n")) {
			first += "\n" + gap + " " + t.handle(p.Part)
		}
		return first
	}
	if reuse.Size(listed(items)) > room {
		items = p.Undone()
	}
	for len(items) > 0 && reuse.Size(listed(items)) > room {
		items = items[:len(items)-1]
	}
	text := t.maskedPlan(listed(items))
	if n := len(p.Items) - len(items); n > 0 {
		text += "\n" + gap + " " + countOf(n, "more item")
	}
	return text
}

func (t *cutter) maskedPlan(text string) string {
	if t.o.Mask == nil {
		return text
	}
	return t.masked(text)
}

// listed writes items as a list of checks.
func listed(items []subject.Item) string {
	var b strings.Builder
	for i := range items {
		mark := "[ ]"
		switch {
		case items[i].Done():
			mark = "[x]"
		case items[i].Begun():
			mark = "[>]"
		}
		b.WriteString("- " + mark + " " + oneLine(items[i].Text) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// firstLines returns the first lines of a text, of some tokens.
func firstLines(text string, room float64) string {
	n := 0
	for line := range strings.Lines(text) {
		if room -= reuse.Size(line); room < 0 {
			break
		}
		n += len(line)
	}
	return strings.TrimRight(text[:n], "\n")
}
