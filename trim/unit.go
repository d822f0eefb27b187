package trim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
	"github.com/satchel-dev/satchel/trim/subject"
)

// A unit is a text that a digest can show: a change, what was read, what a command
// printed, an answer. It is shown whole, or in runs of lines.
type unit struct {
	topic *topic
	kind  kind
	part  int // whose handle names it
	group int
	lines []uline
	whole bool   // all lines or none
	least int    // lines of the shortest run
	prose bool   // it holds sentences
	own   bool   // it is a digest: its headings are ours
	fresh []bool // of a file written whole: which lines are new in it; nil if all are
	note  string // on a line above it, in parentheses; "" for none

	weight float64
	values []float64 // of its lines, when they were looked at last
	bound  float64   // the most that a token of it was worth at first

	refused bool // a run of it was worth its tokens and had no room
}

// A uline is a line of a unit.
type uline struct {
	*reuse.Line
	text  string // as it is shown
	cost  float64
	at    int32 // in the conversation, or -1
	stale bool  // it no longer stands, or a newer text has it
	shown bool
	empty uint8 // whether it says nothing: isBlank or notBlank, 0 until it is asked

	within uint8 // 1 and twice what inside returns, 0 until it is asked
}

// A kind is what a unit holds.
type kind uint8

const (
	ofHunk    kind = iota // what edits came to
	ofWas                 // what they took out
	ofRegion              // lines of a file
	ofCall                // how something was run
	ofOutput              // what it printed
	ofFailure             // the same, of a run that failed
	ofHits                // what a search found
	ofAnswer              // what the agent said
	ofClient              // what the client put in
	ofAsked               // what the agent asked the user, and the answer
	ofUser                // the user's words
	ofSummary             // what an earlier trim, or a client, left of the conversation

	numKinds
)

// A topic is what units are about: a file, a command, or an answer.
type topic struct {
	file    *subject.File
	command *subject.Command
	call    *unit           // of a command: how it was run
	units   []*unit         // in the order in which they are shown
	open    bool            // something of it is shown
	lent    bool            // the first lines of call are shown because something else is
	said    map[uint64]bool // keys of the lines that are shown
	heading float64         // tokens of what stands above its units
	names   []*reuse.Line   // what that says
}

// minSaid is the length from which a line that is shown is not shown again.
const minSaid = 8

// callLines is how many lines of a command stand above its output at least.
const callLines = 6

// headed returns how many lines of a call stand above the other units of its topic.
func headed(call *unit) int { return min(len(call.lines), callLines) }

// any reports whether a line of the unit is shown.
func (u *unit) any() bool {
	return slices.ContainsFunc(u.lines, func(l uline) bool { return l.shown })
}

// missing counts the lines that are not shown and say something.
func (u *unit) missing() (n int) {
	for i := range u.lines {
		if l := &u.lines[i]; !l.shown && !blank(l.text) {
			n++
		}
	}
	return n
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

const (
	isBlank = 1 + iota
	notBlank
)

// number returns the number of the first line that is shown, as the tool for reading
// put it there, or 0.
func (u *unit) number() int {
	for i := range u.lines {
		if l := &u.lines[i]; l.shown && !l.blank() {
			digits, _ := reuse.Numbered(l.text)
			n, _ := strconv.Atoi(digits)
			return n
		}
	}
	return 0
}

// blank reports whether the line says nothing.
func (l *uline) blank() bool {
	if l.empty == 0 {
		l.empty = notBlank
		if blank(l.text) {
			l.empty = isBlank
		}
	}
	return l.empty == isBlank
}

// write writes what is shown of a unit. The first mark of lines that were left out
// has the handle, if there is one.
func (u *unit) write(b *strings.Builder, handle string) {
	hole, empty, begun := false, false, false
	mark := func() {
		b.WriteString(gap)
		if handle != "" {
			b.WriteString(" " + handle)
			handle = ""
		}
	}
	for i := range u.lines {
		l := &u.lines[i]
		if !l.shown {
			if blank(l.text) {
				empty = true
			} else {
				hole = true
			}
			continue
		}
		switch {
		case hole:
			if begun {
				b.WriteByte('\n')
			}
			mark()
			if l.Continues {
				b.WriteByte(' ')
			} else {
				b.WriteByte('\n')
			}
		case begun && empty:
			b.WriteString("\n\n")
		case begun && !l.Continues:
			b.WriteByte('\n')
		}
		if u.kind == ofUser || u.own {
			b.WriteString(l.text)
		} else {
			b.WriteString(escaped(l.text))
		}
		hole, empty, begun = false, false, true
	}
	if begun && hole {
		b.WriteByte('\n')
		mark()
	}
}

// text returns what write writes, without a handle.
func (u *unit) text() string {
	var b strings.Builder
	u.write(&b, "")
	return b.String()
}
