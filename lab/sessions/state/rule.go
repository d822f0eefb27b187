package state

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/satchel-dev/satchel/transcript"
)

var demands = regexp.MustCompile(`(?i)\b(never|always|do not|don't|dont|only|must|make sure|ensure|avoid|instead of|rather than|should not|shouldn't|prefer|without|no need|keep)\b`)

// What counts as a sentence of a person, in characters.
const (
	leastSentence = 12
	mostSentence  = 400
	mostSaid      = 20_000 // in one message; more was pasted
)

// rulesOf returns the newest sentences of the user that forbid or demand
// something, each once.
func rulesOf(ms []transcript.Message) []string {
	var out []string
	seen := map[string]bool{}
	for i := range ms {
		if ms[i].Kind != transcript.Prompt {
			continue
		}
		for k := range ms[i].Blocks {
			b := &ms[i].Blocks[k]
			if b.Type != transcript.Text || len([]rune(b.Text)) >= mostSaid {
				continue
			}
			for _, s := range sentences(b.Text) {
				if demands.MatchString(s) && !seen[s] {
					seen[s] = true
					out = append(out, s)
				}
			}
		}
	}
	return out[max(0, len(out)-maxRules):]
}

// sentences divides a text at its lines, and behind a full stop before a word
// that begins a sentence.
func sentences(text string) []string {
	var out []string
	add := func(s string) {
		s = strings.TrimSpace(s)
		if n := len([]rune(s)); n >= leastSentence && n <= mostSentence {
			out = append(out, s)
		}
	}
	for l := range strings.SplitSeq(text, "\n") {
		from := 0
		for i := 1; i < len(l); i++ {
			if !strings.ContainsRune(".!?", rune(l[i-1])) {
				continue
			}
			rest := strings.TrimLeftFunc(l[i:], unicode.IsSpace)
			if at := len(l) - len(rest); at > i && rest != "" && (rest[0] >= 'A' && rest[0] <= 'Z' || rest[0] == '"' || rest[0] == '`') {
				add(l[from:i])
				from = at
			}
		}
		add(l[from:])
	}
	return out
}
