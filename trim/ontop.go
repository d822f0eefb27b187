package trim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/transcript"
)

// OnTop cuts messages by cut, which is [Trim] or one of its kind, so that they
// are within the budget together with a text that somebody else wrote about
// them: it stands on top of the digest, below a heading that says whose it is.
// Lines of the text that look like headings of a digest lose what makes them
// so. If nothing has to be cut, nothing is put on top.
//
// The error is an *[satchel.OverflowError] if the budget has no room for both.
func OnTop(messages []transcript.Message, o Options, cut Cut, heading, text string) (*Result, error) {
	section := "## " + oneLine(heading) + "\n" + plainLines(text)
	m := newMeter(o.Count)
	first := o.Budget - m.count(section) - perMessage - perBlock
	overflow := &satchel.OverflowError{What: newestMessages, Need: 2*o.Budget - first, Limit: o.Budget}
	if first <= 0 {
		return nil, overflow
	}

	inner := o
	inner.Trigger = max(o.Trigger, o.Budget) // whether to cut is decided without the text
	res, ok, err := pack.Within(o.Budget, pack.Range{First: first, Most: first, Each: 1}, func(limit int) (pack.Layout[*Result], error) {
		inner.Budget = limit
		res, err := cut(messages, inner)
		if err != nil || !res.Changed {
			return pack.Layout[*Result]{Shown: res, Done: true}, err
		}
		res.put(section)
		res.After = m.exact(res.Messages)
		return pack.Layout[*Result]{Shown: res, Size: max(res.After, int(m.size(res.Messages)+1)), Done: true}, nil
	})
	if err == nil && !ok {
		err = overflow
	}
	return res, err
}

// topHeader begins a digest that holds nothing but a text on top.
const topHeader = Header + " what follows this note was said last and is as it was.]"

// put puts a section behind the first lines of the digest.
func (r *Result) put(section string) {
	r.Messages = slices.Clone(r.Messages)
	if len(r.Messages) > 0 && r.Messages[0].Kind == transcript.Summary && len(r.Messages[0].Blocks) == 1 {
		b := r.Messages[0].Blocks[0]
		if b.Type == transcript.Text && (strings.HasPrefix(b.Text, Header) || strings.HasPrefix(b.Text, gitClawHeader)) {
			head, rest, more := strings.Cut(b.Text, "]\n")
			if more {
				head += "]"
				rest = "\n" + rest
			}
			b.Text, b.Raw = head+"\n"+section+rest, nil
			r.Messages[0].Blocks = []transcript.Block{b}
			return
		}
	}
	r.Messages = slices.Insert(r.Messages, 0, transcript.Message{Role: transcript.User, Kind: transcript.Summary,
		Blocks: []transcript.Block{{Type: transcript.Text, Text: topHeader + "\n" + section}}})
}

// plainLines takes from lines what a digest uses to say who speaks, so that a
// text cannot put words into anybody's mouth.
func plainLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		s := strings.TrimLeft(line, "#< \t")
		if s != strings.TrimLeft(line, " \t") {
			line = s
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A GitClawShares divides the budget of [TrimGitClaw] between recent turns and
// the summary of the others, in any unit: the percentages of a context.json, or
// tokens. If both are 0 they are 30 and 10, as in the printed one.
type GitClawShares struct {
	Recent, Summary int
}

// Trim is [TrimGitClaw] with shares of its own.
func (s GitClawShares) Trim(messages []transcript.Message, o Options) (*Result, error) {
	if s.Recent < 0 || s.Summary < 0 {
		return nil, fmt.Errorf("shares %d and %d: want 0 or more", s.Recent, s.Summary)
	}
	return trimGitClaw(messages, o, s)
}
