package trim

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
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
	m := cutting.NewMeter(o.Count)
	first := o.Budget - m.Count(section) - cutting.PerMessage - cutting.PerBlock
	overflow := &satchel.OverflowError{What: cutting.Newest, Need: 2*o.Budget - first, Limit: o.Budget}
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
		res.After = m.Exact(res.Messages)
		return pack.Layout[*Result]{Shown: res, Size: max(res.After, int(m.Size(res.Messages)+1)), Done: true}, nil
	})
	if err == nil && !ok {
		err = overflow
	}
	return res, err
}

// topHeader begins a digest that holds nothing but a text on top.
const topHeader = header + " the messages below are the latest, and unchanged.]"

// isDigest reports whether a text is a digest that a cut wrote, be it that of
// [Trim] or of another design: all say in brackets what became of the earlier
// conversation. A stub has no lines that a section could stand above.
func isDigest(text string) bool {
	return strings.HasPrefix(text, "[Earlier conversation") && !strings.HasPrefix(text, stub)
}

// put puts a section behind the first lines of the digest.
func (r *Result) put(section string) {
	r.Messages = slices.Clone(r.Messages)
	if len(r.Messages) > 0 && r.Messages[0].Kind == transcript.Summary && len(r.Messages[0].Blocks) == 1 {
		b := r.Messages[0].Blocks[0]
		if b.Type == transcript.Text && isDigest(b.Text) {
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
		b.WriteString(escaped(line))
	}
	return strings.TrimSpace(b.String())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
