package gitclaw

import (
	"fmt"
	"math"
	"strings"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// The rules of GITCLAW's design, "Context Window Intelligence", with its
// numbers. What it prints does not work on real sessions; these are corrected:
//
//   - pi stores results as messages of their own and thinking in a field
//     "thinking": both are counted and compressed, where the printed code saw
//     none;
//   - a turn of high priority that found no room was neither kept nor
//     summarized: it is summarized now, and every turn is accounted for;
//   - kept turns were listed last five first, then by priority: they stand in
//     the order in which they were said;
//   - turns were cut to 500 characters after their whole line had been
//     counted: what is kept is kept whole, and what is counted is what is kept;
//   - calls were dropped: a call stays with its results;
//   - the last five turns could exceed the budget: their results shrink.

// byUser reports whether a message has the role "user" in GITCLAW's sense:
// results have a role of their own there.
func byUser(m *transcript.Message) bool {
	return m.Role == transcript.User && m.Kind != transcript.Results
}

// The numbers of scoreTurns.
const (
	base           = 50
	addUser        = 15
	addInstruction = 10
	addConclusion  = 10
	lessChain      = -20 // more than three calls or results and no text
	chainBlocks    = 3
	addRecent      = 30 // of the newest turn
	leastFirst     = 90
	leastLast      = 85
	lastTurns      = 5
	keepFrom       = 70 // turns of this priority are kept whole
	contentChars   = 500
)

// The expressions of scoreTurns. JavaScript's dot stops at four characters,
// Go's at one.
var (
	instructs = lazy.Regexp(`(?i)(?:please|could you|I want|let's|we should|change|update|fix|add|remove|create|delete)`)
	concludes = lazy.Regexp(`(?i)(?:decided|conclusion|result|summary|answer|the [^\n\r\x{2028}\x{2029}]+ is)`)
)

// A Turn is a message with its priority.
type Turn struct {
	trim.Turn
	Priority int      // 0 to 100; the sum of the reasons, within these bounds
	Reasons  []Reason // in the order in which they were given
}

// A Reason is a part of a priority.
type Reason struct {
	Add int
	Why string
}

// add adds a reason, if it says anything.
func (t *Turn) add(n int, why string) {
	if n != 0 {
		t.Reasons = append(t.Reasons, Reason{n, why})
		t.Priority += n
	}
}

// lift raises the priority to at least n.
func (t *Turn) lift(n int, why string) { t.add(max(0, n-t.Priority), why) }

// why says what the priority is made of.
func (t *Turn) why() string {
	parts := make([]string, len(t.Reasons))
	for i, r := range t.Reasons {
		parts[i] = fmt.Sprintf("%d %s", r.Add, r.Why)
	}
	return fmt.Sprintf("GITCLAW priority %d: %s", t.Priority, strings.Join(parts, ", "))
}

// Turns is scoreTurns.
func Turns(messages []transcript.Message) []Turn {
	var turns []Turn
	for i := range messages {
		m := &messages[i]
		texts, tools := 0, 0
		for j := range m.Blocks {
			switch m.Blocks[j].Type {
			case transcript.Text:
				texts++
			case transcript.Call, transcript.Result:
				tools++
			}
		}
		content := cutting.Said(m)
		t := Turn{Turn: trim.Turn{Index: i, From: i, To: i + 1, Title: cutting.Headline(content), Type: trim.Response}}
		t.add(base, "every turn")
		switch {
		case byUser(m):
			t.Type = trim.Instruction
			t.add(addUser, "by the user")
		case tools > 0:
			t.Type = trim.ToolUse
		}
		if instructs().MatchString(content) {
			t.add(addInstruction, "instructs")
		}
		if concludes().MatchString(content) {
			t.add(addConclusion, "concludes")
		}
		if tools > chainBlocks && texts == 0 {
			t.add(lessChain, "a chain of tools without a word")
		}
		t.add(int(math.Floor(float64(i)/float64(len(messages))*addRecent)), "recent")
		if i == 0 {
			t.lift(leastFirst, "the first turn")
		}
		if i >= len(messages)-lastTurns {
			t.lift(leastLast, fmt.Sprintf("one of the last %d turns", lastTurns))
		}
		t.Priority = max(0, min(t.Priority, 100))
		turns = append(turns, t)
	}
	return turns
}

// Numbers of the compressor and the summary.
const (
	largeResult   = 2000 // tokens above which a result is compressed
	endLines      = 10   // lines that it keeps at either end
	header        = "[Earlier conversation summary — compressed to save context]"
	summaryLines  = 30
	leastSentence = 10 // characters that a sentence must exceed
)

// compress is GITCLAW's compressor of tool results: one of more than
// 2,000 tokens keeps its first and last ten lines. A result of 20 lines or
// fewer, which the printed code would repeat and count negatively, is cut
// within its lines.
func compress(text string) string {
	n := cutting.RoughTokens(text)
	if n <= largeResult {
		return text
	}
	lines := strings.Split(text, "\n")
	if len(lines) > 2*endLines {
		out := fmt.Sprintf("%s\n\n[... %d lines compressed (%d tokens) ...]\n\n%s",
			strings.Join(lines[:endLines], "\n"), len(lines)-2*endLines, n, strings.Join(lines[len(lines)-endLines:], "\n"))
		if cutting.RoughTokens(out) <= largeResult {
			return out
		}
	}
	return cutting.Middle(text, largeResult*4/2)
}

// firstSentence is the expression of heuristicSummarize.
var firstSentence = lazy.Regexp(`^[^.!?\n]+[.!?]?`)

// summarize is heuristicSummarize, cut to a budget after a whole line. It
// also says which of the messages have a line of their own.
func summarize(messages []transcript.Message, which []int, budget int) (summary string, lines map[int]bool) {
	lines = make(map[int]bool)
	if len(which) == 0 || cutting.RoughTokens(header) > budget {
		return "", lines
	}
	summary = header
	for _, i := range which {
		if len(lines) == summaryLines {
			break
		}
		sentence := firstSentence().FindString(clip.UTF16(cutting.Said(&messages[i]), contentChars))
		if clip.UTF16Len(sentence) <= leastSentence {
			continue
		}
		who := "Agent"
		if byUser(&messages[i]) {
			who = "User"
		}
		next := summary + "\n[" + who + "] " + strings.TrimSpace(sentence)
		if cutting.RoughTokens(next) > budget {
			break
		}
		summary = next
		lines[i] = true
	}
	return summary, lines
}

// The words of a report of pressure, byte for byte as the design prints them, so
// that a comment written by either reads the same.
const (
	pressureNoted  = "\nℹ️ Older conversation turns are being summarized to preserve context quality."
	pressureWarned = "\n⚠️ Context is nearly full. Consider starting a new issue for fresh context, or I'll start compressing older conversation turns."
)

// pressureLine returns the bar, the percentage and the words of the level.
func pressureLine(p budget.Pressure) string {
	s := fmt.Sprintf("📊 Context: %s %d%%", render.PressureBar(p.Percent), p.Percent)
	switch p.Level {
	case budget.Noted:
		s += pressureNoted
	case budget.Warned:
		s += pressureWarned
	}
	return s
}

// PressureComment returns what is appended to an agent's comment: nothing below
// the first threshold, else an empty line and the report in small print.
func PressureComment(p budget.Pressure) string {
	if p.Level == budget.Hidden {
		return ""
	}
	return "\n\n<sub>" + pressureLine(p) + "</sub>"
}

// PressureText returns the report for a terminal: the same words, then what
// [render.PressureText] has to say. It says nothing below the first threshold unless
// always is set.
func PressureText(p budget.Pressure, always bool) string {
	if p.Level == budget.Hidden && !always {
		return ""
	}
	return pressureLine(p) + "\n" + render.PressureText(p)
}
