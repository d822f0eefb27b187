package trim

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/transcript"
)

// A Profile names a way to say how much turns matter.
type Profile string

const (
	// Default looks at what a turn holds and what became of it: a person's
	// words, decisions, edits, errors and their fixes, files that were read or
	// written again since, names that the agent is likely to use next.
	Default Profile = "default"

	// GitClaw follows the rules of GITCLAW's design, which look at words and at
	// the place of a turn.
	GitClaw Profile = "gitclaw"
)

// Profiles lists the profiles.
var Profiles = []Profile{Default, GitClaw}

// A TurnType says what a turn is about.
type TurnType string

const (
	Instruction   TurnType = "instruction"   // a person asks for something
	Clarification TurnType = "clarification" // a person corrects or explains what was asked
	Analysis      TurnType = "analysis"      // an answer that concludes or decides
	ToolUse       TurnType = "tool-use"      // calls of tools and their results
	Response      TurnType = "response"      // any other answer
	Reminder      TurnType = "reminder"      // put in by the client
	Digest        TurnType = "summary"       // what an earlier compaction left
)

// A Turn is a part of a session that matters as one: in the Default profile an
// answer with the results of its calls, or one message of the user; in the
// GitClaw profile, as in its design, one message.
type Turn struct {
	Index    int // from 0
	From, To int // messages [From, To)
	Type     TurnType
	Priority int      // 0 to 100; the sum of the reasons, within these bounds
	Reasons  []Reason // in the order in which they were given
	Title    string   // what it is about, on one line
	Paths    []string // of the files that its calls are about, each once
}

// A Reason is a part of a priority.
type Reason struct {
	Add int    `json:"add"`
	Why string `json:"why"`
}

func (t *Turn) add(n int, why string) {
	if n != 0 {
		t.Reasons = append(t.Reasons, Reason{n, why})
		t.Priority += n
	}
}

// lift raises the priority to at least n.
func (t *Turn) lift(n int, why string) {
	if t.Priority < n {
		t.add(n-t.Priority, why)
	}
}

// bound keeps the priority within 0 to 100.
func (t *Turn) bound() { t.Priority = max(0, min(t.Priority, 100)) }

// Prioritize returns the turns of a session with how much each matters. An
// unknown profile is the default one.
func Prioritize(messages []transcript.Message, p Profile) []Turn {
	if p == GitClaw {
		return gitClawTurns(messages)
	}
	return defaultTurns(messages)
}

// textBlocks returns the text blocks of a message, joined by newlines.
func textBlocks(m *transcript.Message) string {
	var parts []string
	for i := range m.Blocks {
		if m.Blocks[i].Type == transcript.Text {
			parts = append(parts, m.Blocks[i].Text)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, "\n")
}

// maxTitle is the longest title, in characters; a terminal cuts it further.
const maxTitle = 160

// headline returns the first line of a text that says something: no ruler and
// no lone tag.
func headline(s string) string {
	tag := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if strings.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
			continue
		}
		if line[0] == '<' && line[len(line)-1] == '>' && !strings.ContainsAny(line, " \t") {
			tag = cmp.Or(tag, line)
			continue
		}
		return clip.Runes(line, maxTitle)
	}
	return tag
}

// utf16Len returns the length of a string as JavaScript counts it. A byte that
// is not UTF-8 counts as U+FFFD.
func utf16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// utf16Cut returns the start of a string of at most n UTF-16 units, without
// half a character at its end.
func utf16Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i, r := range s {
		n--
		if r > 0xffff {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}
