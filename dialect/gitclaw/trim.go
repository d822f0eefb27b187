package gitclaw

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// The recent turns and the summary share a session's budget as they share a
// window in the printed context.json: 30 and 10 percent.
const (
	recentShare  = 30
	summaryShare = 10
)

// Trim cuts a session by the rules of GITCLAW's trimSession: large results keep
// their first and last ten lines; the first turn and the last five are kept, and of
// the others those of priority 70 and above, highest first, while there is room; a
// summary of up to thirty first sentences stands for the rest. What is wrong in the
// printed code is corrected; see rules.go.
//
// Like [trim.Trim] it answers for every message, keeps calls and results together,
// and is never over the budget, by Options.Count and by [trim.Estimate].
//
// The summary takes a quarter of the budget at most; [Shares] divide it
// otherwise.
func Trim(messages []transcript.Message, o trim.Options) (*trim.Result, error) {
	return cut(messages, o, Shares{})
}

// Shares divide the budget of [Trim] between recent turns and the summary of the
// others, in any unit: the percentages of a context.json, or tokens. If both are 0
// they are 30 and 10, as in the printed one.
type Shares struct {
	Recent, Summary int
}

// FewTurns is how many turns are summarized without a model: the design asks one
// about more.
const FewTurns = 5

// OfSummary returns the tokens of a budget that a summary may take.
func (s Shares) OfSummary(budget int) int {
	if s.Recent+s.Summary <= 0 {
		s = Shares{recentShare, summaryShare}
	}
	return int(int64(budget) * int64(s.Summary) / int64(s.Recent+s.Summary))
}

// Trim is [Trim] with shares of its own.
func (s Shares) Trim(messages []transcript.Message, o trim.Options) (*trim.Result, error) {
	if s.Recent < 0 || s.Summary < 0 {
		return nil, fmt.Errorf("shares %d and %d: want 0 or more", s.Recent, s.Summary)
	}
	return cut(messages, o, s)
}

func cut(messages []transcript.Message, o trim.Options, shares Shares) (*trim.Result, error) {
	m := cutting.NewMeter(o.Count)
	recorded := messages
	messages = cutting.Masked(messages, o.Mask)
	res := &trim.Result{Messages: messages, Before: m.Exact(messages)}
	limit := max(o.Trigger, o.Budget)
	if o.Budget <= 0 || res.Before <= limit && m.Size(messages) <= float64(limit) {
		res.After = res.Before
		for i := range messages {
			n := int(cutting.MessageSize(&messages[i]) + 0.5)
			res.Accounts = append(res.Accounts, trim.Account{Message: i, Fate: trim.Kept, Why: "it fits", Before: n, After: n})
		}
		return res, nil
	}
	if shares.Recent+shares.Summary <= 0 {
		shares = Shares{recentShare, summaryShare}
	}
	t := &trimming{recorded: recorded, in: messages, o: o, shares: shares, meter: m, groups: reuse.Groups(messages), turns: Turns(messages)}
	return res, t.run(res)
}

type trimming struct {
	recorded []transcript.Message // as they were
	in       []transcript.Message // as they may be written
	o        trim.Options
	shares   Shares
	meter    *cutting.Meter
	groups   []reuse.Group
	turns    []Turn

	work    []transcript.Message // in, compressed
	keep    []bool               // of groups
	must    []bool               // of groups: first, last five, pinned
	summary string
	lines   map[int]bool // messages that the summary has a line of
}

func (t *trimming) run(res *trim.Result) error {
	t.work = make([]transcript.Message, len(t.in))
	for i := range t.in {
		t.work[i] = cutting.Results(t.in[i], compress)
	}
	t.oblige()
	recent := int(int64(t.o.Budget) * int64(t.shares.Recent) / int64(t.shares.Recent+t.shares.Summary))
	// What must be kept may take the whole budget; the summary gives way.
	for most := compressFrom; t.size() > t.o.Budget; most /= 2 {
		if most < compressTo {
			if !t.release() {
				return &satchel.OverflowError{What: cutting.Newest, Need: t.size(), Limit: t.o.Budget}
			}
			continue
		}
		for g, must := range t.must {
			if must && !t.pinned(g) {
				for i := t.groups[g].From; i < t.groups[g].To; i++ {
					t.work[i] = cutting.Results(t.work[i], func(s string) string { return cutting.Middle(s, most) })
				}
			}
		}
	}
	t.fill(recent)
	t.summarize(t.o.Budget - recent)
	res.Messages = t.render()
	res.After = t.meter.Exact(res.Messages)
	res.Changed = true
	t.account(res)
	return nil
}

// Results of the turns that must be kept are cut to fewer and fewer bytes until
// they fit.
const (
	compressFrom = 4096
	compressTo   = 64
)

// oblige marks the groups that must be kept: those of the first turn, of the
// last five, and of what is pinned.
func (t *trimming) oblige() {
	t.keep, t.must = make([]bool, len(t.groups)), make([]bool, len(t.groups))
	for g, gr := range t.groups {
		t.must[g] = gr.From == 0 || gr.To > len(t.in)-lastTurns || t.pinned(g)
		t.keep[g] = t.must[g]
	}
}

func (t *trimming) pinned(g int) bool {
	return slices.ContainsFunc(t.o.Pins, func(i int) bool { return t.groups[g].From <= i && i < t.groups[g].To })
}

// release lets the oldest of the last five turns go, if what must be kept does
// not fit although its results are cut. The last group and the first stay.
func (t *trimming) release() bool {
	for g := 1; g < len(t.groups)-1; g++ {
		if t.keep[g] && !t.pinned(g) {
			t.keep[g] = false
			return true
		}
	}
	if len(t.groups) > 1 && t.keep[0] && !t.pinned(0) && t.groups[0].To > 0 {
		t.keep[0] = false
		return true
	}
	return false
}

// fill keeps the groups that hold a turn of high priority, the highest and then
// the newest first, as long as they fit.
func (t *trimming) fill(recent int) {
	type candidate struct{ group, priority int }
	var order []candidate
	for g, gr := range t.groups {
		c := candidate{group: g}
		for i := gr.From; i < gr.To; i++ {
			c.priority = max(c.priority, t.turns[i].Priority)
		}
		if !t.must[g] && c.priority >= keepFrom {
			order = append(order, c)
		}
	}
	slices.SortFunc(order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.group, a.group))
	})
	used := t.size()
	for _, c := range order {
		gr := t.groups[c.group]
		n := t.sizeOf(t.work[gr.From:gr.To])
		if used+n <= recent {
			t.keep[c.group] = true
			used += n
		}
	}
}

// summarize writes the summary of what is not kept into what is left of the
// budget, but no more than its share.
func (t *trimming) summarize(share int) {
	var rest []int
	for g, gr := range t.groups {
		if !t.keep[g] {
			for i := gr.From; i < gr.To; i++ {
				rest = append(rest, i)
			}
		}
	}
	for budget := share; budget > 0; budget = budget * 3 / 4 {
		t.summary, t.lines = summarize(t.in, rest, budget)
		if t.summary == "" || t.size() <= t.o.Budget {
			return
		}
	}
	t.summary, t.lines = "", nil
}

// render returns the summary and the kept groups, in the order of the session.
// The summary comes first, as in the reference, so that what is in front of the
// first cut does not depend on what is behind it.
func (t *trimming) render() []transcript.Message {
	var out []transcript.Message
	if t.summary != "" {
		out = append(out, note(t.summary))
	}
	for g, gr := range t.groups {
		if t.keep[g] {
			out = append(out, t.work[gr.From:gr.To]...)
		}
	}
	if len(out) > 0 && out[0].Role != transcript.User {
		out = slices.Insert(out, 0, note(header)) // an API wants the user first
	}
	return out
}

func note(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Summary, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

func (t *trimming) size() int { return t.sizeOf(t.render()) }

// sizeOf returns the larger of the two counts.
func (t *trimming) sizeOf(ms []transcript.Message) int {
	return max(t.meter.Exact(ms), int(t.meter.Size(ms)+0.999))
}

func (t *trimming) account(res *trim.Result) {
	for g, gr := range t.groups {
		for i := gr.From; i < gr.To; i++ {
			a := trim.Account{Message: i, Fate: trim.Dropped, Why: t.turns[i].why(), Before: int(cutting.MessageSize(&t.in[i]))}
			switch {
			case t.keep[g] && !t.omissions(res, i):
				a.Fate, a.After = trim.Kept, a.Before
			case t.keep[g]:
				a.Fate, a.After = trim.Elided, int(cutting.MessageSize(&t.work[i]))
			case t.lines[i]:
				a.Fate = trim.Digested
			}
			res.Accounts = append(res.Accounts, a)
		}
	}
}

// omissions lists the results of a message that were cut, and reports whether any
// was.
func (t *trimming) omissions(res *trim.Result, i int) (any bool) {
	for b := range t.in[i].Blocks {
		was, is := &t.in[i].Blocks[b], &t.work[i].Blocks[b]
		if was.Text != is.Text {
			res.Omitted = append(res.Omitted, trim.Omission{
				Handle: trim.Handle(t.recorded[i].Blocks[b].Text), Message: i, Block: b,
				Tokens: max(0, int(cutting.BlockSize(was)-cutting.BlockSize(is))),
				Spans:  t.in[i].Spans,
			})
			any = true
		}
	}
	return any
}
