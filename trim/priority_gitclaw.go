package trim

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
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

// GitClawTokens is GITCLAW's estimate of the tokens of a text: a token for
// every 3.5 characters of fenced code blocks and every 4 of the rest, each
// rounded up. Characters are UTF-16 units, as in the language that it is
// printed in.
func GitClawTokens(text string) int {
	rest := utf16Len(text)
	code := 0
	for {
		from := strings.Index(text, "```")
		if from < 0 {
			break
		}
		to := strings.Index(text[from+3:], "```")
		if to < 0 {
			break
		}
		n := utf16Len(text[from : from+3+to+3])
		code += int(math.Ceil(float64(n) / 3.5))
		rest -= n
		text = text[from+3+to+3:]
	}
	return (rest+3)/4 + code
}

func gitClawBlock(b *transcript.Block) int {
	if b.Type == transcript.Call {
		return GitClawTokens(string(b.Input))
	}
	return GitClawTokens(b.Text)
}

// GitClawSizes is what GITCLAW's estimateSessionTokens returns.
type GitClawSizes struct {
	Total  int            `json:"total"`
	ByRole map[string]int `json:"byRole"` // user, assistant, toolResult
	ByType map[string]int `json:"byType"` // text, toolCall, toolResult, thinking
	Turns  int            `json:"turnCount"`
}

// GitClawSession estimates the tokens of a session as GITCLAW does.
func GitClawSession(messages []transcript.Message) GitClawSizes {
	s := GitClawSizes{ByRole: make(map[string]int), ByType: map[string]int{"text": 0, "toolCall": 0, "toolResult": 0, "thinking": 0}}
	for i := range messages {
		m := &messages[i]
		if byUser(m) {
			s.Turns++
		}
		for j := range m.Blocks {
			b := &m.Blocks[j]
			kind, role := "text", string(m.Role)
			switch b.Type {
			case transcript.Call:
				kind = "toolCall"
			case transcript.Result:
				kind, role = "toolResult", "toolResult"
			case transcript.Thinking:
				kind = "thinking"
			}
			n := gitClawBlock(b)
			s.ByType[kind] += n
			s.ByRole[role] += n
			s.Total += n
		}
	}
	return s
}

// byUser reports whether a message has the role "user" in GITCLAW's sense:
// results have a role of their own there.
func byUser(m *transcript.Message) bool {
	return m.Role == transcript.User && m.Kind != transcript.Results
}

// The numbers of scoreTurns.
const (
	gitClawBase        = 50
	gitClawUser        = 15
	gitClawInstruction = 10
	gitClawConclusion  = 10
	gitClawChain       = -20 // more than three calls or results and no text
	gitClawChainBlocks = 3
	gitClawRecency     = 30 // of the newest turn
	gitClawFirst       = 90
	gitClawLast        = 85
	gitClawLastTurns   = 5
	gitClawKeep        = 70 // turns of this priority are kept whole
	gitClawContent     = 500
)

// The expressions of scoreTurns. JavaScript's dot stops at four characters,
// Go's at one.
var (
	gitClawInstructs = regexp.MustCompile(`(?i)(?:please|could you|I want|let's|we should|change|update|fix|add|remove|create|delete)`)
	gitClawConcludes = regexp.MustCompile(`(?i)(?:decided|conclusion|result|summary|answer|the [^\n\r\x{2028}\x{2029}]+ is)`)
)

// gitClawTurns is scoreTurns.
func gitClawTurns(messages []transcript.Message) []Turn {
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
		content := textBlocks(m)
		t := Turn{Index: i, From: i, To: i + 1, Title: headline(content), Type: Response}
		t.add(gitClawBase, "every turn")
		switch {
		case byUser(m):
			t.Type = Instruction
			t.add(gitClawUser, "by the user")
		case tools > 0:
			t.Type = ToolUse
		}
		if gitClawInstructs.MatchString(content) {
			t.add(gitClawInstruction, "instructs")
		}
		if gitClawConcludes.MatchString(content) {
			t.add(gitClawConclusion, "concludes")
		}
		if tools > gitClawChainBlocks && texts == 0 {
			t.add(gitClawChain, "a chain of tools without a word")
		}
		t.add(int(math.Floor(float64(i)/float64(len(messages))*gitClawRecency)), "recent")
		if i == 0 {
			t.lift(gitClawFirst, "the first turn")
		}
		if i >= len(messages)-gitClawLastTurns {
			t.lift(gitClawLast, fmt.Sprintf("one of the last %d turns", gitClawLastTurns))
		}
		t.bound()
		turns = append(turns, t)
	}
	return turns
}

// Numbers of the compressor and the summary.
const (
	gitClawLarge        = 2000 // tokens above which a result is compressed
	gitClawLines        = 10   // lines that it keeps at either end
	gitClawHeader       = "[Earlier conversation summary — compressed to save context]"
	gitClawSummaryLines = 30
	gitClawSentence     = 10 // characters that a sentence must exceed
)

// GitClawCompress is GITCLAW's compressor of tool results: one of more than
// 2,000 tokens keeps its first and last ten lines. A result of 20 lines or
// fewer, which the printed code would repeat and count negatively, is cut
// within its lines.
func GitClawCompress(text string) string {
	n := GitClawTokens(text)
	if n <= gitClawLarge {
		return text
	}
	lines := strings.Split(text, "\n")
	if len(lines) > 2*gitClawLines {
		out := fmt.Sprintf("%s\n\n[... %d lines compressed (%d tokens) ...]\n\n%s",
			strings.Join(lines[:gitClawLines], "\n"), len(lines)-2*gitClawLines, n, strings.Join(lines[len(lines)-gitClawLines:], "\n"))
		if GitClawTokens(out) <= gitClawLarge {
			return out
		}
	}
	return cutMiddle(text, gitClawLarge*4/2)
}

// cutMiddle keeps the two ends of a text, of together about most bytes.
func cutMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := most / 2
	for head > 0 && !runeStart(text[head]) {
		head--
	}
	tail := len(text) - most/2
	for tail < len(text) && !runeStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n\n[... %d characters compressed (%d tokens) ...]\n\n%s",
		text[:head], utf16Len(text[head:tail]), GitClawTokens(text), text[tail:])
}

func runeStart(b byte) bool { return b&0xc0 != 0x80 }

// gitClawFirstSentence is the expression of heuristicSummarize.
var gitClawFirstSentence = regexp.MustCompile(`^[^.!?\n]+[.!?]?`)

// gitClawSummary is heuristicSummarize, cut to a budget after a whole line. It
// also says which of the messages have a line of their own.
func gitClawSummary(messages []transcript.Message, which []int, budget int) (summary string, lines map[int]bool) {
	lines = make(map[int]bool)
	if len(which) == 0 || GitClawTokens(gitClawHeader) > budget {
		return "", lines
	}
	summary = gitClawHeader
	for _, i := range which {
		if len(lines) == gitClawSummaryLines {
			break
		}
		sentence := gitClawFirstSentence.FindString(utf16Cut(textBlocks(&messages[i]), gitClawContent))
		if utf16Len(sentence) <= gitClawSentence {
			continue
		}
		who := "Agent"
		if byUser(&messages[i]) {
			who = "User"
		}
		next := summary + "\n[" + who + "] " + strings.TrimSpace(sentence)
		if GitClawTokens(next) > budget {
			break
		}
		summary = next
		lines[i] = true
	}
	return summary, lines
}
